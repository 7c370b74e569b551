"""Captures as folders of pictures, depth images and poses: nerfstudio, TUM RGB-D, Open3D, ScanNet-style, Record3D.

Each is the layout that ``backends/posed`` reads. Kept: pictures, cameras, depth where there is any, to its step. Lost:
objects, confidence, pictures without a camera, and lens distortion, which was taken out when the memory was built.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import convert_camera, to_quat_wxyz
from placecell.memory.interchange.content import Content, Files, Shot, depth_file, depth_step, picture_file
from placecell.memory.interchange.ply import write_ply
from placecell.memory.scene import DepthMap

_MILLIMETRE = 0.001
_TUM_STEP = 1 / 5000
_HALF_PIXEL = np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]])
"""Depth captures have the centre of the top-left pixel at (0, 0)."""


def nerfstudio(content: Content) -> Files:
    """``transforms.json`` with OpenGL axes and intrinsics in each frame, ``images``, ``depth``, ``points.ply``."""
    shots = content.need_placed("transforms.json")
    step = depth_step(content, _MILLIMETRE)
    frames = []
    for shot in shots:
        data, suffix = picture_file(shot.frame)
        name = f"images/{shot.stem}.{suffix}"
        yield name, data
        row: dict[str, Any] = {"file_path": name, **_nerfstudio_lens(shot.camera)}
        row["transform_matrix"] = convert_camera(shot.pose, "opencv", "nerfstudio").tolist()
        if shot.frame.depth is not None:
            row["depth_file_path"] = f"depth/{shot.stem}.png"
            yield row["depth_file_path"], depth_file(shot.frame.depth.z, step)
        if shot.frame.time_s is not None:
            row["time"] = shot.frame.time_s
        frames.append(row)
    whole: dict[str, Any] = {"camera_model": "PINHOLE", "frames": frames}
    if any("depth_file_path" in row for row in frames):
        whole["depth_unit_scale_factor"] = step
    if len(content.cloud):
        whole["ply_file_path"] = "points.ply"
        yield "points.ply", write_ply(content.cloud)
    yield "transforms.json", (json.dumps(whole, indent=1) + "\n").encode()


def tum(content: Content) -> Files:
    """``rgb.txt``, ``depth.txt``, ``groundtruth.txt``, one camera for all; times are the frames', else 30 a second."""
    shots = content.need_placed("TUM sequence")
    yield "camera-intrinsics.txt", _fx_fy_cx_cy(_one_camera(shots, "TUM"))
    step = depth_step(content, _TUM_STEP)
    if step != _TUM_STEP:
        yield "depth-scale.txt", f"{1 / step!r}\n".encode()
    lists: dict[str, list[str]] = {"rgb": [], "depth": [], "groundtruth": []}
    for time, shot in zip(_times(shots), shots, strict=True):
        data, suffix = picture_file(shot.frame)
        lists["rgb"].append(f"{time:.6f} rgb/{shot.stem}.{suffix}")
        yield f"rgb/{shot.stem}.{suffix}", data
        if shot.frame.depth is not None:
            lists["depth"].append(f"{time:.6f} depth/{shot.stem}.png")
            yield f"depth/{shot.stem}.png", depth_file(shot.frame.depth.z, step)
        w, x, y, z = to_quat_wxyz(shot.pose).tolist()
        place = " ".join(repr(float(v)) for v in (*shot.pose[:3, 3], x, y, z, w))
        lists["groundtruth"].append(f"{time:.6f} {place}")
    for name, lines in lists.items():
        if lines:
            yield f"{name}.txt", ("\n".join(lines) + "\n").encode()


def open3d(content: Content) -> Files:
    """``trajectory.log``, ``camera.json``, ``color`` and ``depth``; one camera, and depth for every picture or none."""
    shots = content.need_placed("trajectory")
    camera = _one_camera(shots, "Open3D")
    step = _depth_of_all(content, shots)
    columns = (camera.K - _HALF_PIXEL).T.ravel().tolist()
    told = {"width": camera.width, "height": camera.height, "intrinsic_matrix": columns}
    yield "camera.json", (json.dumps(told, indent=1) + "\n").encode()
    if step is not None and step != _MILLIMETRE:
        yield "depth-scale.txt", f"{1 / step!r}\n".encode()
    log = []
    for place, shot in enumerate(shots):
        data, suffix = picture_file(shot.frame)
        yield f"color/{place:06d}.{suffix}", data
        if step is not None and shot.frame.depth is not None:
            yield f"depth/{place:06d}.png", depth_file(shot.frame.depth.z, step)
        log += [f"{place} {place} {place + 1}", _matrix(shot.pose).rstrip()]
    yield "trajectory.log", ("\n".join(log) + "\n").encode()


def scannet(content: Content) -> Files:
    """``color``, ``depth``, ``pose`` and ``intrinsic``; one camera for pictures and one for depth, which all have."""
    shots = content.need_placed("ScanNet folder")
    depths = _need_depth(shots, "a ScanNet folder")
    step = depth_step(content, _MILLIMETRE)
    yield "intrinsic/intrinsic_color.txt", _matrix(_in_4x4(_one_camera(shots, "ScanNet"))).encode()
    yield "intrinsic/intrinsic_depth.txt", _matrix(_in_4x4(depths[0].camera)).encode()
    if step != _MILLIMETRE:
        yield "depth-scale.txt", f"{1 / step!r}\n".encode()
    for place, (shot, depth) in enumerate(zip(shots, depths, strict=True)):
        data, suffix = picture_file(shot.frame)
        yield f"color/{place}.{suffix}", data
        yield f"pose/{place}.txt", _matrix(shot.pose).encode()
        yield f"depth/{place}.png", depth_file(depth.z, step)


def record3d(content: Content) -> Files:
    """``metadata.json`` with ARKit poses, ``rgb``, and for each ``depth`` as 32-bit EXR; one picture size."""
    shots = content.need_placed("Record3D recording")
    depths = _need_depth(shots, "a Record3D recording")
    cameras = [shot.camera for shot in shots]
    if len({(camera.width, camera.height) for camera in cameras}) > 1:
        raise UserError("Record3D keeps one picture size and these differ", hint="convert to nerfstudio instead")
    poses, lenses = [], []
    for place, (shot, camera, depth) in enumerate(zip(shots, cameras, depths, strict=True)):
        data, suffix = picture_file(shot.frame)
        yield f"rgb/{place}.{suffix}", data
        yield f"depth/{place}.exr", _exr(depth.z)
        w, x, y, z = to_quat_wxyz(convert_camera(shot.pose, "opencv", "arkit")).tolist()
        poses.append([x, y, z, w, *shot.pose[:3, 3].tolist()])
        k = camera.K - _HALF_PIXEL
        lenses.append([k[0, 0], k[1, 1], k[0, 2], k[1, 2]])
    first = cameras[0]
    told = {
        "w": first.width,
        "h": first.height,
        "K": (first.K - _HALF_PIXEL).T.ravel().tolist(),
        "poses": poses,
        "perFrameIntrinsicCoeffs": lenses,
        "frameTimestamps": _times(shots),
    }
    yield "metadata.json", json.dumps(told).encode()


def _one_camera(shots: tuple[Shot, ...], layout: str) -> Camera:
    """The camera of all shots. UserError when their lenses or sizes differ: such a layout keeps only one."""
    first = shots[0].camera
    for shot in shots:
        camera = shot.camera
        if (camera.width, camera.height) != (first.width, first.height) or not np.allclose(camera.K, first.K):
            raise UserError(
                f"{layout} keeps one camera for all pictures; image {shot.frame.number} has another than image"
                f" {shots[0].frame.number}",
                hint="convert to nerfstudio or colmap, which keep one for each",
            )
    return first


def _depth_of_all(content: Content, shots: tuple[Shot, ...]) -> float | None:
    """The depth step, or None when no shot has depth. UserError when only some have: they go by order."""
    if all(shot.frame.depth is None for shot in shots):
        return None
    _need_depth(shots, "a trajectory")
    return depth_step(content, _MILLIMETRE)


def _need_depth(shots: tuple[Shot, ...], layout: str) -> list[DepthMap]:
    """The depth of every shot. UserError when one has none: the layout is recognized by its depth, or goes by order."""
    depths = [shot.frame.depth for shot in shots if shot.frame.depth is not None]
    if len(depths) < len(shots):
        without = next(shot.frame.number for shot in shots if shot.frame.depth is None)
        raise UserError(
            f"{layout} has depth for every picture, and image {without} has none", hint="use nerfstudio or colmap"
        )
    return depths


def _times(shots: tuple[Shot, ...]) -> list[float]:
    """The frames' own times where all have one, else 30 a second by their place."""
    known = [shot.frame.time_s for shot in shots]
    return [t for t in known if t is not None] if None not in known else [place / 30 for place in range(len(shots))]


def _nerfstudio_lens(camera: Camera) -> dict[str, float]:
    k = camera.K
    return {
        "w": camera.width,
        "h": camera.height,
        "fl_x": float(k[0, 0]),
        "fl_y": float(k[1, 1]),
        "cx": float(k[0, 2]),
        "cy": float(k[1, 2]),
    }


def _fx_fy_cx_cy(camera: Camera) -> bytes:
    k = camera.K - _HALF_PIXEL
    return (" ".join(repr(float(v)) for v in (k[0, 0], k[1, 1], k[0, 2], k[1, 2])) + "\n").encode()


def _in_4x4(camera: Camera) -> NDArray[np.float64]:
    whole = np.eye(4)
    whole[:3, :3] = camera.K - _HALF_PIXEL
    return whole


def _matrix(matrix: NDArray[np.float64]) -> str:
    return "\n".join(" ".join(repr(float(v)) for v in row) for row in matrix) + "\n"


def _exr(z: NDArray[np.float32]) -> bytes:
    import OpenEXR

    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "depth.exr"
        with OpenEXR.File(header, {"R": np.ascontiguousarray(z, np.float32)}) as file:
            file.write(str(path))
        return path.read_bytes()
