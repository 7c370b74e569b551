"""Figures of a run out of its records: scores with intervals and floors, lost questions, programs, cost."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from placecell.errors import UserError
from placecell.evaluation.floors import Asked, Floors, floors
from placecell.evaluation.report.logs import Run, task
from placecell.evaluation.runs.record import SampleRecord
from placecell.evaluation.scoring.aggregate import MINDCUBE_SETTINGS, VSI_DIRECTIONS
from placecell.evaluation.statistics import Interval, Paired, combined, interval, paired
from placecell.evaluation.wording_floor import Worded, wording_scores

Records = Sequence[SampleRecord]


@dataclass(frozen=True)
class Share:
    """A mean score, 0 to 1, of ``n`` questions. ``beside`` is shown with it, such as a difference."""

    value: float
    n: int
    interval: Interval | None = None
    beside: str = ""


def share(records: Records) -> Share | None:
    """Mean score with its interval; None without records."""
    if not records:
        return None
    scores = [record.score for record in records]
    return Share(float(np.mean(scores)), len(scores), interval(scores))


def overall(records: Records, headline: str) -> Share | None:
    """The mean the benchmark reports: over questions, over VSI-Bench's tasks, over questions of MindCube's settings.

    VSI-Bench's interval combines those of its kinds of question, since its mean does not weigh questions alike.
    """
    if headline == "mindcube":
        return share([record for record in records if record.kind in MINDCUBE_SETTINGS] or records)
    if headline != "vsi" or not records:
        return share(records)
    weights = vsi_weights({record.kind for record in records})
    parts = {kind: share([record for record in records if record.kind == kind]) for kind in weights}
    known = [(weights[kind], part.value, part.interval) for kind, part in parts.items() if part and part.interval]
    return Share(sum(weight * value for weight, value, _ in known), len(records), combined(known))


def as_meant(records: Records, headline: str) -> Share | None:
    """As `overall`, by the robust scorers; None when a record has no such score."""
    robust = [next((name for name in record.scores if name.startswith("robust")), None) for record in records]
    if None in robust:
        return None
    return overall([r.model_copy(update={"scorer": name}) for r, name in zip(records, robust, strict=True)], headline)


def vsi_weights(kinds: set[str]) -> Mapping[str, float]:
    """What a kind of question weighs in VSI-Bench's mean of tasks, the three directions being one task."""
    directions = kinds & set(VSI_DIRECTIONS)
    tasks = len(kinds - directions) + bool(directions)
    return {kind: 1 / tasks / (len(directions) if kind in directions else 1) for kind in sorted(kinds)}


def by_task(records: Records) -> Mapping[str, Share]:
    """Scores of the tasks. VSI-Bench's direction task is the mean of its three grades, not of its questions."""
    groups = grouped(records, task)
    return {name: found for name, group in groups.items() if (found := _of_task(group)) is not None}


def _of_task(records: Records) -> Share | None:
    directions = all(record.kind in VSI_DIRECTIONS for record in records)
    return overall(records, "vsi" if directions else "micro")


def grouped(records: Records, key: Callable[[SampleRecord], str]) -> Mapping[str, list[SampleRecord]]:
    """Records by a key, keys in order."""
    groups: defaultdict[str, list[SampleRecord]] = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
    return dict(sorted(groups.items()))


def floors_of(records: Records, headline: str) -> Floors:
    """What is scored without looking, in the mean that the benchmark reports; the constant by question."""
    asked = floors([Asked(record.truth, record.kind, record.options) for record in records])
    if headline != "vsi":
        return asked
    kinds = grouped(records, lambda record: record.kind)
    parts = [(weight, floors_of(kinds[kind], "micro")) for kind, weight in vsi_weights(set(kinds)).items()]
    return Floors(
        chance=sum(weight * part.chance for weight, part in parts),
        constant=asked.constant,
        prior=sum(weight * part.prior for weight, part in parts),
    )


def wording_floor(records: Records, headline: str) -> Share | None:
    """What the words of the questions give away, in the mean that the benchmark reports."""
    asked = [Worded(record.question, record.scene, record.truth, record.kind, record.options) for record in records]
    scores = zip(records, wording_scores(asked), strict=True)
    return overall([record.model_copy(update={"scores": {record.scorer: score}}) for record, score in scores], headline)


def blind(records: Records, headline: str = "micro") -> float:
    """The higher of two floors: the best answer for each kind of question, and what the words give away."""
    if all(record.kind in VSI_DIRECTIONS for record in records):
        headline = "vsi"
    worded = wording_floor(records, headline)
    return max(floors_of(records, headline).prior, worded.value if worded else 0.0)


def stages(records: Records) -> Mapping[str, float]:
    """Share of the questions that were lost, by stage, the largest first."""
    lost = Counter(record.stage for record in records if record.stage is not None)
    return {str(stage): count / len(records) for stage, count in lost.most_common()}


def pass_at(records: Records, k: int, *, repaired: bool = False) -> Share | None:
    """Share of the questions put to a model with a program accepted among its first ``k``.

    ``repaired`` counts programs that the checker mended itself. A question whose model never gave a program counts as
    not passed; one that needed no model does not count.
    """
    put = [record for record in records if record.attempts or record.usage.calls]
    passed = [any(a.accepted or (repaired and a.repaired) for a in record.attempts[:k]) for record in put]
    scores = [float(one) for one in passed]
    return Share(float(np.mean(scores)), len(scores), interval(scores)) if scores else None


def compare(first: Run, second: Run) -> Paired:
    """The second run against the first on the same samples. UserError when they were not asked the same, or the scores
    are by different scorers.
    """
    ours, theirs = ({record.sample: record for record in run.records} for run in (first, second))
    if first.benchmark != second.benchmark or ours.keys() != theirs.keys():
        alone = len(ours.keys() ^ theirs.keys())
        raise UserError(f"{first.name} and {second.name} differ in {alone} samples", hint="compare runs of the same")
    rules = {(ours[name].scorer, theirs[name].scorer) for name in ours}
    unlike = next((pair for pair in rules if pair[0] != pair[1]), None)
    if unlike is not None:
        raise UserError(f"{first.name} is scored by {unlike[0]}, {second.name} by {unlike[1]}")
    if first.settings.debias == second.settings.debias:
        other = next((name for name in ours if ours[name].truth != theirs[name].truth), None)
        if other is not None:
            raise UserError(f"sample {other} has another truth in {second.name}", hint="their data differ")
    return paired([ours[name].score for name in ours], [theirs[name].score for name in ours])
