"""Records of a run survive a crash, and a finished sample is never answered again."""

from __future__ import annotations

import pytest

from placecell.errors import UserError
from placecell.evaluation.runs.record import Records, RunSettings, SampleRecord, read_records

SETTINGS = RunSettings(benchmark="synthetic", strategy="program", model="rules", memory="synthetic")


def record(sample, **fields):
    return SampleRecord(run=SETTINGS.digest, sample=sample, kind="distance", **fields)


def test_finished_samples_are_known_when_the_run_is_opened_again(tmp_path):
    records = Records(tmp_path, SETTINGS)
    records.add(record("a", scores={"robust": 1.0}))
    records.add(record("b", stage="model", reason="server down", final=False))
    again = Records(tmp_path, SETTINGS)
    assert again.finished("a") == record("a", scores={"robust": 1.0})
    assert again.finished("b") is None
    again.add(record("b", scores={"robust": 1.0}))
    assert [(r.sample, r.final) for r in read_records(tmp_path)] == [("a", True), ("b", True)]


def test_a_line_cut_off_by_a_crash_loses_only_itself(tmp_path):
    records = Records(tmp_path, SETTINGS)
    records.add(record("a"))
    records.add(record("b"))
    whole = records.path.read_bytes()
    for cut in range(whole.index(b"\n") + 2, len(whole)):
        records.path.write_bytes(whole[:cut])
        again = Records(tmp_path, SETTINGS)
        assert again.finished("a") is not None and again.finished("b") is None
        again.add(record("c"))
        assert {r.sample for r in read_records(tmp_path)} == {"a", "c"}


def test_a_damaged_line_in_the_middle_is_an_error_that_names_it(tmp_path):
    records = Records(tmp_path, SETTINGS)
    records.add(record("a"))
    records.path.write_text("{broken}\n" + records.path.read_text())
    with pytest.raises(UserError, match="line 1"):
        Records(tmp_path, SETTINGS)


def test_another_run_is_never_mixed_into_a_folder(tmp_path):
    Records(tmp_path, SETTINGS)
    with pytest.raises(UserError, match='strategy "program", not "explore"'):
        Records(tmp_path, SETTINGS.model_copy(update={"strategy": "explore"}))
