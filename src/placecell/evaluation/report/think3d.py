"""Tables 1, 2, 3 and 5 of the Think3D paper as far as the logs go; what they lack is said instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from placecell.evaluation.report.figures import Share, by_task, overall
from placecell.evaluation.report.logs import Logs, Run
from placecell.evaluation.report.reasmory import is_mindcube
from placecell.evaluation.report.table import Cell, Missing, Table
from placecell.evaluation.statistics import combined

_VSI = {
    "route_planning": "Route Plan",
    "object_rel_direction": "Rel. Dir.",
    "object_rel_distance": "Rel. Dist.",
    "obj_appearance_order": "App. Order",
}
_MINDCUBE = {"rotation": "Rotation", "among": "Among", "around": "Around"}
_SWITCHES = {"anchor": "Cam. Anchor", "choose_camera": "Cam. Cho.", "ego": "Ego-view"}


def tables(logs: Logs) -> Iterator[Table | Missing]:
    """The paper's tables in its order; table 4 lists the settings of a training."""
    yield _multi_view(logs.runs)
    yield _vsi([run for run in logs.runs if run.benchmark == "vsibench"])
    yield _components([run for run in logs.runs if run.settings.strategy in ("explore", "direct")])
    yield _temperatures([run for run in logs.runs if "temperature" in run.settings.options])


def _multi_view(runs: Sequence[Run]) -> Table | Missing:
    name, title = "think3d-1-multiview", "Think3D table 1: BLINK (multi-view) and MindCube"
    pairs = _pairs(runs)
    if not pairs:
        return Missing(name, title, "it needs runs on blink or mindcube")
    rows: list[tuple[Cell, ...]] = []
    for method, (blink, cube) in pairs.items():
        parts = by_task(cube.records) if cube else {}
        scores = (_overall(blink), *(parts.get(kind) for kind in _MINDCUBE))
        rows.append((method, *scores, _mean([score for score in scores if score is not None], len(scores))))
    columns = ("method", "BLINK (multi-view)", *_MINDCUBE.values(), "Average")
    return Table(
        name, title, columns, tuple(rows), ("Average: mean of the four columns, when all are there.",), best=True
    )


def _vsi(runs: Sequence[Run]) -> Table | Missing:
    name, title = "think3d-2-vsibench", "Think3D table 2: four tasks of VSI-Bench"
    if not runs:
        return Missing(name, title, "it needs runs on vsibench, in the paper with --split tiny")
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        parts = by_task(run.records)
        scores = [parts.get(kind) for kind in _VSI]
        rows.append((run.name, *scores, _mean([score for score in scores if score is not None], len(scores))))
    notes = ("Average: mean of the four columns, when all are there.",)
    return Table(name, title, ("method", *_VSI.values(), "Average"), tuple(rows), notes, best=True)


def _components(runs: Sequence[Run]) -> Table | Missing:
    """Rows are the combinations of switches that were run, once per model."""
    name, title = "think3d-3-components", "Think3D table 3: what exploration needs"
    pairs = _pairs(runs)
    combinations = {tuple(_switches(run)) for run in runs if run.exploration is not None}
    if len(combinations) < 2:
        return Missing(name, title, "it needs runs of explore with anchor, choose_camera and ego switched off in turn")
    rows: list[tuple[Cell, ...]] = []
    for method, (blink, cube) in pairs.items():
        run = blink or cube
        if run is not None:
            rows.append((method, "yes" if run.exploration else "no", *_switches(run), _overall(blink), _overall(cube)))
    columns = ("method", "3D Rec.", *_SWITCHES.values(), "BLINK", "MindCube")
    return Table(name, title, columns, tuple(rows), best=True)


def _switches(run: Run) -> list[str]:
    return ["yes" if run.exploration and getattr(run.exploration, switch) else "no" for switch in _SWITCHES]


def _temperatures(runs: Sequence[Run]) -> Table | Missing:
    name, title = "think3d-5-temperature", "Think3D table 5: temperatures"
    pairs = _pairs(runs)
    known = {str(run.settings.options["temperature"]) for run in runs}
    if len(known) < 2:
        return Missing(name, title, "it needs runs on blink or mindcube with several values of --temperature")
    rows: list[tuple[Cell, ...]] = []
    for method, (blink, cube) in pairs.items():
        run = blink or cube
        both = [score for score in (_overall(blink), _overall(cube)) if score is not None]
        if run is not None:
            temperature = str(run.settings.options["temperature"])
            rows.append((method, temperature, _overall(blink), _overall(cube), _mean(both, 2)))
    return Table(name, title, ("method", "temperature", "BLINK", "MindCube", "Average"), tuple(rows))


def _pairs(runs: Sequence[Run]) -> dict[str, tuple[Run | None, Run | None]]:
    """By name of the method: its run on BLINK and its run on MindCube."""
    blink = {run.name: run for run in runs if run.benchmark == "blink"}
    cube = {run.name: run for run in runs if is_mindcube(run)}
    return {name: (blink.get(name), cube.get(name)) for name in dict.fromkeys((*blink, *cube))}


def _overall(run: Run | None) -> Share | None:
    return overall(run.records, run.headline) if run else None


def _mean(scores: Sequence[Share], count: int) -> Share | None:
    """Unweighted; None unless there are ``count``."""
    if len(scores) != count:
        return None
    parts = [(1 / count, score.value, score.interval) for score in scores if score.interval is not None]
    value = float(np.mean([score.value for score in scores]))
    return Share(value, sum(score.n for score in scores), combined(parts) if len(parts) == count else None)
