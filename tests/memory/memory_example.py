"""A small memory that uses every field, made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from placecell.geometry.boxes import gravity_box, oriented_box
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import look_at
from placecell.geometry.walls import Wall
from placecell.media.sources import Skipped
from placecell.memory.pictures import ComputedPicture
from placecell.memory.scene import (
    Alignment,
    DepthMap,
    Edit,
    Frame,
    Instance,
    InstanceView,
    Layout,
    Provenance,
    Scale,
    SpatialMemory,
)
from placecell.memory.track import true_track


def picture(number, height=30, width=40):
    noise = np.random.default_rng(number).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return ComputedPicture(lambda: noise, lambda rgb: rgb)


def frame(number, **changes):
    camera = Camera.from_fov(70, 40, 30, look_at([number, 1.5, 3.0], [0, 1, 0.1]))
    rng = np.random.default_rng(number)
    z = rng.integers(0, 4000, (15, 20)).astype(np.float32) / np.float32(1000)
    confidence = rng.random((15, 20)).astype(np.float32)
    made = Frame(
        number=number,
        name=f"room/{number}.jpg",
        digest=f"{number:064x}",
        width=40,
        height=30,
        read_rgb=picture(number),
        camera=camera,
        depth=DepthMap(z, camera.resized(20, 15), confidence),
        time_s=number / 3,
        original_size=(80, 60),
        notes=("a note",),
    )
    return replace(made, **changes)


def memory():
    rng = np.random.default_rng(0)
    n = 500
    cloud = Cloud(
        points=rng.normal(size=(n, 3)),
        colors=rng.integers(0, 256, (n, 3)),
        confidence=rng.random(n),
        frame=rng.integers(0, 4, n),
        pixel=np.where(rng.random((n, 1)) < 0.1, np.nan, rng.random((n, 2)) * 30),
    )
    points = rng.normal(size=(60, 3)).astype(np.float32)
    chair = Instance(
        id=4,
        name="chair",
        box=oriented_box(points),
        upright_box=gravity_box(points),
        points=points,
        views=(InstanceView(1, 120, (3, 4, 20, 22)), InstanceView(3, 90, (0, 0, 10, 30))),
        confidence=0.75,
        certain=False,
        size_sd=0.02,
        hidden_sd=np.array([[0.0, 0.0], [0.0, 0.1], [0.3, 0.0]]),
        centre_sd=0.01,
        first_seen_s=0.1,
        last_seen_s=1 / 3,
        front=np.array([0.6, 0.0, 0.8]),
    )
    door = Instance(7, "door", chair.box, chair.upright_box)
    return SpatialMemory(
        frames=(frame(1), frame(3, depth=None), frame(4, camera=None, depth=None, time_s=None, original_size=None)),
        cloud=cloud,
        scale=Scale("metric", "sensor", 0.01),
        alignment=Alignment(look_at([1, 2, 3], [0, 0, 0]), "floor and walls", 0.4, confident=False),
        provenance=Provenance("posed", "0.1.0", {"voxel": 0.01, "list": [1, 2]}, ("room",), ("note",), ("MIT",)),
        instances=(chair, door),
        vocabulary=frozenset({"chair", "door", "sofa"}),
        layout=Layout(
            12.5, 0.3, 2.4, np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]]), (Wall((0.0, 0.0), (4.0, 0.0), 0.0, 2.4),)
        ),
        skipped=(Skipped("broken.jpg", "is empty (0 bytes)"),),
        version=2,
        edits=(Edit(2, "rename", "chair 4"),),
        dynamic=False,
        tracks=(
            true_track(3, "cat", [0.1, 0.4, 1 / 3 + 1], rng.normal(size=(3, 3)), seen=[1, 0, 1], front_deg=[1, 2, 3]),
            true_track(9, "cat", [0.5], [[1, 2, 3]], spin=[0, 30, 0], pixels=[120], bbox=[1, 2, 3, 4], size=0.4),
        ),
    )
