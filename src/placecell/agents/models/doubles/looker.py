"""How the perfect reader explores: it looks at the whole scene from three sides, and believes every caption.

From the captions alone it draws the place again - boxes, cameras, what each photo shows - and answers by the package's
own rules from that drawing. It sees no picture, so what it gets wrong is the fault of captions, tools or geometry.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
from pydantic_ai.messages import ModelResponse, ToolCallPart
from pydantic_ai.tools import ToolDefinition

from placecell.agents.author import Asked, Rules
from placecell.agents.models.doubles.hearing import Heard
from placecell.agents.program import follow
from placecell.agents.reading import Reading
from placecell.agents.strategy import Task
from placecell.engine.facts import facts_of
from placecell.geometry import transforms
from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.memory.scene import (
    Alignment,
    Frame,
    Instance,
    InstanceView,
    Layout,
    Provenance,
    Scale,
    SpatialMemory,
)

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_PLACE = rf"right {_NUMBER}, ahead {_NUMBER}, up {_NUMBER}"
_OBJECT = re.compile(
    rf"^- (.+) (\d+)( \(uncertain\))?: {_PLACE}; {_NUMBER} x {_NUMBER} x {_NUMBER} (?:m|units), width along {_NUMBER}$",
    re.MULTILINE,
)
_CAMERA = re.compile(rf"^- image (\d+): {_PLACE}; heading {_NUMBER}$", re.MULTILINE)
_OVERVIEW = re.compile(r"up of image (\d+) in (m|units)")
_PHOTO = re.compile(r"^Image (\d+)(?:\. Known objects in it: (.*)\.)?$", re.MULTILINE)
_NAMED = re.compile(r"(.+) (\d+)(?: \(uncertain\))?$")
_AREA = re.compile(rf"floor area {_NUMBER}")
_HEIGHT = re.compile(rf"height {_NUMBER} (?:m|units)\.")
_SIZE = (64, 48)
_SIDES = (0, 120, -120)


def explore(heard: Heard, tools: Sequence[ToolDefinition]) -> ModelResponse | str | None:
    """The next move of an exploration: looks, or an answer; None when the request is none of an exploration."""
    captions = heard.data("caption")
    looked = [c for c in captions if _OVERVIEW.search(c)]
    view = next((tool for tool in tools if tool.name == "view"), None)
    if not looked and view is None:
        return None
    return _answer(heard, captions) if looked else _looks(heard, view)


def _looks(heard: Heard, view: ToolDefinition | None) -> ModelResponse:
    """The whole scene from three sides, around the image the question names, else around the first photo shown."""
    named = re.findall(r"\b(\d+)\b", " ".join(heard.data("question")[-1:]))
    photos = [number for number, _ in _PHOTO.findall("\n".join(heard.data("caption")))]
    camera = next((int(n) for n in named if n in photos), int(photos[0]) if photos else 1)
    offered = view.parameters_json_schema["properties"] if view else {}
    calls = []
    for azimuth in _SIDES:
        wanted = {"camera": camera, "azimuth": azimuth, "elevation": 60, "mode": "global"}
        calls.append(ToolCallPart("view", {name: value for name, value in wanted.items() if name in offered}))
    return ModelResponse(calls, finish_reason="tool_call")


def _answer(heard: Heard, captions: Sequence[str]) -> str:
    memory = drawn(captions)
    question, options = heard.data("question")[-1], tuple(heard.lines("options"))
    task = Task(Asked(question, options), memory, facts_of(memory))
    reading: Reading = follow(task, Rules()).reading
    if reading.reason is not None:
        return f"I cannot determine that: {reading.reason}."
    if reading.option is not None:
        return f"Answer: {reading.option.letter}. {reading.option.text}"
    return f"Answer: {reading.text}"


def drawn(captions: Sequence[str]) -> SpatialMemory:
    """The place as captions tell it, in the terms of the anchor: right is +x, up +y, ahead -z."""
    told = "\n".join(captions)
    anchor, unit = next((found.groups() for c in captions if (found := _OVERVIEW.search(c))), ("1", "units"))
    seen: dict[int, list[int]] = {}
    for number, names in _PHOTO.findall(told):
        for name in names.split(", ") if names else ():
            named = _NAMED.match(name)
            if named:
                seen.setdefault(int(named[2]), []).append(int(number))
    things = {int(row[1]): row for row in _OBJECT.findall(told)}
    area, height = _AREA.search(told), _HEIGHT.search(told)
    return SpatialMemory(
        frames=_frames(told, int(anchor)),
        cloud=Cloud.empty(),
        scale=Scale("metric", "annotation", 0.0) if unit == "m" else Scale(),
        alignment=Alignment(np.eye(4), "the anchor's own axes"),
        provenance=Provenance("captions", "0"),
        instances=tuple(_instance(row, seen.get(id_, [])) for id_, row in sorted(things.items())),
        vocabulary=frozenset(row[0] for row in things.values()),
        layout=Layout(floor_area=float(area[1]) if area else None, height=float(height[1]) if height else None),
    )


def _frames(told: str, anchor: int) -> tuple[Frame, ...]:
    placed = {anchor: (0.0, 0.0, 0.0, 0.0)}
    for row in _CAMERA.findall(told):
        placed[int(row[0])] = (float(row[1]), float(row[2]), float(row[3]), float(row[4]))
    blank = np.zeros((_SIZE[1], _SIZE[0], 3), np.uint8)
    frames = []
    for number, (right, ahead, up, heading) in sorted(placed.items()):
        eye = np.array([right, up, -ahead])
        turn = math.radians(heading)
        pose = transforms.look_at(eye, eye + np.array([math.sin(turn), 0.0, -math.cos(turn)]))
        camera = Camera.from_fov(70.0, *_SIZE, pose)
        frames.append(Frame(number, f"image {number}", str(number), *_SIZE, lambda: blank, camera))
    return tuple(frames)


def _instance(row: tuple[str, ...], photos: Sequence[int]) -> Instance:
    name, id_, doubt, *numbers = row
    right, ahead, up, width, depth, tall, along = map(float, numbers)
    turn = math.radians(along)
    axes = np.array([[math.sin(turn), 0, -math.cos(turn)], [0, 1, 0], [math.cos(turn), 0, math.sin(turn)]])
    box = OrientedBox(np.array([right, up, -ahead]), axes, np.array([width, tall, depth]))
    views = tuple(InstanceView(number, 100, (0, 0, 10, 10)) for number in photos)
    return Instance(int(id_), name, box, box, views=views, certain=not doubt)
