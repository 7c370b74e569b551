"""``placecell score``: official and robust scores of recorded replies."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from placecell.apps.output import Output


def score(
    out: Output,
    scorer: Annotated[str, typer.Argument(help="Name of the rule, e.g. vsi_official_mca; `list` shows all.")],
    file: Annotated[Path | None, typer.Argument(help="JSONL with pred, gt and optionally type, options, id.")] = None,
) -> int:
    """Score recorded replies: one record each, then the aggregate."""
    from placecell.errors import UserError
    from placecell.evaluation.scoring.replies import read_replies, score_replies, summary
    from placecell.evaluation.scoring.table import SCORERS

    if scorer == "list":
        for known in SCORERS.values():
            out.record({"name": known.name, "kind": known.kind, "source": known.source})
        out.table(["scorer", "scores a", "rule of"], [[s.name, s.kind, s.source] for s in SCORERS.values()])
        return 0
    if file is None:
        raise UserError("no file of replies given", hint="placecell score SCORER FILE.jsonl")
    replies = read_replies(file)
    scores = score_replies(scorer, replies)
    for reply, found in zip(replies, scores, strict=True):
        kept = reply.model_dump(include={"id", "type", "pred", "gt"}, exclude_none=True)
        out.record({**kept, "pred": reply.pred, "extracted": found.extracted, "score": found.value})
    total = summary(scorer, replies, scores)
    out.record(total)
    if total["interval"] is not None:
        low, high = total["interval"]
        out.text(f"{scorer}: {total['micro']:.4f}  [{low:.4f} to {high:.4f}]  n = {total['n']}, by {total['source']}")
    if len(total["by_type"]) > 1:
        kinds = total["by_type"].items()
        out.table(["type", "n", "score"], [[k or "(none)", str(total["counts"][k]), f"{v:.4f}"] for k, v in kinds])
        out.text(f"mean of types {total['macro']:.4f}")
    if "vsi_overall" in total:
        out.text(f"VSI-Bench overall (mean of tasks) {total['vsi_overall']:.4f}")
    return 0
