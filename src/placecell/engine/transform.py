"""Operations that set, turn and move the current viewpoint. A viewpoint that cannot be taken leaves none behind."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from placecell.engine.context import Context
from placecell.engine.derived import derived
from placecell.engine.registry import implements
from placecell.engine.values import Absent, InstanceValue, PoseValue
from placecell.engine.viewpoint import Viewpoint, towards
from placecell.geometry import transforms
from placecell.memory.scene import Instance, SpatialMemory

EYE_HEIGHT_M = 1.5
"""Eye height above the floor for pictures where no camera shows how high eyes are; metric memories only."""


@implements("set_viewpoint")
def set_viewpoint(
    context: Context,
    memory: SpatialMemory,
    at: PoseValue | InstanceValue,
    facing: PoseValue | InstanceValue | None,
    level: bool,
) -> PoseValue | Absent:
    """Stand at a pose or an object's centre; look at an object, along a pose's heading, or as ``at`` itself does."""
    taken = stand(memory, at, facing, level=level)
    if isinstance(taken, Absent):
        return taken
    context.viewpoint = taken
    return context.pose()


@implements("turn_camera")
def turn_camera(context: Context, memory: SpatialMemory, direction: str, degrees: float | None) -> PoseValue | Absent:
    """Turn on the spot."""
    here = context.standing("pose")
    if isinstance(here, Absent):
        return here
    context.viewpoint = here.turned(direction, degrees)
    return context.pose()


@implements("step_camera")
def step_camera(context: Context, memory: SpatialMemory, direction: str, distance: float | None) -> PoseValue | Absent:
    """Move without turning; ``distance`` in metres."""
    here = context.standing("pose")
    if isinstance(here, Absent):
        return here
    if distance is not None and not memory.scale.metric:
        return Absent("pose", "unknown scale", f"a step of {distance:g} m needs a memory of known scale")
    length = derived(memory).step if distance is None else distance
    if length <= 0:
        return Absent("pose", "degenerate", "the scene has no extent that a step could be a share of")
    context.viewpoint = here.stepped(direction, length)
    return context.pose()


def stand(
    memory: SpatialMemory,
    at: PoseValue | InstanceValue,
    facing: PoseValue | InstanceValue | None = None,
    *,
    level: bool = True,
) -> Viewpoint | Absent:
    """The viewpoint at a pose or an object; absent when it has no heading."""
    place = at.label if isinstance(at, PoseValue) else f"the {at.instance.name}"
    own = at.world_from_cam if isinstance(at, PoseValue) else _front(at.instance, level)
    pose = _faced(own, _origin(at), facing, level)
    if isinstance(pose, Absent):
        return pose
    inside = at.instance if isinstance(at, InstanceValue) else None
    return Viewpoint(
        anchor=transforms.level(pose) if level else pose,
        place=place,
        unit=memory.unit,
        facing=_facing_words(facing),
        image=at.image if isinstance(at, PoseValue) and facing is None else None,
        camera=at.camera if isinstance(at, PoseValue) else None,
        standing_in=inside,
        level=level,
        eye_lift=0.0 if inside is None else _eye_lift(memory, inside),
    )


def _origin(at: PoseValue | InstanceValue) -> NDArray[np.float64]:
    return at.position if isinstance(at, PoseValue) else at.instance.centre


def _faced(
    own: NDArray[np.float64] | Absent,
    eye: NDArray[np.float64],
    facing: PoseValue | InstanceValue | None,
    level: bool,
) -> NDArray[np.float64] | Absent:
    """``world_from_cam`` at ``eye``, turned as ``facing`` says, else as its own."""
    if isinstance(facing, InstanceValue):
        return towards(eye, facing.instance.centre, level=level)
    if isinstance(facing, PoseValue):
        pose = facing.world_from_cam.copy()
        pose[:3, 3] = eye
        return pose
    return own


def _front(instance: Instance, level: bool) -> NDArray[np.float64] | Absent:
    """The pose of an object that looks along its own front."""
    if instance.front is None:
        message = f"the front of the {instance.name} is not known; say what it faces"
        return Absent("pose", "not in memory", message)
    return towards(instance.centre, instance.centre + instance.front, level=level)


def _facing_words(facing: PoseValue | InstanceValue | None) -> str | None:
    if isinstance(facing, InstanceValue):
        return f"the {facing.instance.name}"
    return None if facing is None else f"the same way as {facing.label}"


def _eye_lift(memory: SpatialMemory, instance: Instance) -> float:
    """How far above an object's centre the eye is for pictures: as high as the cameras were held, never lower."""
    height = derived(memory).eye_height
    if height is None and memory.scale.metric:
        height = EYE_HEIGHT_M
    if height is None:
        height = float(instance.upright_box.corners[:, 1].max())
    return max(0.0, height - float(instance.centre[1]))
