"""The command line: exit codes, records on stdout and nothing else, one-line errors."""

from __future__ import annotations

import json
import signal

import pytest
from typer.testing import CliRunner

from placecell.apps.cli import app
from placecell.apps.output import Output, end

run = CliRunner().invoke

PROGRAM = """\
def plan(images):
    memory = build_static_memory(images)
    here = query_camera_pose(memory, image=1)
    set_viewpoint(memory, at=here)
    return [render_egocentric(memory)]
"""


def _call(*arguments, code=0):
    result = run(app, [str(a) for a in arguments])
    assert result.exit_code == code, f"exit {result.exit_code}\n{result.output}\n{result.exception!r}"
    return result


def test_a_missing_memory_is_one_line_that_names_it_and_the_next_step():
    result = _call("info", "nowhere.pcell", code=2)
    assert result.stderr == (
        "placecell: nowhere.pcell: no such file or folder; give a .pcell, a capture, or oracle:FILE#SCENE\n"
    )
    assert result.stdout == ""


def test_an_accepted_program_is_exit_0_and_a_faulty_one_exit_1_with_a_record_each(tmp_path):
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(PROGRAM)
    bad.write_text(PROGRAM.replace("image=1", "image=9"))
    assert _call("check", good, "--images", 4, "--json").stdout == ""
    records = [json.loads(line) for line in _call("check", bad, "--images", 4, "--json", code=1).stdout.splitlines()]
    assert [r["category"].split()[0] for r in records] == ["tool"]
    assert {"code", "category", "severity", "line", "column", "message", "hint", "fix"} <= records[0].keys()
    assert records[0]["line"] == 3


def test_a_program_from_standard_input_is_checked_like_a_file():
    result = run(app, ["check", "-"], input="def plan(images):\n    return [nothing]\n")
    assert result.exit_code == 1
    assert "nothing" in result.stdout


def test_sarif_names_the_file_and_the_rule(tmp_path):
    bad = tmp_path / "bad.py"
    bad.write_text("import os\n")
    log = json.loads(_call("check", bad, "--format", "sarif", code=1).stdout)
    assert log["version"] == "2.1.0"
    assert log["runs"][0]["results"][0]["ruleId"].startswith("S1")


def test_a_rule_is_explained_by_its_code():
    assert "V401" in _call("check", "--explain", "V401").stdout
    assert "X999" in _call("check", "--explain", "X999", code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check"], "give a program file"),
        (["check", "missing.py"], "missing.py: no such file"),
        (["check", "-", "--fix"], "give a program file to repair"),
        (["check", "-", "--memory", "x.pcell", "--images", "2"], "--images is what --memory tells"),
        (["ask", "oracle:none.jsonl#a"], "give either a question or --questions FILE"),
        (["ask", "oracle:none.jsonl#a", "How many chairs?"], "none.jsonl"),
        (["build", "missing", "-o", "x.pcell"], "missing"),
        (["build", "missing", "-o", "x.zip"], "x.zip"),
        (["score", "list", "replies.jsonl"], "takes nothing else"),
    ],
)
def test_bad_usage_is_exit_2_with_the_next_step(arguments, says, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = _call(*arguments, code=2)
    assert says in result.stderr
    assert "Traceback" not in result.output


def test_version_is_asked_for_by_its_option_alone(monkeypatch):
    monkeypatch.setenv("PLACECELL_VERSION", "1")
    assert "vsi_official_mca" in _call("score", "list").output


def test_doctor_finds_this_installation_in_order():
    result = _call("doctor", "--json")
    checks = {r["check"]: r for r in map(json.loads, result.stdout.splitlines())}
    assert checks["compiled kernels"]["ok"]
    assert all(c["ok"] for c in checks.values())


def test_backends_lists_what_is_ready_and_what_each_needs():
    records = [json.loads(line) for line in _call("backends", "--json").stdout.splitlines()]
    assert {"synthetic"} < {r["name"] for r in records}
    assert all(r["ready"] == (r["missing"] is None) for r in records)
    said = _call("backends", "--help").stdout
    assert all(f"{r['kind']}s" in said for r in records)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_is_exit_130_even_when_what_it_interrupts_reports_another_error(capsys, number):
    def swallowing() -> int:
        try:
            signal.raise_signal(number)
        except KeyboardInterrupt:
            raise RuntimeError("cannot import") from None
        return 0

    assert end(swallowing, Output(), debug=False) == 130
    assert capsys.readouterr().err == "placecell: interrupted; finished files are kept\n"
    with pytest.raises(RuntimeError, match="a bug"):
        end(lambda: (_ for _ in ()).throw(RuntimeError("a bug")), Output(), debug=False)
