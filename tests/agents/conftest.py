"""A small room, laid out by hand, with cameras; +y up, -z is north."""

import numpy as np
import pytest

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import look_at
from placecell.memory.scene import Alignment, Frame, Instance, InstanceView, Layout, Provenance, Scale, SpatialMemory

THINGS = {
    "table": ((0.0, 0.4, 0.0), (1.2, 0.8, 0.8)),
    "sofa": ((-2.0, 0.4, 0.0), (0.9, 0.8, 2.0)),
    "lamp": ((2.0, 0.8, 0.0), (0.3, 1.6, 0.3)),
    "door": ((0.0, 1.0, -3.0), (0.9, 2.0, 0.1)),
    "plant": ((0.0, 0.5, 3.5), (0.4, 1.0, 0.4)),
}
CHAIRS = (((-0.8, 0.45, -1.0), (0.5, 0.9, 0.5)), ((1.0, 0.45, -1.0), (0.5, 0.9, 0.5)))
# Image 1 looks north over the table, image 2 stands 1 m to its left, image 3 looks back south from near the door.
CAMERAS = (
    ((0.0, 1.5, 2.5), (0.0, 1.0, 0.0)),
    ((-1.0, 1.5, 2.5), (-0.5, 1.0, 0.0)),
    ((0.0, 1.5, -2.0), (0.0, 1.0, 2.0)),
)


def instance(number, name, centre, size, sd, views=(), front=None):
    box = OrientedBox(np.array(centre), np.eye(3), np.array(size))
    return Instance(number, name, box, box, views=views, size_sd=sd, centre_sd=sd, front=front)


@pytest.fixture
def room():
    """Makes the room: ``metric`` or not, with ``sd`` of every position, and fronts by name."""

    def make(metric=True, sd=0.0, fronts=(), vocabulary=(), area=24.0):
        fronts = dict(fronts)
        frames = []
        for n, (eye, target) in enumerate(CAMERAS, 1):
            camera = Camera.from_fov(70, 64, 48, look_at(np.array(eye), np.array(target)))
            picture = np.full((48, 64, 3), 100, np.uint8)
            frames.append(Frame(n, f"{n}.jpg", str(n), 64, 48, lambda p=picture: p, camera, time_s=float(n)))
        placed = [*THINGS.items(), *(("chair", chair) for chair in CHAIRS)]
        things = []
        for number, (name, (centre, size)) in enumerate(placed, 1):
            seen = [f.number for f in frames if f.camera.project(np.array(centre)).in_view]
            views = tuple(InstanceView(n, 50, (0, 0, 10, 10)) for n in seen)
            front = np.array(fronts[name], float) if name in fronts else None
            things.append(instance(number, name, centre, size, sd, views, front))
        return SpatialMemory(
            frames=tuple(frames),
            cloud=Cloud.of_points(np.zeros((0, 3))),
            scale=Scale("metric", "user", 0.0) if metric else Scale(),
            alignment=Alignment(np.eye(4), "by hand"),
            provenance=Provenance("by hand", "0"),
            instances=tuple(things),
            vocabulary=frozenset(vocabulary) | {t.name for t in things},
            layout=Layout(floor_area=area, height=2.5),
        )

    return make
