"""Top views: the scene in colour from straight above, and a plan of named objects and cameras.

Orthographic and to scale on both axes; the ceiling is cut off; the page's top is where the viewer faces, or the world's
-z when nobody looks. Every mark is projected by the picture's own camera.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from placecell.engine.cameras import top_camera
from placecell.engine.context import Context, PictureSettings
from placecell.engine.derived import derived
from placecell.engine.drawing import (
    CAMERA,
    EGO,
    Canvas,
    Colour,
    Entry,
    Point,
    flow,
    hatch_unknown,
    legend_height,
    legend_width,
    with_legend,
)
from placecell.engine.evidence import seen_by
from placecell.engine.registry import implements
from placecell.engine.surfaces import Surface, colour_of, surface_of, without_ceiling
from placecell.engine.values import Absent, InstancesValue, InstanceValue, Picture, Value
from placecell.engine.viewpoint import Viewpoint, number
from placecell.geometry import transforms
from placecell.geometry.camera import OrthoCamera
from placecell.geometry.raster import render
from placecell.memory.scene import Frame, Instance, SpatialMemory

Array = NDArray[np.float64]

_MARGIN = 0.07
_FAINT = 0.62
"""How far the colours of the scene move towards white below a plan's marks."""
_MOST_OBJECTS = 400
_MOST_LABELS = 80
"""With more labels than this, those that find no free place are left out."""


@implements("render_rgb_bev")
def render_rgb_bev(context: Context, memory: SpatialMemory) -> Picture | Absent:
    """The scene in colour from straight above."""
    size = context.pictures.size
    here = context.viewpoint if isinstance(context.viewpoint, Viewpoint) else None
    return context.picture_exceeded(2 * size * size) or render_plan(memory, here, context.pictures)


@implements("render_semantic_bev")
def render_semantic_bev(
    context: Context, memory: SpatialMemory, objects: Sequence[Value], cameras: Sequence[int]
) -> Picture | Absent:
    """A plan of objects and cameras; images that do not exist or were not placed are named in the caption."""
    size = context.pictures.size
    things: list[Instance] = []
    missing: list[str] = []
    for value in objects:
        if isinstance(value, InstanceValue):
            things.append(value.instance)
        elif isinstance(value, InstancesValue) and value.instances:
            things += value.instances
        elif isinstance(value, InstancesValue):
            missing.append(f"no {value.name}")
        elif isinstance(value, Absent):
            missing.append(value.message)
    here = context.viewpoint if isinstance(context.viewpoint, Viewpoint) else None
    return context.picture_exceeded(2 * size * size) or render_plan(
        memory,
        here,
        context.pictures,
        objects=tuple(dict.fromkeys(things)),
        cameras=tuple(dict.fromkeys(cameras)),
        semantic=True,
        missing=missing,
    )


def render_plan(
    memory: SpatialMemory,
    here: Viewpoint | None,
    settings: PictureSettings,
    *,
    objects: Sequence[Instance] = (),
    cameras: Sequence[int] = (),
    semantic: bool = False,
    missing: Sequence[str] = (),
) -> Picture:
    """A top view; ``semantic`` makes it a plan of ``objects`` and of the numbered ``cameras``, joined in order."""
    placed = {f.number: f for f in memory.posed_frames}
    shots = [placed[n] for n in cameras if n in placed] if semantic else []
    absent = [*missing, *(f"image {n} has no place" for n in cameras if n not in placed)]
    if semantic and len(objects) > _MOST_OBJECTS:
        absent.append(f"{len(objects) - _MOST_OBJECTS} smaller objects")
        objects = sorted(objects, key=lambda t: -_footprint(t))[:_MOST_OBJECTS]
    surface, cut = without_ceiling(memory, surface_of(memory))
    legend = _legend(memory, here, objects if semantic else (), shots)
    view, rows, beside = _framed(*_contents(memory, here, objects, shots), settings.size, legend)
    canvas = Canvas(ground(memory, view, surface, faint=semantic), settings.size)
    marks = _Marks(canvas, view, memory)
    if semantic:
        marks.objects(objects)
        marks.cameras(shots)
    bar = canvas.size / 40
    canvas.scale_bar(1 / view.units_per_pixel, memory.unit, (bar, view.height - bar))
    marks.labels(here)
    caption = _caption(here, semantic, objects, shots, cut, absent, surface.boxes)
    rgb = with_legend(canvas.rgb, settings.size, rows, beside=beside)
    mode: Literal["semantic", "bev"] = "semantic" if semantic else "bev"
    return Picture(
        rgb,
        mode,
        caption,
        None,
        view.units_per_pixel,
        tuple(f"{thing.name} {thing.id}" for thing in objects) if semantic else (),
        seen_by(objects if semantic else (), [f.number for f in shots]),
        _record(view, rgb, mode, caption),
    )


def _record(view: OrthoCamera, rgb: NDArray[np.uint8], mode: str, caption: str) -> dict[str, object]:
    """The view for JSON. The map is the upper left of the picture, its legend below or beside it."""
    return {
        "width": rgb.shape[1],
        "height": rgb.shape[0],
        "map_width": view.width,
        "map_height": view.height,
        "K": None,
        "units_per_pixel": view.units_per_pixel,
        "world_from_cam": view.world_from_cam.tolist(),
        "mode": mode,
        "caption": caption,
    }


def _framed(
    points: Array, heading: float, size: int, legend: Sequence[Entry]
) -> tuple[OrthoCamera, list[list[Entry]], bool]:
    """The map's camera, the rows of its legend, and whether that stands beside the map or below; ``size`` holds both.

    Of the two places for the legend, the one that leaves the larger map.
    """
    ceiling = float(points[:, 1].max()) + max(float(np.ptp(points[:, [0, 2]], axis=0).max()), 1e-6)
    column = [[entry] for entry in legend]
    free = size - legend_width(size, column)
    beside = top_camera(points, heading, ceiling, free, size) if free >= size // 2 else None
    height = size
    while True:
        below = top_camera(points, heading, ceiling, size, height)
        rows = flow(size, below.width, legend)
        over = below.height + legend_height(size, len(rows)) - size
        if over <= 0 or height <= size // 2:
            break
        height = max(size // 2, height - max(over, size // 40))
    if beside is not None and (over > 0 or beside.units_per_pixel < below.units_per_pixel):
        return beside, column, True
    if over > 0:  # a picture too small for its legend: the caption says the same
        return top_camera(points, heading, ceiling, size, size), [], False
    return below, rows, False


def _contents(
    memory: SpatialMemory, here: Viewpoint | None, objects: Sequence[Instance], shots: Sequence[Frame]
) -> tuple[Array, float]:
    """Points (N, 3) that must be in the picture, with a margin, and the compass direction of the page's top."""
    parts = [thing.upright_box.corners for thing in objects]
    parts += [frame.camera.centre[None] for frame in shots if frame.camera is not None]
    parts.append(derived(memory).outline)
    if here is not None:
        parts.append(here.position[None])
    points = np.concatenate(parts)
    if not len(points):
        points = np.zeros((1, 3))
    heading = 0.0 if here is None else float(transforms.heading(here.levelled))
    low, high = points.min(axis=0), points.max(axis=0)
    room = _MARGIN * max(float(high[0] - low[0]), float(high[2] - low[2]), 1e-6)
    around = np.array([[x, 0.0, z] for x in (-room, 0, room) for z in (-room, 0, room)])
    turned = points @ transforms.turn(np.eye(4), right=heading)[:3, :3]
    edges = points[np.concatenate([turned.argmin(axis=0), turned.argmax(axis=0)])]
    return (edges[:, None] + around[None]).reshape(-1, 3), heading


def ground(memory: SpatialMemory, view: OrthoCamera, surface: Surface, *, faint: bool) -> NDArray[np.uint8]:
    """The scene from above, hatched where nothing is known; pale below a plan's marks."""
    if surface.boxes and faint:
        return np.full((view.height, view.width, 3), 255, np.uint8)
    if not len(surface.points):
        known = np.zeros((view.height, view.width), bool)
        return hatch_unknown(np.full((view.height, view.width, 3), 255, np.uint8), known | ~known)
    raster = render(view, surface.points, surface.colors, surface.spacing, near=derived(memory).near)
    rgb = raster.rgb
    if faint:
        grey = rgb.mean(axis=-1, keepdims=True)
        rgb = (255 - (1 - _FAINT) * (255 - 0.5 * (rgb + grey))).astype(np.uint8)
        return np.where(raster.known[..., None], rgb, np.uint8(255))
    return hatch_unknown(rgb, ~raster.known)


class _Marks:
    """Objects, cameras and the viewer on a top view."""

    def __init__(self, canvas: Canvas, view: OrthoCamera, memory: SpatialMemory) -> None:
        self.canvas, self.view = canvas, view
        self.names = memory.object_names
        self._waiting: list[tuple[Point, str, Colour, float]] = []

    def _at(self, point: Array) -> Point:
        return self._all_at(point[None])[0]

    def _all_at(self, points: Array) -> list[Point]:
        return [(u, v) for u, v in self.view.project(points).pixels.tolist()]

    def _angle(self, world_from_cam: Array) -> float:
        """Degrees clockwise from page-up of where a camera heads."""
        page = float(transforms.heading(transforms.look_at([0, 0, 0], -self.view.world_from_cam[:3, 1])))
        return float(transforms.heading(transforms.level(world_from_cam))) - page

    def objects(self, things: Sequence[Instance]) -> None:
        """Outlines by category colour, largest first so that small ones stay on top."""
        for thing in sorted(things, key=lambda t: -_footprint(t)):
            colour = colour_of(self.names, thing.name)
            *outline, middle = self._all_at(np.concatenate([_outline(thing), thing.upright_box.centre[None]]))
            self.canvas.polygon(outline, colour)
            self._waiting.append((middle, f"{thing.name} {thing.id}", colour, 0.0))

    def cameras(self, shots: Sequence[Frame]) -> None:
        """The path in the given order, and each camera opening where it looks, with its number."""
        placed = [(f.number, f.camera) for f in shots if f.camera is not None]
        spots = self._all_at(np.array([camera.centre for _, camera in placed]).reshape(-1, 3))
        self.canvas.path(spots, CAMERA)
        length = self.canvas.size / (22 if len(placed) < 25 else 32)
        for at, (shot, camera) in zip(spots, placed, strict=True):
            self.canvas.camera(at, self._angle(camera.world_from_cam), CAMERA, length=length)
            self._waiting.append((at, str(shot), CAMERA, self.canvas.size / 70))

    def labels(self, here: Viewpoint | None) -> None:
        """Names and numbers, small objects first; then the viewer, whose mark no label covers."""
        at, angle = ((0.0, 0.0), 0.0) if here is None else (self._at(here.position), self._angle(here.levelled))
        if here is not None:
            for corner in self.canvas.viewer_outline(at, angle):
                self.canvas.reserve(corner)
        crowded = len(self._waiting) > _MOST_LABELS
        for place, text, colour, away in reversed(self._waiting):
            self.canvas.label(place, text, colour, away=away, must=not crowded, scale=0.85)
        if here is not None:
            self.canvas.viewer(at, angle)


def _outline(thing: Instance) -> Array:
    """Corners (4, 3) of the upright box's outline, in order around it."""
    box = thing.upright_box
    vertical = int(np.argmax(np.abs(box.axes[:, 1])))
    a, b = ((vertical + 1) % 3, (vertical + 2) % 3)
    along, across = box.axes[a] * box.size[a] / 2, box.axes[b] * box.size[b] / 2
    return np.stack(
        [
            box.centre + along + across,
            box.centre + along - across,
            box.centre - along - across,
            box.centre - along + across,
        ]
    )


def _footprint(thing: Instance) -> float:
    outline = _outline(thing)
    return float(np.linalg.norm(outline[0] - outline[1]) * np.linalg.norm(outline[1] - outline[2]))


def _legend(
    memory: SpatialMemory, here: Viewpoint | None, objects: Sequence[Instance], shots: Sequence[Frame]
) -> list[Entry]:
    entries: list[Entry] = []
    if here is not None:
        entries.append((EGO, "viewer, facing up"))
    if shots:
        entries.append((CAMERA, "cameras by image number"))
    counts: dict[str, int] = {}
    for thing in objects:
        counts[thing.name] = counts.get(thing.name, 0) + 1
    for name, count in sorted(counts.items()):
        entries.append((colour_of(memory.object_names, name), f"{name}" + (f" ({count})" if count > 1 else "")))
    if here is None:
        entries.append((None, "top: world -z, right: +x"))
    return entries


def _caption(
    here: Viewpoint | None,
    semantic: bool,
    objects: Sequence[Instance],
    shots: Sequence[Frame],
    cut: float | None,
    absent: Sequence[str],
    boxes: bool,
) -> str:
    what = "Plan from straight above" if semantic else "The scene from straight above"
    parts = [f"{what}, to scale"]
    if here is not None:
        parts.append(
            f"red: the viewer {here.words()}; the page's top is where the viewer faces, its right the viewer's right"
        )
    else:
        parts.append("the page's top is the world's -z, its right +x")
    if semantic and objects:
        parts.append(f"{len(objects)} objects with their numbers")
    if shots:
        parts.append(f"images {', '.join(str(f.number) for f in shots)} joined in this order")
    if cut is not None:
        parts.append(f"cut at a height of {number(cut)}")
    if boxes:
        parts.append("only boxes of objects are known")
    if not semantic:
        parts.append("hatched: nothing is known" if boxes else "hatched: not seen in any photo")
    parts += [f"not shown: {what}" for what in absent]
    return "; ".join(parts)
