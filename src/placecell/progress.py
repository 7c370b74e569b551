"""Progress as events. The library never prints: it calls back, and ``apps`` decides how that looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """``done`` of ``total`` units of ``stage`` are finished (total None: not known beforehand)."""

    stage: str
    done: int
    total: int | None = None
    detail: str = ""


OnProgress = Callable[[Progress], None]


def silent(event: Progress) -> None:
    """The default listener: ignores every event."""
