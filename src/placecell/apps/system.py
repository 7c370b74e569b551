"""``placecell demo``, ``backends`` and ``doctor``: what is here, and does it work."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from placecell.apps.output import FINDINGS, Output
from placecell.errors import UserError


def demo(
    out: Output,
    output: Annotated[
        Path | None, typer.Option("--out", help="Keep memory, pictures and trace in this folder.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Another seed is another room.")] = 7,
) -> int:
    """Draw a synthetic room, photograph it, build a memory from the pictures, and ask a question of every family."""
    from placecell.apps.demo import run_demo

    with tempfile.TemporaryDirectory(prefix="placecell-demo-") as scratch:
        folder = output or Path(scratch)
        with out.progress() as progress:
            report = run_demo(folder, seed=seed, progress=progress)
        for row in report.rows:
            out.record(row.record())
        out.table(
            ["family", "question", "answer", "truth", ""],
            [[r.family, r.question, r.answer, r.truth, "right" if r.right else "WRONG"] for r in report.rows],
        )
        right = sum(r.right for r in report.rows)
        out.text(f"{right} of {len(report.rows)} right, no model, no network, no GPU")
        if output:
            for path in report.files:
                out.text(f"  {path}")
    return 0 if right == len(report.rows) else FINDINGS


def backends(out: Output) -> int:
    """List reconstructors, segmenters and trackers: what is installed, what each needs, and what auto would pick."""
    from placecell.backends import choice
    from placecell.backends.table import all_backends

    picked = choice.for_pictures()
    rows = []
    for backend in all_backends().values():
        missing = backend.missing()
        out.record(
            {
                "name": backend.name,
                "kind": backend.kind,
                "what": backend.what,
                "ready": missing is None,
                "missing": missing,
                "extra": backend.extra,
                "weights": [
                    {"hub_id": w.hub_id, "revision": w.revision, "licence": w.licence, "gated": w.gated}
                    for w in backend.weights
                ],
                "code_licence": backend.code_licence,
                "weight_licence": backend.weight_licence,
                "needs_gpu": backend.needs_gpu,
                "metric": backend.metric,
                "auto": backend.name == picked.name,
            }
        )
        weights = f", weights {backend.weight_licence}" if backend.weights else ""
        state = "ready" if missing is None else missing
        rows.append([backend.name, backend.kind, backend.what, state, backend.code_licence + weights])
    out.table(["name", "kind", "takes", "state", "licence"], rows)
    out.text(f"auto takes {picked.name} for {picked.why}")
    out.text(f"with --metric: {_metric_choice()}")
    return 0


def _metric_choice() -> str:
    """What auto takes for plain pictures in metres, or why it cannot."""
    from placecell.backends import choice

    try:
        return choice.for_pictures(metric=True).name
    except UserError as error:
        return str(error)


def doctor(out: Output) -> int:
    """Check this installation; one line to fix each problem."""
    from placecell.apps.checkup import examine

    findings = list(examine())
    for finding in findings:
        out.record({"check": finding.check, "ok": finding.ok, "found": finding.found, "fix": finding.fix})
        out.text(f"{'ok  ' if finding.ok else 'MISS'} {finding.check}: {finding.found}")
        if finding.fix:
            out.text(f"     {finding.fix}")
    return 0 if all(f.ok for f in findings) else FINDINGS
