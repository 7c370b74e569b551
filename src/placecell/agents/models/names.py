"""What a model's name says: whose it is, and where it is served.

    openai:gpt-6.1-sol            a cloud provider: openai, google, anthropic
    openai:NAME@http://localhost:8000/v1
                              any server with the OpenAI dialect (vLLM, SGLang, Ollama, LM Studio)
    scripted:replies.json     a test double that ships with the package; see ``doubles``

Knows the grammar of names. Opens nothing.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from placecell.errors import UserError

CLOUDS = ("openai", "google", "anthropic")
DOUBLES = ("scripted", "recorded", "slow", "flaky", "slipping", "refusing", "garbage", "blind", "perfect")
_ADDRESS = r"@((?:[a-z]+:/|localhost|\[).*|[^@/]*:\d+(?:/.*)?|\d+\.\d+\.\d+\.\d+.*)$"
"""What ends a name like an address: with a scheme, a port, or this machine's name."""
_EXAMPLE = (
    "openai:gpt-6.1-sol, google:gemini-3.8-flash, anthropic:claude-sonnet-5-5 or openai:NAME@http://localhost:8000/v1"
)


@dataclass(frozen=True)
class ModelName:
    """A name taken apart. ``model`` is the argument of a double; ``base_url`` None is the provider's own address."""

    provider: str
    model: str
    base_url: str | None = None

    @property
    def double(self) -> bool:
        return self.provider in DOUBLES

    @property
    def local(self) -> bool:
        """Whether everything stays on this machine."""
        return self.double or (self.base_url is not None and is_loopback(self.base_url))

    def __str__(self) -> str:
        at = f"@{self.base_url}" if self.base_url else ""
        return f"{self.provider}:{self.model}{at}" if self.model else self.provider


def parse(name: str, base_url: str | None = None) -> ModelName:
    """Take a name apart; ``base_url`` is used for a name that holds no address.

    Raises:
        UserError: the name is none of the known forms; the hint lists them.
    """
    provider, colon, rest = name.strip().partition(":")
    provider = provider.lower()
    if provider in DOUBLES:
        return ModelName(provider, rest)
    if provider not in CLOUDS or not colon or not rest:
        choices = f"{_EXAMPLE}; for tests {', '.join(DOUBLES)}"
        raise UserError(f"unknown model {name!r}", hint=f"models are named like {choices}")
    found = re.fullmatch(r"(?P<model>.+?)@(?P<url>https?://.*)", rest)
    model, url = (found["model"], found["url"]) if found else (rest, base_url)
    meant = re.search(_ADDRESS, model)
    if meant:  # a cloud must not get what was meant for a server of one's own
        raise UserError(f"{meant[1]!r} is no address of a model server", hint="begin it with http:// or https://")
    if url is not None and not urlsplit(url).hostname:
        raise UserError(f"{url!r} is no address of a model server", hint="give one like http://localhost:8000/v1")
    return ModelName(provider, model, url)


def is_loopback(url: str) -> bool:
    """Whether an address is this machine's own: localhost or a loopback IP. Other names are never looked up."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
