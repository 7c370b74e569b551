"""Which pictures a list of files and folders stands for, in which order, and reading them one by one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Skipped:
    """One input that was left out, by the name a person would look for, and why."""

    name: str
    reason: str
