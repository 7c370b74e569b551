"""How a model is used: what shapes its replies, how long to wait, what may leave the machine.

Knows the settings and the environment variables they come from. Does not know providers (``names``) or limits of a
question (``budget``).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from placecell.errors import UserError

Structured = Literal["text", "tool", "native"]
"""How typed output is asked for: JSON in the reply's text (works everywhere), a tool call, or the server's own schema
mode. Cloud providers get "tool", other servers "text" unless said otherwise."""


@dataclass(frozen=True)
class Settings:
    """How to use a model.

    ``temperature`` 0 makes replies as repeatable as the model allows, and only then are they cached; models that reason
    take none. ``max_tokens`` is the longest reply, reasoning included, ``timeout`` the seconds to wait for one.
    ``retries`` further attempts are made after 429, 5xx and dropped connections, ``backoff`` seconds apart, doubling.
    ``picture_side`` is the longest side of pictures sent, in pixels, None for what the model can use. ``offline``
    refuses every address beyond this machine.
    """

    temperature: float = 0.0
    max_tokens: int = 8192
    seed: int | None = 0
    timeout: float = 120.0
    retries: int = 4
    backoff: float = 0.5
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    picture_side: int | None = None
    structured: Structured | None = None
    cache: Path | None = None
    offline: bool = False

    def __post_init__(self) -> None:
        positive = {"max_tokens": self.max_tokens, "timeout": self.timeout}
        wrong = [name for name, value in positive.items() if not value > 0]
        wrong += [name for name in ("temperature", "retries", "backoff") if getattr(self, name) < 0]
        if self.picture_side is not None and self.picture_side < 64:
            wrong.append("picture_side")
        if wrong:
            raise UserError(f"model setting {wrong[0]} = {getattr(self, wrong[0])} makes no sense")

    @classmethod
    def of_environment(cls, environ: Mapping[str, str] | None = None, **given: object) -> Settings:
        """From PLACECELL_BASE_URL, PLACECELL_API_KEY, PLACECELL_CACHE and PLACECELL_OFFLINE; what is given wins."""
        env = os.environ if environ is None else environ
        found: dict[str, object] = {
            "base_url": env.get("PLACECELL_BASE_URL") or None,
            "api_key": env.get("PLACECELL_API_KEY") or None,
            "cache": Path(env["PLACECELL_CACHE"]) / "replies.sqlite" if env.get("PLACECELL_CACHE") else None,
        }
        settings = cls(**(found | {k: v for k, v in given.items() if v is not None}))  # type: ignore[arg-type]
        return replace(settings, offline=settings.offline or is_offline(env))


def is_offline(environ: Mapping[str, str] | None = None) -> bool:
    """Whether PLACECELL_OFFLINE forbids connections beyond this machine."""
    value = (os.environ if environ is None else environ).get("PLACECELL_OFFLINE", "")
    return value.strip().lower() not in ("", "0", "no", "false", "off")
