"""placecell: a place memory for vision-language models.

>>> import placecell
>>> memory = placecell.build("my_scan/")
>>> placecell.ask(memory, "How far is the sofa from the door?").answer

Names are loaded when first used, so importing the package costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from placecell.agents.answer import Answer as Answer
    from placecell.api import Memory as Memory
    from placecell.api import ask as ask
    from placecell.api import build as build
    from placecell.api import check as check
    from placecell.api import load as load
    from placecell.api import run as run
    from placecell.api import session as session
    from placecell.api import toolset as toolset
    from placecell.errors import BackendUnavailable as BackendUnavailable
    from placecell.errors import BudgetExhausted as BudgetExhausted
    from placecell.errors import PlacecellError as PlacecellError
    from placecell.errors import ProgramError as ProgramError
    from placecell.errors import UserError as UserError

__version__ = "0.1.0"

_HOMES = {
    "Answer": "placecell.agents.answer",
    **dict.fromkeys(("Memory", "ask", "build", "check", "load", "run", "session", "toolset"), "placecell.api"),
    **dict.fromkeys(
        ("BackendUnavailable", "BudgetExhausted", "PlacecellError", "ProgramError", "UserError"), "placecell.errors"
    ),
}

__all__ = ["__version__", *sorted(_HOMES)]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'placecell' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
