"""Hand-made memories: a small room with exact truth, and adversarial ones that a run must survive."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import look_at
from placecell.memory.scene import (
    Alignment,
    DepthMap,
    Frame,
    Instance,
    InstanceView,
    Layout,
    Provenance,
    Scale,
    SpatialMemory,
)

METRIC = Scale("metric", "sensor", 0.01)


def frame(number, eye=None, target=(0.0, 1.5, -1.0), *, time_s=None, size=(64, 48), colour=(120, 130, 140)):
    """A photo of one colour, placed at ``eye`` looking at ``target``, or not placed."""
    width, height = size
    camera = None if eye is None else Camera.from_fov(70.0, width, height, look_at(eye, target))
    rgb = np.full((height, width, 3), colour, np.uint8)
    return Frame(number, f"{number}.png", str(number), width, height, lambda: rgb, camera, None, time_s)


def box(centre, size=(0.5, 0.5, 0.5), yaw=0.0):
    c, s = np.cos(np.radians(yaw)), np.sin(np.radians(yaw))
    return OrientedBox(np.asarray(centre, float), np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]]), np.asarray(size, float))


def thing(number, name, centre, size=(0.5, 0.5, 0.5), *, yaw=0.0, views=(), points=None, **more):
    """An object that is exactly its box."""
    shape = box(centre, size, yaw)
    seen = tuple(InstanceView(n, 50, (10, 10, 30, 30)) for n in views)
    surface = np.zeros((0, 3), np.float32) if points is None else np.asarray(points, np.float32)
    return Instance(number, name, shape, shape, surface, seen, **more)


def memory(frames=(), instances=(), cloud=None, *, scale=METRIC, vocabulary=(), layout=None, backend="test"):
    return SpatialMemory(
        frames=tuple(frames),
        cloud=Cloud.empty() if cloud is None else cloud,
        scale=scale,
        alignment=Alignment(np.eye(4), "made"),
        provenance=Provenance(backend, "0"),
        instances=tuple(instances),
        vocabulary=frozenset(vocabulary) | {i.name for i in instances},
        layout=layout or Layout(),
    )


def sheet(corner, u, v, step=0.1, colour=(150, 150, 150), number=1):
    """Points on a rectangle from ``corner`` along ``u`` and ``v``."""
    a = np.arange(0, np.linalg.norm(u) + 1e-9, step)
    b = np.arange(0, np.linalg.norm(v) + 1e-9, step)
    along, across = np.asarray(u, float) / np.linalg.norm(u), np.asarray(v, float) / np.linalg.norm(v)
    points = np.asarray(corner, float) + a[:, None, None] * along + b[None, :, None] * across
    points = points.reshape(-1, 3).astype(np.float32)
    n = len(points)
    return Cloud(
        points,
        np.tile(np.array(colour, np.uint8), (n, 1)),
        np.ones(n, np.float32),
        np.full(n, number, np.int32),
        np.full((n, 2), 1.0, np.float32),
    )


def join(*clouds):
    from placecell.geometry.cloud import concat

    return concat(clouds)


def room_cloud(step=0.1):
    """Floor and four walls of a room 4 m x 5 m x 2.5 m around the origin, each in its own colour."""
    return join(
        sheet((-2, 0, -2.5), (4, 0, 0), (0, 0, 5), step, (120, 90, 60)),
        sheet((-2, 0, -2.5), (4, 0, 0), (0, 2.5, 0), step, (200, 60, 60)),  # north, -z
        sheet((-2, 0, 2.5), (4, 0, 0), (0, 2.5, 0), step, (60, 60, 200)),  # south, +z
        sheet((-2, 0, -2.5), (0, 0, 5), (0, 2.5, 0), step, (60, 180, 60)),  # west, -x
        sheet((2, 0, -2.5), (0, 0, 5), (0, 2.5, 0), step, (220, 200, 60)),  # east, +x
    )


def with_depth(number, eye, target, z, **kw):
    """A photo with a depth map ``z`` of its own size."""
    plain = frame(number, eye, target, **kw)
    return replace(plain, depth=DepthMap(np.asarray(z, np.float32), plain.camera))


def room():
    """Image 1 in the middle looking north (-z), image 2 east of it looking west; table north, sofa east, two chairs."""
    things = (
        thing(1, "table", (0, 0.4, -2), (1.2, 0.8, 0.6), views=(1,)),
        thing(2, "sofa", (1.6, 0.4, 0), (0.8, 0.8, 1.8), views=(1, 2)),
        thing(3, "chair", (-1.5, 0.45, -1), (0.5, 0.9, 0.5), views=(1,)),
        thing(4, "chair", (-1.5, 0.45, 1.5), (0.5, 0.9, 0.5), views=(2,), certain=False),
        thing(5, "lamp", (0.3, 2.3, 2.0), (0.3, 0.3, 0.3), views=(2,)),
    )
    frames = (
        frame(1, (0, 1.5, 0), (0, 1.5, -1), time_s=0.0),
        frame(2, (1, 1.5, 0.5), (0, 1.5, 0.5), time_s=2.5),
        frame(3, time_s=4.0),
    )
    layout = Layout(floor_area=20.0, floor_area_sd=0.2, height=2.5)
    return memory(frames, things, room_cloud(), vocabulary=("door", "window"), layout=layout)


def empty():
    return memory()


def one_point():
    return memory([frame(1, (0, 1, 0))], cloud=Cloud.of_points([[0.0, 1.0, -1.0]]))


def one_camera():
    return memory([frame(1, (0, 1, 0))])


def all_in_one_place():
    """Every point, camera and box at the same spot, boxes without extent."""
    flat = [thing(i, name, (0, 0, 0), (0, 0, 0)) for i, name in enumerate(("chair", "table", "sofa"), 1)]
    frames = [frame(1, (0, 0, 0), (0, 0, -1)), frame(2, (0, 0, 0), (0, -1, 0))]
    return memory(frames, flat, Cloud.of_points(np.zeros((50, 3))))


def on_a_line():
    points = np.linspace([0, 0, 0], [0, 3, 0], 60)
    things = [thing(1, "chair", (0, 0, 0), (0, 1, 0)), thing(2, "table", (0, 2, 0), (0, 1, 0), points=points)]
    return memory([frame(1, (0, 5, 0), (0, 0, 0)), frame(2, (0, -5, 0), (0, 0, 0))], things, Cloud.of_points(points))


def no_objects():
    return replace(room(), instances=(), vocabulary=frozenset())


def relative():
    return replace(room(), scale=Scale())


def unplaced():
    return memory([frame(1), frame(2)], [thing(1, "chair", (0, 0, 0))])


def gaps_in_numbers():
    frames = [frame(2, (0, 1, 0)), frame(5, (1, 1, 0)), frame(9)]
    return memory(frames, [thing(1, "table", (0, 0.5, -2), views=(2, 77))], room_cloud())


def thousands():
    rng = np.random.default_rng(5)
    names = ("chair", "table", "sofa", "lamp")
    things = [thing(i, names[i % 4], rng.uniform(-50, 50, 3), rng.uniform(0, 2, 3)) for i in range(1, 3001)]
    frames = [frame(n, rng.uniform(-40, 40, 3), rng.uniform(-40, 40, 3)) for n in range(1, 30)]
    return memory(frames, things, Cloud.of_points(rng.uniform(-50, 50, (500, 3))))


def boxes_only():
    return replace(room(), frames=(), cloud=Cloud.empty(), scale=Scale("metric", "annotation", 0.0))


def huge():
    things = [thing(1, "chair", (1e7, 0, 0), (1e6, 1e6, 1e6)), thing(2, "table", (-1e7, 3e6, 5), (1, 1, 1))]
    points = np.random.default_rng(1).uniform(-1e7, 1e7, (80, 3))
    return memory([frame(1, (0, 10, 0), (1e6, 10, 0))], things, Cloud.of_points(points), scale=Scale())


def tiny():
    things = [thing(1, "chair", (1e-7, 0, 0), (1e-8, 1e-8, 1e-8)), thing(2, "table", (0, 0, 2e-7), (1e-9, 0, 0))]
    points = np.random.default_rng(1).uniform(-1e-7, 1e-7, (80, 3))
    return memory([frame(1, (0, 1e-7, 0), (1e-7, 1e-7, 0))], things, Cloud.of_points(points), scale=Scale())


def around_everything():
    """One object contains the viewer and everything else; another is exactly it again."""
    things = [
        thing(1, "table", (0, 1, 0), (20, 20, 20), views=(1,)),
        thing(2, "chair", (0, 1, 0), (20, 20, 20), views=(1,)),
        thing(3, "sofa", (0, 1.5, 0), (0.2, 0.2, 0.2), front=np.array([0.0, 1.0, 0.0])),
    ]
    return memory([frame(1, (0, 1.5, 0))], things, room_cloud())


def with_fronts():
    things = [thing(i, "chair", (i, 0.4, -i), front=np.array([0.0, 0.0, 1.0]), confidence=0.0) for i in (1, 2)]
    return memory([frame(1, (0, 1.5, 0))], things, scale=Scale("metric", "user", None))


def strange_depth():
    """Depth maps without a known pixel, of one pixel, and that contradict the cloud."""
    none, one = np.zeros((48, 64)), np.zeros((48, 64))
    one[20, 30] = 1.0
    frames = [
        with_depth(1, (0, 1.5, 0), (0, 1.5, -1), none),
        with_depth(2, (0, 1.5, 0), (0, 1.5, -1), one),
        with_depth(3, (0, 1.5, 0.1), (0, 1.5, -1), np.full((48, 64), 50.0)),
    ]
    return memory(frames, [thing(1, "chair", (0, 1.5, -2), views=(2, 3))], room_cloud())


ADVERSARIAL: dict[str, Callable[[], SpatialMemory]] = {
    f.__name__: f
    for f in (
        empty,
        one_point,
        one_camera,
        all_in_one_place,
        on_a_line,
        no_objects,
        relative,
        unplaced,
        gaps_in_numbers,
        thousands,
        boxes_only,
        huge,
        tiny,
        around_everything,
        with_fronts,
        strange_depth,
        room,
    )
}
