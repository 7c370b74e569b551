"""Readers of benchmarks whose pictures are in their rows, and of those that no local copy stands in for."""

from __future__ import annotations

import hashlib
import io
import json

import pytest
from PIL import Image

from placecell.errors import UserError
from placecell.evaluation.benchmarks.table import BENCHMARKS, find_benchmark, load


def picture(colour, kind="PNG"):
    out = io.BytesIO()
    Image.new("RGB", (4, 3), colour).save(out, kind)
    return out.getvalue()


def parquet(folder, name, rows):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


def blink_row(number, **fields):
    images = {f"image_{n}": {"bytes": picture((40 * n, 0, number)), "path": None} for n in (1, 2)}
    row = {
        "idx": f"val_Multi-view_Reasoning_{number}",
        "question": "Left or right?",
        "sub_task": "Multi-view_Reasoning",
    }
    return row | images | {"image_3": None, "choices": ["left", "right"], "answer": "(B)"} | fields


def test_pictures_of_blink_rows_become_files_in_their_order_and_once_each(tmp_path):
    rows = [blink_row(1), blink_row(2, image_1={"bytes": picture((80, 0, 1)), "path": None})]
    parquet(tmp_path, "Multi-view_Reasoning/val-00000.parquet", rows)
    first, second = load(find_benchmark("blink"), tmp_path).samples
    assert (first.options, first.truth, first.kind) == (("A. left", "B. right"), "B", "Multi-view_Reasoning")
    assert [Image.open(path).getpixel((0, 0)) for path in first.files(tmp_path)] == [(40, 0, 1), (80, 0, 1)]
    assert second.media[0] == first.media[1]
    assert first.scene != second.scene
    names = {hashlib.sha256(path.read_bytes()).hexdigest()[:32] for path in first.files(tmp_path)}
    assert {path.stem for path in first.files(tmp_path)} == names


def test_a_second_reading_of_a_parquet_file_gives_the_same_samples(tmp_path):
    parquet(tmp_path, "val.parquet", [blink_row(1)])
    assert load(find_benchmark("blink"), tmp_path) == load(find_benchmark("blink"), tmp_path)


def test_a_picture_that_is_no_picture_is_refused_with_its_row(tmp_path):
    parquet(tmp_path, "val.parquet", [blink_row(1) | {"image_1": 7}])
    with pytest.raises(UserError, match=r"row 1: .*int"):
        load(find_benchmark("blink"), tmp_path)


def test_mmsi_options_are_inline_and_pictures_in_the_row(tmp_path):
    row = {
        "id": 17,
        "images": [picture("red", "JPEG"), picture("blue", "JPEG")],
        "question_type": "Positional Relationship (Cam.–Obj.)",
        "question": "Where is the lamp?\nOptions: A: left, behind, B: front, C: right, D: above",
        "answer": "C",
    }
    parquet(tmp_path, "MMSI_Bench.parquet", [row])
    (sample,) = load(find_benchmark("mmsi"), tmp_path).samples
    assert sample.question == "Where is the lamp?"
    assert sample.options == ("A. left, behind", "B. front", "C. right", "D. above")
    assert (sample.id, sample.truth, sample.kind) == ("17", "C", "Positional Relationship (Cam.-Obj.)")
    assert [path.suffix for path in sample.files(tmp_path)] == [".jpg", ".jpg"]


def test_omnispatial_numbers_its_pictures_anew_in_each_task(tmp_path):
    rows = [
        {
            "id": "0_1",
            "question": "?",
            "options": ["up", "down"],
            "answer": answer,
            "task_type": task,
            "sub_task_type": "S",
        }
        for task, answer in (("Dynamic_Reasoning", 0), ("Perspective_Taking", 1))
    ]
    (tmp_path / "data.json").write_text(json.dumps(rows))
    first, second = load(find_benchmark("omnispatial"), tmp_path).samples
    assert (first.truth, second.truth) == ("A", "B")
    assert first.media == ("Dynamic_Reasoning/0.png",)
    assert second.media == ("Perspective_Taking/0.png",)
    assert first.scene != second.scene and first.id != second.id
    assert (first.kind, first.group) == ("Dynamic_Reasoning", "S")


def test_viewspatial_rows_without_id_are_told_apart_by_what_they_say(tmp_path):
    row = {
        "image_path": ["a.jpg"],
        "question": "Where?",
        "choices": "A. left\nB. right",
        "answer": "B. right",
        "question_type": "t",
    }
    (tmp_path / "ViewSpatial-Bench.json").write_text(json.dumps([row, row | {"question": "Whither?"}]))
    first, second = load(find_benchmark("viewspatial"), tmp_path).samples
    assert (first.options, first.truth) == (("A. left", "B. right"), "B")
    assert first.id != second.id
    (tmp_path / "ViewSpatial-Bench.json").write_text(json.dumps([row, row]))
    with pytest.raises(UserError, match="repeated"):
        load(find_benchmark("viewspatial"), tmp_path)


def test_a_vlm4d_answer_listed_twice_counts_at_either_letter(tmp_path):
    row = {
        "id": "validation_923",
        "video": "https://huggingface.co/datasets/shijiezhou/VLM4D/resolve/main/videos_real/ego4d/x.mp4",
        "question": "How many turns?",
        "choices": {"A": 1, "B": "2", "C": 3, "D": "3"},
        "answer": 3,
    }
    (tmp_path / "real_mc.json").write_text(json.dumps([row]))
    (sample,) = load(find_benchmark("vlm4d-real"), tmp_path).samples
    assert (sample.truth, sample.also_right, sample.group) == ("C", ("D",), "real ego")
    (tmp_path / "real_mc.json").write_text(json.dumps([row | {"answer": "4"}]))
    with pytest.raises(UserError, match="none of its choices"):
        load(find_benchmark("vlm4d-real"), tmp_path)


def test_every_benchmark_says_where_it_comes_from_and_how_it_is_scored():
    from placecell.evaluation.scoring.table import SCORERS

    for one in BENCHMARKS.values():
        assert one.hub.count("/") == 1 and one.rows and one.files
        assert SCORERS[one.choice].kind == "choice"
        assert one.number is None or SCORERS[one.number].kind == "number"
