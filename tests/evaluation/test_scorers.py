"""Scorers agree with what the upstream functions return, row by row."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest

from placecell.evaluation.scoring.table import SCORERS


def golden(folder):
    rows = defaultdict(list)
    for line in (folder / "scoring" / "golden.jsonl").read_text().splitlines():
        row = json.loads(line)
        rows[row["scorer"]].append(row)
    return rows


def test_every_golden_row_gets_the_score_that_the_upstream_function_gave(shared_bench):
    wrong = [
        (name, row["pred"], row["gt"], row["score"])
        for name, rows in golden(shared_bench).items()
        for row in rows
        if SCORERS[name](str(row["pred"]), str(row["gt"])).value != pytest.approx(row["score"], abs=1e-12)
    ]
    assert wrong == []
