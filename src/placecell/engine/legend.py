"""What is in a picture, in words: the labelled objects that are free to the eye, and where they are.

A legend says no more than the memory holds about what the picture shows: which known objects are in view, their
bearings, distances and sides; over a whole scene their places and the cameras' around the anchor. It is what a person
would write beside the picture, and lets a reader that is bad at pictures, or has none, follow what was looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from placecell.engine.derived import box_samples, derived, has_surface
from placecell.engine.surfaces import Surface, facing, surface_of
from placecell.engine.values import Picture
from placecell.engine.viewpoint import in_viewer_terms
from placecell.geometry import transforms
from placecell.geometry.camera import Camera
from placecell.geometry.raster import render
from placecell.memory.scene import Instance, SpatialMemory

__all__ = ["MOST_ROWS", "Seen", "ego_legend", "overview_legend", "photo_legend", "seen_in"]

Array = NDArray[np.float64]

MOST_ROWS = 40
"""A legend names no more objects, and no more cameras, than this; how many it leaves out is said."""

_BUFFER = 320  # pixels across the depth picture
_SAMPLES = 60_000
"""Points of all objects' surfaces together that are looked at, at most 400 and at least 26 of each."""
_NEARER = 0.03  # relative depth by which something must be nearer to hide what is behind it
_ENOUGH = 0.02
"""Share of an object's surface that must be free to the eye, its own far side counted as not free."""


@dataclass(frozen=True, eq=False)
class Seen:
    """An object in a picture: ``share`` of its surface in view and free to the eye, and where it is from the camera.

    ``bearing`` is degrees right of where the camera heads, ``elevation`` degrees above its horizon, ``distance`` to its
    centre in the memory's unit.
    """

    instance: Instance
    share: float
    bearing: float
    elevation: float
    distance: float


def seen_in(memory: SpatialMemory, camera: Camera, *, outside: bool = False) -> tuple[Seen, ...]:
    """The objects a view from ``camera`` shows, from left to right; ``outside``: walls that turn their backs are off.

    Each object's surface is sampled, projected, and held against the depth of everything drawn.
    """
    surface = surface_of(memory)
    if outside:
        surface = facing(memory, surface, camera.centre)
    small = camera.resized(_BUFFER, max(1, round(_BUFFER * camera.height / camera.width)))
    shares = _shares(memory, small, _depth(memory, small, surface), surface.spacing)
    found = [
        _placed(thing, float(share), camera.world_from_cam)
        for thing, share in zip(memory.instances, shares, strict=True)
        if share >= _ENOUGH
    ]
    return tuple(sorted(found, key=lambda seen: seen.bearing))


def ego_legend(memory: SpatialMemory, picture: Picture) -> str:
    """Objects in a view from inside, left to right, by bearing from its middle."""
    if picture.camera is None or not memory.instances:
        return ""
    rows = [
        f"{_name(s.instance)}: {_turn(s.bearing)}, {_tilt(s.elevation)}, {s.distance:.2f} {memory.unit} away"
        for s in seen_in(memory, picture.camera)
    ]
    return _listed("Known objects in view, from left to right as the view heads", rows)


def photo_legend(memory: SpatialMemory, number: int) -> str:
    """Names of the objects a photo shows: those whose pixels were found in it, else those geometry puts there."""
    frame = memory.frame(number)
    if not memory.instances:
        return ""
    if any(thing.views for thing in memory.instances):
        shown = [t for t in memory.instances if any(v.frame == number and v.pixels > 0 for v in t.views)]
    elif frame.camera is not None:
        shown = [s.instance for s in seen_in(memory, frame.camera)]
    else:
        return ""
    names = [_name(thing) for thing in shown]
    return f"Known objects in it: {', '.join(names[:MOST_ROWS]) or 'none'}{_more(len(names))}."


def overview_legend(memory: SpatialMemory, picture: Picture, anchor: int) -> str:
    """Objects and cameras in a view from outside, placed as seen from the anchor photo, and the room's own measures."""
    camera = memory.frame(anchor).camera
    if picture.camera is None or camera is None:
        return ""
    levelled = transforms.level(camera.world_from_cam)
    objects = [_object_row(memory, levelled, s.instance) for s in seen_in(memory, picture.camera, outside=True)]
    cameras = list(_camera_rows(memory, levelled, anchor))
    terms = f"right, ahead and up of image {anchor} in {memory.unit}, headings in degrees right of its own"
    parts = [
        _listed(f"Known objects in view ({terms}; sides are width x depth x height)", objects)
        if memory.instances
        else "",
        _listed("Cameras", cameras) if cameras else "",
        _room(memory),
    ]
    return "\n".join(part for part in parts if part)


def _depth(memory: SpatialMemory, camera: Camera, surface: Surface) -> NDArray[np.float32]:
    """z-depth (h, w) of what is drawn, 0 where nothing is."""
    if not len(surface.points):
        return np.zeros((camera.height, camera.width), np.float32)
    return render(camera, surface.points, surface.colors, surface.spacing, near=derived(memory).near).depth


def _shares(memory: SpatialMemory, camera: Camera, depth: NDArray[np.float32], spacing: float) -> Array:
    """Share (n,) of each object's samples that are in view with nothing in front of them."""
    samples, owner = _sampled(memory)
    view = camera.project(samples)
    inside = np.flatnonzero(view.in_view & (view.depth > derived(memory).near))
    column, row = view.pixels[inside].astype(np.int64).T
    before, z = depth[row, column], view.depth[inside]
    hidden = (before > 0) & (before < z - np.maximum(_NEARER * z, 2 * spacing))
    count = len(memory.instances)
    free = np.bincount(owner[inside[~hidden]], minlength=count)
    return free / np.maximum(np.bincount(owner, minlength=count), 1)


_SAMPLED: WeakKeyDictionary[SpatialMemory, tuple[Array, NDArray[np.int64]]] = WeakKeyDictionary()


def _sampled(memory: SpatialMemory) -> tuple[Array, NDArray[np.int64]]:
    """Samples (N, 3) of the surfaces of all objects, and each one's place (N,) among the instances."""
    found = _SAMPLED.get(memory)
    if found is None:
        each = int(np.clip(_SAMPLES // max(1, len(memory.instances)), 26, 400))
        parts = [_samples(thing, each) for thing in memory.instances]
        owner = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
        found = _SAMPLED.setdefault(memory, (np.concatenate([np.zeros((0, 3)), *parts]), owner))
    return found


def _samples(thing: Instance, most: int) -> Array:
    """At most ``most`` points (N, 3) of its surface, or of its box's faces."""
    if has_surface(thing):
        return thing.points[:: -(-len(thing.points) // most)].astype(np.float64)
    return box_samples(thing, 7 if most > 218 else 3)


def _placed(thing: Instance, share: float, world_from_cam: Array) -> Seen:
    right, up, ahead = in_viewer_terms(transforms.level(world_from_cam), thing.centre).tolist()
    flat = math.hypot(right, ahead)
    return Seen(
        thing,
        share,
        math.degrees(math.atan2(right, ahead)),
        math.degrees(math.atan2(up, flat)),
        math.hypot(flat, up),
    )


def _object_row(memory: SpatialMemory, levelled: Array, thing: Instance) -> str:
    box = thing.upright_box
    upright = int(np.argmax(np.abs(box.axes[:, 1])))
    a, b = (k for k in range(3) if k != upright)
    wide, deep = (a, b) if box.size[a] >= box.size[b] else (b, a)
    along = _heading(levelled, box.axes[wide]) % 180.0
    sides = f"{box.size[wide]:.2f} x {box.size[deep]:.2f} x {box.size[upright]:.2f}"
    return f"{_name(thing)}: {_offsets(levelled, box.centre)}; {sides} {memory.unit}, width along {round(along)}"


def _camera_rows(memory: SpatialMemory, levelled: Array, anchor: int) -> Iterator[str]:
    for frame in memory.posed_frames:
        if frame.camera is not None and frame.number != anchor:
            turned = _heading(levelled, transforms.level(frame.camera.world_from_cam)[:3, 2])
            yield f"image {frame.number}: {_offsets(levelled, frame.camera.centre)}; heading {round(turned)}"


def _heading(levelled: Array, direction: Array) -> float:
    """Degrees right of the levelled camera's own heading, of a direction (3,)."""
    right, _, ahead = in_viewer_terms(levelled, levelled[:3, 3] + direction).tolist()
    return math.degrees(math.atan2(right, ahead))


def _offsets(levelled: Array, point: Array) -> str:
    right, up, ahead = in_viewer_terms(levelled, point).tolist()
    return f"right {_cm(right)}, ahead {_cm(ahead)}, up {_cm(up)}"


def _cm(length: float) -> str:
    """Two decimals, never "-0.00"."""
    return f"{round(length, 2) + 0.0:.2f}"


def _room(memory: SpatialMemory) -> str:
    layout = memory.layout
    square = "m2" if memory.unit == "m" else "square units"
    parts = [] if layout.floor_area is None else [f"floor area {layout.floor_area:.1f} {square}"]
    parts += [] if layout.height is None else [f"height {layout.height:.2f} {memory.unit}"]
    return f"The room: {', '.join(parts)}." if parts else ""


def _listed(title: str, rows: Sequence[str]) -> str:
    if not rows:
        return f"{title}: none."
    return "\n".join([f"{title}{_more(len(rows))}:", *_bullets(rows[:MOST_ROWS])])


def _bullets(rows: Iterable[str]) -> Iterator[str]:
    return (f"- {row}" for row in rows)


def _more(count: int) -> str:
    return f" ({count - MOST_ROWS} more are left out)" if count > MOST_ROWS else ""


def _name(thing: Instance) -> str:
    return f"{thing.name} {thing.id}" + ("" if thing.certain else " (uncertain)")


def _turn(bearing: float) -> str:
    return f"{abs(bearing):.0f} {'right' if bearing >= 0 else 'left'}"


def _tilt(elevation: float) -> str:
    return f"{abs(elevation):.0f} {'up' if elevation >= 0 else 'down'}"
