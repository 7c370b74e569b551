"""Instance AP: every case of the benchmark's rules by hand, and against a second scorer written from the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.errors import UserError
from placecell.evaluation.grounding import THRESHOLDS, ScoredScene, class_agnostic, instance_ap, masks_of
from placecell.evaluation.grounding_files import read_scenes

CHAIR, TABLE, WALL = 5, 7, 1
CLASSES = {CHAIR: "chair", TABLE: "table"}
VERTICES = 3000


def scene(truth=(), predicted=()):
    """Truth: (id, first, last) or (class, number, first, last); predicted: (class, first, last, score)."""
    ids = np.zeros(VERTICES, np.int64)
    for label, number, first, last in truth:
        ids[first:last] = 1000 * label + number
    masks = np.zeros((VERTICES, len(predicted)), bool)
    for column, (_, first, last, _) in enumerate(predicted):
        masks[first:last, column] = True
    scores = np.array([p[3] for p in predicted], float)
    return ScoredScene(masks, scores, np.array([p[0] for p in predicted], np.int64), ids)


def by_definition(scenes, threshold):
    """AP of each class at one threshold, with sets and loops, from the rules in words."""
    results = []
    for label in CLASSES:
        true_positive, false_positive, unfound, any_truth, any_prediction = [], [], 0, False, False
        for one in scenes:
            regions = {}
            for vertex, id_ in enumerate(one.truth.tolist()):
                regions.setdefault(id_, set()).add(vertex)
            unscored = set().union(*(r for id_, r in regions.items() if id_ // 1000 not in CLASSES))
            instances = [r for id_, r in sorted(regions.items()) if id_ // 1000 == label]
            guesses = []
            for column in range(one.masks.shape[1]):
                region = set(np.flatnonzero(one.masks[:, column]).tolist())
                if one.classes[column] == label and len(region) >= 100:
                    guesses.append((region, float(one.scores[column]), []))
            any_prediction = any_prediction or bool(guesses)

            def iou(a, b):
                return len(a & b) / len(a | b)

            for instance in instances:
                if len(instance) < 100:
                    continue
                any_truth = True
                matched = []
                for region, score, used in guesses:
                    if iou(region, instance) > threshold and not used:
                        matched.append(score)
                        if len(matched) == 1:
                            used.append(True)
                if not matched:
                    unfound += 1
                    continue
                true_positive.append(max(matched))
                matched.remove(max(matched))
                false_positive += matched
            for region, score, _ in guesses:
                if any(iou(region, instance) > threshold for instance in instances):
                    continue
                excused = len(region & unscored) + sum(len(region & i) for i in instances if len(i) < 100)
                if excused / len(region) <= threshold:
                    false_positive.append(score)
        if not any_truth:
            results.append(math.nan)
        elif not any_prediction or not true_positive + false_positive:
            results.append(0.0)
        else:
            results.append(area(true_positive, false_positive, unfound))
    return results


def area(right, wrong, unfound):
    curve = []
    for score in sorted(set(right + wrong)):
        tp, fp = sum(s >= score for s in right), sum(s >= score for s in wrong)
        curve.append((tp / (len(right) + unfound), tp / (tp + fp)))
    curve.append((0.0, 1.0))
    total = 0.0
    for i, (_, precision) in enumerate(curve):
        before = curve[max(i - 1, 0)][0]
        after = curve[i + 1][0] if i + 1 < len(curve) else 0.0
        total += precision * (before - after) / 2
    return total


def reference(scenes):
    table = np.array([by_definition(scenes, t) for t in THRESHOLDS])

    def mean(rows):
        known = rows[~np.isnan(rows)]
        return float(known.mean()) if known.size else None

    return mean(table[:-1]), mean(table[:1]), mean(table[-1:])


ONE = [(CHAIR, 1, 0, 400)]
TWO = [(CHAIR, 1, 0, 400), (CHAIR, 2, 400, 800)]

CASES = {
    # name: (scenes, AP50, AP25); None: not defined
    "nothing at all": ([scene()], None, None),
    "no truth, one prediction": ([scene([], [(CHAIR, 0, 400, 0.9)])], None, None),
    "truth, no prediction": ([scene(ONE)], 0.0, 0.0),
    "perfect": ([scene(ONE, [(CHAIR, 0, 400, 0.9)])], 1.0, 1.0),
    "perfect twice": ([scene(TWO, [(CHAIR, 0, 400, 0.9), (CHAIR, 400, 800, 0.8)])], 1.0, 1.0),
    "one of two found": ([scene(TWO, [(CHAIR, 0, 400, 0.9)])], 0.5, 0.5),
    "IoU of exactly one half is no match at 0.5": ([scene(ONE, [(CHAIR, 0, 200, 0.9)])], 0.0, 1.0),
    "IoU just above one half": ([scene(ONE, [(CHAIR, 0, 201, 0.9)])], 1.0, 1.0),
    "IoU of exactly one quarter": ([scene(ONE, [(CHAIR, 0, 100, 0.9)])], 0.0, 0.0),
    "far too large": ([scene(ONE, [(CHAIR, 0, 1000, 0.9)])], 0.0, 1.0),
    "elsewhere, on unlabelled vertices": ([scene(ONE, [(CHAIR, 1000, 1400, 0.9)])], 0.0, 0.0),
    "elsewhere on unlabelled, beside a good one": (
        [scene(ONE, [(CHAIR, 0, 400, 0.5), (CHAIR, 1000, 1400, 0.9)])], 1.0, 1.0),
    "on another class is wrong": (
        [scene([*ONE, (TABLE, 1, 1000, 1400)], [(CHAIR, 0, 400, 0.5), (CHAIR, 1000, 1400, 0.9)])], 0.25 / 2, None),
    "wrong but less sure": (
        [scene([*ONE, (TABLE, 1, 1000, 1400)], [(CHAIR, 0, 400, 0.9), (CHAIR, 1000, 1400, 0.5)])], None, None),
    "on a class that is not scored": (
        [scene([*ONE, (WALL, 1, 1000, 1400)], [(CHAIR, 0, 400, 0.5), (CHAIR, 1000, 1400, 0.9)])], 1.0, 1.0),
    "half of it on unscored vertices is not enough at 0.5": (
        [scene([*ONE, (TABLE, 1, 1000, 1200)], [(CHAIR, 0, 400, 0.5), (CHAIR, 1000, 1400, 0.9)])], 0.25 / 2, None),
    "a duplicate is wrong with the lower score, which costs nothing once all is found": (
        [scene(ONE, [(CHAIR, 0, 400, 0.9), (CHAIR, 0, 390, 0.4)])], 1.0, 1.0),
    "a duplicate that is surer becomes the match": (
        [scene(ONE, [(CHAIR, 0, 390, 0.4), (CHAIR, 0, 400, 0.9)])], 1.0, 1.0),
    "duplicates of one score": ([scene(ONE, [(CHAIR, 0, 400, 1.0)] * 2)], 0.75, 0.75),
    "three of a kind": ([scene(ONE, [(CHAIR, 0, 400, s) for s in (0.3, 0.9, 0.6)])], None, None),
    "a tiny prediction is left out": ([scene(ONE, [(CHAIR, 0, 99, 0.9)])], 0.0, 0.0),
    "a tiny truth need not be found": ([scene([*ONE, (CHAIR, 2, 500, 599)], [(CHAIR, 0, 400, 0.9)])], 1.0, 1.0),
    "only tiny truth": ([scene([(CHAIR, 1, 0, 99)], [(CHAIR, 0, 120, 0.9)])], None, None),
    "on a tiny truth is ignored": (
        [scene([*ONE, (CHAIR, 2, 500, 599)], [(CHAIR, 0, 400, 0.5), (CHAIR, 500, 640, 0.9)])], 1.0, 1.0),
    "truth of exactly 100 vertices counts": ([scene([(CHAIR, 1, 0, 100)])], 0.0, 0.0),
    "prediction of exactly 100 vertices counts": (
        [scene([(CHAIR, 1, 0, 100)], [(CHAIR, 0, 100, 0.9)])], 1.0, 1.0),
    "one prediction over two instances": ([scene(TWO, [(CHAIR, 0, 800, 0.9)])], 0.0, 0.5),
    "one over two, and each alone": (
        [scene(TWO, [(CHAIR, 0, 800, 0.9), (CHAIR, 0, 400, 0.8), (CHAIR, 400, 800, 0.7)])], None, None),
    "an extra match may serve another instance": (
        [scene(TWO, [(CHAIR, 0, 400, 0.9), (CHAIR, 100, 700, 0.8)])], None, None),
    "two instances in one, input order reversed": (
        [scene(TWO, [(CHAIR, 400, 800, 0.7), (CHAIR, 0, 800, 0.9)])], None, None),
    "classes are averaged": (
        [scene([*ONE, (TABLE, 1, 1000, 1400)], [(CHAIR, 0, 400, 0.9)])], 0.5, 0.5),
    "a class of the truth only counts as zero": (
        [scene([(TABLE, 1, 1000, 1400)], [(CHAIR, 0, 400, 0.9)])], 0.0, 0.0),
    "a class that is not scored is no prediction": ([scene(ONE, [(WALL, 0, 400, 0.9)])], 0.0, 0.0),
    "scenes share one curve": (
        [scene(ONE, [(CHAIR, 0, 400, 0.9)]), scene(ONE, [(CHAIR, 0, 400, 0.2)])], 1.0, 1.0),
    "a surer mistake in another scene": (
        [scene(ONE, [(CHAIR, 0, 400, 0.5)]), scene([(TABLE, 1, 0, 400)], [(CHAIR, 0, 400, 0.9)])], 0.125, None),
    "everything ignored": ([scene([(CHAIR, 1, 0, 400)], [(CHAIR, 2000, 2400, 0.9)])], 0.0, 0.0),
    "instance number 0 is an instance": ([scene([(CHAIR, 0, 0, 400)], [(CHAIR, 0, 400, 0.9)])], 1.0, 1.0),
    "negative scores": ([scene(TWO, [(CHAIR, 0, 400, -3.0), (CHAIR, 400, 800, -9.0)])], 1.0, 1.0),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_each_rule_of_the_benchmark(name):
    scenes, ap50, ap25 = CASES[name]
    found, expected = instance_ap(scenes, CLASSES), reference(scenes)
    assert (found.ap, found.ap50, found.ap25) == pytest.approx(expected, nan_ok=True)
    if ap50 is not None:
        assert found.ap50 == pytest.approx(ap50)
    if ap25 is not None:
        assert found.ap25 == pytest.approx(ap25)


spans = st.integers(0, 9).flatmap(lambda a: st.tuples(st.just(a * 70), st.integers(1, 6).map(lambda n: n * 70)))
labels = st.sampled_from([CHAIR, TABLE, WALL])


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.tuples(labels, st.integers(0, 3), spans), max_size=5),
            st.lists(st.tuples(labels, spans, st.sampled_from([0.1, 0.5, 0.9, 1.0])), max_size=6),
        ),
        min_size=1,
        max_size=2,
    )
)
def test_any_scene_scores_as_the_definition_says(made):
    scenes = [
        scene([(c, k, a, a + n) for c, k, (a, n) in truth], [(c, a, a + n, s) for c, (a, n), s in predicted])
        for truth, predicted in made
    ]
    found = instance_ap(scenes, CLASSES)
    assert (found.ap, found.ap50, found.ap25) == pytest.approx(reference(scenes), nan_ok=True)


def test_the_nine_thresholds_end_at_90_percent():
    assert len(THRESHOLDS) == 10 and THRESHOLDS[-1] == 0.25
    assert THRESHOLDS[0] == 0.5 and THRESHOLDS[8] == pytest.approx(0.9)
    ninety = [scene([(CHAIR, 1, 0, 1000)], [(CHAIR, 0, 880, 1.0)])]  # IoU 0.88: eight of nine
    assert instance_ap(ninety, CLASSES).ap == pytest.approx(8 / 9)


def test_without_classes_only_shapes_count():
    one = scene(
        [(CHAIR, 1, 0, 400), (TABLE, 1, 400, 800), (WALL, 1, 800, 1200)], [(TABLE, 0, 400, 1.0), (WALL, 400, 800, 1.0)]
    )
    agnostic = class_agnostic(one, CLASSES)
    found = instance_ap([agnostic], CLASSES)
    assert found.ap50 == 1.0 and found.classes[1].ap is None
    assert set(np.unique(agnostic.truth)) == {0, 5001, 5002}
    assert instance_ap([one], CLASSES).ap50 == 0.0


def test_txt_and_npz_give_the_same_score(tmp_path):
    one = scene(
        [*TWO, (TABLE, 3, 1000, 1400)], [(CHAIR, 0, 380, 0.9), (CHAIR, 390, 800, 0.25), (TABLE, 900, 1400, 1.0)]
    )
    truth, text, arrays = (tmp_path / name for name in ("gt", "txt", "npz"))
    for folder in (truth, text, arrays, text / "masks"):
        folder.mkdir()
    (truth / "scene0000_00.txt").write_text("\n".join(map(str, one.truth)) + "\n")
    lines = []
    for k in range(3):
        (text / "masks" / f"{k}.txt").write_text("\n".join(str(int(v)) for v in one.masks[:, k]))
        lines.append(f"masks/{k}.txt {one.classes[k]} {one.scores[k]}")
    (text / "scene0000_00.txt").write_text("\n".join(lines))
    np.savez(arrays / "scene0000_00.npz", pred_masks=one.masks, pred_score=one.scores, pred_classes=one.classes)
    scores = [instance_ap(read_scenes(folder, truth), CLASSES) for folder in (text, arrays)]
    assert scores[0] == scores[1] == instance_ap([one], CLASSES)


def test_files_that_do_not_fit_are_named(tmp_path):
    truth, predicted = tmp_path / "gt", tmp_path / "pred"
    truth.mkdir(), predicted.mkdir()
    with pytest.raises(UserError, match="no SCENE"):
        list(read_scenes(predicted, truth))
    (truth / "a.txt").write_text("5001\n0\n")
    with pytest.raises(UserError, match=r"neither a\.npz nor a\.txt"):
        list(read_scenes(predicted, truth))
    (predicted / "a.txt").write_text("a_0.txt 5\n")
    with pytest.raises(UserError, match="line 1"):
        list(read_scenes(predicted, truth))
    (predicted / "a.txt").write_text("../../etc/passwd 5 1.0\n")
    with pytest.raises(UserError, match="outside"):
        list(read_scenes(predicted, truth))
    (predicted / "a.txt").write_text("a_0.txt 5 1.0\n")
    (predicted / "a_0.txt").write_text("1\n0\n1\n")
    with pytest.raises(UserError, match="3 lines, the scene 2 vertices"):
        list(read_scenes(predicted, truth))
    (predicted / "a.txt").write_text("")
    assert next(read_scenes(predicted, truth)).masks.shape == (2, 0)
    (predicted / "a.npz").write_bytes(b"PK\x03\x04 no zip")
    with pytest.raises(UserError, match="damaged"):
        list(read_scenes(predicted, truth))


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(UserError, match="as many scores"):
        ScoredScene(np.zeros((4, 2), bool), np.zeros(1), np.zeros(2, np.int64), np.zeros(4, np.int64))
    with pytest.raises(UserError, match="true ids"):
        ScoredScene(np.zeros((4, 2), bool), np.zeros(2), np.zeros(2, np.int64), np.zeros(5, np.int64))
    with pytest.raises(UserError, match="finite"):
        ScoredScene(np.zeros((4, 1), bool), np.array([np.nan]), np.zeros(1, np.int64), np.zeros(4, np.int64))


def test_lists_of_vertices_become_masks():
    assert masks_of([np.array([0, 2]), np.array([], int)], 3).T.tolist() == [[True, False, True], [False] * 3]
