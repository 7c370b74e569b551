"""Perspective pictures of a memory: from the viewpoint, and Think3D's ego and global views of an anchor photo.

Every picture carries the camera it was made with and a caption that says in words exactly what it shows; both come
from the same values. Space that no photo shows is hatched, never invented.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from placecell.engine import published
from placecell.engine.cameras import ego_camera, global_camera, viewer_camera
from placecell.engine.context import Context, PictureSettings
from placecell.engine.derived import derived
from placecell.engine.detail import with_detail
from placecell.engine.drawing import CAMERA, EGO, Canvas, hatch_unknown
from placecell.engine.registry import implements
from placecell.engine.surfaces import Surface, colour_of, facing, surface_of, without
from placecell.engine.topview import render_plan
from placecell.engine.values import Absent, Evidence, Picture
from placecell.engine.viewpoint import Viewpoint, number
from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.raster import render
from placecell.geometry.transforms import apply, look_at
from placecell.memory.scene import SpatialMemory

Profile = Literal["placecell", "think3d"]
_MOST_NAMES = 60
_NORTH = look_at([0.0, 0.0, 0.0], [0.0, 0.0, -1.0])

Mode = Literal["ego", "global", "bev", "semantic"]


@implements("render_egocentric")
def render_egocentric(context: Context, memory: SpatialMemory, fov: float | None) -> Picture | Absent:
    """What is seen from the viewpoint."""
    here = context.standing("picture")
    if isinstance(here, Absent):
        return here
    size = context.pictures.size
    return context.picture_exceeded(size * size) or view_from(memory, here, fov, context.pictures)


def view_from(
    memory: SpatialMemory,
    here: Viewpoint,
    fov: float | None = None,
    settings: PictureSettings = PictureSettings(),  # noqa: B008
) -> Picture:
    """The picture from a viewpoint; its field of view is the photo's own, or ``fov``, or the settings'."""
    camera = viewer_camera(here, settings.size, fov, settings.fov)
    standing = "" if here.standing_in is None else f", eye {number(here.eye_lift)} {memory.unit} above its centre"
    return _seen(memory, camera, f"View {here.words()}{standing}", without(surface_of(memory), here.standing_in))


def render_view(
    memory: SpatialMemory,
    *,
    anchor: int | None = 1,
    azimuth: float = 0.0,
    elevation: float = 0.0,
    mode: Mode = "ego",
    size: int = 768,
    fov: float | None = None,
    profile: Profile = "placecell",
) -> Picture:
    """One picture by angles from an anchor photo (Think3D), or a top view.

    Args:
        memory: what to draw.
        anchor: image number whose camera the angles are relative to; top views show it as the viewer. None: the
            angles are relative to the world's -z, and there are no ego views.
        azimuth: degrees to the right.
        elevation: degrees; "ego": up, "global": from higher up, looking down. Top views take no angles.
        mode: "ego" from the anchor's place, "global" from an orbit around the scene, "bev" and "semantic" from above.
        size: pixels of the longer side.
        fov: horizontal degrees in ego mode, the anchor's own when None.
        profile: "think3d" takes the angles as the published checkpoints were trained on them (``published``).

    Raises:
        UserError: no such image, it could not be placed, or an angle outside its range.
    """
    settings = PictureSettings(size=size)
    if not -90 <= elevation <= 90 or not -360 <= azimuth <= 360:
        raise UserError(
            f"azimuth {azimuth:g}, elevation {elevation:g}", hint="azimuth -360 to 360, elevation -90 to 90 degrees"
        )
    if mode in ("bev", "semantic"):
        if azimuth or elevation:
            raise UserError(
                f"a {mode} view has no angles", hint="leave azimuth and elevation out, or use --mode global"
            )
        return _top(memory, anchor, mode, settings)
    if anchor is None:
        if mode == "ego":
            raise UserError("a view from inside needs an image to stand at", hint="choose one, or use mode global")
        picture = _global(memory, None, None, azimuth, elevation, size, "placecell")
    elif mode == "ego":
        camera = _camera_of(memory, anchor)
        seen = published.ego if profile == "think3d" else ego_camera
        at = seen(camera, azimuth, elevation, size, fov)
        words = f"View from image {anchor}{_turn_words(azimuth, elevation * (-1 if profile == 'think3d' else 1))}"
        picture = _seen(memory, at, words, surface_of(memory))
    else:
        picture = _global(memory, anchor, _camera_of(memory, anchor), azimuth, elevation, size, profile)
    picture.sidecar.update(anchor=anchor, azimuth=azimuth, elevation=elevation, profile=profile)
    return picture


def _top(memory: SpatialMemory, anchor: int | None, mode: Mode, settings: PictureSettings) -> Picture:
    from_here = next((f for f in memory.frames if f.number == anchor), None)
    here = None
    if from_here is not None and from_here.camera is not None:
        here = Viewpoint(from_here.camera.world_from_cam, f"image {anchor}", memory.unit, image=anchor, level=False)
    cameras = tuple(f.number for f in memory.posed_frames)
    picture = render_plan(
        memory, here, settings, objects=memory.instances, cameras=cameras, semantic=mode == "semantic"
    )
    picture.sidecar.update(anchor=anchor if here else None, azimuth=None, elevation=None)
    return picture


def _camera_of(memory: SpatialMemory, anchor: int) -> Camera:
    camera = memory.frame(anchor).camera
    if camera is None:
        raise UserError(f"where image {anchor} was taken is not known", hint="choose another image")
    return camera


def _global(
    memory: SpatialMemory,
    anchor: int | None,
    camera: Camera | None,
    azimuth: float,
    elevation: float,
    size: int,
    profile: Profile,
) -> Picture:
    start = _NORTH if camera is None else camera.world_from_cam
    centres = (
        [f.camera.centre for f in memory.posed_frames if f.camera is not None] if camera is None else [start[:3, 3]]
    )
    scene = np.concatenate([derived(memory).outline, np.reshape(centres, (-1, 3))])
    if not len(scene):
        raise UserError("there is nothing to see: no cameras and no points", hint="build the memory from photos")
    if profile == "think3d":
        orbit = published.orbit(start, scene, azimuth, elevation, size)
        words = f"The whole scene from outside, {published.words(orbit.world_from_cam, start, anchor or 0)}"
    else:
        orbit = global_camera(start, scene, azimuth, elevation, size)
        words = _global_words(anchor, azimuth, elevation)
    picture = _seen(memory, orbit, words, facing(memory, surface_of(memory), orbit.centre), mode="global")
    canvas = Canvas(picture.rgb)
    _draw_cameras(canvas, memory, orbit, anchor, float(np.linalg.norm(np.ptp(scene, axis=0))))
    marked = "" if anchor is None else f", image {anchor} in red"
    caption = f"{picture.caption}. Cameras open forwards and carry their image number{marked}"
    picture.sidecar["caption"] = caption
    return replace(picture, rgb=canvas.rgb, caption=caption)


def _global_words(anchor: int | None, azimuth: float, elevation: float) -> str:
    way = "the world's -z" if anchor is None else f"the way image {anchor} looks"
    if azimuth % 360:
        way = f"{_azimuth_words(azimuth)} of {way}" if azimuth % 360 != 180 else f"opposite to {way}"
    if elevation == 90:
        return f"The whole scene from straight above; the page's top is {way}"
    looking = f"along {way}" if anchor is None and not azimuth % 360 else way
    return f"The whole scene from outside, looking {looking}, {_elevation_words(-elevation)}"


def _seen(
    memory: SpatialMemory, camera: Camera, words: str, surface: Surface, mode: Literal["ego", "global"] = "ego"
) -> Picture:
    """The picture of a surface from a camera; the caption is ``words`` and what is unknown in it."""
    caption = f"{words}; field of view {camera.fov_x:.0f} degrees"
    if surface.boxes:
        caption += "; only boxes of objects are known, drawn as blocks"
    rgb, known, index, photos = _drawn(memory, camera, surface, detail=mode == "ego")
    if mode == "ego":
        rgb = hatch_unknown(rgb, ~known)
        caption += _unknown_words(known, "known from any box" if surface.boxes else "seen in any photo")
    else:
        rgb = np.where(known[..., None], rgb, np.uint8(255))
    if surface.boxes:
        rgb = _with_names(memory, rgb, index, surface)
    sidecar = camera_record(camera) | {"mode": mode, "caption": caption}
    return Picture(rgb, mode, caption, camera, None, (), Evidence(frames=photos, points=len(surface.points)), sidecar)


def _drawn(
    memory: SpatialMemory, camera: Camera, surface: Surface, *, detail: bool
) -> tuple[NDArray[np.uint8], NDArray[np.bool_], NDArray[np.int32], tuple[int, ...]]:
    """Pixels, the mask of the known ones, the surface's points in them, and the photos behind them."""
    if not len(surface.points):
        shape = (camera.height, camera.width)
        return np.full((*shape, 3), 255, np.uint8), np.zeros(shape, bool), np.full(shape, -1, np.int32), ()
    raster = render(camera, surface.points, surface.colors, surface.spacing, near=derived(memory).near)
    if surface.boxes:
        return raster.rgb, raster.known, raster.index, ()
    shown = _frames_behind(raster.index, surface)
    if not detail:
        return raster.rgb, raster.known, raster.index, shown
    rgb, known, photos = with_detail(memory, camera, raster)
    return rgb, known, raster.index, tuple(sorted({*shown, *photos}))


def camera_record(camera: Camera) -> dict[str, object]:
    """A camera for JSON: width, height, K, world_from_cam."""
    return {
        "width": camera.width,
        "height": camera.height,
        "K": camera.K.tolist(),
        "world_from_cam": camera.world_from_cam.tolist(),
    }


def _unknown_words(known: NDArray[np.bool_], how: str) -> str:
    unknown = 1.0 - float(known.mean())
    if unknown > 0.98:
        return f"; nothing there is {how}: all of it is unknown (hatched)"
    return f"; hatched: not {how} ({max(1, round(100 * unknown))} %)" if unknown > 0.002 else ""


def _with_names(
    memory: SpatialMemory, rgb: NDArray[np.uint8], index: NDArray[np.int32], surface: Surface
) -> NDArray[np.uint8]:
    """Blocks with their names, in the middle of what is seen of them; the larger in the picture choose first."""
    canvas = Canvas(rgb)
    rows, columns = np.nonzero(index >= 0)
    owner = surface.origin[index[rows, columns]]
    places, counts = np.unique(owner, return_counts=True)
    for place in places[np.argsort(-counts, kind="stable")][:_MOST_NAMES]:
        thing, mine = memory.instances[place], owner == place
        middle = (float(np.median(columns[mine])), float(np.median(rows[mine])))
        canvas.label(middle, f"{thing.name} {thing.id}", colour_of(memory.object_names, thing.name), must=False)
    return canvas.rgb


def _frames_behind(index: NDArray[np.int32], surface: Surface) -> tuple[int, ...]:
    """Numbers of the photos that the points in the picture come from."""
    return tuple(int(f) for f in np.unique(surface.origin[index[index >= 0]]) if f > 0)


def _turn_words(azimuth: float, elevation: float) -> str:
    parts = []
    if azimuth % 360:
        parts.append(f"turned {_azimuth_words(azimuth)}")
    if elevation:
        parts.append(f"looking {_elevation_words(elevation)}")
    return "".join(f", {part}" for part in parts)


def _azimuth_words(azimuth: float) -> str:
    """The short way round: 270 is 90 to the left."""
    short = (azimuth + 180) % 360 - 180
    return f"{number(abs(short))} degrees {'right' if short > 0 else 'left'}" if short != -180 else "180 degrees"


def _elevation_words(elevation: float) -> str:
    return "level" if not elevation else f"{number(abs(elevation))} degrees {'up' if elevation > 0 else 'down'}"


def _draw_cameras(canvas: Canvas, memory: SpatialMemory, view: Camera, anchor: int | None, diagonal: float) -> None:
    """Wire frames of all cameras with their numbers; the anchor last, so that nothing covers it."""
    placed = [(f.number, f.camera) for f in memory.frames if f.camera is not None]
    # Small enough for neighbours to stay apart, large enough to show which way they open.
    reach = min(0.045, max(0.02, 0.12 / math.sqrt(max(len(placed), 1)))) * diagonal
    tips: list[tuple[int, tuple[float, float]]] = []
    for shot, camera in sorted(placed, key=lambda p: p[0] == anchor):
        half_x, half_y = 0.5 * camera.width / camera.K[0, 0], 0.5 * camera.height / camera.K[1, 1]
        shape = np.array(
            [[0, 0, 0], [-half_x, -half_y, 1], [half_x, -half_y, 1], [half_x, half_y, 1], [-half_x, half_y, 1]]
        )
        seen = view.project(apply(camera.world_from_cam, shape * reach))
        if not (seen.depth > 0).all():
            continue
        apex, *rim = [(float(u), float(v)) for u, v in seen.pixels]
        colour = EGO if shot == anchor else CAMERA
        for corner in rim:
            canvas.draw.line([apex, corner], fill=colour, width=canvas.line)
        canvas.draw.polygon(rim, fill=(*colour, 40), outline=(*colour, 255))
        tips.append((shot, apex))
    for place, (shot, at) in enumerate(reversed(tips)):
        colour = EGO if shot == anchor else CAMERA
        canvas.label(
            at, str(shot), colour, away=canvas.size / 110, must=place == 0, scale=0.9 if shot != anchor else 1.1
        )
