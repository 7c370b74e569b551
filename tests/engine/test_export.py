"""Exported results and values in words: complete, with their units."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from engine_memories import relative, room
from engine_running import run_body
from PIL import Image

from placecell.engine.describe import describe, record
from placecell.engine.export import write_results
from placecell.engine.values import Absent, Count, Direction, Length, ListValue, Number, Text
from placecell.errors import UserError

BODY = """
    here = query_camera_pose(memory, image=1)
    set_viewpoint(memory, at=here)
    table = query_3d_object_location(memory, "table")
    gap = measure_distance(memory, table)
    return [gap, render_egocentric(memory), locate(memory, table)]
"""


def test_results_are_files_with_a_manifest(tmp_path):
    result = run_body(BODY, room())
    manifest = write_results(result, tmp_path / "out")
    assert manifest == json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    gap, view, where = manifest["values"]
    assert gap["unit"] == "m" and gap["text"] == describe(result.values[0])
    picture = np.asarray(Image.open(tmp_path / "out" / view["picture"]))
    assert np.array_equal(picture, result.values[1].rgb)
    camera = json.loads((tmp_path / "out" / view["picture"]).with_suffix(".json").read_text())
    assert camera["world_from_cam"] == view["camera"]["world_from_cam"]
    assert where["words"] == ["front", "down"]
    assert [s["operation"] for s in manifest["steps"]] == [s.operation for s in result.steps]


def test_results_in_a_folder_that_cannot_be_is_the_callers_mistake(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError):
        write_results(run_body(BODY, room()), tmp_path / "file")


def test_a_length_in_units_is_never_printed_as_metres():
    text = describe(run_body(BODY, relative()).values[0])
    assert text.endswith(" units") and " m" not in text


def test_values_in_words():
    assert describe(Length(1.234, "m", 0.05)) == "1.23 ± 0.05 m"
    assert describe(Count(3, 1)) == "3, 1 of them not certain"
    assert describe(Text("less", 4.2)) == "less (margin 4.2 standard deviations)"
    assert describe(Text("less", math.inf)) == "less"
    assert describe(ListValue((Number(1), Number(0.5)))) == "[1, 0.5]"
    cause = Absent("instance", "not found", "no door was found")
    absent = Absent("extents", "input absent", "measure_size: there is no object", cause)
    assert describe(absent) == "no extents (input absent): measure_size: there is no object; because no door was found"
    where = Direction(-30, 5, Length(2, "m"), (-1, 0.2, 1.7), (-40, -20), ("front", "left"), "at image 1")
    assert describe(where) == "front-left: 30 degrees to the left, +5 up, 2 m away, seen at image 1"


def test_every_value_of_a_run_has_a_record_without_nan():
    for step in run_body(BODY, room()).steps:
        json.dumps(record(step.result), allow_nan=False)
