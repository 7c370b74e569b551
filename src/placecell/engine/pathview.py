"""The top view of a video: the ways of the camera and of the movers over the place, coloured by time; still or moving.

Knows a memory with time. Early is blue, late is red, for everyone, so that who was where at the same time shows. The
animation draws the same map with everything up to each moment.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.engine.cameras import top_camera
from placecell.engine.context import PictureSettings
from placecell.engine.derived import derived, way_along
from placecell.engine.drawing import CAMERA, Canvas, Colour, Entry, Point, flow, with_legend
from placecell.engine.surfaces import surface_of, without_ceiling
from placecell.engine.topview import ground
from placecell.engine.values import Evidence, Picture
from placecell.errors import UserError
from placecell.geometry import transforms
from placecell.geometry.camera import OrthoCamera
from placecell.memory.scene import SpatialMemory

Array = NDArray[np.float64]

_MARGIN = 0.08
_PIECES = 40
_FIRST, _MIDDLE, _LAST = np.array([40, 80, 220]), np.array([150, 60, 170]), np.array([225, 40, 40])
_FRAME_MS, _LAST_MS = 110, 1200


def render_paths(memory: SpatialMemory, settings: PictureSettings, *, until_s: float | None = None) -> Picture:
    """The ways of camera and tracks from straight above, up to ``until_s`` seconds (the end without).

    UserError for a memory without time or cameras.
    """
    first, last = _span(memory)
    now = last if until_s is None else until_s
    view = _view(memory, settings.size)
    surface, _ = without_ceiling(memory, surface_of(memory))
    canvas = Canvas(ground(memory, view, surface, faint=True), settings.size)
    shots = [f for f in memory.posed_frames if f.time_s is not None and f.time_s <= now + 1e-9 and f.camera is not None]
    centres = np.array([f.camera.centre for f in shots if f.camera is not None]).reshape(-1, 3)
    seconds = np.array([f.time_s for f in shots], np.float64)
    _draw_way(canvas, view, centres, seconds, (first, last))
    for track in memory.tracks:
        upto = track.times_s <= now + 1e-9
        points = way_along(track)[upto]
        _draw_way(canvas, view, points, track.times_s[upto], (first, last))
        if len(points) and (until_s is None or track.times_s[-1] >= now - 0.5):
            at = _pixels(view, points[-1:])[0]
            canvas.label(
                at, f"{track.name} {track.id}", time_colour(1.0), away=settings.size / 70, must=True, scale=0.85
            )
    if shots and shots[-1].camera is not None:
        angle = float(transforms.heading(transforms.level(shots[-1].camera.world_from_cam)))
        canvas.camera(_pixels(view, centres[-1:])[0], angle, CAMERA, length=settings.size / 22)
    canvas.scale_bar(1 / view.units_per_pixel, memory.unit, (canvas.size / 40, view.height - canvas.size / 40))
    entries: list[Entry] = [
        (time_colour(0.0), f"{first:.1f} s"),
        (time_colour(0.5), f"{(first + last) / 2:.1f} s"),
        (time_colour(1.0), f"{last:.1f} s"),
        (CAMERA, "camera"),
    ]
    rgb = with_legend(canvas.rgb, settings.size, flow(settings.size, view.width, entries), beside=False)
    names = ", ".join(f"{t.name} {t.id}" for t in memory.tracks) or "nothing that moves"
    caption = (
        f"Ways from straight above, to scale, of the camera and of {names}; blue at {first:.1f} s, red at "
        f"{last:.1f} s; the page's top is the world's -z, its right +x"
    )
    evidence = Evidence(frames=(shots[0].number, shots[-1].number) if shots else ())
    shown = tuple(f"{t.name} {t.id}" for t in memory.tracks)
    return Picture(rgb, "semantic", caption, None, view.units_per_pixel, shown, evidence)


def animate_paths(memory: SpatialMemory, settings: PictureSettings, *, frames: int = 24) -> bytes:
    """The same as an animated GIF of ``frames`` pictures, the last one held."""
    first, last = _span(memory)
    pictures = [render_paths(memory, settings, until_s=float(t)).rgb for t in np.linspace(first, last, frames + 1)[1:]]
    return to_gif(pictures)


def to_gif(pictures: Sequence[NDArray[np.uint8]]) -> bytes:
    """Pictures (h, w, 3) of one size as a looping GIF."""
    images = [Image.fromarray(p).quantize(96, dither=Image.Dither.NONE) for p in pictures]
    out = io.BytesIO()
    durations = [_FRAME_MS] * (len(images) - 1) + [_LAST_MS]
    images[0].save(out, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0)
    return out.getvalue()


def time_colour(share: float) -> Colour:
    """Blue at 0, red at 1."""
    a, b, s = (_FIRST, _MIDDLE, 2 * share) if share < 0.5 else (_MIDDLE, _LAST, 2 * share - 1)
    r, g, blue = np.rint(a + (b - a) * min(max(s, 0.0), 1.0)).astype(int).tolist()
    return r, g, blue


def _draw_way(canvas: Canvas, view: OrthoCamera, points: Array, seconds: Array, span: tuple[float, float]) -> None:
    """A way in pieces of the colour of their time."""
    if len(points) < 2:
        return
    ends = np.unique(np.linspace(0, len(points) - 1, min(_PIECES, len(points))).astype(int))
    pixels = _pixels(view, points)
    for a, b in pairwise(ends.tolist()):
        share = (float(seconds[(a + b) // 2]) - span[0]) / max(span[1] - span[0], 1e-9)
        canvas.draw.line(pixels[a : b + 1], fill=(*time_colour(share), 255), width=2 * canvas.line + 2)
    (x0, y0), r = pixels[0], canvas.size / 130
    canvas.draw.ellipse((x0 - r, y0 - r, x0 + r, y0 + r), fill=(*time_colour(0.0), 255))


def _pixels(view: OrthoCamera, points: Array) -> list[Point]:
    return [(u, v) for u, v in view.project(points).pixels.tolist()]


def _view(memory: SpatialMemory, size: int) -> OrthoCamera:
    """The map's camera: all ways and most of the place."""
    ways = [t.centres for t in memory.tracks]
    cameras = np.array([f.camera.centre for f in memory.posed_frames if f.camera is not None])
    points = np.concatenate([cameras, *ways, derived(memory).outline])
    low, high = points.min(axis=0), points.max(axis=0)
    room = _MARGIN * max(float(high[0] - low[0]), float(high[2] - low[2]), 1e-6) + 1e-6
    corners = np.array([[x, y, z] for x in (low[0] - room, high[0] + room) for y in (low[1], high[1])
                        for z in (low[2] - room, high[2] + room)])  # fmt: skip
    return top_camera(corners, 0.0, float(high[1]) + room, size, size)


def _span(memory: SpatialMemory) -> tuple[float, float]:
    times = [f.time_s for f in memory.posed_frames if f.time_s is not None]
    if not memory.dynamic or len(times) < 2:
        raise UserError("the memory holds no movement over time", hint="build it from a video with --dynamic")
    return min(times), max(times)
