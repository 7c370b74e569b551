"""Every error placecell raises on purpose, by who must act on it.

    PlacecellError
    |- UserError            the person: bad file, value or request; one line and the next step (exit code 2)
    |- BackendUnavailable   the person: an extra, weights or a key is missing; says what installs it (exit code 3)
    |- BudgetExhausted      the person: a stated limit on time, pictures, calls or money was reached (exit code 4)
    `- ProgramError         the author of a program, often a model: its diagnostics go back to it (exit code 1)

Anything else that escapes is a bug.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar


class PlacecellError(Exception):
    """Base of all deliberate errors: one line of text, and optionally the next step."""

    exit_code: ClassVar[int] = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class UserError(PlacecellError):
    """Input that cannot be used. The message names the file or value, the hint says what to do next."""


class BackendUnavailable(PlacecellError):
    """Something optional is missing. The hint is the exact line that installs it."""

    exit_code = 3


class BudgetExhausted(PlacecellError):
    """A stated limit was reached; what had been finished is kept."""

    exit_code = 4


class ProgramError(PlacecellError):
    """A program was not accepted. ``diagnostics`` are the checker's, in source order."""

    exit_code = 1

    def __init__(self, message: str, diagnostics: Sequence[Any] = (), *, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.diagnostics = tuple(diagnostics)
