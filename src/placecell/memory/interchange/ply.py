"""Point clouds as PLY files: binary or text, any order and type of properties; unknown properties are passed over.

Written: x, y, z float32, red, green, blue. Normals, faces and other elements are not kept.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError
from placecell.geometry.cloud import Cloud

_TYPES = {
    **dict.fromkeys(("char", "int8"), "i1"),
    **dict.fromkeys(("uchar", "uint8"), "u1"),
    **dict.fromkeys(("short", "int16"), "i2"),
    **dict.fromkeys(("ushort", "uint16"), "u2"),
    **dict.fromkeys(("int", "int32"), "i4"),
    **dict.fromkeys(("uint", "uint32"), "u4"),
    **dict.fromkeys(("float", "float32"), "f4"),
    **dict.fromkeys(("double", "float64"), "f8"),
}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_LONGEST_HEADER = 64 * 1024
_MOST_POINTS = 200_000_000


@dataclass(frozen=True)
class _Header:
    order: str
    count: int
    fields: tuple[tuple[str, str], ...]
    size: int


def write_ply(cloud: Cloud) -> bytes:
    """The cloud as a binary little-endian PLY file."""
    table = np.zeros(len(cloud), dtype=[*((n, "<f4") for n in "xyz"), *((n, "u1") for n in ("red", "green", "blue"))])
    for column, name in enumerate("xyz"):
        table[name] = cloud.points[:, column]
    for column, name in enumerate(("red", "green", "blue")):
        table[name] = cloud.colors[:, column]
    lines = ["ply", "format binary_little_endian 1.0", f"element vertex {len(cloud)}"]
    lines += [f"property float {name}" for name in "xyz"]
    lines += [f"property uchar {name}" for name in ("red", "green", "blue")]
    return ("\n".join([*lines, "end_header"]) + "\n").encode() + table.tobytes()


def read_ply(path: Path) -> Cloud:
    """The points of a PLY file whose first element is ``vertex``; without colours they are grey.

    Points that are not finite are left out. UserError for a file that is no PLY, was cut short, or has no x, y, z.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read ({error.strerror or error})") from None
    header = _header(path, data)
    table = _binary(path, data, header) if header.order else _text(path, data, header)
    names = [name for name, _ in header.fields]
    if not {"x", "y", "z"} <= set(names):
        raise UserError(f"{path} has points without x, y and z: {', '.join(names)}")
    points = np.stack([table[name].astype(np.float32) for name in "xyz"], axis=1)
    finite = np.asarray(np.isfinite(points).all(axis=1))
    return Cloud.of_points(points[finite], _colors(table, names, finite))


def _header(path: Path, data: bytes) -> _Header:
    end = data.find(b"end_header", 0, _LONGEST_HEADER)
    newline = data.find(b"\n", end)
    if not data.startswith(b"ply") or end < 0 or newline < 0:
        raise UserError(f"{path} is no PLY file", hint="a PLY file begins with the word ply")
    order, count, fields, element = None, None, [], ""
    for line in data[:end].decode("latin-1").splitlines():
        words = line.split()
        if words[:1] == ["format"] and len(words) > 1:
            order = _ORDERS.get(words[1])
        elif words[:1] == ["element"] and len(words) == 3 and words[2].isdigit():
            if not element and words[1] != "vertex":
                raise UserError(f"{path}: its first element is {words[1]}, expected vertex")
            element = words[1]
            count = int(words[2]) if element == "vertex" else count
        elif words[:1] == ["property"] and element == "vertex":
            if len(words) != 3 or words[1] not in _TYPES:
                raise UserError(f"{path}: its points have the property {' '.join(words[1:])!r}, which cannot be read")
            fields.append((words[2], _TYPES[words[1]]))
    if order is None or count is None or count > _MOST_POINTS or len(dict(fields)) != len(fields):
        raise UserError(f"{path} has no usable PLY header", hint="it needs a format, element vertex and its properties")
    return _Header(order, count, tuple(fields), newline + 1)


def _binary(path: Path, data: bytes, header: _Header) -> NDArray[Any]:
    dtype = np.dtype([(name, header.order + kind) for name, kind in header.fields])
    if len(data) - header.size < header.count * dtype.itemsize:
        raise UserError(f"{path} was cut short: {header.count} points do not fit into it")
    return np.frombuffer(data, dtype, header.count, header.size)


def _text(path: Path, data: bytes, header: _Header) -> NDArray[Any]:
    lines = io.StringIO(data[header.size :].decode("latin-1"))
    try:
        rows = np.zeros((0, len(header.fields)))
        if header.count:
            rows = np.loadtxt(lines, dtype=np.float64, max_rows=header.count, ndmin=2)
    except ValueError as error:
        raise UserError(f"{path} holds a point that cannot be read ({error})") from None
    if len(rows) < header.count or rows.shape[1] < len(header.fields):
        raise UserError(f"{path} was cut short: it has {len(rows)} of {header.count} points")
    table = np.zeros(header.count, dtype=list(header.fields))
    for column, (name, kind) in enumerate(header.fields):
        limits = np.iinfo(kind) if np.dtype(kind).kind in "iu" else None
        values = rows[:, column]
        if limits is not None and len(values) and not ((values >= limits.min) & (values <= limits.max)).all():
            raise UserError(f"{path}: {name} holds a value that is no {np.dtype(kind).name}")
        table[name] = values
    return table


def _colors(table: NDArray[Any], names: list[str], finite: NDArray[np.bool_]) -> NDArray[np.uint8] | None:
    """RGB bytes; floating-point colours run from 0 to 1. Other names of colours ("r", "diffuse_red") are known too."""
    for prefix in ("", "diffuse_"):
        wanted = [f"{prefix}{name}" for name in ("red", "green", "blue")]
        if set(wanted) <= set(names):
            stacked = np.stack([table[name] for name in wanted], axis=1)[finite]
            if stacked.dtype.kind == "f":
                stacked = np.rint(np.clip(stacked, 0, 1) * 255)
            return stacked.astype(np.uint8)
    return None
