"""The engine's side of the operation table: one function for each name, registered by a decorator.

An implementation takes the run's ``Context`` and the operation's arguments by name, already values (or plain literals
for parameters that only take literals), and returns a value. It never raises on what a memory holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from placecell.engine.values import Value

Implementation = Callable[..., Value]
_F = TypeVar("_F", bound=Implementation)

OPERATIONS_IMPL: dict[str, Implementation] = {}
"""Implementations by operation name; filled by importing the modules that ``interpreter`` imports."""


CELLS_IMPL: dict[str, Implementation] = {}
"""Those of the operations that only cells have; filled by importing the modules that ``cells.interpreter`` imports."""


def implements(name: str) -> Callable[[_F], _F]:
    """Register a function as the implementation of an operation of ``language.ops.OPERATIONS``."""
    return _registers(name, OPERATIONS_IMPL)


def implements_in_cells(name: str) -> Callable[[_F], _F]:
    """Register a function as the implementation of an operation of ``language.cell_ops.CELLS_ONLY``."""
    return _registers(name, CELLS_IMPL)


def _registers(name: str, table: dict[str, Implementation]) -> Callable[[_F], _F]:
    def register(function: _F) -> _F:
        if name in table:
            raise ValueError(f"{name} is implemented twice")
        table[name] = function
        return function

    return register
