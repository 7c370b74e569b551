"""The few figures a run ends with: by kind of question, each with its floors and its interval. Reports say more."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from placecell.evaluation.floors import Asked, Floors, floors
from placecell.evaluation.runs.record import SampleRecord
from placecell.evaluation.scoring.aggregate import Row, aggregate, mindcube_overall, vsi_overall
from placecell.evaluation.statistics import Interval, interval


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
    """``headline``: the mean that the benchmark reports, by its name. ``stages``: records lost, by stage."""

    kinds: tuple[Line, ...]
    all: Line
    headline: float
    stages: Mapping[str, int]


def summarise(records: Sequence[SampleRecord], headline: str) -> Summary:
    """Figures of a run; ``headline`` is "micro", "vsi" or "mindcube". ValueError without records."""
    kinds = defaultdict(list)
    for record in records:
        kinds[record.kind].append(record)
    rows = [Row(record.score, record.kind, record.options or None) for record in records]
    stages = Counter(record.stage for record in records if record.stage is not None)
    return Summary(
        tuple(_line(kind, members) for kind, members in sorted(kinds.items())),
        _line("all", records),
        _headline(rows, headline),
        dict(stages.most_common()),
    )


def _line(kind: str, records: Sequence[SampleRecord]) -> Line:
    scores = [record.score for record in records]
    return Line(
        kind=kind,
        n=len(records),
        score=sum(scores) / len(scores),
        interval=interval(scores),
        floors=floors([Asked(record.truth, record.kind, record.options) for record in records]),
        lost=sum(record.stage is not None for record in records),
        scorers=tuple(sorted({record.scorer for record in records})),
    )


def _headline(rows: Sequence[Row], headline: str) -> float:
    if headline == "vsi":
        return vsi_overall(aggregate(rows).by_kind)
    if headline == "mindcube" and any(row.kind in ("among", "around", "rotation") for row in rows):
        return mindcube_overall(rows)
    return aggregate(rows).micro
