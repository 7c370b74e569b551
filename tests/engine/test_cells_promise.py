"""The promise of cells: what is accepted ends within its printed bound, and gives every name a value of its type.

``PLACECELL_CELLS=1000000 pytest tests/engine/test_cells_promise.py`` runs as many cells as it says.
"""

from __future__ import annotations

import os
from dataclasses import astuple

import numpy as np
import pytest
from cell_generator import CellWriter
from engine_memories import ADVERSARIAL
from moving_memories import TIMES, moving_memory

from placecell.engine.cells.quantities import quantity_of
from placecell.engine.cells.values import FrameValue, PointValue, SetValue, UntrustedText, VectorValue, Verdict
from placecell.engine.context import PictureSettings
from placecell.engine.session import CellSession, SessionLimits
from placecell.engine.values import Absent, InstancesValue
from placecell.language.cells.algebra import WORLD
from placecell.language.cells.check import CellScope, check_cell
from placecell.language.types import SCALARS, Kind
from placecell.memory.track import true_track

CELLS = int(os.environ.get("PLACECELL_CELLS", "20000"))
SHARES = 3
IN_A_SESSION = 8
TINY = PictureSettings(size=24)
LIMITS = SessionLimits(cells=IN_A_SESSION)
RARE = "thousands"  # takes a hundred times as long as the others


def moving():
    """Two chairs, one of which passes the other."""
    share = np.linspace(0, 1, len(TIMES))[:, None]
    passing = np.array([-1.0, 0.5, -4.0]) + share * np.array([2.0, 0.0, 0.5])
    standing = np.tile([0.0, 0.5, -5.0], (len(TIMES), 1))
    return moving_memory(*(true_track(i, "chair", TIMES, c, size=0.4) for i, c in enumerate((passing, standing), 1)))


@pytest.fixture(scope="module")
def memories():
    made = {name: make() for name, make in ADVERSARIAL.items()}
    return made | {"moving": moving()}


def fits(value, type_):
    """Whether a value is of its static type, members and dimension included."""
    if isinstance(value, Absent):
        return value.kind == type_.kind
    match type_.kind:
        case kind if kind in SCALARS:
            number = quantity_of(value)
            return number is not None and number.dimension == type_.dimension
        case Kind.VERDICT:
            return isinstance(value, Verdict)
        case Kind.UNTRUSTED:
            return isinstance(value, UntrustedText)
        case Kind.FRAME:
            return isinstance(value, FrameValue)
        case Kind.POINT:
            return isinstance(value, PointValue) and (type_.frame == WORLD or value.frame is not None)
        case Kind.VECTOR if type_.frame is not None:
            return isinstance(value, VectorValue) and (type_.frame == WORLD or value.frame is not None)
        case Kind.SET:
            return (
                isinstance(value, SetValue)
                and value.element == type_.element.kind
                and len(value.items) <= type_.size
                and all(fits(item, type_.element) for item in value.items)
            )
        case Kind.INSTANCES:
            return isinstance(value, InstancesValue) and len(value.instances) <= type_.size
        case _:
            return type(value).__name__.removesuffix("Value").lower() in (str(type_.kind), "text", "supposed", "motion")


def sessions(memories, writer, share, count):
    """``count`` turns of cells that the checker accepts, as (name of the memory, turn)."""
    usual = [name for name in memories if name != RARE]
    done = number = 0
    while done < count:
        number += 1
        name = RARE if number % 100 == 99 else usual[(number + share) % len(usual)]
        session = CellSession(memories[name], limits=LIMITS, pictures=TINY)
        writer.begin(session.scope)
        for _ in range(IN_A_SESSION):
            turn = session.run(writer.cell())
            if turn.accepted:
                done += 1
                yield name, turn
                writer.scope = session.scope


@pytest.mark.parametrize("share", range(SHARES))
def test_an_accepted_cell_ends_within_its_bound_and_gives_every_name_a_value_of_its_type(memories, share):
    writer = CellWriter(300 + share, CellScope())
    for name, turn in sessions(memories, writer, share, CELLS // SHARES):
        cell, run = turn.report.cell, turn.run
        assert list(run.bindings) == list(cell.types), (name, cell.text)
        for target, value in run.bindings.items():
            assert fits(value, cell.types[target]), (name, target, value, cell.types[target], cell.text)
        used, bound = astuple(run.used), astuple(cell.cost)
        assert all(u <= b for u, b in zip(used, bound, strict=True)), (name, used, bound, cell.text)


def test_most_written_cells_are_accepted(memories):
    writer = CellWriter(9, CellScope())
    accepted = 0
    for number in range(60):
        session = CellSession(memories["room" if number % 2 else "moving"], limits=LIMITS, pictures=TINY)
        writer.begin(session.scope)
        accepted += sum(check_cell(writer.cell(), session.scope).ok for _ in range(5))
    assert accepted > 280


def test_ill_typed_cells_are_refused_with_a_place_in_the_text(memories):
    writer = CellWriter(77, CellScope())
    for number in range(CELLS // 10):
        if number % 50 == 0:
            session = CellSession(memories["relative" if number % 100 else "room"], limits=LIMITS, pictures=TINY)
            writer.begin(session.scope)
        text = writer.wrong()
        report = check_cell(text, session.scope)
        assert not report.ok, text
        lines = text.split("\n")
        for diagnostic in report.errors:
            line, column, end_line, end_column = diagnostic.span
            assert 1 <= line <= end_line <= len(lines)
            assert 1 <= column <= len(lines[line - 1]) + 1
            assert end_column <= len(lines[end_line - 1]) + 1


def test_the_log_of_a_session_is_the_same_every_time(memories):
    def told(seed):
        writer = CellWriter(seed, CellScope())
        return [turn.told() for _, turn in sessions(memories, writer, 0, 100)]

    assert told(5) == told(5)
