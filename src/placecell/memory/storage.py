"""A memory on disk: ``NAME.pcell`` (an uncompressed zip) or a folder with the same members.

    manifest.json        everything but arrays and pixels, with the sha256 of every other member (``manifest``)
    arrays.safetensors   the cloud, depth maps, objects' points and tracks, used in place through a memory map
    frames/000001.jpg    the pictures: the photo's own file where it was upright and undistorted, else lossless WebP

Saving and loading changes nothing, bit by bit; equal memories give equal files. A save that is interrupted leaves the
file that was there before. Depth is stored as 16-bit steps or half floats where that is exact, else as 32-bit floats.
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydantic import ValidationError

from placecell.errors import UserError
from placecell.memory import archive
from placecell.memory.manifest import (
    CLOUD_ARRAYS,
    FORMAT,
    READABLE,
    SCHEMA,
    CameraRecord,
    DepthRecord,
    FrameRecord,
    Manifest,
    MemberRecord,
    describe,
    restore,
    track_arrays,
)
from placecell.memory.pictures import StoredPicture, encode_exactly
from placecell.memory.scene import DepthMap, Frame, SpatialMemory
from placecell.memory.tensors import pack, unpack

SUFFIX = ".pcell"
_MANIFEST, _ARRAYS = "manifest.json", "arrays.safetensors"
_MAX_MANIFEST = 256 * 2**20
_REBUILD = "build the memory again"
# Depth sensors' usual steps: a millimetre, TUM's 1/5000, APC's 1/10000.
_STEPS_PER_UNIT = (1000.0, 5000.0, 10000.0)


def save(memory: SpatialMemory, path: Path, overwrite: bool = False) -> None:
    """Write ``path`` completely or not at all: a file when its name ends in ``.pcell``, else a folder.

    UserError when it exists (``overwrite`` replaces a file, never a folder), or cannot be written.
    """
    if path.exists() and not overwrite:
        raise UserError(f"{path} exists already", hint="choose another name, or allow overwriting")
    check_target(path, replace_anything=overwrite)
    write = archive.write_zip if path.suffix == SUFFIX else archive.write_folder
    try:
        write(path, _members(memory))
    except OSError as error:
        raise UserError(f"{path} cannot be written ({error.strerror or error})") from None


def check_target(path: Path, *, replace_anything: bool = False) -> None:
    """UserError when no memory can be saved as ``path``: to be asked before hours of work, not after.

    A memory there is in nobody's way; any other file is, unless ``replace_anything``.
    """
    if path.suffix not in (SUFFIX, ""):
        raise UserError(f"{path}: a memory's file is named NAME{SUFFIX}", hint=f"use {path.with_suffix(SUFFIX).name}")
    if not path.parent.is_dir():
        raise UserError(f"the folder {path.parent} does not exist", hint="make it first")
    if path.suffix != SUFFIX and path.exists():
        what = "a folder cannot be replaced safely" if path.is_dir() else f"a memory's file is named NAME{SUFFIX}"
        raise UserError(f"{path} exists, and {what}", hint=f"save to {path.with_suffix(SUFFIX).name}")
    if path.is_dir():
        raise UserError(f"{path} is a folder", hint="choose another name")
    if path.exists() and not replace_anything and not _is_memory(path):
        raise UserError(f"{path} exists and is no memory", hint="choose another name, or allow replacing it")


def load(path: Path) -> SpatialMemory:
    """Open a saved memory: arrays stay on disk until used, pictures until asked for; every byte is checked once.

    UserError when it is no memory, damaged, or of a schema this version does not read.
    """
    members, manifest = _open(path)
    try:
        arrays = unpack(members[_ARRAYS])
        for record in manifest.frames:
            if record.picture not in manifest.members:
                raise KeyError(record.picture)
        return restore(manifest, arrays, lambda record: _stored(members, record))
    except (ValueError, KeyError) as error:
        raise UserError(f"{path} is damaged: {error}", hint=_REBUILD) from None


def content_digest(path: Path) -> str:
    """sha256 of the manifest of a saved memory, which covers every other member: equal for equal memories."""
    members, _ = _open(path)
    return _sha256(members[_MANIFEST])


def digest(memory: SpatialMemory) -> str:
    """What ``content_digest`` would say of a memory if it were saved. Takes about as long as saving it."""
    [(_, manifest)] = deque(_members(memory), maxlen=1)
    return _sha256(manifest)


def is_memory_folder(path: Path) -> bool:
    """Whether a folder looks like a saved memory, by the names in it."""
    return path.is_dir() and (path / _MANIFEST).is_file() and (path / _ARRAYS).is_file()


def _is_memory(path: Path) -> bool:
    try:
        return _MANIFEST in archive.read(path)
    except UserError:
        return False


def _open(path: Path) -> tuple[dict[str, memoryview], Manifest]:
    if not path.exists():
        raise UserError(f"{path}: no such file or folder")
    members = archive.read(path, checked=_MANIFEST)
    if _MANIFEST not in members:
        raise UserError(f"{path} is no memory: it has no {_MANIFEST}")
    manifest = _read_manifest(path, members[_MANIFEST])
    expected, found = {*manifest.members, _MANIFEST}, set(members)
    if expected != found:
        missing, extra = sorted(expected - found), sorted(found - expected)
        what = f"{missing[0]} is missing" if missing else f"{extra[0]} does not belong to it"
        raise UserError(f"{path} is damaged: {what}", hint=_REBUILD)
    for name, record in manifest.members.items():
        data = members[name]
        if len(data) != record.bytes or _sha256(data) != record.sha256:
            raise UserError(f"{path} is damaged: {name} is not what was saved", hint=_REBUILD)
    return members, manifest


def _read_manifest(path: Path, data: memoryview) -> Manifest:
    if len(data) > _MAX_MANIFEST:
        raise UserError(f"{path} has a manifest of {len(data) / 2**20:.0f} MiB, it is no memory")
    try:
        raw = json.loads(bytes(data))
    except (ValueError, RecursionError):
        raise UserError(f"{path} is damaged: its manifest is no JSON", hint=_REBUILD) from None
    if not isinstance(raw, dict) or raw.get("format") != FORMAT:
        raise UserError(f"{path} is no placecell memory")
    version = raw.get("format_version")
    if version not in READABLE:
        newer = isinstance(version, int) and version > SCHEMA
        raise UserError(
            f"{path} has memory format {version}, this placecell reads {' or '.join(map(str, READABLE))}",
            hint="update placecell" if newer else _REBUILD,
        )
    try:
        return Manifest.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"{path} is damaged: manifest, {where}: {first['msg']}", hint=_REBUILD) from None


def _members(memory: SpatialMemory) -> Iterator[tuple[str, bytes]]:
    """Every member in order, the manifest last because it holds the digests of the others."""
    written: dict[str, MemberRecord] = {}
    arrays: dict[str, NDArray[Any]] = {f"cloud/{name}": getattr(memory.cloud, name) for name in CLOUD_ARRAYS}
    records = []
    for frame in memory.frames:
        data, suffix = encode_exactly(frame.read_rgb)
        name = f"frames/{frame.number:06d}.{suffix}"
        written[name] = MemberRecord(bytes=len(data), sha256=_sha256(data))
        yield name, data
        records.append(_frame_record(frame, name, arrays))
    things = (*memory.instances, *memory.retired)
    points_of = {instance.id: f"instances/{instance.id}" for instance in things}
    arrays.update({points_of[i.id]: np.asarray(i.points, np.float32) for i in things})
    for track in memory.tracks:
        arrays.update(track_arrays(track))
    data = pack(arrays)
    written[_ARRAYS] = MemberRecord(bytes=len(data), sha256=_sha256(data))
    yield _ARRAYS, data
    manifest = describe(memory, tuple(records), points_of, written)
    yield _MANIFEST, (manifest.model_dump_json(indent=1) + "\n").encode()


def _frame_record(frame: Frame, picture: str, arrays: dict[str, NDArray[Any]]) -> FrameRecord:
    depth = None if frame.depth is None else _depth_record(frame.depth, frame.number, arrays)
    return FrameRecord.of(frame, picture, depth)


def _depth_record(depth: DepthMap, number: int, arrays: dict[str, NDArray[Any]]) -> DepthRecord:
    z, confidence = f"depth/{number}", None
    arrays[z], steps = _shorter(depth.z)
    if depth.confidence is not None:
        confidence = f"confidence/{number}"
        arrays[confidence] = _halved(depth.confidence)
    return DepthRecord(z=z, steps_per_unit=steps, confidence=confidence, camera=CameraRecord.of(depth.camera))


def _shorter(z: NDArray[np.float32]) -> tuple[NDArray[Any], float | None]:
    """Depth as whole steps or half floats when that gives back exactly the same numbers, else as it is."""
    if np.isfinite(z).all() and (z >= 0).all():
        for steps in _STEPS_PER_UNIT:
            whole = np.rint(z * np.float32(steps))
            if whole.max(initial=0) <= 65535 and np.array_equal(whole / np.float32(steps), z):
                return whole.astype(np.uint16), steps
    return _halved(z), None


def _halved(values: NDArray[np.float32]) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        half = values.astype(np.float16)
    return half if np.array_equal(half.astype(np.float32), values, equal_nan=True) else values


def _stored(members: dict[str, memoryview], record: FrameRecord) -> StoredPicture:
    return StoredPicture(members[record.picture], record.name, record.width, record.height)


def _sha256(data: bytes | memoryview) -> str:
    return hashlib.sha256(data).hexdigest()
