"""A one-shot program is one cell: the same diagnostics, and where it is accepted the same values."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "language"))
from cell_worlds import memory
from language_corpus import all_cases

from placecell.engine.describe import record
from placecell.engine.facts import facts_of
from placecell.engine.interpreter import PictureSettings, run
from placecell.engine.session import CellSession
from placecell.language.cells.check import check_cell
from placecell.language.cells.scope import CellScope
from placecell.language.check import check

TINY = PictureSettings(size=24)
HEAD = re.compile(r"^ *def (plan|plan_to_solve_problem)\(", re.MULTILINE)
TEXTS = [(name, case) for name, case in all_cases() if case.text and not case.is_reply]
CASES = [(name, case) for name, case in TEXTS if HEAD.search(case.text)]
"""Those that are programs by their name; the others are cells, and no good ones."""


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=[name for name, _ in CASES])
def test_a_program_has_the_same_diagnostics_as_a_cell(case):
    alone = check(case.text, facts=case.facts)
    cell = check_cell(case.text, CellScope(facts=case.facts))
    assert cell.diagnostics == alone.diagnostics
    assert (cell.cell is None) == (alone.plan is None)


def test_nearly_all_of_the_corpus_are_programs_and_the_rest_is_refused_as_both():
    rest = [(name, case) for name, case in TEXTS if (name, case) not in CASES]
    assert len(CASES) > 250 > 10 > len(rest)
    for name, case in rest:
        assert check(case.text, facts=case.facts).plan is None, name
        assert check_cell(case.text, CellScope(facts=case.facts)).cell is None, name


def test_an_accepted_program_gives_the_same_values_as_a_cell():
    seen = memory("pictures", 1)
    facts = facts_of(seen)
    ran = 0
    for name, case in CASES:
        plan = check(case.text, facts=facts).plan
        if plan is None:
            continue
        turn = CellSession(seen, pictures=TINY).run(case.text)
        assert turn.run is not None, name
        assert [record(v) for v in turn.run.values] == [record(v) for v in run(plan, seen, pictures=TINY).values], name
        ran += 1
    assert ran > 20
