"""Frames as values: whose right, up and forward; and the sides of things in them.

A frame is level: a place and a compass heading, both with errors by source. Where the heading comes from two things
that are nearer to each other than they are known, there is no frame.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from placecell.engine.cells.context import CellContext
from placecell.engine.cells.quantities import SCALE, Quantity
from placecell.engine.cells.spots import Spot, lengths_in, spot
from placecell.engine.cells.uncertain import Uncertain, measured
from placecell.engine.cells.values import FrameValue, PointValue, VectorValue
from placecell.engine.cells.vectors import Axes, Vec
from placecell.engine.evidence import pooled
from placecell.engine.measures import CLEAR
from placecell.engine.queries import query_camera_pose
from placecell.engine.registry import implements_in_cells
from placecell.engine.values import Absent, Evidence, InstanceValue, PoseValue, Value
from placecell.geometry.transforms import Array
from placecell.language.types import Kind
from placecell.memory.scene import Instance

WINDS = ("north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest")
_FLAT = 0.5
"""A thing is flat when its shorter level side is at most this share of the longer one."""
_WALL_TIE = 0.1
"""Two walls whose distances differ by less than this share are equally near."""


@implements_in_cells("world_frame")
def world_frame(context: CellContext) -> FrameValue:
    """The memory's own."""
    return FrameValue(Axes(Vec.exact(np.zeros(3)), Uncertain(0.0)), "the memory's own frame", context.scene.unit)


@implements_in_cells("camera_frame")
def camera_frame(context: CellContext, image: int) -> FrameValue | Absent:
    """Where an image was taken."""
    pose = query_camera_pose(context, context.scene, image)
    return Absent(Kind.FRAME, pose.reason, pose.message) if isinstance(pose, Absent) else frame_of_pose(context, pose)


def frame_of_pose(context: CellContext, pose: PoseValue) -> FrameValue:
    """The levelled frame of a camera."""
    axes = Axes.of_pose(pose.world_from_cam)
    axes = axes._replace(origin=axes.origin.scaled_by(context.scale_error, SCALE))
    return FrameValue(axes, pose.label, pose.unit, image=pose.image, evidence=pose.evidence)


@implements_in_cells("object_frame")
def object_frame(context: CellContext, object: InstanceValue) -> FrameValue | Absent:
    """By the object's own front."""
    return frame_of_front(context, object, object.instance.front)


def frame_of_front(
    context: CellContext, object: InstanceValue, front: Array | None, *flags: str
) -> FrameValue | Absent:
    """An object's frame, its front along ``front`` (3,)."""
    place = spot(context, object, Kind.FRAME)
    if isinstance(place, Absent):
        return place
    name = object.instance.name
    if front is None:
        return Absent(Kind.FRAME, "not in memory", f"the front of the {name} is not known")
    if math.hypot(front[0], front[2]) < 1e-6:
        return Absent(Kind.FRAME, "degenerate", f"the front of the {name} points straight up or down")
    heading = Uncertain(math.degrees(math.atan2(front[0], -front[2])))
    evidence = pooled(place.evidence, Evidence(flags=flags))
    label = f"{place.label}, facing its own front"
    return FrameValue(Axes(place.place, heading), label, context.scene.unit, object.instance, evidence=evidence)


@implements_in_cells("standing_at")
def standing_at(context: CellContext, at: Value, facing: Value) -> FrameValue | Absent:
    """At a place, turned to another, or the way a vector, a camera or a frame points."""
    here = spot(context, at, Kind.FRAME)
    if isinstance(here, Absent):
        return here
    heading = _heading(context, here, facing)
    if isinstance(heading, Absent):
        return heading
    turned, words, evidence = heading
    label = f"{here.label}, facing {words}"
    known = pooled(here.evidence, evidence)
    return FrameValue(Axes(here.place, turned), label, context.scene.unit, here.instance, evidence=known)


def _heading(context: CellContext, here: Spot, facing: Value) -> tuple[Uncertain, str, Evidence] | Absent:
    """The heading, what is faced in words, and what it rests on."""
    match facing:
        case VectorValue():
            way, words, evidence = facing.way, "that way", facing.evidence
        case FrameValue():
            return facing.axes.heading, f"the same way as {facing.label}", facing.evidence
        case PoseValue():
            return Axes.of_pose(facing.world_from_cam).heading, f"the same way as {facing.label}", facing.evidence
        case _:
            there = spot(context, facing, Kind.FRAME)
            if isinstance(there, Absent):
                return there
            way, words, evidence = there.place.minus(here.place), there.label, there.evidence
    return heading_of(way, f"from {here.label} to {words}") or (way.heading(), words, evidence)


def heading_of(way: Vec, words: str) -> Absent | None:
    """Why a way has no heading, if so: it is level nowhere, or shorter than it is known."""
    length = math.hypot(way.x.value, way.z.value)
    noise = math.hypot(way.x.sd, way.z.sd) / math.sqrt(2.0)
    if length <= max(CLEAR * noise, 1e-9 * max(1.0, abs(way.y.value))):
        sd = f" ± {noise:.2g}" if noise else ""
        return Absent(Kind.FRAME, "degenerate", f"the way {words} is only {length:.2g}{sd} long: no direction")
    return None


@implements_in_cells("normal_frame")
def normal_frame(context: CellContext, object: InstanceValue) -> FrameValue | Absent:
    """At the face of a flat upright thing, looking out on the side it was seen from."""
    thing, place = object.instance, spot(context, object, Kind.FRAME)
    if isinstance(place, Absent):
        return place
    box = thing.upright_box
    level = [k for k in range(3) if abs(box.axes[k, 1]) < 0.5]
    thin, wide = sorted(level, key=lambda k: box.size[k])
    if box.size[wide] <= 0 or box.size[thin] > _FLAT * box.size[wide]:
        return Absent(Kind.FRAME, "degenerate", f"the {thing.name} is not flat and upright, so it has no normal")
    out = box.axes[thin] if _seen_from(context, thing) @ box.axes[thin] >= 0 else -box.axes[thin]
    yaw = measured(
        math.degrees(math.atan2(out[0], -out[2])),
        math.degrees(math.atan2(thing.size_sd, box.size[wide])),
        f"yaw {thing.id}",
    )
    face = place.place.plus(Vec.exact(out * (box.size[thin] / 2)))
    label = f"{place.label}, looking out from it"
    return FrameValue(Axes(face, yaw), label, context.scene.unit, thing, evidence=place.evidence)


def _seen_from(context: CellContext, thing: Instance) -> Array:
    """(3,) from a thing to the cameras that saw it, to all of them where none is known to; 0 without cameras."""
    placed = {f.number: f.camera.centre for f in context.scene.frames if f.camera is not None}
    seen = [placed[v.frame] for v in thing.views if v.frame in placed] or list(placed.values())
    if seen:
        return np.asarray(np.mean(seen, axis=0) - thing.centre)
    outline = context.scene.layout.outline
    if outline is None or not len(outline):
        return np.zeros(3)
    x, z = outline.mean(axis=0).tolist()
    return np.array([x, thing.centre[1], z]) - thing.centre


@implements_in_cells("wall_frame")
def wall_frame(context: CellContext, near: Value) -> FrameValue | Absent:
    """At the nearest wall, looking out of it to the side of what it is near to."""
    place = spot(context, near, Kind.FRAME)
    if isinstance(place, Absent):
        return place
    walls = context.scene.layout.walls
    if not walls:
        return Absent(Kind.FRAME, "not in memory", "the walls of the place are not known")
    here = place.place.array
    apart = [float(wall.distance(here)) for wall in walls]
    order = sorted(range(len(walls)), key=lambda i: apart[i])
    wall = walls[order[0]]
    along = np.array([wall.end[0] - wall.start[0], 0.0, wall.end[1] - wall.start[1]]) / max(wall.length, 1e-12)
    start = Vec.exact(np.array([wall.start[0], 0.0, wall.start[1]])).scaled_by(context.scale_error, SCALE)
    share = place.place.minus(start).along(along)
    foot = start.plus(Vec(*(share.times(float(step)) for step in along)))._replace(y=place.place.y)
    out = np.array([-along[2], 0.0, along[0]])
    out = out if float((here - foot.array) @ out) >= 0 else -out
    flags = ["two walls are equally near"] if len(order) > 1 and _tie(apart[order[0]], apart[order[1]]) else []
    heading = Uncertain(math.degrees(math.atan2(out[0], -out[2])))
    evidence = pooled(place.evidence, Evidence(flags=tuple(flags)))
    return FrameValue(Axes(foot, heading), f"the wall nearest to {place.label}", context.scene.unit, evidence=evidence)


def _tie(nearest: float, second: float) -> bool:
    return second - nearest <= _WALL_TIE * second


@implements_in_cells("compass")
def compass(context: CellContext, at: Value, towards: Value, word: str) -> FrameValue | Absent:
    """North, from one direction that is known."""
    standing = standing_at(context, at, towards)
    if isinstance(standing, Absent):
        return standing
    axes = standing.axes.turned(Uncertain(-45.0 * WINDS.index(word)))
    place = standing.label.partition(", facing ")[0]
    return replace(standing, axes=axes, label=f"{place}, by the compass", compass=True)


@implements_in_cells("turned")
def turned(context: CellContext, frame: FrameValue, degrees: Quantity) -> FrameValue:
    """To the right by ``degrees``."""
    way = "right" if degrees.value >= 0 else "left"
    label = f"{frame.label}, turned {abs(degrees.value):.3g} degrees {way}"
    evidence = pooled(frame.evidence, degrees.evidence)
    axes = frame.axes.turned(degrees.number)
    return replace(frame, axes=axes, label=label, compass=False, image=None, evidence=evidence)


@implements_in_cells("walked")
def walked(context: CellContext, frame: FrameValue, forward: Quantity, right: Quantity | None) -> FrameValue | Absent:
    """Moved along its own directions, without turning."""
    lengths = lengths_in(context, Kind.FRAME, forward, right)
    if isinstance(lengths, Absent):
        return lengths
    ahead, aside = lengths
    moved = frame.axes.direction(aside, Uncertain(0.0), ahead)
    axes = frame.axes._replace(origin=frame.axes.origin.plus(moved))
    label = f"{frame.label}, then {ahead.value:.3g} {frame.unit} ahead" + (
        f" and {aside.value:.3g} {frame.unit} right" if aside.value else ""
    )
    evidence = pooled(frame.evidence, forward.evidence, *([] if right is None else [right.evidence]))
    return replace(frame, axes=axes, label=label, image=None, inside=None, evidence=evidence)


def point_in(frame: FrameValue | None, value: PointValue | VectorValue) -> PointValue | VectorValue:
    """The same point or vector, read out in a frame's terms."""
    return replace(value, frame=frame)


def components(value: PointValue | VectorValue) -> tuple[Uncertain, Uncertain, Uncertain]:
    """(right, up, forward) in the frame it is read out in."""
    axes = Axes(Vec.exact(np.zeros(3)), Uncertain(0.0)) if value.frame is None else value.frame.axes
    return axes.components(value.place.minus(axes.origin) if isinstance(value, PointValue) else value.way)
