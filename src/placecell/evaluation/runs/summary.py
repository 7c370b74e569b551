"""The few figures a run ends with: by kind of question, each with its floors and its interval. Reports say more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placecell.evaluation.floors import Floors
from placecell.evaluation.report.figures import floors_of, grouped, overall
from placecell.evaluation.runs.record import SampleRecord
from placecell.evaluation.statistics import Interval


@dataclass(frozen=True)
class Line:
    """Figures of one kind of question, or of all (``kind`` "all"). ``lost`` counts records that hold no answer."""

    kind: str
    n: int
    score: float
    interval: Interval | None
    floors: Floors
    lost: int
    scorers: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """``all``: the mean that the benchmark reports. ``stages``: records lost, by stage."""

    kinds: tuple[Line, ...]
    all: Line
    stages: Mapping[str, int]


def summarise(records: Sequence[SampleRecord], headline: str) -> Summary:
    """Figures of a run; ``headline`` is "micro", "vsi" or "mindcube". ValueError without records."""
    kinds = grouped(records, lambda record: record.kind)
    stages = Counter(record.stage for record in records if record.stage is not None)
    return Summary(
        tuple(_line(kind, members, "micro") for kind, members in kinds.items()),
        _line("all", records, headline),
        dict(stages.most_common()),
    )


def _line(kind: str, records: Sequence[SampleRecord], headline: str) -> Line:
    mean = overall(records, headline)
    if mean is None:
        raise ValueError("there is nothing to score")
    return Line(
        kind=kind,
        n=mean.n,
        score=mean.value,
        interval=mean.interval,
        floors=floors_of(records, headline),
        lost=sum(record.stage is not None for record in records),
        scorers=tuple(sorted({record.scorer for record in records})),
    )
