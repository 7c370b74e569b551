"""Arrays to and from the safetensors format, read as views of a memory map wherever in a file they lie.

Writing is the safetensors library's. Its reader maps whole files only, and ours lie inside a zip, so the header is
checked here: every offset, shape and type comes from a file that anyone may have made.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "U16": "<u2", "U8": "|u1"}
_MAX_HEADER = 64 * 2**20


class TensorError(ValueError):
    """The bytes are no valid safetensors."""


def pack(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """The arrays as one safetensors file, in an order that depends on names and types only."""
    from safetensors.numpy import save

    return save({name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)})


def unpack(data: memoryview) -> dict[str, NDArray[Any]]:
    """Read-only arrays that are views of ``data``. TensorError when the bytes do not hold what the header says."""
    if len(data) < 8:
        raise TensorError("shorter than its header")
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, _MAX_HEADER):
        raise TensorError("the header is longer than the file")
    try:
        header = json.loads(bytes(data[8 : 8 + length]))
    except (ValueError, RecursionError):
        raise TensorError("the header is no JSON") from None
    if not isinstance(header, dict):
        raise TensorError("the header is no table")
    body = data[8 + length :]
    return {name: _array(body, name, entry) for name, entry in header.items() if name != "__metadata__"}


def _array(body: memoryview, name: str, entry: object) -> NDArray[Any]:
    match entry:
        case {"dtype": str(kind), "shape": [*shape], "data_offsets": [int(start), int(end)]} if kind in _DTYPES:
            pass
        case _:
            raise TensorError(f"array {name!r} is not described as one")
    dtype = np.dtype(_DTYPES[kind])
    if not all(isinstance(n, int) and n >= 0 for n in shape) or not 0 <= start <= end <= len(body):
        raise TensorError(f"array {name!r} lies outside the file")
    if math.prod(shape) * dtype.itemsize != end - start:
        raise TensorError(f"array {name!r} has another size than its shape says")
    return np.frombuffer(body[start:end], dtype).reshape(shape)
