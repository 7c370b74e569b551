"""Tables 3 to 8 of the Reasmory paper as far as the logs go; what they lack is said instead.

Scores are by each benchmark's own scorer, over the runs' own samples: next to the paper's they compare only when the
samples do (the paper publishes no list of them).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from placecell.evaluation.report.figures import Share, by_task, grouped, overall, pass_at, share
from placecell.evaluation.report.logs import Grounding, Logs, Run
from placecell.evaluation.report.table import Cell, Missing, Table

_STEPS = {
    (): "as published",
    ("hints",): "hints removed",
    ("hints", "images"): "and images shuffled",
    ("hints", "images", "options"): "and options shuffled",
}
_VSI = {
    "object_counting": "Obj. Count",
    "object_abs_distance": "Abs. Dist.",
    "object_size_estimation": "Obj. Size",
    "room_size_estimation": "Room Size",
    "object_rel_distance": "Rel. Dist.",
    "object_rel_direction": "Rel. Dir.",
    "route_planning": "Route Plan",
    "obj_appearance_order": "Appr. Order",
}
_SETTINGS = {
    "direct": "Vanilla VLM",
    "primitives": "+ Primitives (no verifier)",
    "program": "+ Primitives + DSL verifier",
}
_BENCHMARKS = {"MindCube": "mindcube", "VSI-Bench": "vsibench", "VLM4D": "vlm4d-real"}
_TRIES = 3


def tables(logs: Logs) -> Iterator[Table | Missing]:
    """The paper's tables in its order."""
    yield _debias([run for run in logs.runs if is_mindcube(run)])
    yield _mindcube([run for run in logs.runs if is_mindcube(run)])
    yield _vsi([run for run in logs.runs if run.benchmark == "vsibench"])
    yield from _vlm4d(logs.runs)
    yield _ablation(logs.runs)
    yield _grounding(logs.grounding)
    yield _pass(logs.runs)


def is_mindcube(run: Run) -> bool:
    """Full or tiny."""
    return run.benchmark.startswith("mindcube")


def _debias(runs: Sequence[Run]) -> Table | Missing:
    name, title = "reasmory-3-debias", "Reasmory table 3: debiasing of MindCube"
    found = {(run.method, run.settings.debias): overall(run.records, run.headline) for run in runs}
    several = Counter(method for method, _ in found)
    methods = [method for method, count in several.items() if count > 1]
    steps = [step for step in _STEPS if any((method, step) in found for method in methods)]
    if not methods:
        return Missing(name, title, "it needs runs on MindCube with and without --debias hints,images")
    rows = []
    for method in methods:
        plain = found.get((method, ()))
        cells = [_beside(found.get((method, step)), plain if step else None) for step in steps]
        rows.append((method, *cells))
    columns = ("method", *(_STEPS[step] for step in steps))
    return Table(name, title, columns, tuple(rows), ("In brackets: against the benchmark as published.",))


def _mindcube(runs: Sequence[Run]) -> Table | Missing:
    name, title = "reasmory-4-mindcube", "Reasmory table 4: MindCube by setting"
    if not runs:
        return Missing(
            name, title, "it needs runs on mindcube or mindcube-tiny, in the paper with --debias hints,images"
        )
    settings = ("among", "rotation", "around")
    rows = [(run.name, *_by(run, settings), overall(run.records, run.headline)) for run in runs]
    return Table(name, title, ("method", "Among", "Rotation", "Around", "Overall"), tuple(rows), best=True)


def _vsi(runs: Sequence[Run]) -> Table | Missing:
    name, title = "reasmory-5-vsibench", "Reasmory table 5: VSI-Bench by task"
    if not runs:
        return Missing(name, title, "it needs runs on vsibench, in the paper with --split tiny")
    rows = [(run.name, *_by(run, tuple(_VSI)), overall(run.records, "vsi")) for run in runs]
    notes = ("Numbers by mean relative accuracy, choices by accuracy; overall is the mean of the tasks there are.",)
    return Table(name, title, ("method", *_VSI.values(), "Overall"), tuple(rows), notes, best=True)


def _vlm4d(runs: Sequence[Run]) -> Iterator[Table | Missing]:
    name, title = "reasmory-6-vlm4d", "Reasmory table 6: VLM4D, real videos"
    real = {run.name: run for run in runs if run.benchmark == "vlm4d-real"}
    made = {run.name: run for run in runs if run.benchmark == "vlm4d-synthetic"}
    if real:
        rows = []
        for run in real.values():
            groups = grouped(run.records, lambda record: record.group)
            parts = [share(groups.get(group, ())) for group in ("real ego", "real exo")]
            rows.append((run.name, *parts, share(run.records)))
        yield Table(name, title, ("method", "Ego-centric", "Exo-centric", "Overall"), tuple(rows), best=True)
    else:
        yield Missing(name, title, "it needs runs on vlm4d-real, in the paper with --split tiny")
    if made:
        whole, wide = "vlm4d-all", []
        for run in made.values():
            kinds = grouped(run.records, lambda record: record.kind)
            both = (*real[run.name].records, *run.records) if run.name in real else ()
            parts = [share(kinds.get(kind, ())) for kind in ("direction", "false positive")]
            wide.append((run.name, *parts, share(run.records), share(both)))
        columns = ("method", "Directional", "False positive", "Synthetic", "Real and synthetic")
        notes = ("The last column is over the questions of both parts (1,816 when they are complete).",)
        yield Table(whole, "VLM4D, synthetic videos and all", columns, tuple(wide), notes, best=True)


def _ablation(runs: Sequence[Run]) -> Table | Missing:
    name, title = "reasmory-7-ablation", "Reasmory table 7: ablation"
    benchmarks = {
        shown: [run for run in runs if run.benchmark.startswith(start) and run.settings.strategy in _SETTINGS]
        for shown, start in _BENCHMARKS.items()
    }
    models = dict.fromkeys(run.settings.model for found in benchmarks.values() for run in found)
    rows = [
        (setting, model, *(_only(found, _uses(strategy, model)) for found in benchmarks.values()))
        for strategy, setting in _SETTINGS.items()
        for model in models
    ]
    filled = [row for row in rows if any(cell is not None for cell in row[2:])]
    if len({row[0] for row in filled}) < 2:
        return Missing(name, title, f"it needs runs of the strategies {', '.join(_SETTINGS)} with the same model")
    notes = ("Each figure is of the first such run in these logs.",)
    return Table(name, title, ("setting", "model", *benchmarks), tuple(filled), notes, best=True)


def _grounding(found: Sequence[Grounding]) -> Table | Missing:
    name, title = "reasmory-8a-grounding", "Reasmory table 8a: instances on ScanNet"
    if not found:
        return Missing(name, title, "it needs the output of `placecell score scannet PRED_DIR GT_DIR --json` as a file")
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        cells = [None if value is None else f"{value * 100:.1f}" for value in (one.ap, one.ap50, one.ap25)]
        rows.append((one.name, "shapes only" if one.class_agnostic else "by class", *cells))
    return Table(name, title, ("masks", "labels", "mAP", "mAP50", "mAP25"), tuple(rows))


def _pass(runs: Sequence[Run]) -> Table | Missing:
    name, title = "reasmory-8b-pass", "Reasmory table 8b: programs accepted within k tries"
    wrote = [run for run in runs if any(record.attempts for record in run.records)]
    if not wrote:
        return Missing(name, title, "it needs runs whose model writes programs (--strategy program with a model)")
    rows = [
        (
            run.benchmark,
            run.name,
            *(pass_at(run.records, k) for k in range(1, _TRIES + 1)),
            *(pass_at(run.records, k, repaired=True) for k in (1, _TRIES)),
        )
        for run in wrote
    ]
    tries = [f"pass@{k}" for k in range(1, _TRIES + 1)]
    columns = ("benchmark", "run", *tries, "pass@1, mended", f"pass@{_TRIES}, mended")
    notes = ("Accepted as written; mended: or with the checker's own repairs. Over questions put to a model.",)
    return Table(name, title, columns, tuple(rows), notes)


def _by(run: Run, kinds: Sequence[str]) -> list[Share | None]:
    found = by_task(run.records)
    return [found.get(kind) for kind in kinds]


def _uses(strategy: str, model: str) -> Callable[[Run], bool]:
    return lambda run: run.settings.strategy == strategy and run.settings.model == model


def _only(runs: Sequence[Run], fits: Callable[[Run], bool]) -> Share | None:
    first = next((run for run in runs if fits(run)), None)
    return overall(first.records, first.headline) if first else None


def _beside(found: Share | None, plain: Share | None) -> Share | None:
    if found is None or plain is None:
        return found
    change = f"({(found.value - plain.value) * 100:+.1f})"
    return Share(found.value, found.n, found.interval, change)
