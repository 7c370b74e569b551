"""Scores and reports from the shell: records on stdout, nothing dropped, and what was forgotten is asked for."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from placecell.apps.cli import app
from placecell.evaluation.runs.record import Records, RunSettings, SampleRecord


def placecell(*arguments, code=0):
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    assert result.exit_code == code, result.output
    return [json.loads(line) for line in result.stdout.splitlines()] if code == 0 else result.output


@pytest.fixture
def replies(tmp_path):
    rows = [
        {"id": "1", "pred": "about 230 cm", "gt": "2.3", "type": "object_abs_distance"},
        {"id": "2", "pred": "the sofa", "gt": "B", "type": "object_rel_distance", "options": ["A. bed", "B. sofa"]},
        {"id": "3", "pred": None, "gt": "A", "type": "object_rel_distance", "options": ["A. bed", "B. sofa"]},
    ]
    path = tmp_path / "replies.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_the_robust_rule_reads_units_and_option_texts_and_the_official_one_does_not(replies):
    *each, total = placecell("score", "robust", replies)
    assert [one["score"] for one in each] == [1.0, 1.0, 0.0]
    assert (total["n"], total["vsi_overall"]) == (3, 0.75)
    *each, total = placecell("score", "vsi_official", replies)
    assert [one["score"] for one in each] == [0.0, 0.0, 0.0]


def test_masks_are_scored_against_true_instances(tmp_path):
    for name in ("pred", "true"):
        (tmp_path / name).mkdir()
    truth = np.repeat([5001, 5002, 0], 150)
    (tmp_path / "true" / "scene.txt").write_text("\n".join(map(str, truth)))
    masks = np.stack([truth == 5001, truth == 0], axis=1)
    np.savez(tmp_path / "pred" / "scene.npz", pred_masks=masks, pred_score=[0.9, 0.8], pred_classes=[5, 5])
    (found,) = placecell("score", "scannet", tmp_path / "pred", tmp_path / "true")
    assert found["ap50"] == pytest.approx(0.5) and list(found["by_class"]) == ["chair"]
    (shapes,) = placecell("score", "scannet", tmp_path / "pred", tmp_path / "true", "--no-class")
    assert shapes["class_agnostic"] and shapes["by_class"] == {}


def test_what_was_forgotten_is_asked_for(tmp_path, replies):
    assert "placecell score scannet PRED_DIR GT_DIR" in placecell("score", "scannet", tmp_path, code=2)
    assert "no second folder" in placecell("score", "robust", replies, tmp_path, code=2)
    assert "no such file" in placecell("score", "robust", tmp_path / "nothing.jsonl", code=2)


def test_a_report_lists_its_files_and_what_it_cannot_fill(tmp_path):
    settings = RunSettings(benchmark="blink", strategy="direct", model="m", memory="build")
    records = Records(tmp_path / "run", settings)
    for sample in ("1", "2"):
        records.add(
            SampleRecord(
                run=settings.digest, sample=sample, kind="k", options=2, truth="A", scores={"x": 1}, scorer="x"
            )
        )
    lines = placecell("report", tmp_path / "run", "-o", tmp_path / "out")
    assert {"file": str(tmp_path / "out" / "report.md")} in lines
    assert "think3d-5-training" in {line.get("missing") for line in lines}
    assert "holds no run" in placecell("report", tmp_path / "out", "-o", tmp_path / "again", code=2)
