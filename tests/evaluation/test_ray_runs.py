"""Workers of a Ray cluster on this machine give the records that one process gives."""

from __future__ import annotations

import subprocess
import sys

import pytest
import small_benchmark as small

from placecell.evaluation.runs.record import read_records

pytest.importorskip("ray")


@pytest.mark.slow
def test_workers_give_the_same_records_as_one_process(tmp_path):
    folder = small.write(tmp_path / "data")
    common = ["-m", "placecell.apps.cli", "eval", "vsibench", "--data-dir", str(folder), "--memory", f"oracle:{folder}"]
    for name, more in (("serial", []), ("spread", ["--engine", "ray", "--workers", "2"])):
        found = subprocess.run(
            [sys.executable, *common, "-q", *more, "-o", str(tmp_path / name)],
            capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
    serial, spread = (
        {record.sample: record.content() for record in read_records(tmp_path / name)} for name in ("serial", "spread")
    )
    assert len(serial) == 8 and spread == serial
