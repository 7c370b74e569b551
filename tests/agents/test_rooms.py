"""A synthetic room, every family, every wording of its questions: all right when perception is perfect."""

import pytest

from placecell.agents.pipeline import ask, explain
from placecell.agents.questions.decompose import Understood, understand
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.backends.synthetic.questions import FAMILIES, questions_about
from placecell.backends.synthetic.wording import SIDES, TURNS, WORDINGS

SIZE = (128, 96)
NOUNS = {
    "picture": "photo 3", "other": "photo 7", "side": "to my left", "turn": "turn right", "a": "door", "b": "sofa",
    "c": "fridge", "x": "clock", "plural": "chairs", "choices": "the bed and the sofa", "either": "the bed or the sofa",
    "words": "left, right or back", "list": "bed, sofa, door",
}  # fmt: skip


@pytest.mark.parametrize(("family", "wording"), [(f, w) for f, wordings in WORDINGS.items() for w in wordings])
def test_every_wording_is_understood_as_meant(family, wording):
    sides = [s for words in SIDES.values() for s in words] if "{side}" in wording else [""]
    turns = [t for words in TURNS.values() for t in words] if "{turn}" in wording else [""]
    options = ["A. bed", "B. sofa"] if family in ("side", "side after turn", "nearest", "farthest") else None
    known = ["door", "sofa", "fridge", "clock", "bed", "chair"]
    for side in sides:
        for turn in turns:
            question = wording.format(**{**NOUNS, "side": side, "turn": turn})
            found = understand(question, options, image_count=9, known_names=known)
            assert isinstance(found, Understood), f"{question}: {found}"
            d = found.decomposition
            assert set(d.objects) <= {*known, "chairs"}, question
            assert len(d.motions) == bool(turn) + (family == "closer"), question
            if "{picture}" in wording:
                assert d.reference.image == 3 or d.comparison.images == (3, 7), question


def test_a_room_known_perfectly_is_answered_perfectly():
    room = make_room(5)
    views = default_views(room)
    memory = perfect_memory(room, views, size=SIZE)
    asked = questions_about(room, views, per_family=3, size=SIZE)
    assert {q.family for q in asked} == set(FAMILIES) - {"appearance order"}  # which is asked of videos
    for question in asked:
        answer = ask(memory, question.question, list(question.options) or None)
        if question.value is None:
            assert answer.letter == question.answer, f"{question}\n{explain(answer)}"
        else:
            assert answer.value == pytest.approx(question.value, rel=0.03), f"{question}\n{explain(answer)}"
