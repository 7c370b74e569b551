"""Replies by hand, scored as each published rule says, and wrong scorers that these checks must catch."""

from __future__ import annotations

import re

import numpy as np
import pytest

from placecell.evaluation.report import figures
from placecell.evaluation.runs.record import SampleRecord
from placecell.evaluation.scoring import accuracy, aggregate, letters, mindcube, numbers, replies, robust
from placecell.evaluation.scoring.aggregate import Row, chance_corrected, vsi_overall
from placecell.evaluation.scoring.table import SCORERS

OPTIONS = ("A. left", "B. right", "C. front", "D. behind")
CHOICE = {
    "V": "vsi_official_mca",
    "M": "mindcube_official",
    "B": "blink_official",
    "L": "blink_lmms_eval",
    "S": "mmsi_lmms_eval",
    "W": "viewspatial_lmms_eval",
    "K": "vlmevalkit_mcq",
    "D": "vlm4d_rule",
    "O": "omnispatial_re",
    "P": "spar_lmms_eval_choice",
    "R": "robust_choice",
}
LETTERS = [  # the truth is B; whose rule counts the reply right
    ("B", "VMBLSWKDPR"),
    ("b", "VLWKDPR"),
    ("B.", "VMLSWKDPR"),
    ("(B)", "MBLSWKDR"),
    ("B. right", "VMLSWKPR"),
    ("B) right", "MLSWKPR"),
    ("B: right", "MLSWKPR"),
    (" B", "MLSWKDR"),
    ("B\n", "VMLSKDPR"),
    ("B\nbecause it is near", "MLKPR"),
    ("Answer: B", "MSWKOR"),
    ("Answer: (B)", "MBSWKR"),
    ("answer : b", "WKOR"),
    ("Answer: A\nAnswer: B", "SWKOR"),
    ("The answer is B.", "MSWKR"),
    ("Therefore, the final answer is: $B", "MSWKDR"),
    ("final answer is A; no, the final answer is B", "MDR"),
    ("<answer>B</answer>", "MSWKR"),
    ("<think>maybe A.</think><answer>B. right</answer>", "MKR"),
    ("A. left B. right", "M"),
    ("Not (A) but (B)", "R"),
    ("(A) is behind me.\n\nSo it is (B)", "MBWKR"),
    ("It is (B) and again (B)", "MBSWKR"),
    ("It is (B).", "MSWKR"),
    ("B or C", "VMLWP"),
    ("right", "R"),
    ("Turn to the right.", "R"),
    ("", "P"),
    ("A big table is at B", "S"),
    ("a table blocks it: (B)", "MBSKR"),
    ("Option B", "MSWKR"),
    ("**B**", "MSWKDR"),
    ("``B``", "MSWKDR"),
    ("\\boxed{B}", "MSWKR"),
    ("The right one is D", ""),
    ("E", ""),
    ("B is a letter of the ABC. I stop here: VGA.", "VLWKP"),
]
NUMBER = {
    "V": "vsi_official_na",
    "L": "vsi_lmms_eval_main_na",
    "K": "vsi_vlmevalkit_na",
    "M": "mra",
    "F": "spar_lmms_eval_number",
    "X": "spar_lmms_eval_number_mv",
    "R": "robust_number",
}
NUMBERS = [  # the truth is 10; whose rule gives which score, 0 where it is not named
    ("10", {"VLKMFXR": 1.0}),
    ("10.", {"VLKMFXR": 1.0}),
    ("10 meters", {"VLKFX": 1.0}),
    ("10m", {"LKFX": 1.0}),
    ("about 10", {"LKFXR": 1.0}),
    ("ten", {"LKR": 1.0}),
    ("10,000", {"LF": 1.0}),
    ("-10", {"FX": 1.0}),
    ("+10", {"VLKMFXR": 1.0}),
    ("$10$", {"LKFXR": 1.0}),
    (" 10", {"LKMFXR": 1.0}),
    ("10\n", {"VLKMFXR": 1.0}),
    ("", {}),
    ("between 7.8 and 12.2", {"LKFX": 0.6}),
    ("<answer>10</answer>", {"LKFXR": 1.0}),
    ("<think>3 or 4</think><answer>10</answer>", {"KXR": 1.0}),
    ("<think>10</think>", {"LKFX": 1.0}),
    ("3 + 7 = 10", {"KXR": 1.0}),
    ("10 of 16 chairs", {"VLF": 1.0}),
    ("nan", {}),
    ("inf", {}),
    ("1e1", {"VKMR": 1.0}),
    ("1_0", {"VM": 1.0}),
    ("0.10e2", {"VKMR": 1.0}),
    ("10.4", {"VLKMFXR": 1.0}),
    ("11.2 m2", {"VLF": 0.8}),
    ("12.2", {"VLKMFXR": 0.6}),
    ("14.2", {"VLKMFXR": 0.2}),
    ("15.1", {}),
    ("10^2", {"LFX": 1.0}),
    ("10 10", {"VLKFXR": 1.0}),
    ("[10, 16]", {"LKF": 1.0}),
    ("no number", {}),
]
ON_A_STEP = [
    (10.5, 10, 1.0),
    (9, 10, 0.9),
    (1.1, 1, 0.9),
    (12, 10, 0.6),
    (1.2, 1, 0.7),
    (12.5, 10, 0.6),
    (14.5, 10, 0.1),
]
"""Value, truth, score: the tolerance is met in floating point as the authors compute it, or just missed."""


def of_letters():
    return [
        (name, reply)
        for reply, right in LETTERS
        for mark, name in CHOICE.items()
        if SCORERS[name](reply, "B", OPTIONS).value != float(mark in right)
    ]


def of_numbers():
    return [
        (name, reply)
        for reply, scores in NUMBERS
        for mark, name in NUMBER.items()
        if SCORERS[name](reply, "10").value
        != pytest.approx(next((score for marks, score in scores.items() if mark in marks), 0.0))
    ]


def of_steps():
    return [
        (name, value)
        for value, truth, score in ON_A_STEP
        for name in ("vsi_official_na", "mra", "robust_number")
        if SCORERS[name](str(value), str(truth)).value != pytest.approx(score)
    ]


def of_denominators():
    """Two right, one wrong, one failed call: half, whoever's rule."""
    asked = [replies.Reply(pred=pred, gt="A", options=2) for pred in ("A", "A", "B", None)]
    total = replies.summary("robust_choice", asked, replies.score_replies("robust_choice", asked))
    return [name for name in ("micro", "macro") if total[name] != 0.5] + ["n"] * (total["n"] != 4)


TEN = {
    "object_counting": 0.10,
    "object_abs_distance": 0.20,
    "object_size_estimation": 0.30,
    "room_size_estimation": 0.40,
    "object_rel_distance": 0.50,
    "object_rel_direction_easy": 0.90,
    "object_rel_direction_medium": 0.60,
    "object_rel_direction_hard": 0.30,
    "route_planning": 0.70,
    "obj_appearance_order": 0.80,
}


def of_overalls():
    """VSI: (.1 + .2 + .3 + .4 + .5 + .6 + .7 + .8) / 8, direction being (.9 + .6 + .3) / 3. MindCube: 3 of 5."""
    cube = [("among", 1), ("among", 1), ("around", 1), ("rotation", 0), ("rotation", 0), *[("translation", 0)] * 5]
    records = [
        SampleRecord(run="r", sample=str(n), kind=k, scores={"x": s}, scorer="x") for n, (k, s) in enumerate(cube)
    ]
    found = {
        "vsi": aggregate.vsi_overall(TEN) == pytest.approx(0.45),
        "mindcube": figures.overall(records, "mindcube").value == pytest.approx(0.6),
        "chance": aggregate.chance_corrected([Row(1, options=2), Row(0, options=4)]) == pytest.approx(0.25 / 1.25),
    }
    return [name for name, agrees in found.items() if not agrees]


CHECKS = (of_letters, of_numbers, of_steps, of_denominators, of_overalls)


@pytest.mark.parametrize("check", CHECKS)
def test_every_scorer_scores_the_replies_as_its_rule_says(check):
    assert check() == []


def test_there_are_thirty_replies_for_each_scorer():
    assert min(len({reply for reply, _ in table}) for table in (LETTERS, NUMBERS)) >= 30
    assert set(SCORERS) == {*CHOICE.values(), *NUMBER.values()}


def accuracy_by(compare):
    def score(value, truth):
        return 0.0 if value is None else float(compare(value, truth).mean())

    return score


def relative(value, truth):
    return abs(value - truth) / truth


MUTANTS = {
    "below instead of at most": (
        numbers,
        "mean_relative_accuracy",
        accuracy_by(lambda v, t: relative(v, t) < 1 - accuracy.THRESHOLDS),
    ),
    "thresholds by multiplication": (accuracy, "THRESHOLDS", 0.5 + 0.05 * np.arange(10)),
    "nine thresholds": (accuracy, "THRESHOLDS", np.linspace(0.5, 0.9, 9)),
    "relative to the answer": (
        robust,
        "mean_relative_accuracy",
        accuracy_by(lambda v, t: abs(v - t) / abs(v or 1) <= 1 - accuracy.THRESHOLDS),
    ),
    "the first of several letters": (mindcube, "_ANYWHERE", re.compile(r"\A.*?([A-E])\.", re.DOTALL)),
    "a letter at the end of a word is none": (mindcube, "_ANYWHERE", re.compile(r"\b([A-E])\.")),
    "lower case is none": (letters, "_VIEWSPATIAL", re.compile(r"\b([A-D])\b")),
    "a letter before a word counts": (letters, "_MMSI_LETTER", re.compile(r"\b[A-D]\b")),
    "brackets around an answer": (letters, "_OMNISPATIAL", re.compile(r"Answer\s*:\s*\(?([A-D])\b", re.IGNORECASE)),
    "decimals and exponents cut off": (numbers, "_SIGNED", re.compile(r"\d+")),
    "failures dropped": (
        replies,
        "aggregate",
        lambda rows: aggregate.aggregate([row for row in rows if row.score]),
    ),
    "failures taken for wrong twice": (replies, "aggregate", lambda rows: aggregate.aggregate([*rows, rows[-1]])),
    "ten tasks instead of eight": (aggregate, "vsi_overall", lambda kinds: float(np.mean(list(kinds.values())))),
    "translation counted": (figures, "MINDCUBE_SETTINGS", (*aggregate.MINDCUBE_SETTINGS, "translation")),
    "a setting forgotten": (figures, "MINDCUBE_SETTINGS", aggregate.MINDCUBE_SETTINGS[:2]),
    "chance as if all had two options": (
        aggregate,
        "chance_corrected",
        lambda rows: chance_corrected([Row(row.score, options=2) for row in rows]),
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_a_wrong_scorer_is_caught(monkeypatch, name):
    module, attribute, wrong = MUTANTS[name]
    monkeypatch.setattr(module, attribute, wrong)
    assert any(check() for check in CHECKS)


def test_a_first_token_that_keeps_its_dots_is_caught(monkeypatch):
    monkeypatch.setattr(letters, "first_token", lambda reply: reply.split(" ")[0].strip())
    assert of_letters()


def test_blink_counts_marks_of_offered_options_only():
    two = ("A. left", "B. right")
    assert SCORERS["blink_official"]("(B) and not (C)", "(B)", two).value == 1.0
    assert SCORERS["blink_official"]("(B) and not (C)", "(B)", OPTIONS).value == 0.0


def test_the_total_of_blink_is_the_mean_of_its_tasks_and_a_missing_row_is_a_wrong_one():
    truths = {"val_Counting_1": "(A)", "val_Counting_2": "(B)", "val_Jigsaw_1": "(A)", "val_Jigsaw_2": "(B)"}
    found = {"val_Counting_1": "(A)", "val_Counting_2": "(B)", "val_Jigsaw_1": "A"}
    asked = [replies.Reply(id=row, pred=found.get(row), gt=gt, type=row[4:-2]) for row, gt in truths.items()]
    asked.append(replies.Reply(id="val_Jigsaw_3", pred=None, gt="(A)", type="Jigsaw"))
    total = replies.summary("blink_official", asked, replies.score_replies("blink_official", asked))
    assert total["by_type"] == {"Counting": 1.0, "Jigsaw": pytest.approx(1 / 3)}
    assert (total["macro"], total["micro"]) == (pytest.approx(2 / 3), pytest.approx(3 / 5))


def test_a_robust_number_is_converted_to_the_unit_asked_for():
    assert SCORERS["robust_number"]("230 cm", "2.3", unit="m").value == 1.0
    assert SCORERS["robust_number"]("230 cm", "2.3").value == 0.0
    reply = replies.Reply(pred="about 2.3 m", gt="230", type="object_size_estimation")
    assert reply.score(SCORERS["robust_number"]).value == 1.0


def test_two_equal_option_texts_both_count_when_one_is_right():
    twice = ("A. left", "B. right", "C. right", "D. behind")
    assert SCORERS["robust_choice"]("C", "B", twice).value == 1.0
    assert SCORERS["robust_choice"]("D", "B", twice).value == 0.0


def test_a_part_of_vsi_bench_is_summed_up_over_the_tasks_it_has():
    assert vsi_overall({"object_rel_direction_easy": 1.0, "object_counting": 0.5}) == pytest.approx(0.75)


def test_nothing_to_score_is_no_figure():
    with pytest.raises(ValueError, match="nothing to score"):
        vsi_overall({})
    assert figures.overall([], "mindcube") is None
