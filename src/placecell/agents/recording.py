"""What a run, a picture and a memory look like in a log.

Knows how the engine's values become events. Does not decide when something is recorded.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from placecell.agents.events import PictureRef, RunEvent, StepRow, ValueRow
from placecell.agents.log import Log
from placecell.engine.context import PictureSettings
from placecell.engine.describe import describe
from placecell.engine.evidence import rests_on
from placecell.engine.interpreter import RunResult, Step
from placecell.engine.topview import render_plan
from placecell.engine.values import Picture
from placecell.memory.scene import SpatialMemory

_MOST_CAMERAS = 60
"""More cameras than this hide each other in a top view; evenly spaced ones are drawn."""


def keep_picture(log: Log, picture: Picture) -> PictureRef:
    """Keep a render with its caption and exact camera."""
    camera = {name: value for name, value in picture.sidecar.items() if name != "caption"}
    return log.picture(picture.rgb, caption=picture.caption, camera=camera)


def overview(memory: SpatialMemory) -> Picture:
    """A top view of the memory with its objects and cameras."""
    numbers = [frame.number for frame in memory.posed_frames]
    cameras = numbers[:: -(-len(numbers) // _MOST_CAMERAS) or 1]
    return render_plan(memory, None, PictureSettings(), objects=memory.instances, cameras=cameras, semantic=True)


def memory_record(memory: SpatialMemory) -> dict[str, Any]:
    """What a reader of a log should know of a memory."""
    return {
        "frames": len(memory.frames),
        "placed": len(memory.posed_frames),
        "points": len(memory.cloud.points),
        "unit": memory.unit,
        "backend": memory.provenance.backend,
        "version": memory.version,
        "objects": dict(sorted(Counter(thing.name for thing in memory.instances).items())),
    }


def run_event(log: Log, result: RunResult) -> RunEvent:
    """A run: returned values, every step with what it rests on, and the pictures."""
    return RunEvent(
        values=tuple(ValueRow(words=describe(v), rests_on=rests_on(v)) for v in result.values),
        steps=tuple(_step(step) for step in result.steps),
        pictures=tuple(keep_picture(log, picture) for picture in result.pictures),
        operations=result.stats.operations,
        seconds=round(result.stats.seconds, 6),
    )


def _step(step: Step) -> StepRow:
    arguments = ", ".join(f"{k}={describe(v)}" for k, v in step.arguments.items() if k != "memory")
    return StepRow(
        number=step.number,
        line=step.span.line,
        target=step.target,
        operation=step.operation,
        arguments=arguments,
        result=describe(step.result),
        rests_on=rests_on(step.result),
        viewpoint=step.viewpoint,
        eye=None if step.eye is None else tuple(map(tuple, step.eye.tolist())),
        milliseconds=round(step.milliseconds, 3),
    )
