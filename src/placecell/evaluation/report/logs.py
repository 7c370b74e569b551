"""The logs a report is made of: folders of runs, and files of mask scores. Gives each run a name of its own.

A run is a folder with ``settings.json`` and records (``runs.record``); a folder of such folders stands for all of them.
A JSON line of ``placecell score scannet --json`` is a grounding result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import combinations
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from placecell.agents.exploring.settings import Exploration
from placecell.agents.strategy_options import settings_of
from placecell.errors import UserError
from placecell.evaluation.benchmarks.table import BENCHMARKS
from placecell.evaluation.runs.record import RunSettings, SampleRecord, read_records, read_settings
from placecell.evaluation.scoring.aggregate import vsi_task

_SETTINGS = "settings.json"
PERFECT = ("oracle", "synthetic")
"""Sources whose memories are the truth itself."""


@dataclass(frozen=True)
class Run:
    """``name`` tells it from the others of the report: strategy, model, and what else differs between them.

    ``method`` is the name without what was done to the questions (debiasing).
    """

    name: str
    folder: Path
    settings: RunSettings
    records: tuple[SampleRecord, ...]
    method: str = ""

    @property
    def benchmark(self) -> str:
        return self.settings.benchmark

    @property
    def headline(self) -> str:
        """Which mean its benchmark reports."""
        known = BENCHMARKS.get(self.benchmark)
        return known.headline if known else "micro"

    @property
    def complete(self) -> bool | None:
        """Whether it holds every published row; None when the count is not published."""
        known = BENCHMARKS.get(self.benchmark)
        return None if known is None or known.rows is None else len(self.records) == known.rows

    @property
    def exploration(self) -> Exploration | None:
        """How an exploration was set, defaults included; None for other strategies."""
        if self.settings.strategy != "explore":
            return None
        known = {field.name for field in fields(Exploration)}
        chosen = {key: value for key, value in self.settings.options.items() if key in known}
        return settings_of(Exploration, chosen, "explore")

    @property
    def memory(self) -> str:
        """The kind of its memories' source: "oracle", "synthetic", "build" or "build:NAME"."""
        kind, _, rest = self.settings.memory.partition(":")
        return kind if kind in PERFECT or not rest else self.settings.memory


class Grounding(BaseModel):
    """Mean AP of instance masks, as ``placecell score scannet --json`` writes it; None without truth."""

    model_config = ConfigDict(frozen=True)

    scorer: str
    ap: float | None
    ap50: float | None
    ap25: float | None
    class_agnostic: bool = False
    name: str = ""


@dataclass(frozen=True)
class Logs:
    """Runs and mask scores, in the order they were named."""

    runs: tuple[Run, ...]
    grounding: tuple[Grounding, ...]


def read_logs(paths: Sequence[Path]) -> Logs:
    """Everything the paths hold. UserError for one that is neither run nor mask scores, or a run without records."""
    runs, grounding = [], []
    for path in paths:
        if path.is_file():
            grounding.append(_grounding(path))
        else:
            runs += [_run(folder) for folder in _folders(path)]
    return Logs(named(runs), tuple(grounding))


def task(record: SampleRecord) -> str:
    """The kind of question as benchmarks report it."""
    return vsi_task(record.kind)


def differing(first: Run, second: Run) -> tuple[str, ...]:
    """The settings in which two runs differ; options only between runs of one strategy, each having its own."""
    ours, theirs = (run.settings.model_dump(exclude={"data_sha256", "options"}) for run in (first, second))
    apart = [key for key in ours if ours[key] != theirs[key]]
    if first.settings.strategy == second.settings.strategy:
        mine, other = first.settings.options, second.settings.options
        apart += [key for key in sorted({*mine, *other}) if mine.get(key) != other.get(key)]
    return tuple(apart)


def named(runs: Sequence[Run]) -> tuple[Run, ...]:
    """The runs with names that differ within a benchmark, and are the same across benchmarks for the same method."""
    told = [_told(run) for run in runs]
    named = []
    for run, mine in zip(runs, told, strict=True):
        alike = [(r, t) for r, t in zip(runs, told, strict=True) if t["method"] == mine["method"]]
        pairs = [(a, b) for (r, a), (s, b) in combinations(alike, 2) if r.benchmark == s.benchmark]
        differ = {key for a, b in pairs for key in a.keys() | b.keys() if a.get(key) != b.get(key)}
        extra = [mine[key] for key in mine if key in differ]
        without = [mine[key] for key in mine if key in differ and key != "debias"]
        name, method = (", ".join([mine["method"], *filter(None, words)]) for words in (extra, without))
        named.append(replace(run, name=name, method=method))
    twice = [(run.benchmark, run.name) for run in named]
    return tuple(
        replace(run, name=f"{run.name} [{run.folder.name}]") if twice.count((run.benchmark, run.name)) > 1 else run
        for run in named
    )


def _told(run: Run) -> Mapping[str, str]:
    """What may tell a run from another one, in words."""
    settings = run.settings
    words = {
        "method": f"{settings.strategy} ({settings.model})",
        "memory": f"memory {run.memory}",
        "debias": f"without {' and '.join(settings.debias)}" if settings.debias else "",
        "split": f"split {settings.split}",
        "seed": f"seed {settings.seed}",
        "placecell": f"placecell {settings.placecell}",
    }
    return words | {f"option {key}": f"{key} {_short(value)}" for key, value in sorted(settings.options.items())}


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True)


def _folders(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        raise UserError(f"{path}: no such file or folder", hint="give the folders that `placecell eval -o` wrote")
    found = [path] if (path / _SETTINGS).exists() else sorted(file.parent for file in path.glob(f"**/{_SETTINGS}"))
    if not found:
        raise UserError(f"{path} holds no run", hint="give the folders that `placecell eval -o` wrote")
    yield from found


def _run(folder: Path) -> Run:
    records = read_records(folder)
    if not records:
        raise UserError(f"{folder} has no records yet", hint="run `placecell eval` with the same -o to go on")
    return Run(folder.name, folder, read_settings(folder), tuple(sorted(records, key=lambda record: record.sample)))


def _grounding(path: Path) -> Grounding:
    try:
        found = Grounding.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError):
        raise UserError(
            f"{path} is no log", hint="give a run's folder, or the output of `placecell score scannet PRED GT --json`"
        ) from None
    return found.model_copy(update={"name": path.stem})
