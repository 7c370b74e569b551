"""Benchmarks are read completely or refused; tiny splits and debiasing are exact and repeatable."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.errors import UserError
from placecell.evaluation.benchmarks.debias import debias
from placecell.evaluation.benchmarks.sample import LETTERS, Sample, bare, lettered
from placecell.evaluation.benchmarks.splits import tiny
from placecell.evaluation.benchmarks.table import find_benchmark, load

HINT = (
    "Based on these four images (image 1, 2, 3, and 4) showing the mug from different viewpoints (front, left, back,"
    " and right), with each camera aligned with room walls and partially capturing the surroundings: "
)
ASKED = "From the viewpoint presented in image 2, what is to the right of the mug?"


def write(folder, name, rows):
    (folder / name).write_text("\n".join(json.dumps(row) for row in rows))
    return folder


def cube(number=0, **fields):
    row = {
        "id": f"among_group{number:03}_q1_1_2",
        "question": f"{HINT}{ASKED} A. Wall B. Sliding door C. Open space D. Grey chairs",
        "images": [f"other_all_image/among/g{number}/{side}.jpg" for side in ("front", "left", "back", "right")],
        "gt_answer": "B",
    }
    return row | fields


@pytest.mark.parametrize(
    ("name", "folder", "count", "complete"),
    [
        ("vsibench", "vsibench", 2197, False),
        ("mindcube-tiny", "mindcube", 150, False),
        ("mindcube-tiny", "mindcube_rotation", 162, False),
        ("blink", "blink", 133, True),
        ("vlm4d-real", "vlm4d", 685, False),
        ("vlm4d-synthetic", "vlm4d", 222, False),
        ("viewspatial", "viewspatial", 400, False),
    ],
)
def test_local_copies_are_read_row_for_row(shared_bench, name, folder, count, complete):
    loaded = load(find_benchmark(name), shared_bench / folder)
    assert (len(loaded.samples), loaded.complete) == (count, complete)


def test_the_published_truths_of_vlm4d_are_the_letters_found_for_them(shared_bench):
    rows = {}
    for part in ("real", "synthetic"):
        for line in (shared_bench / "vlm4d" / f"{part}.jsonl").read_text().splitlines():
            rows[json.loads(line)["id"]] = json.loads(line)
    for part in ("vlm4d-real", "vlm4d-synthetic"):
        for sample in load(find_benchmark(part), shared_bench / "vlm4d").samples:
            assert sample.dynamic
            row = rows[sample.id]
            assert {sample.truth, *sample.also_right} == set(row["answer_letters"])
            assert sample.group == ("synthetic" if row["split"] == "synthetic" else f"real {row['view']}")


def test_mindcube_options_inline_are_taken_apart(tmp_path):
    sample = load(find_benchmark("mindcube-tiny"), write(tmp_path, "MindCube_tinybench.jsonl", [cube()])).samples[0]
    assert sample.question == HINT + ASKED
    assert sample.options == ("A. Wall", "B. Sliding door", "C. Open space", "D. Grey chairs")
    assert (sample.truth, sample.kind, len(sample.media)) == ("B", "among", 4)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([cube(), cube()], "repeated"),
        ([cube(gt_answer=None)], "row 1"),
        ([cube(gt_answer="F")], "none of its"),
        ([cube(question="Where?")], "no options"),
        ([cube(question=None)], "row 1"),
        (["no row"], "list of rows"),
    ],
)
def test_rows_that_cannot_be_used_are_refused_by_name(tmp_path, rows, complaint):
    folder = write(tmp_path, "MindCube_tinybench.jsonl", rows)
    with pytest.raises(UserError, match=complaint):
        load(find_benchmark("mindcube-tiny"), folder)


def test_a_folder_without_the_benchmarks_file_says_what_was_expected(tmp_path):
    with pytest.raises(UserError, match=r"MindCube_tinybench\.jsonl"):
        load(find_benchmark("mindcube-tiny"), tmp_path)


def test_media_outside_of_the_data_folder_are_refused(tmp_path):
    sample = Sample("x", "?", "A", "k", "s", ("A. a", "B. b"), media=("../secret.jpg",))
    with pytest.raises(UserError, match="points out of"):
        sample.files(tmp_path)


def test_the_tiny_split_has_its_count_in_each_category_and_does_not_depend_on_the_order_of_rows(shared_bench):
    samples = load(find_benchmark("vsibench"), shared_bench / "vsibench").samples
    kept = [s for s in samples if s.kind not in ("obj_appearance_order", "route_planning")]
    first, again = tiny("vsibench", kept, per_category=20), tiny("vsibench", kept[::-1], per_category=20)
    assert {s.id for s in first} == {s.id for s in again}
    assert len(first) == 20 * len({s.kind.split("_rel_direction")[0] for s in kept})
    assert tiny("vsibench", kept, per_category=20, seed=1) != first
    with pytest.raises(UserError, match="are needed"):
        tiny("vsibench", kept[:10], per_category=20)


def sample_of(tmp_path):
    return load(find_benchmark("mindcube-tiny"), write(tmp_path, "MindCube_tinybench.jsonl", [cube()])).samples[0]


def test_hints_go_and_the_question_stays(tmp_path):
    (after,), (change,) = debias([sample_of(tmp_path)], ["hints"])
    assert after.question == ASKED
    assert (change.step, change.before) == ("hints", HINT + ASKED)


@given(st.integers(0, 10_000))
def test_after_shuffling_every_reference_names_the_same_picture_and_the_truth_the_same_text(seed):
    media = tuple(f"{name}.jpg" for name in "abcd")
    sample = Sample(
        f"s{seed}",
        "From image 2 (images 1, 3 and 4 as well), in which direction did I move"
        " from the first view to the third view?",
        "C",
        "among",
        "scene",
        lettered(["one", "two", "right", "four"]),
        media,
    )
    (after,), _ = debias([sample], ["images", "options"], seed=seed)
    number = {name: after.media.index(name) + 1 for name in media}
    words = ("first", "second", "third", "fourth")
    assert after.question == (
        f"From image {number['b.jpg']} (images {number['a.jpg']}, {number['c.jpg']} and {number['d.jpg']} as well),"
        f" in which direction did I move from the {words[number['a.jpg'] - 1]} view to the"
        f" {words[number['c.jpg'] - 1]} view?"
    )
    assert bare(after.options[LETTERS.index(after.truth)]) == "right"
    assert sorted(map(bare, after.options)) == sorted(map(bare, sample.options))
