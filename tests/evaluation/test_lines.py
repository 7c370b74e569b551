"""Files of JSON lines: what is a line, and what is said of one that cannot be used."""

from __future__ import annotations

import json

import pytest
from pydantic import BaseModel, TypeAdapter

from placecell.errors import UserError
from placecell.evaluation.benchmarks.rows import read_rows
from placecell.evaluation.lines import read_lines
from placecell.training.samples import Sample, read_samples, write_samples

SEPARATORS = "one\u2028two\u2029three\x85four"
"""Ends of lines to Python's ``splitlines``, text to JSON."""


class Thing(BaseModel):
    name: str


def read(path):
    return read_lines(path, TypeAdapter(Thing), "things", 'a line is {"name": "..."}')


def test_only_a_newline_ends_a_line(tmp_path):
    path = tmp_path / "things.jsonl"
    path.write_text(json.dumps({"name": SEPARATORS}, ensure_ascii=False) + "\r\n\n", encoding="utf-8")
    assert [thing.name for thing in read(path)] == [SEPARATORS]
    assert read_rows(path) == [{"name": SEPARATORS}]
    kept = (Sample("1", SEPARATORS, "2.5", "distance", "room"),)
    write_samples(kept, path)
    assert read_samples(path) == kept


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (None, "no such file"),
        (b"\n \n", "holds no things"),
        (b'{"name": "a"}\n{"nam', "line 2"),
        (b"{}", "line 1: name: Field required"),
        (b"\xff\xfe", "cannot be read"),
    ],
    ids=["missing", "empty", "torn", "faulty", "no text"],
)
def test_a_file_that_cannot_be_used_says_where_and_why(tmp_path, data, said):
    path = tmp_path / "things.jsonl"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UserError, match=said):
        read(path)
