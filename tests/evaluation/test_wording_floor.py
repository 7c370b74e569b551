"""What the words of a question give away is learnt in other scenes only."""

from __future__ import annotations

from placecell.evaluation.wording_floor import Worded, wording_scores

FRIDGE, CUP = "How large is the fridge?", "How large is the cup?"


def sizes(*truths):
    return [Worded(question, scene, truth, "size") for question, scene, truth in truths]


def test_the_same_words_elsewhere_answer_a_question():
    asked = sizes((FRIDGE, "a", "180"), (CUP, "a", "10"), (FRIDGE, "b", "181"), (CUP, "b", "10"))
    assert wording_scores(asked) == [1.0, 1.0, 1.0, 1.0]


def test_a_scene_does_not_answer_its_own_questions():
    asked = sizes((FRIDGE, "a", "180"), (FRIDGE, "a", "180"), (FRIDGE, "b", "10"))
    assert wording_scores(asked) == [0.0, 0.0, 0.0]


def test_words_that_no_other_scene_has_are_answered_by_their_kind():
    asked = sizes((FRIDGE, "a", "100"), (CUP, "b", "100"), ("How large is the bed?", "c", "205"))
    assert wording_scores(asked) == [1.0, 1.0, 0.0]


def test_letters_are_answered_by_the_commonest_of_their_kind():
    asked = [Worded(str(n), str(n), "AAB"[n], "side", 2) for n in range(3)]
    assert wording_scores([*asked, Worded("4", "4", "A", "side", 2)]) == [1.0, 1.0, 0.0, 1.0]


def test_without_another_scene_nothing_is_known():
    assert wording_scores(sizes((FRIDGE, "a", "180"), (FRIDGE, "a", "180"))) == [0.0, 0.0]
