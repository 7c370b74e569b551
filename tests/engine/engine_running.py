"""Running a program body over a memory, in one line."""

from __future__ import annotations

from placecell.engine.interpreter import PictureSettings, run
from placecell.language.check import check

SMALL = PictureSettings(size=96)


def plan_of(body: str):
    """The checked plan of a body whose memory is already built."""
    lines = ["def plan(images):", "    memory = build_static_memory(images)"]
    lines += ["    " + line.strip() for line in body.strip().splitlines()]
    report = check("\n".join(lines) + "\n")
    assert report.plan is not None, report.errors
    return report.plan


def run_body(body: str, memory, **more):
    """The run of a body."""
    return run(plan_of(body), memory, **({"pictures": SMALL} | more))


def values(body: str, memory, **more):
    """The returned values of a body."""
    return run_body(body, memory, **more).values
