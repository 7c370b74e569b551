"""What is drawn in the scene besides the cloud, the same in every browser: objects, cameras, measures, tracks.

Knows viser's scene. Does not know clicks, the panel, or why something is highlighted.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from viser import SceneApi

from placecell.apps.viewer.photos import small
from placecell.apps.viewer.picking import frustum_corner
from placecell.apps.viewer.tracks import Place, place_at, way
from placecell.engine.derived import derived
from placecell.engine.describe import describe
from placecell.engine.surfaces import colour_of
from placecell.engine.values import Length
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import apply, to_quat_wxyz
from placecell.memory.scene import Frame, Instance, SpatialMemory

Array = NDArray[np.float64]
SELECTED, EVIDENCE, MEASURE, CAMERA = (255, 230, 0), (255, 110, 0), (0, 200, 90), (90, 120, 160)
_EDGES = np.array([(a, a | bit) for a in range(8) for bit in (1, 2, 4) if not a & bit])
_Lines = tuple[list[Array], list[NDArray[np.uint8]]]
Shape = Literal["circle", "diamond"]
_MOST_CAMERAS = 200
_MOST_LABELS = 150
_THUMBNAIL = 160


class Stage:
    """Draws a memory; ``selected`` and ``evidence`` objects and ``evidence`` frames stand out."""

    def __init__(self, scene: SceneApi, memory: SpatialMemory) -> None:
        self._scene = scene
        extent = derived(memory).extent
        self._size = 1.0 if extent is None else float(np.linalg.norm(extent.size)) or 1.0
        posed = memory.posed_frames
        step = -(-len(posed) // _MOST_CAMERAS) or 1
        self.cameras: tuple[Frame, ...] = posed[::step]
        """The frames drawn: evenly spaced ones where there are very many."""
        self.depth = 0.02 * self._size
        """How far before its eye a camera's photo hangs."""
        self._hidden: set[str] = set()
        scene.set_up_direction("+y")
        scene.configure_default_lights(cast_shadow=False)
        for node in ("/cameras", "/objects", "/objects/names"):
            self._node(node)

    @property
    def clickable(self) -> list[int]:
        """Numbers of the frames whose pictures can be clicked: those drawn, none while they are hidden."""
        return [] if "/cameras" in self._hidden else [frame.number for frame in self.cameras]

    def show(self, node: str, visible: bool) -> None:
        """Show or hide a part of the scene and all below it; it stays so when it is drawn anew."""
        (self._hidden.discard if visible else self._hidden.add)(node)
        handle = self._scene.get_handle_by_name(node)
        if handle is not None:
            handle.visible = visible

    def eye_of(self, memory: SpatialMemory, image: int | None) -> Array | None:
        """The pose of a photo's camera; None when the memory has no such photo or it was not placed."""
        frame = next((f for f in memory.frames if f.number == image), None)
        return None if frame is None or frame.camera is None else frame.camera.world_from_cam

    def _node(self, node: str) -> None:
        self._scene.add_frame(node, show_axes=False, visible=node not in self._hidden)

    def photos(self) -> None:
        """Hang each camera's photo in its frustum. Takes a while: every photo is decoded."""
        for frame in self.cameras:
            if frame.camera is None:
                continue
            pose, corner = frame.camera.world_from_cam, frustum_corner(frame.camera, self.depth)
            self._scene.add_image(
                f"/cameras/photos/{frame.number}",
                small(frame, _THUMBNAIL),
                *(2 * corner[:2]).tolist(),
                wxyz=to_quat_wxyz(pose),
                position=apply(pose, [0, 0, self.depth]),
                cast_shadow=False,
                receive_shadow=False,
            )

    def draw_cameras(self, evidence: Collection[int] = (), selected: int | None = None) -> None:
        """The frusta, as lines."""
        segments, colours = [], []
        for frame in self.cameras:
            if frame.camera is not None:
                colour = SELECTED if frame.number == selected else EVIDENCE if frame.number in evidence else CAMERA
                lines = frustum(frame.camera, self.depth)
                segments.append(lines)
                colours.append(np.broadcast_to(np.array(colour, np.uint8), lines.shape))
        self._lines("/cameras/frusta", segments, colours, 1.5)

    def draw_objects(self, memory: SpatialMemory, selected: Collection[int], evidence: Collection[int] = ()) -> None:
        """Boxes and names. Where there are very many, only the names of those that stand out."""
        plain: _Lines = ([], [])
        strong: _Lines = ([], [])
        named = {i.id for i in memory.instances} if len(memory.instances) <= _MOST_LABELS else set()
        named |= {*selected, *evidence}
        for thing in memory.instances:
            lines = box_lines(thing)
            standing_out = thing.id in selected or thing.id in evidence
            colour = colour_of(memory.object_names, thing.name)
            colour = SELECTED if thing.id in selected else EVIDENCE if thing.id in evidence else colour
            kept = strong if standing_out else plain
            kept[0].append(lines)
            kept[1].append(np.broadcast_to(np.array(colour, np.uint8), lines.shape))
        with_labels = [i for i in memory.instances if i.id in named]
        self._lines("/objects/boxes", *plain, 1.5)
        self._lines("/objects/marked", *strong, 4.0)
        self._scene.remove_by_name("/objects/names")
        self._node("/objects/names")
        for thing in with_labels:
            top = thing.upright_box.corners[:, 1].max()
            self._scene.add_label(
                f"/objects/names/{thing.id}",
                thing.name,
                position=(thing.centre[0], float(top), thing.centre[2]),
                anchor="bottom-center",
            )

    def draw_measure(self, points: list[Array], length: Length | None) -> None:
        """The clicked points and, once there are two, the line and its length."""
        self._scene.remove_by_name("/measure")
        for number, point in enumerate(points):
            self._ball(f"/measure/{number}", 0.004 * self._size, MEASURE, point, "circle")
        if length is not None:
            ends = np.stack(points)[None]
            self._lines("/measure/line", [ends], [np.broadcast_to(np.array(MEASURE, np.uint8), ends.shape)], 4.0)
            self._scene.add_label("/measure/length", describe(length), position=ends[0].mean(axis=0))

    def draw_viewpoint(self, eye: Array | None) -> None:
        """Where a recorded run looks from, None for nowhere."""
        if eye is None:
            self._scene.remove_by_name("/viewpoint")
            return
        lines = frustum(Camera.from_fov(70, 4, 3, eye), 2 * self.depth)
        self._lines("/viewpoint", [lines], [np.broadcast_to(np.array(EVIDENCE, np.uint8), lines.shape)], 4.0)

    def draw_tracks(self, memory: SpatialMemory, time_s: float) -> None:
        """Where moving things are at a moment, and their ways. A diamond where a thing was not seen."""
        names = tuple(sorted({track.name for track in memory.tracks}))
        ways = [way(track) for track in memory.tracks]
        colours = [np.array(colour_of(names, track.name), np.uint8) for track in memory.tracks]
        self._lines(
            "/tracks/ways", ways, [np.broadcast_to(c, w.shape) for c, w in zip(colours, ways, strict=True)], 1.5
        )
        self._scene.remove_by_name("/tracks/now")
        for track in memory.tracks:
            here = place_at(track, time_s)
            if here is not None:
                self._thing(here, colour_of(names, track.name))

    def _thing(self, here: Place, colour: tuple[int, int, int]) -> None:
        radius = max(here.track.size / 4, 0.006 * self._size)
        name = f"/tracks/now/{here.track.id}"
        self._ball(name, radius, colour, here.centre, "circle" if here.seen else "diamond")
        said = here.track.name if here.seen else f"{here.track.name} (not seen)"
        self._scene.add_label(f"{name}/name", said, position=(0.0, radius, 0.0), anchor="bottom-center")

    def _ball(self, name: str, radius: float, colour: tuple[int, int, int], centre: Array, shape: Shape) -> None:
        """A single point: unlike a mesh it needs no light, which takes a machine without a GPU seconds to set up."""
        self._scene.add_point_cloud(
            name,
            np.zeros((1, 3), np.float32),
            colour,
            position=centre,
            point_size=2 * radius,
            point_shape=shape,
            point_shading="flat",
        )

    def _lines(self, name: str, segments: list[Array], colours: list[NDArray[np.uint8]], thickness: float) -> None:
        """Segments (M, 2, 3) as one thing; takes the place of an older one of that name."""
        if not sum(map(len, segments)):
            self._scene.remove_by_name(name)
            return
        self._scene.add_line_segments(
            name, np.concatenate(segments), np.concatenate(colours), thickness=thickness, thickness_units="screen"
        )


def box_lines(thing: Instance) -> Array:
    """The twelve edges (12, 2, 3) of an object's box."""
    edges: Array = thing.box.corners[_EDGES]
    return edges


def frustum(camera: Camera, depth: float) -> Array:
    """The eight edges (8, 2, 3) of a camera's pyramid up to its picture at ``depth``, in the world."""
    x, y, z = frustum_corner(camera, depth)
    corners = apply(camera.world_from_cam, [[-x, -y, z], [x, -y, z], [x, y, z], [-x, y, z]])
    sides = [np.stack([camera.centre, corner]) for corner in corners]
    return np.stack([*sides, *(np.stack([corners[k - 1], corners[k]]) for k in range(4))])
