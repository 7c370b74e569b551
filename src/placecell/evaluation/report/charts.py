"""The charts of a report as data, each of which is also a table: figures 4, 6, 7, 15 and 16 of Think3D, and scores.

Does not know how a chart is drawn (``plots``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from placecell.evaluation.report.figures import Share, blind, by_task, grouped, overall, stages
from placecell.evaluation.report.logs import Run, task
from placecell.evaluation.report.table import Cell, Missing, Table
from placecell.evaluation.runs.record import SampleRecord

_GRID = 15
"""Degrees that looks are rounded to when they are counted."""
_MANY_ROUNDS = 5


@dataclass(frozen=True)
class Bars:
    """Groups of bars; ``floor`` is a mark across each group. ``stacked`` shares add up to the bar; ``of``: of what."""

    name: str
    title: str
    series: Mapping[str, Mapping[str, Share]]
    label: str
    floor: Mapping[str, float] = field(default_factory=dict)
    stacked: bool = False
    of: str = ""


@dataclass(frozen=True)
class Lines:
    """Scores over a number, a line for each method."""

    name: str
    title: str
    series: Mapping[str, Mapping[float, Share]]
    across: str
    label: str


@dataclass(frozen=True)
class Looks:
    """Where was looked from: for each panel, how often each (azimuth, elevation) was chosen, in degrees."""

    name: str
    title: str
    panels: Mapping[str, Mapping[tuple[float, float], int]]


@dataclass(frozen=True)
class Curves:
    """Quantities over a number, a panel for each unit, a curve in it for each quantity."""

    name: str
    title: str
    panels: Mapping[str, Mapping[str, Mapping[float, float]]]
    across: str


Chart = Bars | Lines | Looks | Curves


def charts(runs: Sequence[Run]) -> Iterator[Chart | Missing]:
    """Everything that can be drawn of these runs, and what cannot."""
    for benchmark in dict.fromkeys(run.benchmark for run in runs):
        yield _scores([run for run in runs if run.benchmark == benchmark])
    if any(record.stage for run in runs for record in run.records):
        yield _losses(runs)
    looked = [record for run in runs for record in run.records if record.views]
    yield _looks("think3d-4-views-by-task", "Think3D figure 4: views chosen, by kind of question", looked, task)
    yield Missing(
        "think3d-5-training", "Think3D figure 5: reward while training", "a training's own: train --plot draws it"
    )
    models = {record.run: run.settings.model for run in runs for record in run.records}
    yield _looks(
        "think3d-6-views-by-model", "Think3D figure 6: views chosen, by model", looked, lambda r: models[r.run]
    )
    yield _rounds_allowed(runs)
    yield _ego(looked)
    yield _rounds_taken([run for run in runs if run.settings.strategy == "explore"])


def as_table(chart: Chart) -> Table:
    """The data of a chart."""
    rows: list[tuple[Cell, ...]]
    if isinstance(chart, Looks):
        rows = [(panel, *at, count) for panel, found in chart.panels.items() for at, count in sorted(found.items())]
        return Table(chart.name, chart.title, ("of", "azimuth", "elevation", "times"), tuple(rows))
    if isinstance(chart, Curves):
        curves = [(name, curve) for panel in chart.panels.values() for name, curve in panel.items()]
        rows = [(name, at, value) for name, curve in curves for at, value in curve.items()]
        return Table(chart.name, chart.title, ("curve", chart.across, "value"), tuple(rows))
    rows = [(name, str(at), score) for name, found in chart.series.items() for at, score in found.items()]
    across = chart.across if isinstance(chart, Lines) else "group"
    return Table(chart.name, chart.title, ("series", across, chart.label), tuple(rows))


def _scores(runs: Sequence[Run]) -> Bars:
    benchmark = runs[0].benchmark
    series = {}
    for run in runs:
        total = overall(run.records, run.headline)
        series[run.name] = {**by_task(run.records), **({"overall": total} if total else {})}
    whole = max(runs, key=lambda run: len(run.records))
    floor = {kind: blind(records) for kind, records in grouped(whole.records, task).items()}
    floor["overall"] = blind(whole.records, whole.headline)
    return Bars(f"scores-{benchmark}", f"{benchmark}: score by kind of question", series, "score", floor)


def _losses(runs: Sequence[Run]) -> Bars:
    found = {f"{run.benchmark}, {run.name}": (stages(run.records), len(run.records)) for run in runs}
    names = dict.fromkeys(stage for shares, _ in found.values() for stage in shares)
    series = {stage: {run: Share(shares.get(stage, 0.0), n) for run, (shares, n) in found.items()} for stage in names}
    return Bars("losses", "Questions lost, by stage", series, "share of questions", stacked=True, of="lost at")


def _looks(
    name: str, title: str, records: Sequence[SampleRecord], key: Callable[[SampleRecord], str]
) -> Looks | Missing:
    if not records:
        return Missing(name, title, "it needs runs of explore")
    panels = {
        of: Counter(rounded(view) for one in found for view in one.views) for of, found in grouped(records, key).items()
    }
    return Looks(name, title, panels)


def rounded(view: tuple[float, float, str]) -> tuple[float, float]:
    """Azimuth and elevation of a look as they are counted."""
    azimuth, elevation = (round(angle / _GRID) * _GRID for angle in view[:2])
    return float((azimuth + 180) % 360 - 180), float(elevation)


def _rounds_allowed(runs: Sequence[Run]) -> Lines | Missing:
    name, title = "think3d-7-rounds", "Think3D figure 7: score by rounds of exploration"
    series: dict[str, dict[float, Share]] = {}
    for run in runs:
        total = overall(run.records, run.headline)
        if run.exploration is not None and total is not None:
            line = series.setdefault(f"{run.benchmark}, {run.settings.model}", {})
            line.setdefault(float(run.exploration.rounds), total)
    several = {method: dict(sorted(found.items())) for method, found in series.items() if len(found) > 1}
    if not several:
        return Missing(name, title, "it needs runs of explore that differ in the option rounds")
    return Lines(name, title, several, "rounds", "score")


def _ego(looked: Sequence[SampleRecord]) -> Bars | Missing:
    name, title = "think3d-15-ego", "Think3D figure 15: share of views from a camera's own place"
    if not looked:
        return Missing(name, title, "it needs runs of explore")
    shares = {}
    for kind, records in grouped(looked, task).items():
        modes = Counter(mode for record in records for _, _, mode in record.views)
        shares[kind] = Share(modes["ego"] / modes.total(), modes.total())
    return Bars(name, title, {"ego views": shares}, "share of views")


def _rounds_taken(runs: Sequence[Run]) -> Bars | Missing:
    name, title = "think3d-16-rounds", "Think3D figure 16: rounds of looking, by kind of question"
    groups = grouped([record for run in runs for record in run.records], task)
    if not groups:
        return Missing(name, title, "it needs runs of explore")
    series: dict[str, dict[str, Share]] = {}
    for kind, records in groups.items():
        taken = Counter(min(record.rounds, _MANY_ROUNDS) for record in records)
        for rounds in range(max(taken) + 1):
            label = f"{rounds} or more" if rounds == _MANY_ROUNDS else str(rounds)
            series.setdefault(label, {})[kind] = Share(taken[rounds] / len(records), len(records))
    return Bars(name, title, series, "share of questions", stacked=True, of="rounds")
