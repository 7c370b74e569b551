"""Rows of a local copy: JSONL, JSON or parquet, read completely or refused; nothing is dropped."""

from __future__ import annotations

import hashlib
import importlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from placecell.errors import BackendUnavailable, UserError
from placecell.evaluation.benchmarks.sample import Sample

Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """Every row of the file as a dict. UserError for a file that cannot be read; BackendUnavailable without pyarrow."""
    if path.suffix == ".parquet":
        return _parquet(path)
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            rows = json.loads(text)
        else:
            rows = [json.loads(line) for line in text.split("\n") if line.strip()]
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}", hint="download it again") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{path} is no list of rows", hint="expected JSONL, or a JSON list of objects")
    return rows


def _parquet(path: Path) -> list[Row]:
    try:
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise BackendUnavailable(f"{path.name} needs pyarrow: pip install 'placecell[eval]'") from None
    try:
        rows: list[Row] = parquet.read_table(path).to_pylist()
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}", hint="download it again") from None
    return rows


def find_file(folder: Path, names: Sequence[str]) -> Path:
    """The first of the names that is in the folder or one level below. UserError says what was expected."""
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder", hint="give the benchmark's folder with --data-dir")
    for name in names:
        for found in (*sorted(folder.glob(name)), *sorted(folder.glob(f"*/{name}"))):
            return found
    raise UserError(f"{folder} holds none of {', '.join(names)}", hint="give the benchmark's folder with --data-dir")


def digest(path: Path) -> str:
    """sha256 of the file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def field(row: Row, *names: str) -> Any:
    """The first of the fields that the row has. UserError names what is missing."""
    for name in names:
        if row.get(name) is not None:
            return row[name]
    raise UserError(f"a row has no {' or '.join(names)}: {str(row)[:120]}", hint="is this the benchmark's own file?")


def need_unique(samples: Sequence[Sample], path: Path) -> None:
    """UserError when an id is missing or comes twice: a resumed run would take one for the other."""
    twice = [name for name, count in Counter(sample.id for sample in samples).items() if count > 1 or not name]
    if twice:
        raise UserError(f"{path}: {len(twice)} ids are missing or repeated, the first is {twice[0]!r}")
