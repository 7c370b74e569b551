"""The texts of ``placecell objects`` options ("--rename 4=armchair") as changes of a memory.

Knows how a person writes a change. Does not know what it does (``memory.corrections``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, cast

from placecell.errors import UserError

if TYPE_CHECKING:
    from placecell.geometry.boxes import OrientedBox
    from placecell.memory.corrections import Plane, Which
    from placecell.memory.scene import SpatialMemory

Change = Callable[["SpatialMemory"], "SpatialMemory"]

_NUMBER = r"-?\d+(?:\.\d+)?"
_PLANE = re.compile(rf"([xyz])\s*[:=]?\s*({_NUMBER})")


def read_changes(
    *,
    undo: bool,
    rename: Sequence[str],
    merge: Sequence[str],
    split: Sequence[str],
    remove: Sequence[str],
    add: Sequence[str],
) -> list[Change]:
    """The changes asked for, in the order they are made. UserError for a text that is none, before any is made."""
    from placecell.memory import corrections

    return [
        *([corrections.undo] if undo else []),
        *map(_renaming, rename),
        *map(_merging, merge),
        *map(_splitting, split),
        *map(_removing, remove),
        *map(_adding, add),
    ]


def _renaming(text: str) -> Change:
    from placecell.memory import corrections

    old, new = _halves(text, "--rename 4=armchair")
    return lambda memory: corrections.rename(memory, _which(old), new)


def _merging(text: str) -> Change:
    from placecell.memory import corrections

    things = [_which(part) for part in text.split("+")]
    return lambda memory: corrections.merge(memory, things)


def _splitting(text: str) -> Change:
    from placecell.memory import corrections

    which, _, how = text.partition("=")
    into = _into(how.strip()) if how else None
    return lambda memory: corrections.split(memory, _which(which), into)


def _removing(text: str) -> Change:
    from placecell.memory import corrections

    return lambda memory: corrections.remove(memory, _which(text))


def _adding(text: str) -> Change:
    from placecell.memory import corrections

    what, numbers = _halves(text, '--add "lamp@3=120,40,180,200"')
    if not re.fullmatch(rf"\s*{_NUMBER}\s*(?:,\s*{_NUMBER}\s*)*", numbers):
        raise UserError(f"--add {text}: {numbers!r} is no list of numbers")
    values = [float(v) for v in numbers.split(",")]
    name, at, image = what.rpartition("@")
    if at and image.strip().isdecimal():
        if len(values) != 4:
            raise UserError(f"--add {text}: a rectangle is LEFT,TOP,RIGHT,BOTTOM in pixels of image {image}")
        left, top, right, bottom = (round(v) for v in values)
        return lambda memory: corrections.add_seen(memory, name, int(image), (left, top, right, bottom))
    if len(values) not in (6, 7) or min(values[3:6]) < 0:
        raise UserError(f"--add {text}: a box is X,Y,Z of its middle, WIDTH,HEIGHT,DEPTH and perhaps YAW in degrees")
    return lambda memory: corrections.add_box(memory, what, _box(values))


def _box(values: Sequence[float]) -> OrientedBox:
    """An upright box, turned by a yaw to the right, as seen from above, when there is a seventh value."""
    import numpy as np

    from placecell.geometry.boxes import OrientedBox

    yaw = math.radians(values[6]) if len(values) > 6 else 0.0
    axes = np.array([[math.cos(yaw), 0, math.sin(yaw)], [0, 1, 0], [-math.sin(yaw), 0, math.cos(yaw)]])
    return OrientedBox(np.array(values[:3]), axes, np.array(values[3:6]))


def _halves(text: str, example: str) -> tuple[str, str]:
    first, _, second = text.rpartition("=")
    if not first.strip() or not second.strip():
        raise UserError(f"{text!r} has no two sides of =", hint=f"for example {example}")
    return first.strip(), second.strip()


def _which(text: str) -> Which:
    text = text.strip().removeprefix("#")
    return int(text) if text.isdecimal() else text


def _into(how: str) -> int | Plane:
    from placecell.memory.corrections import Plane

    plane = _PLANE.fullmatch(how)
    if plane:
        return Plane(cast(Literal["x", "y", "z"], plane[1]), float(plane[2]))
    if not how.isdecimal():
        raise UserError(f"{how!r} is no way to split", hint="give a number of parts, or a plane such as x1.2")
    return int(how)
