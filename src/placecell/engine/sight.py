"""Whether a thing is seen from the viewpoint, hidden (by what) or outside the view.

At a photo's own place the photo decides, where it is known which objects it shows; elsewhere samples of the thing's
surface are projected and held against the cloud's depth, or against the other boxes where only boxes are known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from placecell.engine.cameras import viewer_camera
from placecell.engine.context import Context
from placecell.engine.derived import box_samples, derived, has_surface
from placecell.engine.evidence import seen_by
from placecell.engine.places import no_objects
from placecell.engine.registry import implements
from placecell.engine.surfaces import Surface, surface_of, without
from placecell.engine.values import Absent, InstancesValue, InstanceValue, Visibility
from placecell.engine.viewpoint import Viewpoint
from placecell.geometry.camera import Camera
from placecell.geometry.raster import render
from placecell.memory.scene import Instance, SpatialMemory

Array = NDArray[np.float64]

SEEN_SHARE = 0.05
"""A thing of which less than this is free to the eye does not count as seen."""

_BUFFER = 192  # pixels across the depth picture
_SAMPLES = 600
_NEARER = 0.03  # relative depth by which something must be nearer to hide what is behind it
_MOST_TARGETS = 64


@dataclass(frozen=True)
class _Look:
    """How one instance is seen; ``known`` says that a photo decided."""

    state: Literal["seen", "hidden", "outside"]
    share: float
    hidden_by: str | None = None
    known: bool = False


@implements("check_visibility")
def check_visibility(
    context: Context, memory: SpatialMemory, target: InstanceValue | InstancesValue
) -> Visibility | Absent:
    """How ``target`` is seen from the viewpoint; of several instances, the one seen best."""
    here = context.standing("visibility")
    if isinstance(here, Absent):
        return here
    things = (target.instance,) if isinstance(target, InstanceValue) else target.instances
    if isinstance(target, InstancesValue) and not things:
        return no_objects(target, "visibility")
    camera, photo = _camera(memory, here, context)
    looks = [_look(memory, here, camera, photo, thing) for thing in things[:_MOST_TARGETS]]
    rank = {"seen": 0, "hidden": 1, "outside": 2}
    best = min(range(len(looks)), key=lambda i: (rank[looks[i].state], -looks[i].share))
    look = looks[best]
    flags = [] if look.known else ["by geometry"]
    if len(things) > _MOST_TARGETS:
        flags.append(f"the first {_MOST_TARGETS} of {len(things)} were looked at")
    frames = () if photo is None else (photo,)
    return Visibility(look.state, look.share, look.hidden_by, seen_by([things[best]], frames, flags))


def _camera(memory: SpatialMemory, here: Viewpoint, context: Context) -> tuple[Camera, int | None]:
    """The camera of the view, and the photo's number when the viewer stands and looks exactly as it did."""
    if here.image is not None and not here.moved:
        shot = next((f for f in memory.frames if f.number == here.image), None)
        if shot is not None and shot.camera is not None:
            return shot.camera, shot.number
    return viewer_camera(here, _BUFFER, None, context.pictures.fov), None


def _look(memory: SpatialMemory, here: Viewpoint, camera: Camera, photo: int | None, thing: Instance) -> _Look:
    samples = _samples(thing)
    recorded = next((v for v in thing.views if v.frame == photo and v.pixels > 0), None)
    view = camera.project(samples)
    inside = view.in_view & (view.depth > derived(memory).near)
    if not inside.any():
        return _Look("seen", 0.0, known=True) if recorded else _Look("outside", 0.0, known=bool(thing.views and photo))
    blocked, blocker = _blocked(memory, here, camera, thing, samples)
    share = float((inside & ~blocked).mean())
    if recorded is not None:
        return _Look("seen", share, known=True)
    if share >= SEEN_SHARE and not (thing.views and photo):
        return _Look("seen", share)
    in_view = float(inside.mean())
    if in_view < SEEN_SHARE:
        return _Look("outside", share)
    return _Look("hidden", share, blocker)


def _samples(thing: Instance) -> Array:
    """Points (N, 3) of its surface, or of its box's faces."""
    if has_surface(thing):
        return thing.points[:: max(1, len(thing.points) // _SAMPLES)].astype(np.float64)
    return box_samples(thing, 5)


def _blocked(
    memory: SpatialMemory, here: Viewpoint, camera: Camera, thing: Instance, samples: Array
) -> tuple[NDArray[np.bool_], str | None]:
    """Which samples something else hides, and the name of what hides most of them."""
    surface = surface_of(memory)
    if surface.boxes:
        return _blocked_by_boxes(memory, here, camera.centre, thing, samples)
    surface = without(without(surface, here.standing_in), thing)
    if not len(surface.points):
        return np.zeros(len(samples), bool), None
    small = camera.resized(_BUFFER, max(1, round(_BUFFER * camera.height / camera.width)))
    raster = render(small, surface.points, surface.colors, surface.spacing, near=derived(memory).near)
    view = small.project(samples)
    blocked = np.zeros(len(samples), bool)
    column, row = (view.pixels[view.in_view]).astype(np.int64).T
    in_front = raster.depth[row, column]
    margin = np.maximum(_NEARER * view.depth[view.in_view], 2 * surface.spacing)
    hides = (in_front > 0) & (in_front < view.depth[view.in_view] - margin)
    blocked[view.in_view] = hides
    return blocked, _owner(memory, surface, raster.index[row, column][hides], thing)


def _owner(memory: SpatialMemory, surface: Surface, index: NDArray[np.int32], thing: Instance) -> str | None:
    """Name of the object that most of these points lie in, the smallest one where boxes overlap."""
    points = surface.points[index[index >= 0]]
    if not len(points):
        return None
    owner = np.full(len(points), -1)
    others = sorted((i for i in memory.instances if i is not thing), key=lambda i: -i.upright_box.volume)
    for place, other in enumerate(others):
        owner[other.upright_box.contains(points, margin=surface.spacing)] = place
    place, count = Counter(owner.tolist()).most_common(1)[0]
    return others[place].name if place >= 0 and 2 * count >= len(points) else None


def _blocked_by_boxes(
    memory: SpatialMemory, here: Viewpoint, eye: Array, thing: Instance, samples: Array
) -> tuple[NDArray[np.bool_], str | None]:
    """Rays from the eye to the samples against every other box; a box around the eye or the sample hides nothing."""
    blocked = np.zeros(len(samples), bool)
    names: Counter[str] = Counter()
    for other in _between(memory.instances, thing, here.standing_in, eye, samples):
        start = other.box.to_local(eye)
        way = other.box.to_local(samples) - start
        half = other.box.size / 2
        moving = np.abs(way) > 1e-12
        step = np.where(moving, way, 1.0)
        enter, leave = np.sort(np.stack([(-half - start) / step, (half - start) / step]), axis=0)
        within = np.abs(start) <= half
        enter = np.where(moving, enter, np.where(within, -np.inf, np.inf)).max(axis=1)
        leave = np.where(moving, leave, np.where(within, np.inf, -np.inf)).min(axis=1)
        hit = (enter < leave) & (enter > 1e-9) & (leave < 1 - 1e-6)
        names[other.name] += int((hit & ~blocked).sum())
        blocked |= hit
    name, count = names.most_common(1)[0] if names else ("", 0)
    return blocked, name if count else None


def _between(
    instances: Sequence[Instance], thing: Instance, inside: Instance | None, eye: Array, samples: Array
) -> list[Instance]:
    """Other objects whose bounding sphere comes near the cone from the eye to the samples, nearest first."""
    others = [i for i in instances if i is not thing and i is not inside]
    if not others:
        return []
    middle = samples.mean(axis=0)
    reach = float(np.linalg.norm(samples - middle, axis=1).max())
    centres = np.array([i.centre for i in others])
    radii = np.array([np.linalg.norm(i.box.size) / 2 for i in others])
    way = middle - eye
    length = float(np.linalg.norm(way))
    along = np.clip((centres - eye) @ way / max(length**2, 1e-18), 0.0, 1.0)
    away = np.linalg.norm(centres - (eye + along[:, None] * way), axis=1)
    near = np.flatnonzero(away <= radii + reach)
    order = near[np.argsort(np.linalg.norm(centres[near] - eye, axis=1), kind="stable")]
    return [others[i] for i in order]
