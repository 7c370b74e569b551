"""A picture as the bytes of an image file, with what a log says of it, all worked out once however often it is shown.

Does not know what pictures are for, nor which format and size suit whom (``models.pictures``).
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self

from PIL import Image


@dataclass(frozen=True)
class ImageFile:
    """``width`` and ``height`` in pixels."""

    data: bytes = field(repr=False)
    media_type: str
    width: int
    height: int

    @classmethod
    def of(cls, picture: Image.Image, form: Literal["PNG", "JPEG"], **how: Any) -> Self:
        """The picture in this format; ``how`` are settings of Pillow's encoder."""
        buffer = io.BytesIO()
        picture.save(buffer, form, **how)
        return cls(buffer.getvalue(), f"image/{form.lower()}", *picture.size)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.data).hexdigest()
