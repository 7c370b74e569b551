"""Checking and running cells over a memory, in one line."""

from __future__ import annotations

from dataclasses import replace

from placecell.engine.cells.context import NO_EFFECTS
from placecell.engine.cells.interpreter import CellState, run_cell
from placecell.engine.context import PictureSettings
from placecell.engine.facts import facts_of
from placecell.language.cells.check import check_cell
from placecell.language.cells.scope import CellScope

SMALL = PictureSettings(size=96)


def runs(memory, *cells, effects=NO_EFFECTS, options=()):
    """The run of each cell, one after the other."""
    state = CellState(memory, pictures=SMALL)
    scope = CellScope(facts=facts_of(memory), options=tuple(options), effects=effects.available)
    done = []
    for text in cells:
        report = check_cell("\n".join(line.strip() for line in text.strip().splitlines()), scope)
        assert report.cell is not None, [(d.code, d.message) for d in report.errors]
        ran = run_cell(report.cell, state, effects)
        state, scope = state.after(ran), scope.after(report.cell, used=ran.used, facts=facts_of(ran.memory))
        done.append(ran)
    return done


def bindings(memory, *cells, **more):
    """Every name that the cells bound, with its value."""
    return {name: value for ran in runs(memory, *cells, **more) for name, value in ran.bindings.items()}


def blurred(memory, centre_sd=0.05, size_sd=0.04):
    """The memory with objects that are known this well."""
    things = tuple(replace(i, centre_sd=centre_sd, size_sd=size_sd) for i in memory.instances)
    return replace(memory, instances=things)
