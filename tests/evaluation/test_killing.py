"""A run that is killed with SIGKILL, again and again, goes on where it was and repeats nothing that was finished."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import small_benchmark as small

from placecell.evaluation.runs.record import read_records


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_run_killed_three_times_loses_and_repeats_nothing(tmp_path):
    made = [small.rows()[n % 8] | {"id": n} for n in range(12)]
    folder, run = small.write(tmp_path / "data", made), tmp_path / "run"
    script = Path(__file__).with_name("killed_run.py")
    command = [sys.executable, str(script), str(folder), str(run)]
    found = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert found.returncode == 0, found.stderr
    *kills, asked, unfinished = found.stdout.split()
    lines = (run / "records.jsonl").read_text().splitlines()
    kept = read_records(run)
    assert kills == ["killed"] * 3
    assert 0 < int(asked) <= 6 and unfinished == "0"
    assert sorted(record.sample for record in kept) == sorted(map(str, range(12)))
    assert len(lines) == 12 and all(record.final and record.reply for record in kept)
    replies = {record.sample: record.reply for record in kept}
    assert replies == {record.sample: record.reply for record in read_records(tmp_path / "steady")}
