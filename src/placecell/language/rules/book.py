"""All rules by code, collected from the modules that define them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from placecell.language.rules import (
    answer,
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

_MODULES = (syntax, tool, values, combination, dependency, viewpoint, execution, plan, answer)

RULES: Mapping[str, Rule] = MappingProxyType(
    dict(sorted({r.code: r for module in _MODULES for r in vars(module).values() if isinstance(r, Rule)}.items()))
)
"""Every rule, sorted by code within the order of the alphabet of codes."""
