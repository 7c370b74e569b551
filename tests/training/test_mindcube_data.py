"""MindCube's training rows: the same by seed, none of a test scene, none twice, and counted."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from placecell.errors import UserError
from placecell.training.mindcube_data import ROWS, build, scenes_of

SETTINGS = ("among", "around", "rotation")


def row(setting, group, variant=0, answer="A", root="data/other_all_image", question=None):
    folder = f"{root}/{setting}/group{group:03d}"
    asked = question or f"Which way is thing {variant} of {setting} {group}?"
    return {
        "id": f"{setting}_group{group:03d}_q1_5_{variant}",
        "category": ["C"],
        "question": f"{asked} A. left B. right C. behind D. ahead",
        "images": [f"{folder}/front_{k}.jpg" for k in range(3)],
        "gt_answer": answer,
    }


def written(path, rows):
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    return [
        row(setting, group, variant, "ABCD"[rng.integers(4)])
        for setting, groups in (("among", 300), ("around", 60), ("rotation", 30))
        for group in range(groups)
        for variant in range(4)
    ]


@pytest.fixture
def tests(tmp_path):
    return [written(tmp_path / "tiny.jsonl", [row("among", 900), row("rotation", 901)])]


def test_the_papers_number_of_rows_is_the_same_for_the_same_seed_and_another_for_another(tmp_path, rows, tests):
    training = written(tmp_path / "train.jsonl", rows)
    first, report = build(training, tests)
    assert len({sample.id for sample in first}) == report.rows == ROWS == 977
    assert build(training, tests)[0] == first
    assert build(training, tests, seed=1)[0] != first


def test_a_row_of_a_test_scene_is_refused_by_name(tmp_path, rows, tests):
    training = written(tmp_path / "train.jsonl", [*rows, row("among", 900, 7)])
    with pytest.raises(UserError, match=r"1 rows are of test scenes: among_group900_q1_5_7 \(among/group900\)"):
        build(training, tests)


@pytest.mark.parametrize(
    "disguise",
    [
        row("rotation", 901, 3, root="/elsewhere/other_all_image"),
        row("rotation", 901, 3) | {"id": "renamed_17"},
        row("rotation", 901, 3) | {"images": ["moved/1.jpg"]},
        row("rotation", 901, 3) | {"images": ["a/1.jpg", "other_all_image/Rotation/Group901/front_1.jpg"], "id": "x"},
    ],
    ids=["another root", "another id", "other paths", "one image of several"],
)
def test_a_test_scene_is_known_by_any_of_its_images_or_by_its_id(tmp_path, rows, tests, disguise):
    with pytest.raises(UserError, match="of test scenes"):
        build(written(tmp_path / "train.jsonl", [*rows, disguise]), tests)


def test_rows_of_test_scenes_are_left_out_and_counted_when_that_is_asked_for(tmp_path, rows, tests):
    training = written(tmp_path / "train.jsonl", [row("among", 900, 7), *rows, row("rotation", 901)])
    chosen, report = build(training, tests, leave_out=True)
    tested = {"among/group900", "rotation/group901"}
    assert report.test_rows == 2 and not any(scenes_of(sample) & tested for sample in chosen)


def test_the_report_counts_categories_answers_and_what_a_constant_answer_gets(tmp_path, rows, tests):
    chosen, report = build(written(tmp_path / "train.jsonl", rows), tests, count=200)
    assert report.categories == dict(sorted(Counter(s.kind for s in chosen).items()))
    assert sum(report.answers.values()) == 200
    assert report.constant == max(report.answers.values()) / 200
    assert report.scenes == len({s.media for s in chosen})
    assert set(report.files) == {"train.jsonl", "tiny.jsonl"}
    assert "200 rows" in str(report) and "0 duplicates" in str(report)


def test_a_balanced_choice_has_as_many_rows_of_each_category_and_answer(tmp_path, rows, tests):
    _, report = build(written(tmp_path / "train.jsonl", rows), tests, count=240, choose="balanced")
    assert report.categories == dict.fromkeys(SETTINGS, 80)
    assert max(report.answers.values()) - min(report.answers.values()) <= 12


def test_a_row_that_repeats_another_is_taken_once(tmp_path, rows, tests):
    training = written(tmp_path / "train.jsonl", [*rows[:20], *rows[:5]])
    chosen, report = build(training, tests, count=20)
    assert report.duplicates == 5 and len({s.id for s in chosen}) == 20


def test_one_id_for_two_questions_is_an_error(tmp_path, rows, tests):
    training = written(tmp_path / "train.jsonl", [rows[0], rows[1] | {"id": rows[0]["id"]}])
    with pytest.raises(UserError, match="repeated"):
        build(training, tests, count=2)


def test_too_few_rows_no_test_file_and_rows_without_images_are_errors(tmp_path, rows, tests):
    training = written(tmp_path / "train.jsonl", rows[:10])
    with pytest.raises(UserError, match="10 rows to choose from"):
        build(training, tests)
    with pytest.raises(UserError, match="no test file"):
        build(training, [])
    with pytest.raises(UserError, match=r"row 1 .* names no images"):
        build(written(tmp_path / "bare.jsonl", [rows[0] | {"images": []}]), tests)
