"""``placecell score``: official and robust scores of recorded replies, and AP of recorded masks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from placecell.apps.output import Output

SCANNET = "scannet"


def score(
    out: Output,
    scorer: Annotated[str, typer.Argument(help="Name of the rule, e.g. vsi_official_mca; `list` shows all.")],
    file: Annotated[
        Path | None,
        typer.Argument(help="JSONL with pred, gt and optionally type, options, unit, id; for scannet a folder."),
    ] = None,
    truth: Annotated[Path | None, typer.Argument(help="scannet: the folder of true instances.")] = None,
    no_class: Annotated[bool, typer.Option("--no-class", help="scannet: only shapes count, not labels.")] = False,
) -> int:
    """Score recorded replies: one record each, then the aggregate. Or instance masks, with ScanNet's AP."""
    from placecell.errors import UserError
    from placecell.evaluation.scoring.table import SCORERS

    if scorer == "list":
        if file is not None or no_class:
            raise UserError("`score list` takes nothing else", hint="placecell score SCORER FILE.jsonl")
        for known in SCORERS.values():
            out.record({"name": known.name, "kind": known.kind, "source": known.source})
        out.table(["scorer", "scores a", "rule of"], [[s.name, s.kind, s.source] for s in SCORERS.values()])
        return 0
    if file is None:
        raise UserError("no file of replies given", hint="placecell score SCORER FILE.jsonl")
    if scorer == SCANNET:
        if truth is None:
            raise UserError("no folder of true instances given", hint="placecell score scannet PRED_DIR GT_DIR")
        _score_masks(out, file, truth, agnostic=no_class)
    elif truth is not None or no_class:
        raise UserError(f"{scorer} scores replies, which need no second folder", hint=f"did you mean {SCANNET}?")
    else:
        _score_replies(out, scorer, file)
    return 0


def _score_replies(out: Output, scorer: str, file: Path) -> None:
    from placecell.evaluation.scoring.replies import read_replies, score_replies, summary

    replies = read_replies(file)
    scores = score_replies(scorer, replies)
    for reply, found in zip(replies, scores, strict=True):
        kept = reply.model_dump(include={"id", "type", "gt"}, exclude_none=True)
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


def _score_masks(out: Output, predictions: Path, truth: Path, *, agnostic: bool) -> None:
    from placecell.evaluation.grounding import class_agnostic, instance_ap
    from placecell.evaluation.grounding_files import read_scenes

    scenes = read_scenes(predictions, truth)
    found = instance_ap((class_agnostic(scene) for scene in scenes) if agnostic else scenes)
    figures = {"ap": found.ap, "ap50": found.ap50, "ap25": found.ap25}
    rows = [(row.name, {"ap": row.ap, "ap50": row.ap50, "ap25": row.ap25}) for row in found.classes]
    by_class = {} if agnostic else {name: row for name, row in rows if row["ap"] is not None}
    out.record({"scorer": SCANNET, "class_agnostic": agnostic, **figures, "by_class": by_class})
    shown = [("all", figures), *by_class.items()]
    out.table(["class", "AP", "AP50", "AP25"], [[name, *map(_figure, row.values())] for name, row in shown])


def _figure(value: float | None) -> str:
    return "no truth" if value is None else f"{value:.4f}"
