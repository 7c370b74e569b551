"""Renderings of one diagnostic: for people, for a model, as JSON and as SARIF."""

import json

from placecell.language.check import check
from placecell.language.diagnostics import render_compact, render_text, sarif

TEXT = """def plan(images):
    memory = build_static_memory(images)
    room = measure_room(memory)
    chairs = query_3d_object_location(memory, “椅子 chair”)
    return [render_rgb_bew(memory), chairs[0]]
"""
REPORT = check(TEXT)


def test_the_example_has_all_three_severities():
    assert [(d.code, str(d.severity)) for d in REPORT.diagnostics] == [
        ("D307", "warning"), ("S190", "note"), ("T202", "error"), ("D304", "error"),
    ]  # fmt: skip


def test_carets_stand_under_the_place_and_the_counts_come_last():
    shown = render_text(REPORT.diagnostics, REPORT.text, "plan.py").split("\n")
    at = shown.index("plan.py:5:13: error[T202] tool usage: there is no operation 'render_rgb_bew'")
    assert shown[at + 1] == "    5 |     return [render_rgb_bew(memory), chairs[0]]"
    assert shown[at + 2] == "      |             ^^^^^^^^^^^^^^"
    assert shown[at + 3] == "        hint: did you mean render_rgb_bev?"
    assert shown[at + 4] == "        fix:  write render_rgb_bev (misspelling)"
    assert shown[-1] == "2 errors, 1 warning, 1 note"


def test_carets_count_wide_characters_as_two_columns():
    shown = render_text([d for d in REPORT.diagnostics if d.code == "S190"], REPORT.text)
    line, carets = shown.split("\n")[1:3]
    assert carets.index("^") == line.index("“")
    assert carets.count("^") == len("“椅子 chair”") + 2


def test_a_model_gets_one_line_a_fault_without_notes():
    lines = render_compact(REPORT.diagnostics).split("\n")
    assert len(lines) == 3
    assert lines[1].startswith("line 5, column 13, error T202: there is no operation 'render_rgb_bew'.")
    assert lines[1].endswith("Fix: write render_rgb_bev.")


def test_a_record_has_the_keys_that_tools_rely_on():
    record = REPORT.diagnostics[-1].record()
    wanted = {
        "code", "category", "severity", "line", "column", "end_line", "end_column", "message", "hint", "fix",
    }  # fmt: skip
    assert set(record) == wanted
    assert json.loads(json.dumps(record)) == record
    assert (record["line"], record["column"], record["end_column"]) == (5, 37, 46)
    assert record["fix"]["edits"][0]["text"] == 'select_object(chairs, by="most_confident")'


def test_sarif_names_rules_levels_regions_and_fixes():
    log = sarif(REPORT.diagnostics, "plan.py")
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [r["level"] for r in run["results"]] == ["warning", "note", "error", "error"]
    assert {r["id"] for r in run["tool"]["driver"]["rules"]} == {"D307", "S190", "T202", "D304"}
    region = run["results"][2]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 5, "startColumn": 13, "endLine": 5, "endColumn": 27}
    assert run["results"][2]["fixes"][0]["artifactChanges"][0]["replacements"]
    json.dumps(log)


def test_a_diagnostic_of_a_huge_line_is_shown_without_it():
    report = check("x" * 1_500)
    shown = render_text(report.diagnostics, report.text)
    assert len(shown) < 500
