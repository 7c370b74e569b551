"""How blocks of grammar are laid out: one line each, deeper lines continue, ``name := pattern``, ``# comments``.

Knows lines only; what a pattern means is ``grammar``'s.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

HEADING = re.compile(r"([a-z0-9 ]+):")
DEFINITION = re.compile(r"([a-z0-9-]+) := (.+)")


def logical_lines(block: str) -> list[str]:
    """Lines without comments and indentation, continuations joined to the line they continue."""
    physical = [line for line in block.splitlines() if line.strip() and not line.lstrip().startswith("# ")]
    margin = min((len(line) - len(line.lstrip()) for line in physical), default=0)
    out: list[str] = []
    for line in physical:
        if out and line[margin] == " ":
            out[-1] += f" {line.strip()}"
        else:
            out.append(line.strip())
    return out


def definitions(block: str) -> Mapping[str, str]:
    """The classes a block defines."""
    found = {}
    for line in logical_lines(block):
        match = DEFINITION.fullmatch(line)
        if match is None:
            raise ValueError(f"not a definition: {line!r}")
        found[match[1]] = match[2]
    return found


def words(text: str) -> tuple[str, ...]:
    """Words written as a line of them, in their order."""
    return tuple(text.split())
