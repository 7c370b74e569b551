"""COLMAP workspaces: ``sparse/0`` in binary or text, and the pictures in ``images``. Written by pycolmap itself.

Kept: pinhole cameras, poses, points with colours. Lost: depth, objects, which pictures saw a point, pictures without a
camera. Lens distortion was taken out of the pictures when the memory was built.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from placecell.geometry.camera import Camera
from placecell.geometry.transforms import invert
from placecell.media.native import load_pycolmap
from placecell.memory.interchange.content import Content, Files, picture_file

_MOST_POINTS = 2_000_000


def binary(content: Content) -> Files:
    """A workspace with a binary model."""
    yield from _workspace(content, text=False)


def text(content: Content) -> Files:
    """A workspace with a text model."""
    yield from _workspace(content, text=True)


def _workspace(content: Content, *, text: bool) -> Files:
    shots = content.need_placed("COLMAP model")
    names = []
    for shot in shots:
        data, suffix = picture_file(shot.frame)
        names.append(f"{shot.stem}.{suffix}")
        yield f"images/{names[-1]}", data
    model = _model(content, names)
    with tempfile.TemporaryDirectory() as folder:
        (model.write_text if text else model.write_binary)(folder)
        for path in sorted(Path(folder).iterdir()):
            yield f"sparse/0/{path.name}", path.read_bytes()


def _model(content: Content, names: list[str]) -> Any:
    pycolmap = load_pycolmap()
    model = pycolmap.Reconstruction()
    cameras: dict[tuple[object, ...], int] = {}
    for number, (shot, name) in enumerate(zip(content.placed, names, strict=True), 1):
        camera = shot.camera
        key = _key(camera)
        if key not in cameras:
            cameras[key] = len(cameras) + 1
            model.add_camera_with_trivial_rig(
                pycolmap.Camera(
                    camera_id=cameras[key],
                    model="PINHOLE",
                    width=camera.width,
                    height=camera.height,
                    params=list(key[2:]),
                )
            )
        cam_from_ref = pycolmap.Rigid3d(invert(shot.pose)[:3])
        image = pycolmap.Image(name=name, camera_id=cameras[key], image_id=number)
        model.add_image_with_trivial_frame(image, cam_from_ref)
    cloud = content.cloud
    step = max(1, -(-len(cloud) // _MOST_POINTS))
    for point, color in zip(cloud.points[::step].astype(np.float64), cloud.colors[::step], strict=True):
        model.add_point3D(point, pycolmap.Track(), color)
    return model


def _key(camera: Camera) -> tuple[object, ...]:
    """Pictures of one size and lens share a camera."""
    k = camera.K
    return camera.width, camera.height, float(k[0, 0]), float(k[1, 1]), float(k[0, 2]), float(k[1, 2])
