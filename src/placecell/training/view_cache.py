"""Views of memories kept on disk, so that training renders each once and not at every rollout.

An entry is named by everything that shapes its pixels: the memory's content, the anchor, both angles, mode, size, the
convention of angles, and the code that draws. It also says so inside and carries its own checksum: a torn, stale or
foreign file is not served but rendered anew. Many threads and processes may share one folder.
"""

from __future__ import annotations

import hashlib
import io
import json
import threading
import uuid
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import PIL
from numpy.typing import NDArray
from PIL import Image

from placecell import engine, geometry
from placecell.agents.exploring.published import CANONICAL
from placecell.engine.renders import Mode, Profile, camera_record, render_view
from placecell.engine.values import Evidence, Picture
from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.memory import storage
from placecell.memory.scene import SpatialMemory

__all__ = ["CANONICAL", "THIRTEEN", "ViewCache"]

THIRTEEN: tuple[tuple[float, float], ...] = (
    (0.0, 0.0), (-45.0, 0.0), (-90.0, 0.0), (-135.0, 0.0), (45.0, 0.0), (90.0, 0.0), (135.0, 0.0), (180.0, 0.0),
    (0.0, 45.0), (0.0, 60.0), (0.0, -45.0), (45.0, 30.0), (-45.0, 30.0),
)  # fmt: skip
"""(azimuth, elevation) of the larger set the authors' code pre-rendered; ``CANONICAL`` is the paper's."""

_SUFFIX = ".png"
_DIGEST = 64
_LOCKS = 64


class ViewCache:
    """A folder of views; ``render`` stands in for ``engine.renders.render_view``. Thread-safe.

    Args:
        folder: made when the first view is written.
        readonly: views that are not there are rendered but not kept, as by workers on a shared folder.
    """

    def __init__(self, folder: Path, *, readonly: bool = False) -> None:
        self.folder = folder
        self.readonly = readonly
        self._digests: WeakKeyDictionary[SpatialMemory, str] = WeakKeyDictionary()
        self._lock = threading.Lock()
        self._making = tuple(threading.Lock() for _ in range(_LOCKS))

    def render(
        self,
        memory: SpatialMemory,
        /,
        *,
        anchor: int | None,
        azimuth: float,
        elevation: float,
        mode: Mode,
        size: int,
        profile: Profile,
    ) -> Picture:
        """The picture ``render_view`` gives for these arguments, from disk when it is there.

        Raises:
            UserError: what ``render_view`` refuses, or a folder that cannot be written.
        """
        view: dict[str, Any] = {
            "anchor": anchor,
            "azimuth": float(azimuth),
            "elevation": float(elevation),
            "mode": mode,
            "size": size,
            "profile": profile,
        }
        request = view | {"memory": self._digest(memory), "code": _code()}
        path = self._path(request)
        found = _read(path, request)
        if found is not None:
            return found
        with self._making[hash(path) % _LOCKS]:
            found = _read(path, request)
            if found is None:
                found = render_view(memory, **view)
                if not self.readonly:
                    _write(path, request, found)
        return found

    def prerender(
        self,
        memory: SpatialMemory,
        *,
        size: int,
        anchors: Iterable[int] | None = None,
        angles: Iterable[tuple[float, float]] = CANONICAL,
        modes: Iterable[Mode] = ("global",),
        profile: Profile = "think3d",
    ) -> int:
        """Make all views of these anchors (default: the first image with a place), angles and modes; returns how many.

        The defaults are what the profile ``canonical`` asks for.
        """
        first = [frame.number for frame in memory.posed_frames][:1]
        views = [(a, e, m) for a in (first if anchors is None else anchors) for e in angles for m in modes]
        for anchor, (azimuth, elevation), mode in views:
            self.render(
                memory, anchor=anchor, azimuth=azimuth, elevation=elevation, mode=mode, size=size, profile=profile
            )
        return len(views)

    def _digest(self, memory: SpatialMemory) -> str:
        with self._lock:
            if memory not in self._digests:
                self._digests[memory] = storage.digest(memory)
            return self._digests[memory]

    def _path(self, request: Mapping[str, Any]) -> Path:
        """One folder a scene, so that a scene's views can be found and removed."""
        name = hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:32]
        return self.folder / str(request["memory"])[:16] / f"{name}{_SUFFIX}"


@cache
def _code() -> str:
    """Of the code that draws: views of another version of it are other views."""
    packages = [Path(package.__path__[0]) for package in (engine, geometry)]
    files = sorted(file for package in packages for file in package.glob("*.py"))
    drawn = b"".join(file.read_bytes() for file in files)
    versions = f"{metadata.version('placecell')} {PIL.__version__}"
    return hashlib.sha256(drawn + versions.encode()).hexdigest()[:16]


def _write(path: Path, request: Mapping[str, Any], picture: Picture) -> None:
    """A PNG that any viewer opens, behind its end a line of JSON, and last the SHA-256 of all before."""
    buffer = io.BytesIO()
    Image.fromarray(picture.rgb).save(buffer, "PNG", compress_level=1)
    record = json.dumps({"request": dict(request), "picture": _record(picture)})
    body = buffer.getvalue() + b"\n" + record.encode()
    temporary = path.with_suffix(f".{uuid.uuid4().hex}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(body + hashlib.sha256(body).hexdigest().encode())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise UserError(f"{path} cannot be written ({error.strerror})", hint="choose another view cache") from None


def _read(path: Path, request: Mapping[str, Any]) -> Picture | None:
    """The entry's picture; None when there is none, it is torn or changed, or it is another view's."""
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    body, checksum = data[:-_DIGEST], data[-_DIGEST:]
    if hashlib.sha256(body).hexdigest().encode() != checksum:
        return None
    png, _, text = body.rpartition(b"\n")
    record = json.loads(text)
    if record["request"] != request:
        return None
    with Image.open(io.BytesIO(png)) as opened:
        return _picture(np.asarray(opened), record["picture"])


def _record(picture: Picture) -> dict[str, Any]:
    return {
        "mode": picture.mode,
        "caption": picture.caption,
        "camera": None if picture.camera is None else camera_record(picture.camera),
        "units_per_pixel": picture.units_per_pixel,
        "shown": picture.shown,
        "evidence": asdict(picture.evidence),
        "sidecar": picture.sidecar,
    }


def _picture(rgb: NDArray[np.uint8], record: Mapping[str, Any]) -> Picture:
    camera, evidence = record["camera"], record["evidence"]
    return Picture(
        rgb,
        record["mode"],
        record["caption"],
        None if camera is None else _camera(camera),
        record["units_per_pixel"],
        tuple(record["shown"]),
        Evidence(tuple(evidence["frames"]), tuple(evidence["instances"]), evidence["points"], tuple(evidence["flags"])),
        record["sidecar"],
    )


def _camera(record: Mapping[str, Any]) -> Camera:
    return Camera(np.array(record["K"]), record["width"], record["height"], np.array(record["world_from_cam"]))
