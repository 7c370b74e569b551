"""Short forms for the parameters of the operation table."""

from __future__ import annotations

from typing import Any

from placecell.language.signature import Parameter
from placecell.language.types import Kind


def need(name: str, *kinds: Kind, of: str, aliases: str = "", **more: Any) -> Parameter:
    """A required parameter; ``of`` says what it is, ``aliases`` are separated by spaces."""
    return Parameter(name, frozenset(kinds), of, aliases=tuple(aliases.split()), **more)


def may(name: str, *kinds: Kind, of: str, aliases: str = "", **more: Any) -> Parameter:
    """An optional parameter."""
    return Parameter(name, frozenset(kinds), of, required=False, aliases=tuple(aliases.split()), **more)


def choice(name: str, choices: str, of: str, means: str = "", **more: Any) -> Parameter:
    """A text parameter with choices separated by spaces; ``means`` are pairs "alias=choice"."""
    pairs = dict(pair.split("=") for pair in means.split())
    more.setdefault("required", "default" not in more)
    return Parameter(name, frozenset({Kind.TEXT}), of, choices=tuple(choices.split()), choice_aliases=pairs, **more)
