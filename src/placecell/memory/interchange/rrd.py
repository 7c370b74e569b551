"""Rerun recordings: points, pictures in their cameras, depth and boxes, by frame. Needs the extra [rerun].

Lost: confidence, uncertainty, provenance. The recording is for looking; it is not read back.
"""

from __future__ import annotations

import importlib
import tempfile
from pathlib import Path
from typing import Any

from placecell.errors import BackendUnavailable
from placecell.geometry.transforms import to_quat_wxyz
from placecell.memory.interchange.content import Content, Files, picture_file


def rrd(content: Content) -> Files:
    """One file ``scene.rrd``."""
    try:
        rerun: Any = importlib.import_module("rerun")
    except ImportError:
        raise BackendUnavailable("rerun recordings need rerun: pip install 'placecell[rerun]'") from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scene.rrd"
        stream = rerun.RecordingStream("placecell", recording_id="placecell")
        stream.save(str(path))
        _tell(rerun, stream, content)
        stream.flush()
        stream.disconnect()
        yield "scene.rrd", path.read_bytes()


def _tell(rerun: Any, stream: Any, content: Content) -> None:
    right, up, _ = abs(content.up)
    axes = "RIGHT_HAND_Y_UP" if up >= max(right, 0.5) else "RIGHT_HAND_Z_UP" if right < 0.5 else "RIGHT_HAND_X_UP"
    stream.log("world", getattr(rerun.ViewCoordinates, axes), static=True)
    if len(content.cloud):
        stream.log("world/points", rerun.Points3D(content.cloud.points, colors=content.cloud.colors), static=True)
    if content.boxes:
        names, boxes = zip(*content.boxes, strict=True)
        turns = [to_quat_wxyz(box.world_from_box)[[1, 2, 3, 0]] for box in boxes]
        stream.log(
            "world/objects",
            rerun.Boxes3D(
                centers=[box.centre for box in boxes],
                half_sizes=[box.size / 2 for box in boxes],
                quaternions=[rerun.Quaternion(xyzw=turn) for turn in turns],
                labels=list(names),
            ),
            static=True,
        )
    for shot in content.placed:
        place = f"world/image_{shot.frame.number}"
        stream.set_time("frame", sequence=shot.frame.number)
        if shot.frame.time_s is not None:
            stream.set_time("time", duration=shot.frame.time_s)
        camera = shot.camera
        stream.log(place, rerun.Transform3D(translation=shot.pose[:3, 3], mat3x3=shot.pose[:3, :3]))
        size = [camera.width, camera.height]
        stream.log(f"{place}/picture", rerun.Pinhole(image_from_camera=camera.K, resolution=size))
        data, suffix = picture_file(shot.frame)
        media_type = "image/png" if suffix == "png" else "image/jpeg"
        stream.log(f"{place}/picture", rerun.EncodedImage(contents=data, media_type=media_type))
        depth_camera = shot.depth_camera
        if shot.frame.depth is not None and depth_camera is not None:
            size = [depth_camera.width, depth_camera.height]
            stream.log(f"{place}/depth", rerun.Pinhole(image_from_camera=depth_camera.K, resolution=size))
            stream.log(f"{place}/depth", rerun.DepthImage(shot.frame.depth.z, meter=1.0))
