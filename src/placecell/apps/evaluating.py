"""``placecell eval``: a benchmark, a strategy, a model and a source of memories, run to its figures."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from placecell.apps.asking import BUDGET, MODELS, STRATEGIES, setting
from placecell.apps.output import FINDINGS, Output, counted
from placecell.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from placecell.evaluation.runs.engines import Engine
    from placecell.evaluation.runs.request import Prepared
    from placecell.evaluation.runs.running import Finished
    from placecell.evaluation.runs.summary import Line, Summary

_STEPS = "Debiasing steps, of hints,images,options."
_LIMIT = "At most this many samples, drawn by the seed; a larger limit later goes on with the same run."
_OUT = "Folder of the run (default: runs/BENCHMARK-DIGEST). A run that is there goes on."
_COLUMNS = ["kind", "n", "score", "95 %", "chance", "constant", "prior", "lost", "scorer"]
_SEGMENTER = "What looks, in memories that are built, for the things that the questions name: one of `backends`."
_MEANS = {
    "vsi": "VSI-Bench reports it, of eight tasks, the directions being one",
    "mindcube": "MindCube reports it, of around, among and rotation",
}
_PLACES = "Samples answered at a time, in each worker."


class Where(StrEnum):
    """Where samples are answered."""

    LOCAL = "local"
    RAY = "ray"


def evaluate(
    out: Output,
    benchmark: Annotated[str, typer.Argument(help="A benchmark's name, or synthetic; --dry-run tells what it is.")],
    strategy: Annotated[str, typer.Option(help=f"One of {STRATEGIES}.")] = "program",
    model: Annotated[str, typer.Option(help=MODELS)] = "rules",
    memory: Annotated[str | None, typer.Option(help="oracle:PATH, synthetic, build or build:RECONSTRUCTOR.")] = None,
    segmenter: Annotated[str | None, typer.Option(help=_SEGMENTER)] = None,
    data_dir: Annotated[Path | None, typer.Option(help="The benchmark's local copy: its rows and media.")] = None,
    split: Annotated[str, typer.Option(help="full, or tiny: the papers' small splits.")] = "full",
    debias: Annotated[str, typer.Option(metavar="STEP,...", help=_STEPS)] = "",
    seed: Annotated[int, typer.Option(min=0, help="Of everything that is drawn.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help=_LIMIT)] = None,
    shard: Annotated[str | None, typer.Option(metavar="I/N", help="Only this part, e.g. 3/8.")] = None,
    concurrency: Annotated[int, typer.Option(min=1, help=_PLACES)] = 4,
    engine: Annotated[Where, typer.Option(help="Threads of this process, or workers of a Ray cluster.")] = Where.LOCAL,
    workers: Annotated[int, typer.Option(min=1, help="Worker processes of --engine ray.")] = 4,
    address: Annotated[str | None, typer.Option(help="Ray cluster to use (default: this machine).")] = None,
    budget: Annotated[str | None, typer.Option(metavar="NAME=MOST,...", help=BUDGET)] = None,
    images: Annotated[int | None, typer.Option(min=1, help="Show a model at most this many photos.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting of the strategy (repeat).")
    ] = None,
    temperature: Annotated[float | None, typer.Option(min=0.0, help="The model's (default 0).")] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Refuse every connection beyond this machine.")] = False,
    cache: Annotated[Path | None, typer.Option(help="Where memories are kept (default: PLACECELL_CACHE).")] = None,
    resume: Annotated[bool, typer.Option(help="Go on with a run that is there, or refuse to.")] = True,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be run, and stop.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help=_OUT)] = None,
) -> int:
    """Run a benchmark. Finished samples are kept one by one and never asked again; what fails stays in the count."""
    from placecell.agents.models.budget import Limits
    from placecell.agents.models.settings import Settings
    from placecell.evaluation.runs.request import Request, Shard, prepare
    from placecell.evaluation.runs.shelf import default_cache
    from placecell.memory.selection import SHOWN

    request = Request(
        benchmark=benchmark,
        strategy=strategy,
        model=model,
        memory=memory,
        segmenter=segmenter,
        data=data_dir,
        split=split,
        debias=tuple(step.strip() for step in debias.split(",") if step.strip()),
        seed=seed,
        limit=limit,
        shard=Shard.parse(shard) if shard else None,
        images=SHOWN if images is None else images,
        limits=Limits.parse(budget or ""),
        options=dict(setting(text) for text in set_ or ()),
        use=Settings.of_environment(seed=seed, temperature=temperature, offline=True if offline else None),
        cache=cache or default_cache(),
    )
    prepared = prepare(request)
    folder = output or Path("runs", f"{benchmark}-{prepared.settings.digest[:8]}")
    _tell(out, prepared)
    if dry_run:
        return 0
    if not resume and (folder / "settings.json").exists():
        raise UserError(f"{folder} holds a run already", hint="leave out --no-resume to go on with it")
    return _run(out, prepared, _engine(prepared, engine, workers, concurrency, address), folder)


def _engine(
    prepared: Prepared, where: Where, workers: int, concurrency: int, address: str | None
) -> Callable[[], Engine]:
    from placecell.evaluation.runs.engines import RayWorkers, Threads

    solver = prepared.solver()  # opened first: what is wrong is said before workers start
    if where is Where.RAY:
        return lambda: RayWorkers(prepared, workers, concurrency, address)
    return lambda: Threads(solver, concurrency)


def _run(out: Output, prepared: Prepared, engine: Callable[[], Engine], folder: Path) -> int:
    from placecell.evaluation.runs.running import run
    from placecell.evaluation.runs.summary import summarise

    with out.progress() as progress:
        finished = run(prepared, engine, folder, progress=progress)
    if finished.records:
        _show(out, summarise(finished.records, prepared.headline), prepared.headline)
    _end(out, finished, folder)
    return FINDINGS if finished.unfinished else 0


def _tell(out: Output, prepared: Prepared) -> None:
    """What is run: enough to see that it is what was meant."""
    settings, samples = prepared.settings, prepared.samples
    kinds = Counter(sample.kind for sample in samples)
    scenes = len({sample.scene for sample in samples})
    part = "" if prepared.complete else ", not the whole published set"
    asked = f"{counted(len(samples), 'sample')} of {counted(len(kinds), 'kind')}, {counted(scenes, 'scene')}"
    out.notice(f"{settings.benchmark}: {asked}{part}")
    out.notice(", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())), level=2)
    out.notice(f"{settings.strategy}, {settings.model}, memories from {settings.memory}, run {settings.digest}")
    if prepared.request.debias:
        changed = Counter(change.step for change in prepared.changes)
        steps = ", ".join(f"{step} {changed[step]}" for step in prepared.request.debias)
        out.notice(f"samples changed by debiasing: {steps}")
    out.record({
        "event": "run",
        "settings": settings.model_dump(mode="json"),
        "run": settings.digest,
        "samples": len(samples),
        "scenes": scenes,
        "kinds": dict(sorted(kinds.items())),
        "complete": prepared.complete,
    })  # fmt: skip


def _show(out: Output, summary: Summary, headline: str) -> None:
    lines = [*summary.kinds, summary.all]
    out.table(_COLUMNS, [_cells(line) for line in lines])
    if headline != "micro":
        out.text(f"all: the mean as {_MEANS[headline]}")
    if summary.stages:
        out.text("lost at: " + ", ".join(f"{stage} {count}" for stage, count in summary.stages.items()))
    for line in lines:
        out.record({"event": "score", **asdict(line)})
    out.record({"event": "summary", "mean": headline, "value": summary.all.score, "lost": dict(summary.stages)})


def _cells(line: Line) -> list[str]:
    between = f"{100 * line.interval.low:.1f} to {100 * line.interval.high:.1f}" if line.interval else ""
    floors = [f"{100 * value:.1f}" for value in (line.floors.chance, line.floors.constant, line.floors.prior)]
    score = f"{100 * line.score:.1f}"
    return [line.kind, str(line.n), score, between, *floors, str(line.lost), ", ".join(line.scorers)]


def _end(out: Output, finished: Finished, folder: Path) -> None:
    known = len(finished.records) - finished.asked
    before = f", {known} were there before" if known > 0 else ""
    out.notice(f"{counted(finished.asked, 'sample')} asked{before}; records and logs in {folder}")
    if finished.unfinished:
        out.notice(f"{finished.unfinished} ended in a failure that may pass: the same command tries them again")
    if finished.log is not None:
        out.notice(f"look at it with: inspect view --log-dir {finished.log.parent}", level=2)
    out.record({
        "event": "end",
        "asked": finished.asked,
        "unfinished": finished.unfinished,
        "folder": str(folder),
        "log": str(finished.log) if finished.log else None,
    })  # fmt: skip
