"""``placecell-frames.json`` beside pictures: the number, name, time and focal length of each.

Frames taken out of a video keep their place in it this way, and a worker numbers pictures as the one who sent them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, RootModel, ValidationError

from placecell.errors import UserError

FILE = "placecell-frames.json"


class FrameTag(BaseModel):
    """``focal_px``: focal length in pixels of the picture as stored."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int = Field(ge=1)
    name: str = Field(min_length=1, max_length=500)
    time_s: float | None = Field(default=None, allow_inf_nan=False)
    focal_px: float | None = Field(default=None, gt=0, allow_inf_nan=False)


class _Tags(RootModel[dict[str, FrameTag]]):
    pass


def write_tags(folder: Path, tags: Mapping[str, FrameTag]) -> None:
    """State the tags of pictures, by file name."""
    (folder / FILE).write_text(_Tags(dict(tags)).model_dump_json(indent=1) + "\n", encoding="utf-8")


def read_tags(folder: Path) -> dict[str, FrameTag]:
    """The tags by file name, none where there is no such file. UserError when it is malformed or numbers repeat."""
    file = folder / FILE
    if not file.is_file():
        return {}
    try:
        tags = _Tags.model_validate_json(file.read_bytes()).root
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    numbers = [tag.number for tag in tags.values()]
    if len(set(numbers)) < len(numbers):
        raise UserError(f"{file}: two pictures have the same number")
    return tags
