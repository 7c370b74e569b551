"""What answering one question may take, and what it has taken.

Knows calls, tokens, pictures, seconds and money. Thread-safe: a strategy may talk in several threads at once.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, fields, replace
from typing import Literal

from placecell.errors import UserError

Limit = Literal["calls", "tokens", "pictures", "seconds", "usd"]


@dataclass(frozen=True)
class Limits:
    """The most that one question may take; None is no limit. ``pictures`` are those shown to the model, each once."""

    calls: int | None = 24
    tokens: int | None = 400_000
    pictures: int | None = 64
    seconds: float | None = 600.0
    usd: float | None = None

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "pictures", "seconds", "usd"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise UserError(f"a limit of {value} {name} makes no sense", hint="give a number from 0 on")

    @classmethod
    def parse(cls, text: str) -> Limits:
        """Limits from "calls=10,usd=0.5"; what is not named keeps its default, "none" takes a limit away.

        Raises:
            UserError: an unknown name, or a value that is no number.
        """
        names = [f.name for f in fields(cls)]
        given: dict[str, float | None] = {}
        for part in filter(None, (p.strip() for p in text.split(","))):
            name, _, said = (p.strip() for p in part.partition("="))
            if name not in names:
                raise UserError(f"budget {part!r}: unknown limit {name!r}", hint=f"limit {', '.join(names)}")
            try:
                given[name] = None if said.lower() == "none" else float(said)
            except ValueError:
                raise UserError(f"budget {part!r}: {said!r} is no number", hint=f"write it like {name}=10") from None
            value = given[name]
            if name in ("calls", "tokens", "pictures") and value is not None and value.is_integer():
                given[name] = int(value)
        return cls(**given)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Spent:
    """What was used. ``usd`` adds up replies of known price, ``unpriced`` counts the others, ``cached`` were free.

    ``lost`` calls got no reply for the server, the way to it or a key, however often they were tried.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    pictures: int = 0
    usd: float = 0.0
    unpriced: int = 0
    cached: int = 0
    retries: int = 0
    lost: int = 0

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class Account:
    """The books of one question: limits, and what has been spent since it was opened."""

    def __init__(self, limits: Limits = Limits()) -> None:
        self.limits = limits
        self._lock = threading.Lock()
        self._started = time.monotonic()
        self._spent = Spent()
        self._pictures: set[str] = set()

    @property
    def spent(self) -> Spent:
        with self._lock:
            return self._spent

    @property
    def seconds(self) -> float:
        """Seconds since the account was opened."""
        return time.monotonic() - self._started

    @property
    def seconds_left(self) -> float:
        return float("inf") if self.limits.seconds is None else self.limits.seconds - self.seconds

    @property
    def tokens_left(self) -> int | None:
        return None if self.limits.tokens is None else self.limits.tokens - self.spent.tokens

    def used(self, limit: Limit) -> float:
        """How much of one limit is used."""
        return self.seconds if limit == "seconds" else float(getattr(self.spent, limit))

    def open_call(self, pictures: set[str]) -> Limit | int:
        """Count a call that shows the pictures of these digests; its number, or the limit that forbids it."""
        with self._lock:
            shown = self._pictures | pictures
            after = {
                "calls": self._spent.calls + 1,
                "pictures": len(shown),
                # Of tokens and money nobody knows beforehand what a call takes: one that begins within them may end it.
                "tokens": self._spent.tokens + 1,
                "usd": self._spent.usd,
                "seconds": self.seconds,
            }
            limits: tuple[Limit, ...] = ("calls", "pictures", "tokens", "seconds", "usd")
            for name in limits:
                allowed = getattr(self.limits, name)
                if allowed is not None and (after[name] > allowed or (name == "usd" and after[name] >= allowed)):
                    return name
            self._pictures = shown
            self._spent = replace(self._spent, calls=self._spent.calls + 1, pictures=len(shown))
            return self._spent.calls

    def close_call(self, *, input_tokens: int, output_tokens: int, usd: float | None, cached: bool) -> None:
        """Book a reply."""
        with self._lock:
            s = self._spent
            self._spent = replace(
                s,
                input_tokens=s.input_tokens + input_tokens,
                output_tokens=s.output_tokens + output_tokens,
                usd=s.usd + (usd or 0.0),
                unpriced=s.unpriced + (usd is None),
                cached=s.cached + cached,
            )

    def lose_call(self) -> None:
        """Book a call that ended without a reply."""
        with self._lock:
            self._spent = replace(self._spent, lost=self._spent.lost + 1)

    def retry(self) -> None:
        """Book a further attempt at a call."""
        with self._lock:
            self._spent = replace(self._spent, retries=self._spent.retries + 1)
