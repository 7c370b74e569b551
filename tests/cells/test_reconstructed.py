"""Cells over a memory as it is built from pictures with depth, where boxes hold what was seen and nothing else."""

import pytest
from cell_play import play, told
from cell_questions import questions
from cell_worlds import room

from placecell.backends.synthetic.capture import photograph
from placecell.engine.cells.quantities import quantity_of
from placecell.memory.build import assemble

SEED = 1


@pytest.fixture(scope="module")
def built():
    return assemble(photograph(room(SEED), size=(96, 72), frame="world", lit=False))


def test_what_falls_off_a_wall_is_not_held_by_the_wall(built):
    question = next(q for q in questions() if q.form == "falls from the wall" and q.seed == SEED)
    played = play(question, built)
    assert quantity_of(played.value).value == pytest.approx(question.truth, abs=0.1), told(played)


def test_nearly_every_question_about_things_has_an_answer_and_most_are_close(built):
    asked = [q for q in questions() if q.world == "boxes" and q.seed == SEED and not isinstance(q.truth, str)]
    values = [(q, quantity_of(v)) for q in asked if (v := play(q, built).value) is not None]
    close = [n is not None and abs(n.value - q.truth) <= 0.1 * max(1.0, abs(q.truth)) for q, n in values]
    assert len(asked) > 10
    assert sum(close) >= 0.75 * len(asked)
