"""The formats a memory can be written in, and writing one: whole or not at all."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from placecell.errors import UserError
from placecell.memory.interchange import captures, colmap
from placecell.memory.interchange.content import Content, Files, Reference, content_of
from placecell.memory.interchange.glb import glb
from placecell.memory.interchange.ply import write_ply
from placecell.memory.interchange.rrd import rrd
from placecell.memory.scene import SpatialMemory


@dataclass(frozen=True)
class Format:
    """``suffix``: that of a single file, None for a folder. ``loses`` says what does not survive.

    ``metres``: whoever reads it takes lengths for metres. ``up``: and this direction for up. ``reference``: the frame
    it is usually wanted in.
    """

    name: str
    what: str
    write: Callable[[Content], Files]
    loses: str
    suffix: str | None = None
    metres: bool = False
    up: tuple[float, float, float] | None = None
    reference: Reference = "source"


def _ply(content: Content) -> Files:
    if not len(content.cloud):
        raise UserError("the memory has no points to write")
    yield "points.ply", write_ply(content.cloud)


_Y, _Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_NO_OBJECTS = "objects, confidence, pictures without a camera"
_ALL = (
    Format("colmap", "COLMAP workspace, binary model", colmap.binary, f"depth, metres, tracks, {_NO_OBJECTS}"),
    Format("colmap-text", "COLMAP workspace, text model", colmap.text, f"depth, metres, tracks, {_NO_OBJECTS}"),
    Format(
        "nerfstudio",
        "transforms.json with images and depth",
        captures.nerfstudio,
        f"metres where there is no depth, {_NO_OBJECTS}",
    ),
    Format("tum", "TUM RGB-D sequence", captures.tum, f"points, {_NO_OBJECTS}", metres=True),
    Format("open3d", "Open3D trajectory log", captures.open3d, f"times, points, {_NO_OBJECTS}", metres=True),
    Format("scannet", "ScanNet-style folder", captures.scannet, f"times, points, {_NO_OBJECTS}", metres=True, up=_Z),
    Format("record3d", "Record3D EXR export", captures.record3d, f"points, {_NO_OBJECTS}", metres=True, up=_Y),
    Format("ply", "coloured points", _ply, "everything but points and colours", suffix=".ply"),
    Format("glb", "glTF: points and boxes", glb, "pictures, cameras, depth", ".glb", metres=True, reference="world"),
    Format("rrd", "rerun recording", rrd, "confidence, provenance", suffix=".rrd", reference="world"),
)
FORMATS: Mapping[str, Format] = {format_.name: format_ for format_ in _ALL}


def find_format(name: str | None, target: Path) -> Format:
    """The named format, or the one of the target's suffix. UserError with the names when neither says which."""
    if name is None:
        found = next((f for f in _ALL if f.suffix is not None and f.suffix == target.suffix.lower()), None)
        if found is None:
            raise UserError(f"{target} does not say its format", hint=f"give --to {', '.join(FORMATS)}")
        return found
    if name not in FORMATS:
        raise UserError(f"unknown format {name!r}", hint=f"choose {', '.join(FORMATS)}")
    return FORMATS[name]


def write(memory: SpatialMemory, target: Path, format_: Format, *, reference: Reference | None = None) -> int:
    """Write the memory; the number of bytes. A folder appears complete or not at all, a file takes its place at once.

    Raises:
        UserError: the target exists and is in use, cannot be written, or the memory lacks what the format needs.
        BackendUnavailable: the format needs an extra.
    """
    content = content_of(memory, reference or format_.reference, None if format_.up is None else np.array(format_.up))
    if format_.suffix is None and target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError(f"{target} exists and is not an empty folder", hint="name a new folder")
    if format_.suffix is not None and target.is_dir():
        raise UserError(f"{target} is a folder, and {format_.what} is one file", hint=f"name a {format_.suffix} file")
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        size = _write_all(temporary, format_, content)
        if format_.suffix is None and target.exists():
            target.rmdir()
        temporary.replace(target)
    except OSError as error:
        raise UserError(f"{target} cannot be written ({error.strerror or error})", hint="name another place") from None
    finally:  # nothing is left of it unless it has become the target
        shutil.rmtree(temporary, ignore_errors=True)
        if temporary.is_file():
            temporary.unlink()
    return size


def _write_all(target: Path, format_: Format, content: Content) -> int:
    size = 0
    for name, data in format_.write(content):
        path = target if format_.suffix is not None else target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        size += len(data)
    return size
