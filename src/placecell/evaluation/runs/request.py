"""What is to be run, as a person asks for it, and what that comes to: samples, settings, a solver.

A request is small and plain, so that it can be sent to workers, each of which opens its own solver from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from placecell.agents.answering import How, Ready
from placecell.agents.models.budget import Limits
from placecell.agents.models.settings import Settings
from placecell.agents.strategy import Value
from placecell.errors import UserError
from placecell.evaluation.benchmarks import synthetic, synthetic_videos
from placecell.evaluation.benchmarks.debias import Change, debias
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.benchmarks.splits import tiny
from placecell.evaluation.benchmarks.table import BENCHMARKS, find_benchmark, load
from placecell.evaluation.runs.answering import Solver
from placecell.evaluation.runs.record import RunSettings
from placecell.evaluation.runs.shelf import default_cache
from placecell.evaluation.runs.sources import open_source
from placecell.evaluation.scoring.scorer import Scorer
from placecell.evaluation.scoring.table import SCORERS
from placecell.memory.selection import SHOWN

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_DRAWN = {synthetic.NAME: synthetic, synthetic_videos.NAME: synthetic_videos}
"""Benchmarks that need no data: the scenes are made up."""
NAMES = (*BENCHMARKS, *_DRAWN)
SPLITS = ("full", "tiny")
_ROBUST = ("robust_choice", "robust_number")


@dataclass(frozen=True)
class Shard:
    """Part ``number`` of ``count``, from 1."""

    number: int
    count: int

    def __str__(self) -> str:
        return f"{self.number}-of-{self.count}"

    @classmethod
    def parse(cls, text: str) -> Shard:
        """From "3/8". UserError for anything else."""
        number, slash, count = text.partition("/")
        if not (slash and number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
            raise UserError(f"{text!r} is no shard", hint="write it like 3/8: the third of eight")
        return cls(int(number), int(count))

    def of(self, samples: Sequence[Sample]) -> tuple[Sample, ...]:
        """Its samples: one run of the list, so that few scenes are needed by two shards."""
        ends = [len(samples) * end // self.count for end in (self.number - 1, self.number)]
        return tuple(samples[ends[0] : ends[1]])


@dataclass(frozen=True)
class Request:
    """A run. ``memory`` is a source (``sources``); without, a benchmark's memories are built from its media.

    ``segmenter``: what looks in them for the things that the questions about a medium name, all of the benchmark's.
    ``limit``: that many samples, drawn by ``seed`` (the first of a larger limit are those of a smaller one, so a run
    can be continued with a larger one). ``options`` are the strategy's, ``limits`` hold for each question.
    """

    benchmark: str
    strategy: str = "program"
    model: str = "rules"
    memory: str | None = None
    segmenter: str | None = None
    data: Path | None = None
    split: str = "full"
    debias: tuple[str, ...] = ()
    seed: int = 0
    limit: int | None = None
    shard: Shard | None = None
    images: int = SHOWN
    limits: Limits = field(default_factory=Limits)
    options: Mapping[str, Value] = field(default_factory=dict)
    use: Settings = field(default_factory=Settings.of_environment)
    cache: Path = field(default_factory=default_cache)


@dataclass(frozen=True)
class Prepared:
    """``samples`` are this shard's, scene by scene; ``changes`` what debiasing did; ``complete``: all rows."""

    request: Request
    settings: RunSettings
    samples: tuple[Sample, ...]
    changes: tuple[Change, ...]
    headline: str
    complete: bool
    _open: Callable[[Model[Any] | None], Solver]

    def solver(self, model: Model[Any] | None = None) -> Solver:
        """Open the memories' source and the model; ``model`` takes the place of the one that the request names.

        Raises:
            UserError: an unknown strategy, model or source, or one that lacks what it needs.
            BackendUnavailable: the model needs an extra or a key.
        """
        return self._open(model)


def prepare(request: Request) -> Prepared:
    """Read the benchmark and choose the samples. Nothing is built, opened or asked yet.

    Raises:
        UserError: an unknown name, or data that are not there or damaged.
    """
    if request.limit is not None and request.limit < 1:
        raise UserError(f"a limit of {request.limit} samples makes no sense")
    made = _synthetic(request) if request.benchmark in _DRAWN else _published(request)
    samples, changes = debias(made.samples, request.debias, seed=request.seed)
    ordered = sorted(samples, key=lambda sample: sample.scene)
    source = open_source(
        _memory(request), request.data, request.cache, segmenter=request.segmenter, asked=made.published
    )
    settings = RunSettings(
        benchmark=request.benchmark,
        strategy=request.strategy,
        model=request.model,
        memory=source.name,
        seed=request.seed,
        debias=request.debias,
        split=request.split,
        options={
            **_asking(request),
            **request.options,
            "images": request.images,
            "limits": vars(request.limits),
        },
        data_sha256=made.sha256,
        placecell=metadata.version("placecell"),
    )
    how = How(
        request.strategy, request.model, request.limits, request.use, images=request.images, options=request.options
    )

    def opened(model: Model[Any] | None) -> Solver:
        Ready(how, model)  # what is wrong with strategy or model is said before anything is built
        return Solver(settings, how, source, made.scorers("choice"), made.scorers("number"), model)

    mine = request.shard.of(ordered) if request.shard else tuple(ordered)
    return Prepared(request, settings, mine, tuple(changes), made.headline, made.complete, opened)


def _asking(request: Request) -> dict[str, Any]:
    """What shapes a model's replies, so that runs that differ in it are never mixed; nothing where rules answer."""
    if request.model == "rules":
        return {}
    use = request.use
    return {
        "temperature": use.temperature,
        "max_tokens": use.max_tokens,
        "model_seed": use.seed,
        "picture_side": use.picture_side,
        "structured": use.structured,
    }


def _memory(request: Request) -> str:
    return request.memory or ("synthetic" if request.benchmark in _DRAWN else "build")


@dataclass(frozen=True)
class _Made:
    samples: tuple[Sample, ...]
    published: tuple[Sample, ...]
    sha256: str
    official: Mapping[str, str | None]
    headline: str
    complete: bool

    def scorers(self, kind: str) -> tuple[Scorer, ...]:
        """The benchmark's own scorer first, then the one that reads what a model meant."""
        names = [name for name in (self.official[kind], *_ROBUST) if name is not None and name in SCORERS]
        return tuple(SCORERS[name] for name in dict.fromkeys(names) if SCORERS[name].kind == kind)


def _synthetic(request: Request) -> _Made:
    drawn = _DRAWN[request.benchmark]
    if request.split != "full":
        raise UserError(f"{request.benchmark} has no split {request.split!r}", hint="use --limit")
    count = request.limit or drawn.COUNT
    samples = drawn.kept_samples(count, request.cache / "synthetic", seed=request.seed)
    official = {"choice": "vsi_official_mca", "number": "vsi_official_na"}
    return _Made(samples, samples, drawn.code_digest(), official, "micro", complete=count >= drawn.COUNT)


def _published(request: Request) -> _Made:
    if request.benchmark not in BENCHMARKS:
        raise UserError(f"there is no benchmark {request.benchmark!r}", hint=f"choose {', '.join(NAMES)}")
    benchmark = find_benchmark(request.benchmark)
    if request.data is None:
        raise UserError(f"where is {benchmark.name}?", hint=f"get {benchmark.hub} and name its folder with --data-dir")
    loaded = load(benchmark, request.data)
    samples: Sequence[Sample] = loaded.samples
    if request.split == "tiny":
        samples = tiny(benchmark.name, samples, seed=request.seed)
    elif request.split != "full":
        raise UserError(f"unknown split {request.split!r}", hint=f"choose {' or '.join(SPLITS)}")
    official = {"choice": benchmark.choice, "number": benchmark.number}
    limited = _limited(samples, request)
    complete = loaded.complete and len(limited) == len(samples)
    return _Made(limited, loaded.samples, loaded.sha256, official, benchmark.headline, complete)


def _limited(samples: Sequence[Sample], request: Request) -> tuple[Sample, ...]:
    if request.limit is None or request.limit >= len(samples):
        return tuple(samples)
    order = np.random.default_rng(request.seed).permutation(len(samples))
    return tuple(samples[place] for place in sorted(order[: request.limit].tolist()))
