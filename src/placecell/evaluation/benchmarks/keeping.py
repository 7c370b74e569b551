"""Lists of questions that are drawn by code, kept on disk so that they need not be drawn again."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from placecell.evaluation.benchmarks.sample import Sample


def kept(path: Path, count: int, draw: Callable[[], tuple[Sample, ...]]) -> tuple[Sample, ...]:
    """The first ``count`` samples of the list at ``path`` when it is long enough, else those drawn, then kept there."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    if len(lines) >= count >= 1:
        return tuple(_restored(json.loads(line)) for line in lines[:count])
    drawn = draw()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(f".{uuid.uuid4().hex}")
    temporary.write_text("".join(json.dumps(asdict(sample)) + "\n" for sample in drawn), encoding="utf-8")
    temporary.replace(path)
    return drawn


@cache
def digest_beside(module: ModuleType) -> str:
    """Of the code in a module's folder: what another version of it draws is another list."""
    files = sorted(Path(str(module.__file__)).parent.glob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _restored(row: dict[str, Any]) -> Sample:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Sample(**fields)
