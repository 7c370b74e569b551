"""What every report says of its runs: scores beside floors, comparisons, what was lost where, and what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from placecell.errors import UserError
from placecell.evaluation.report.figures import (
    Share,
    as_meant,
    blind,
    by_task,
    compare,
    floors_of,
    grouped,
    overall,
    stages,
    wording_floor,
)
from placecell.evaluation.report.logs import PERFECT, Run, differing, task
from placecell.evaluation.report.table import Cell, Table

_HEADLINES = {
    "micro": "mean over questions",
    "vsi": "mean over tasks, as VSI-Bench reports it",
    "mindcube": "mean over the questions of among, around and rotation, as MindCube reports it",
}


def overview(runs: Sequence[Run]) -> Iterator[Table]:
    """The tables that need no particular runs."""
    benchmarks = dict.fromkeys(run.benchmark for run in runs)
    for benchmark in benchmarks:
        alike = [run for run in runs if run.benchmark == benchmark]
        yield scores(alike)
        yield tasks(alike)
    compared = comparisons(runs)
    if compared.rows:
        yield compared
    swapped = substitutions(runs)
    if swapped.rows:
        yield swapped
    yield losses(runs)
    yield costs(runs)


def scores(runs: Sequence[Run]) -> Table:
    """Runs of one benchmark: the reported mean, beside what is scored without looking."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        found = floors_of(run.records, run.headline)
        confident = [record.confidence for record in run.records if record.stage is None]
        rows.append(
            (
                run.name,
                overall(run.records, run.headline),
                as_meant(run.records, run.headline),
                Share(found.chance, len(run.records)),
                Share(found.constant, len(run.records)),
                Share(found.prior, len(run.records)),
                _without_interval(wording_floor(run.records, run.headline)),
                Share(sum(record.stage is None for record in run.records) / len(run.records), len(run.records)),
                Share(float(np.mean(confident)), len(confident)) if confident else None,
                len(run.records),
                ", ".join(sorted({record.scorer for record in run.records})),
            )
        )
    first = runs[0]
    parts = [run.name for run in runs if run.complete is False]
    notes = (
        f"Score: {_HEADLINES[first.headline]}, with a 95 % interval. A lost question scores 0 and counts.",
        "As meant: by the robust scorers, where the records have them.",
        "Floors: an option at random; the best single answer (over questions); the best answer for each kind; what was"
        " right in other scenes asked in the same words.",
        *((f"Not all published rows: {', '.join(parts)}.",) if parts else ()),
    )
    columns = (
        "run",
        "score",
        "as meant",
        "chance",
        "constant",
        "prior",
        "wording",
        "answered",
        "confidence",
        "n",
        "scorer",
    )
    return Table(f"scores-{first.benchmark}", f"{first.benchmark}: scores", columns, tuple(rows), notes)


def _without_interval(found: Share | None) -> Share | None:
    return found and Share(found.value, found.n)


def tasks(runs: Sequence[Run]) -> Table:
    """Runs of one benchmark by kind of question, the higher of the floors "prior" and "wording" below."""
    found = [by_task(run.records) for run in runs]
    kinds = sorted({kind for one in found for kind in one})
    rows: list[tuple[Cell, ...]] = [
        (run.name, *(one.get(kind) for kind in kinds)) for run, one in zip(runs, found, strict=True)
    ]
    largest = max(runs, key=lambda run: len(run.records))
    floor = {kind: blind(records) for kind, records in grouped(largest.records, task).items()}
    rows.append(("blind floor", *(f"{100 * floor[kind]:.1f}" if kind in floor else None for kind in kinds)))
    name = runs[0].benchmark
    return Table(f"tasks-{name}", f"{name}: by kind of question", ("run", *kinds), tuple(rows), best=True)


def comparisons(runs: Sequence[Run]) -> Table:
    """Runs of a benchmark that differ in one setting, on the same samples; pairs on unlike samples are named only."""
    rows: list[tuple[Cell, ...]] = []
    refused = []
    for first, second in combinations(runs, 2):
        if first.benchmark != second.benchmark or len(differing(first, second)) != 1:
            continue
        try:
            found = compare(first, second)
        except UserError as error:
            refused.append(f"Not compared: {error}.")
            continue
        change = f"{found.difference * 100:+.1f}"
        rows.append((first.benchmark, first.name, second.name, change, p_value(found.p), found.differing, found.method))
    columns = ("benchmark", "first", "second", "second minus first", "p", "samples that differ", "test")
    notes = ("Mean over the same questions, in points. p is not corrected for the number of comparisons.", *refused)
    return Table("comparisons", "Runs that differ in one setting", columns, tuple(rows), notes)


def substitutions(runs: Sequence[Run]) -> Table:
    """What a perfect memory in place of a built one gains: the points that perception loses."""
    rows: list[tuple[Cell, ...]] = []
    for built, perfect in ((a, b) for a in runs for b in runs if _substituted(a, b)):
        try:
            found = compare(built, perfect)
        except UserError:
            continue
        rows.append(
            (
                built.benchmark,
                built.name,
                f"memory: {perfect.memory}",
                overall(built.records, built.headline),
                overall(perfect.records, perfect.headline),
                f"{found.difference * 100:+.1f}",
                p_value(found.p),
            )
        )
    columns = ("benchmark", "run", "in its place", "score", "then", "gain", "p")
    notes = ("The gain is over questions, in points, on the same samples.",)
    return Table("substitutions", "Stages replaced by the truth", columns, tuple(rows), notes)


def _substituted(built: Run, perfect: Run) -> bool:
    same = built.settings.model_copy(update={"memory": perfect.settings.memory}) == perfect.settings
    return same and built.memory not in PERFECT and perfect.memory in PERFECT


def losses(runs: Sequence[Run]) -> Table:
    """Share of the questions lost, by stage."""
    found = [stages(run.records) for run in runs]
    names = list(dict.fromkeys(stage for one in found for stage in one))
    rows: list[tuple[Cell, ...]] = [
        (run.benchmark, run.name, *(Share(one.get(stage, 0.0), len(run.records)) for stage in names))
        for run, one in zip(runs, found, strict=True)
    ]
    notes = ("Percent of all questions. Each question is lost at one stage; the reasons are in the records.",)
    return Table("losses", "Questions lost, by stage", ("benchmark", "run", *names), tuple(rows), notes)


def costs(runs: Sequence[Run]) -> Table:
    """What answering took, a question."""
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        used = [record.usage for record in run.records]
        prices = [usage.usd for usage in used]
        known = [price for price in prices if price is not None]
        rows.append(
            (
                run.benchmark,
                run.name,
                float(np.mean([usage.calls for usage in used])),
                float(np.mean([usage.input_tokens for usage in used])),
                float(np.mean([usage.output_tokens for usage in used])),
                float(np.mean([usage.pictures_sent for usage in used])),
                sum(known) if len(known) == len(prices) else None,
                float(np.median([usage.seconds for usage in used])),
                float(np.quantile([usage.seconds for usage in used], 0.95)),
                sum(record.memory_seconds for record in run.records),
            )
        )
    columns = (
        "benchmark", "run", "calls", "tokens in", "tokens out", "pictures", "USD in all", "seconds (median)",
        "seconds (95 %)", "memories: seconds in all",
    )  # fmt: skip
    notes = ("Means a question where not said otherwise. No price where a model's is not known.",)
    return Table("costs", "Cost and time", columns, tuple(rows), notes)


def p_value(p: float) -> str:
    """As tables write it."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
