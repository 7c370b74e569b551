"""Score a file of recorded replies: a JSON object a line with ``pred`` and ``gt``; see `Reply` for what else counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter

from placecell.errors import UserError
from placecell.evaluation.lines import read_lines
from placecell.evaluation.scoring.aggregate import (
    VSI_CHOICE,
    VSI_NUMBER,
    VSI_UNITS,
    Aggregate,
    Row,
    aggregate,
    vsi_overall,
)
from placecell.evaluation.scoring.scorer import Score, Scorer
from placecell.evaluation.scoring.table import SCORERS, find_scorer
from placecell.language.decomposition import Unit

VSI = "vsi_official"
"""Not a rule of its own: by ``type``, the official rule for choices or for numbers."""
ROBUST = "robust"
"""Not a rule of its own: the robust rule for numbers where the truth is one, else that for choices."""


class Reply(BaseModel):
    """One line. ``pred`` null is a call that failed: it scores 0 and stays in the denominator.

    ``options`` are the offered texts, or how many there were. ``unit`` is the one a number is asked in; VSI-Bench's
    types have theirs.
    """

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    pred: str | None
    gt: str
    id: str | None = None
    type: str | None = None
    options: list[str] | int | None = None
    unit: Unit | None = None

    def score(self, scorer: Scorer) -> Score:
        """By this scorer. ValueError: the truth is no answer of its kind."""
        if self.pred is None:
            return Score(0.0)
        offered = self.options if isinstance(self.options, list) else [""] * (self.options or 0)
        return scorer(self.pred, self.gt, offered, self.unit or VSI_UNITS.get(self.type or ""))


def read_replies(path: Path) -> list[Reply]:
    """Every reply, in order. UserError names the faulty line."""
    return read_lines(path, TypeAdapter(Reply), "replies", 'a line is {"pred": "...", "gt": "...", "type": "..."}')


def score_replies(name: str, replies: Sequence[Reply]) -> list[Score]:
    """Score of each reply by the named rule. UserError for a truth that is no answer of its kind."""
    scores = []
    for number, reply in enumerate(replies, 1):
        scorer = _scorer(name, reply, number)
        try:
            scores.append(reply.score(scorer))
        except ValueError as error:
            raise UserError(f"reply {number}: {error}", hint=f"{scorer.name} scores a {scorer.kind}") from None
    return scores


def summary(name: str, replies: Sequence[Reply], scores: Sequence[Score]) -> dict[str, Any]:
    """The aggregate as a record, under the name of the rule that made it."""
    total = aggregate(
        [
            Row(score.value, reply.type or "", len(reply.options) if isinstance(reply.options, list) else reply.options)
            for reply, score in zip(replies, scores, strict=True)
        ]
    )
    record: dict[str, Any] = {
        "scorer": name,
        "source": SCORERS[name].source if name in SCORERS else "the rule of each type",
    }
    return record | _figures(total) | _vsi(total)


def _scorer(name: str, reply: Reply, number: int) -> Scorer:
    if name == ROBUST:
        return SCORERS["robust_number" if _is_number(reply.gt) else "robust_choice"]
    if name != VSI:
        return find_scorer(name)
    if reply.type in VSI_CHOICE:
        return SCORERS["vsi_official_mca"]
    if reply.type in VSI_NUMBER:
        return SCORERS["vsi_official_na"]
    raise UserError(
        f"reply {number}: {reply.type!r} is no type of VSI-Bench", hint=f"types: {', '.join(VSI_CHOICE + VSI_NUMBER)}"
    )


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _figures(total: Aggregate) -> dict[str, Any]:
    found = total.interval
    return {
        "n": total.n,
        "micro": total.micro,
        "macro": total.macro,
        "interval": None if found is None else [found.low, found.high],
        "interval_method": None if found is None else found.method,
        "chance_corrected": total.chance_corrected,
        "by_type": dict(total.by_kind),
        "counts": dict(total.counts),
    }


def _vsi(total: Aggregate) -> dict[str, float]:
    """VSI-Bench's overall, when every type is one of its tasks."""
    known = set(total.by_kind) <= set(VSI_CHOICE + VSI_NUMBER)
    return {"vsi_overall": vsi_overall(total.by_kind)} if known else {}
