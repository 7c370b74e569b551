"""The memory a perfect reconstructor and segmenter would build of a room: true boxes, fronts, area and cameras.

Knows: the truth. Does not know: reconstruction; nothing is estimated. With it, a wrong answer is the language's, the
engine's or the reader's fault, never perception's.
"""

from __future__ import annotations

from importlib import metadata

import numpy as np

from placecell.backends.synthetic.capture import photograph, vocabulary
from placecell.backends.synthetic.path import Views
from placecell.backends.synthetic.scene import SyntheticRoom
from placecell.geometry.boxes import gravity_box
from placecell.geometry.cloud import Cloud, concat
from placecell.geometry.walls import walls_around
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import Alignment, Instance, InstanceView, Layout, Provenance, Scale, SpatialMemory

_SPACING_M = 0.03
_EVERY_PIXEL = 4


def perfect_memory(
    room: SyntheticRoom, views: Views | None = None, *, size: tuple[int, int] = (320, 240), fov_x: float = 70.0
) -> SpatialMemory:
    """The room's memory in its own world; without ``views`` boxes and layout only, no picture and no point."""
    capture = None if views is None else photograph(room, views, size=size, fov_x=fov_x, frame="world")
    return SpatialMemory(
        frames=() if capture is None else capture.frames,
        cloud=Cloud.empty() if capture is None else _cloud(capture),
        scale=Scale("metric", "synthetic", 0.0),
        alignment=Alignment(np.eye(4), "the room's own axes", 0.0),
        provenance=Provenance(
            backend="synthetic",
            placecell=metadata.version("placecell"),
            settings={"seed": room.seed, "level": room.level, "theme": room.theme, "perfect": True},
        ),
        instances=_instances(room, capture),
        vocabulary=vocabulary(),
        layout=Layout(
            floor_area=room.floor_area,
            height=room.height,
            outline=room.outline.copy(),
            walls=walls_around(room.outline, 0.0, room.height),
        ),
    )


def _instances(room: SyntheticRoom, capture: Reconstruction | None) -> tuple[Instance, ...]:
    found = []
    for thing in room.objects:
        views = () if capture is None else _views(capture, thing.id)
        times = [] if capture is None else [f.time_s for f in capture.frames if f.number in {v.frame for v in views}]
        seconds = [t for t in times if t is not None]
        found.append(
            Instance(
                thing.id,
                thing.name,
                thing.box,
                gravity_box(thing.box.corners),
                points=np.zeros((0, 3), np.float32)
                if capture is None
                else thing.surface(_SPACING_M).astype(np.float32),
                views=views,
                front=thing.front,
                first_seen_s=min(seconds, default=None),
                last_seen_s=max(seconds, default=None),
            )
        )
    return tuple(found)


def _views(capture: Reconstruction, id_: int) -> tuple[InstanceView, ...]:
    if capture.labels is None:
        return ()
    views = []
    for number, labels in capture.labels.frames.items():
        rows, columns = np.nonzero(labels.ids == id_)
        if len(rows):
            box = (int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1)
            views.append(InstanceView(number, len(rows), box))
    return tuple(views)


def _cloud(capture: Reconstruction) -> Cloud:
    """Every fourth pixel of every fourth row of each picture."""
    clouds = []
    for frame in capture.frames:
        if frame.depth is None or frame.camera is None:
            continue
        rows, columns = (
            grid.ravel() for grid in np.mgrid[0 : frame.height : _EVERY_PIXEL, 0 : frame.width : _EVERY_PIXEL]
        )
        known = frame.depth.z[rows, columns] > 0
        rows, columns = rows[known], columns[known]
        points = frame.depth.camera.unproject(frame.depth.z)[rows, columns]
        pixel = np.stack([columns, rows], axis=-1) + 0.5
        count = len(rows)
        clouds.append(
            Cloud(
                points.astype(np.float32),
                frame.rgb[rows, columns],
                np.ones(count, np.float32),
                np.full(count, frame.number, np.int32),
                pixel.astype(np.float32),
            )
        )
    return concat(clouds)
