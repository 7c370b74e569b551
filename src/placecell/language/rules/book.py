"""All rules by code, collected from the modules that define them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from placecell.language.rules import (
    answer,
    cells,
    combination,
    dependency,
    execution,
    plan,
    syntax,
    tool,
    values,
    viewpoint,
)
from placecell.language.rules.base import Rule
from placecell.language.rules.cells import CellRule

_MODULES = (syntax, tool, values, combination, dependency, viewpoint, execution, plan, answer)

RULES: Mapping[str, Rule] = MappingProxyType(
    dict(sorted({r.code: r for module in _MODULES for r in vars(module).values() if isinstance(r, Rule)}.items()))
)
"""Every rule of programs, sorted by code within the order of the alphabet of codes."""

CELL_RULES: Mapping[str, CellRule] = MappingProxyType(
    dict(sorted((r.code, r) for r in vars(cells).values() if isinstance(r, CellRule)))
)
"""What cells are checked by besides those rules that concern single calls and names."""
