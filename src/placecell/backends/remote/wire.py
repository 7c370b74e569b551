"""Messages as bytes: one safetensors file whose tensor ``header`` is a record as JSON; nothing in it is ever executed.

What comes in is untrusted: the header is validated, arrays are checked against their bytes, and a value that does not
fit its type is a ``WireError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, TypeAdapter, ValidationError

from placecell.backends.remote.records import ReconstructRequest, SegmentRequest
from placecell.media.numbering import FrameTag, write_tags
from placecell.memory.tensors import TensorError, pack, unpack

Arrays = Mapping[str, NDArray[Any]]
T = TypeVar("T")

_HEADER = "header"


class WireError(ValueError):
    """The bytes are no message of this protocol."""


def message(record: BaseModel, arrays: Arrays | None = None) -> bytes:
    """A record with its arrays."""
    header = np.frombuffer(record.model_dump_json().encode(), np.uint8)
    return pack({_HEADER: header, **(arrays or {})})


def opened(data: bytes, kinds: TypeAdapter[T]) -> tuple[T, dict[str, NDArray[Any]]]:
    """The record and the arrays of a message. WireError when it is none, or not one of these kinds."""
    try:
        arrays = unpack(memoryview(data))
        header = arrays.pop(_HEADER)
        return kinds.validate_json(header.astype(np.uint8, casting="equiv").tobytes()), arrays
    except KeyError:
        raise WireError("it has no header") from None
    except (TensorError, TypeError) as error:
        raise WireError(str(error)) from None
    except ValidationError as error:
        first = error.errors()[0]
        raise WireError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None


def picture_name(number: int) -> str:
    """The tensor that holds an encoded picture."""
    return f"picture/{number}"


def labels_name(number: int) -> str:
    """The tensor that holds a picture's label image, as a PNG."""
    return f"labels/{number}"


def write_labels(request: ReconstructRequest, arrays: Arrays, folder: Path) -> Path | None:
    """A new folder as ``--labels`` takes it; None when the request has none. WireError when an image is missing."""
    if request.labels is None:
        return None
    folder.mkdir()
    for number in request.labels.frames:
        (folder / f"{number:07d}.png").write_bytes(taken(arrays, labels_name(number)).tobytes())
    (folder / "labels.json").write_text(request.labels.model_dump_json(exclude={"frames"}), encoding="utf-8")
    return folder


def write_pictures(request: ReconstructRequest | SegmentRequest, arrays: Arrays, folder: Path) -> list[Path]:
    """The pictures of a request as files, with what ``numbering`` needs. WireError when one is missing."""
    files, tags = [], {}
    for record in request.pictures:
        file = folder / f"{record.number:07d}.{record.suffix}"
        if file.name in tags:
            raise WireError(f"two pictures have number {record.number}")
        file.write_bytes(taken(arrays, picture_name(record.number)).tobytes())
        tags[file.name] = FrameTag(
            number=record.number, name=record.name, time_s=record.time_s, focal_px=record.focal_px
        )
        files.append(file)
    write_tags(folder, tags)
    return files


def taken(arrays: Arrays, name: str) -> NDArray[Any]:
    if name not in arrays:
        raise WireError(f"array {name!r} is missing")
    return arrays[name]
