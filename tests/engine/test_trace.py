"""Traces, exported results, and values in words: complete, escaped, self-contained."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from engine_memories import relative, room
from engine_running import run_body
from PIL import Image

from placecell.engine.describe import describe, record
from placecell.engine.export import write_results
from placecell.engine.trace import Trace
from placecell.engine.values import Absent, Count, Direction, Length, ListValue, Number, Text
from placecell.errors import UserError

BODY = """
    here = query_camera_pose(memory, image=1)
    set_viewpoint(memory, at=here)
    table = query_3d_object_location(memory, "table")
    gap = measure_distance(memory, table)
    return [gap, render_egocentric(memory), locate(memory, table)]
"""
NASTY = "<script>alert('x')</script> & \"quoted\" <img src=http://example.com/a.png>"


class Page(HTMLParser):
    """Tags, their links, and the visible text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href", "srcset", "action", "data")]

    def handle_data(self, data):
        self.text += data


def traced():
    trace = Trace(f"Where is {NASTY}?")
    trace.section("Question").text(NASTY).facts({NASTY: NASTY, "left out": None})
    trace.section("Program").code(f"def plan(images):\n    {NASTY}")
    trace.section("Diagnostics").table(("code", NASTY), [("V401", NASTY)])
    result = run_body(BODY, room())
    trace.run(result)
    return trace, result


def test_the_page_loads_nothing_and_runs_nothing():
    page = Page(traced()[0].to_html())
    assert "script" not in page.tags and "iframe" not in page.tags and "link" not in page.tags
    assert page.links and all(link.startswith("data:image/png;base64,") for link in page.links)


def test_every_text_is_escaped_and_readable():
    trace, _ = traced()
    page = Page(trace.to_html())
    assert page.text.count(NASTY) >= 6
    assert "<script" not in trace.to_html()


def test_every_step_value_and_picture_of_a_run_is_in_the_page():
    trace, result = traced()
    page = Page(trace.to_html())
    for step in result.steps:
        assert step.operation in page.text and describe(step.result) in page.text
    assert page.tags.count("img") == len(result.pictures) == 1
    assert result.pictures[0].caption in page.text
    camera = re.search(r'"world_from_cam": (\[\[.*?\]\])', page.text)
    assert camera and np.allclose(json.loads(camera.group(1)), result.pictures[0].camera.world_from_cam)
    assert "images 1; objects 1" in page.text  # what the distance rests on


def test_records_are_json_without_pixels():
    trace, _ = traced()
    text = json.dumps(trace.records(), allow_nan=False)
    assert "rgb" not in text and "V401" in text


def test_traces_are_written_as_html_or_json(tmp_path):
    trace, _ = traced()
    trace.write(tmp_path / "deep" / "trace.html")
    assert (tmp_path / "deep" / "trace.html").read_text(encoding="utf-8") == trace.to_html()
    trace.write(tmp_path / "trace.json")
    assert json.loads((tmp_path / "trace.json").read_text()) == json.loads(json.dumps(trace.records()))
    with pytest.raises(UserError):
        trace.write(tmp_path / "trace.json" / "under a file.html")


def test_equal_runs_give_equal_pages():
    def page():
        trace = Trace("same")
        trace.run(run_body(BODY, room()))
        return re.sub(r"<td>[\d.]+</td></tr>|[\d.]+ seconds", "", trace.to_html())

    assert page() == page()


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
