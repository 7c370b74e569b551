"""The operations that reach outside: looking for things, following them, judging pictures, reading what is written.

Each needs a port (``Effects``); without one, or when the port fails, its value is absent with the reason. What was
looked for already is answered from the memory, and costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from placecell.engine.cells.context import PORTS, CellContext
from placecell.engine.cells.frames import frame_of_front
from placecell.engine.cells.values import FrameValue, UntrustedText
from placecell.engine.context import Judgement
from placecell.engine.dynamic import track_object
from placecell.engine.evidence import pooled
from placecell.engine.grounding import ground
from placecell.engine.registry import implements_in_cells
from placecell.engine.values import Absent, Evidence, InstancesValue, InstanceValue, Picture, Text, TrackValue, Value
from placecell.errors import PlacecellError
from placecell.language.types import Kind
from placecell.memory.scene import SpatialMemory

_T = TypeVar("_T")

JUDGED = "judged on pictures"
"""Part of a flag of every value that rests on what a model saw."""
MOST_PICTURES = 4
"""A judge is shown at most this many."""
_SURE = 0.5
_MOST_READ = 2000
"""Characters kept of what is written in an image."""


@implements_in_cells("find")
def find(context: CellContext, name: str) -> InstancesValue | Absent:
    """From the memory, else by looking through all images."""
    known = ground(context.scene, name)
    if known.instances or known.reason != "not looked for":
        return known
    return _looked_for(context, "find", name, ())


@implements_in_cells("look")
def look(context: CellContext, name: str, images: Sequence[int]) -> InstancesValue | Absent:
    """In some images, whether it was looked for before or not."""
    numbers = {frame.number for frame in context.scene.frames}
    missing = [image for image in images if image not in numbers]
    if missing:
        message = f"there is no image {missing[0]}; the memory has {context.scene.describe_numbers()}"
        return Absent(Kind.INSTANCES, "no such image", message)
    return _looked_for(context, "look", name, tuple(images))


def _looked_for(context: CellContext, operation: str, name: str, images: tuple[int, ...]) -> InstancesValue | Absent:
    port = context.effects.find
    if port is None:
        return _no_port(Kind.INSTANCES, operation, f"{name!r} was not looked for when the memory was made")
    grown = _grown(context, Kind.INSTANCES, operation, lambda: port(context.scene, name, images))
    return grown if isinstance(grown, Absent) else ground(grown, name)


@implements_in_cells("track")
def track(context: CellContext, name: str) -> TrackValue | Absent:
    """From the memory, else by following it through the video."""
    known = track_object(context, context.scene, name)
    if isinstance(known, Absent) or known.tracks or known.reason != "not looked for":
        return known
    port = context.effects.track
    if port is None:
        return _no_port(Kind.TRACK, "track", f"{name!r} was not followed when the memory was made")
    grown = _grown(context, Kind.TRACK, "track", lambda: port(context.scene, name))
    return grown if isinstance(grown, Absent) else track_object(context, grown, name)


@implements_in_cells("facing_of")
def facing_of(context: CellContext, object: InstanceValue) -> FrameValue | Absent:
    """By its known front, else as judged on pictures; then the memory keeps it."""
    thing = object.instance
    if thing.front is not None:
        return frame_of_front(context, object, thing.front)
    port = context.effects.facing
    if port is None:
        return _no_port(Kind.FRAME, "facing_of", f"the front of the {thing.name} is not known")
    front = _asked(Kind.FRAME, "facing_of", lambda: port(context.scene, thing))
    if isinstance(front, Absent):
        return front
    length = 0.0 if front is None else float(np.linalg.norm(front.direction))
    if front is None or not 0 < length < np.inf:
        return Absent(Kind.FRAME, "ambiguous", f"no picture shows which way the {thing.name} faces")
    direction = front.direction / length
    if thing.id in {i.id for i in context.scene.instances}:
        faced = tuple(replace(i, front=direction) if i.id == thing.id else i for i in context.scene.instances)
        context.memory = context.scene.changed("facing", f"the front of {thing.name} {thing.id}", instances=faced)
    sure = () if front.confidence >= _SURE else (f"not certain of the front of the {thing.name}",)
    return frame_of_front(context, object, direction, f"its front is {JUDGED}", *sure)


@implements_in_cells("judge")
def judge(
    context: CellContext, question: str, pictures: Sequence[Value], options: Sequence[Value | str]
) -> Text | Absent:
    """One of the options, chosen by looking at the pictures."""
    port = context.effects.judge
    if port is None:
        return _no_port(Kind.TEXT, "judge", "it takes eyes to answer this")
    shown = tuple(p for p in pictures if isinstance(p, Picture))
    missing = next((v for v in (*pictures, *options) if isinstance(v, Absent)), None)
    if missing is not None or not shown:
        return Absent(Kind.TEXT, "input absent", "there is nothing to look at", missing)
    if len(shown) > MOST_PICTURES:
        return Absent(Kind.TEXT, "over budget", f"a judge looks at {MOST_PICTURES} pictures at most, not {len(shown)}")
    allowed = tuple(dict.fromkeys(str(option) for option in options))
    verdict = _asked(Kind.TEXT, "judge", lambda: port(question, shown, allowed))
    if isinstance(verdict, Absent):
        return verdict
    if verdict is None or verdict.option not in allowed:
        return Absent(Kind.TEXT, "ambiguous", "the pictures do not show which of the options holds")
    return Text(verdict.option, evidence=pooled(*(p.evidence for p in shown), _how_sure(verdict)))


def _how_sure(verdict: Judgement) -> Evidence:
    unsure = verdict.confidence is not None and verdict.confidence < _SURE
    return Evidence(flags=(JUDGED, *(["not certain of it"] if unsure else [])))


@implements_in_cells("read_text")
def read_text(context: CellContext, image: int) -> UntrustedText | Absent:
    """What is written in an image, as words nobody follows."""
    frame = next((f for f in context.scene.frames if f.number == image), None)
    if frame is None:
        message = f"there is no image {image}; the memory has {context.scene.describe_numbers()}"
        return Absent(Kind.UNTRUSTED, "no such image", message)
    port = context.effects.read_text
    if port is None:
        return _no_port(Kind.UNTRUSTED, "read_text", "nothing here reads")
    words = _asked(Kind.UNTRUSTED, "read_text", lambda: port(frame))
    if isinstance(words, Absent):
        return words
    if not words.strip():
        return Absent(Kind.UNTRUSTED, "not found", f"nothing is written in image {image}")
    cut = (f"the first {_MOST_READ} of {len(words)} characters",) if len(words) > _MOST_READ else ()
    return UntrustedText(words[:_MOST_READ], Evidence(frames=(image,), flags=cut))


def _no_port(kind: str, operation: str, why: str) -> Absent:
    """Why an operation with an effect has no value where nothing serves it."""
    return Absent(kind, "not available", f"{why}; {operation} needs a session with {_NEEDS[PORTS[operation]]}")


_NEEDS = {
    "find": "a segmenter or detector",
    "track": "a tracker",
    "facing": "a vision model",
    "judge": "a vision model",
    "read_text": "a vision model",
}


def _asked(kind: str, operation: str, ask: Callable[[], _T]) -> _T | Absent:
    """What a port gives, or why it failed."""
    try:
        return ask()
    except PlacecellError as error:
        return Absent(kind, "not available", f"{operation} failed: {error.message}")


def _grown(
    context: CellContext, kind: str, operation: str, grow: Callable[[], SpatialMemory]
) -> SpatialMemory | Absent:
    """The memory's next version from a port; it is the session's from here on."""
    grown = _asked(kind, operation, grow)
    if isinstance(grown, SpatialMemory):
        context.memory = grown
    return grown
