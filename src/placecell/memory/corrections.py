"""A person's corrections of a memory's objects: add, rename, merge, split, remove, and taking one back.

Each gives a new memory with the next version and an ``Edit`` that says what was done. Ids are never given twice: an
object that goes is retired with its id, and can come back with it. Knows objects; does not know questions or files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from placecell.errors import UserError
from placecell.geometry.boxes import OrientedBox, gravity_box, oriented_box
from placecell.memory.instances import from_boxes
from placecell.memory.measured import seen_times
from placecell.memory.names import resolve
from placecell.memory.ports import NamedBox
from placecell.memory.scene import Edit, Float64, Instance, SpatialMemory
from placecell.memory.seen import Region, seen_in
from placecell.memory.shapes import (
    boxes_of,
    connected_parts,
    joined_views,
    parts_by_number,
    sides_of,
    thinned,
    views_of,
)

Which = int | str
"""An object's id, or a name that only one object has."""

MAX_PARTS = 50
_AXES: dict[str, int] = {"x": 0, "y": 1, "z": 2}
_AT_END = 0.1  # share of the longest side


@dataclass(frozen=True)
class Plane:
    """An upright or level plane of the world: ``axis`` = ``at``, in the memory's unit."""

    axis: Literal["x", "y", "z"]
    at: float


def pick(memory: SpatialMemory, which: Which) -> Instance:
    """The one object that ``which`` means.

    Raises:
        UserError: there is none, or a name that several have; the message lists their ids.
    """
    if isinstance(which, int):
        found = [i for i in memory.instances if i.id == which]
        if not found:
            gone = " any more" if any(i.id == which for i in memory.retired) else ""
            raise UserError(f"there is no object {which}{gone}", hint=_there_is(memory))
        return found[0]
    names = set(resolve(which, memory.object_names).names)
    found = [i for i in memory.instances if i.name in names]
    if not found:
        raise UserError(f"there is no {which!r} in the memory", hint=_there_is(memory))
    if len(found) > 1:
        listed = ", ".join(f"{i.name} {i.id}" for i in found)
        raise UserError(f"{which!r} means {len(found)} objects: {listed}", hint="give the id of one")
    return found[0]


def add_box(memory: SpatialMemory, name: str, box: OrientedBox) -> SpatialMemory:
    """A new object known by its box; the points and views that the depth maps have inside it become its own."""
    name = _new_name(name)
    (thing,) = from_boxes([NamedBox(name, box)], np.eye(4), memory.frames).instances
    thing = replace(thing, id=memory.next_id)
    centre = ", ".join(f"{v:.2f}" for v in box.centre)
    return _exchanged(memory, "add", f"{name} {thing.id}: a box at ({centre}), given by a person", made=[thing])


def add_seen(memory: SpatialMemory, name: str, image: int, region: Region) -> SpatialMemory:
    """A new object from what image ``image`` shows in ``region``: a rectangle (left, top, right, bottom) or a mask.

    Of a rectangle the surface in its middle is taken, up to where depth jumps; of a mask every pixel with depth.

    Raises:
        UserError: no such image, it has no depth there, or the region lies outside of it.
    """
    name = _new_name(name)
    thing = replace(seen_in(memory.frames, memory.frame(image), name, region), id=memory.next_id)
    return _exchanged(memory, "add", f"{name} {thing.id}: {region_words(region)} of image {image}", made=[thing])


def rename(memory: SpatialMemory, which: Which, name: str) -> SpatialMemory:
    """Another name for one object (its id, or a name only it has), or for all that are called exactly ``which``.

    With all of a name the search for it is renamed too: who looked for every "object 48" has looked for every door.
    """
    name = _new_name(name)
    everyone = [i for i in memory.instances if i.name == which]
    things = everyone or [pick(memory, which)]
    if all(i.name == name for i in things):
        raise UserError(f"{_words(things)} is called {name!r} already")
    ids = {i.id for i in things}
    record = Edit(0, "", "", renamed=tuple((i.id, i.name, name) for i in things))
    vocabulary = memory.vocabulary
    if everyone and which in vocabulary:
        vocabulary = vocabulary - {str(which)} | {name}
    return memory.changed(
        "rename all" if everyone else "rename",
        f"{_words(things)} to {name}",
        record=record,
        instances=tuple(replace(i, name=name) if i.id in ids else i for i in memory.instances),
        vocabulary=vocabulary,
    )


def merge(memory: SpatialMemory, which: Sequence[Which]) -> SpatialMemory:
    """Several objects that are one: a new object with the first one's name, and all their points and views."""
    things = list({i.id: i for i in (pick(memory, w) for w in which)}.values())
    if len(things) < 2:
        raise UserError("merging needs two objects or more", hint="give their ids: placecell objects lists them")
    whole = replace(_merged(things), id=memory.next_id)
    detail = f"{_words(things)} are one: {whole.name} {whole.id}"
    return _exchanged(memory, "merge", detail, made=[whole], retired=things)


def split(memory: SpatialMemory, which: Which, into: int | Plane | None = None) -> SpatialMemory:
    """One object that is several: by the gaps between its points, into a number of compact parts, or by a plane.

    Raises:
        UserError: the points do not fall apart that way, or there are none.
    """
    thing = pick(memory, which)
    if len(thing.points) < 2:
        raise UserError(
            f"{thing.name} {thing.id} is known by its box only, so it cannot be split", hint="remove it and add two"
        )
    if isinstance(into, Plane):
        part = sides_of(thing.points, _AXES[into.axis], into.at)
        how = f"at {into.axis} = {into.at:g}"
    elif into is None:
        part, how = connected_parts(thing.points), "at gaps"
    else:
        part, how = _by_number(thing, into), f"into {into}"
    count = int(part.max()) + 1
    if count < 2:
        whole = f"{thing.name} {thing.id} is in one piece" if into is None else f"no point of it lies beyond {how[3:]}"
        raise UserError(whole, hint="say into how many parts, or at which plane")
    first = memory.next_id
    parts = [_part(memory, thing, thinned(thing.points[part == k]), first + k) for k in range(count)]
    detail = f"{thing.name} {thing.id} {how}: {_words(parts)}"
    return _exchanged(memory, "split", detail, made=parts, retired=[thing])


def remove(memory: SpatialMemory, which: Which) -> SpatialMemory:
    """Without an object that is not there. Its name stays looked for."""
    thing = pick(memory, which)
    return _exchanged(memory, "remove", f"{thing.name} {thing.id}", retired=[thing])


def undo(memory: SpatialMemory) -> SpatialMemory:
    """Without the last correction that still stands; the record keeps both.

    Raises:
        UserError: there is no correction to take back.
    """
    undone = {e.undoes for e in memory.edits}
    standing = [e for e in memory.edits if e.undoes is None and e.version not in undone]
    edit = next((e for e in reversed(standing) if e.made or e.retired or e.renamed), None)
    if edit is None:
        raise UserError("no correction of an object is there to be taken back")
    old_names = {id_: old for id_, old, _ in edit.renamed}
    things = tuple(replace(i, name=old_names.get(i.id, i.name)) for i in memory.instances)
    vocabulary = memory.vocabulary
    if edit.action == "rename all":
        new = {n for _, _, n in edit.renamed} - {i.name for i in things}
        vocabulary = vocabulary - new | set(old_names.values())
    return _exchanged(
        replace(memory, instances=things, vocabulary=vocabulary),
        "undo",
        f"version {edit.version}: {edit.action} {edit.detail}",
        made=[i for i in memory.retired if i.id in edit.retired],
        retired=[i for i in things if i.id in edit.made],
        record=Edit(0, "", "", undoes=edit.version, renamed=tuple((i, new, old) for i, old, new in edit.renamed)),
    )


def region_words(region: Region) -> str:
    """A region as the record says it."""
    if isinstance(region, np.ndarray):
        return f"{int(np.count_nonzero(region))} pixels"
    return "the rectangle " + ", ".join(map(str, region))


def _exchanged(
    memory: SpatialMemory,
    action: str,
    detail: str,
    *,
    made: Sequence[Instance] = (),
    retired: Sequence[Instance] = (),
    record: Edit | None = None,
) -> SpatialMemory:
    """The memory with objects ``made`` and others ``retired``."""
    gone, come = {i.id for i in retired}, {i.id for i in made}
    kept = [i for i in memory.instances if i.id not in gone]
    record = replace(record or Edit(0, "", ""), made=tuple(i.id for i in made), retired=tuple(i.id for i in retired))
    return memory.changed(
        action,
        detail,
        record=record,
        instances=tuple(sorted([*kept, *made], key=lambda i: i.id)),
        retired=(*(i for i in memory.retired if i.id not in come), *retired),
    )


def _merged(things: Sequence[Instance]) -> Instance:
    """One object of several. Its uncertainty is that of the worst known of them."""
    points = thinned(np.concatenate([i.points for i in things]))
    without = [i.box.corners for i in things if len(i.points) == 0]
    if without:  # a box without points counts by its corners, which no trimming may take for specks
        corners = np.concatenate([*without, *([points] if len(points) else [])])
        free, upright = oriented_box(corners), gravity_box(corners)
    else:
        free, upright = boxes_of(points)
    weights = [max(1, sum(v.pixels for v in i.views)) for i in things]
    starts = [i.first_seen_s for i in things if i.first_seen_s is not None]
    ends = [i.last_seen_s for i in things if i.last_seen_s is not None]
    fronts = [i.front for i in things if i.front is not None]
    return replace(
        things[0],
        box=free,
        upright_box=upright,
        points=points,
        views=joined_views(v for i in things for v in i.views),
        confidence=float(np.average([i.confidence for i in things], weights=weights)),
        certain=any(i.certain for i in things),
        size_sd=max(i.size_sd for i in things),
        centre_sd=max(i.centre_sd for i in things),
        hidden_sd=_hidden(upright, things),
        first_seen_s=min(starts, default=None),
        last_seen_s=max(ends, default=None),
        front=fronts[0] if len(fronts) == 1 else None,
    )


def _part(memory: SpatialMemory, whole: Instance, points: np.ndarray, id_: int) -> Instance:
    """A part of an object: seen where the whole was and its own points show."""
    free, upright = boxes_of(points)
    of_whole = {view.frame: view for view in whole.views}
    frames = [f for f in memory.frames if f.number in of_whole]
    share = len(points) / len(whole.points)
    views = tuple(
        replace(v, pixels=max(v.pixels, round(share * of_whole[v.frame].pixels))) for v in views_of(points, frames)
    )
    first, last = seen_times([v.frame for v in views], {f.number: f.time_s for f in frames})
    return replace(
        whole,
        id=id_,
        box=free,
        upright_box=upright,
        points=points,
        views=views,
        hidden_sd=_hidden(upright, [whole]),
        first_seen_s=first,
        last_seen_s=last,
        front=None,
    )


def _hidden(box: OrientedBox, things: Sequence[Instance]) -> Float64:
    """``Instance.hidden_sd`` of an upright box made of things: each end is as unseen as that of what reaches it.

    An end far within the things is a cut, not their end.
    """
    hidden = np.zeros((3, 2))
    for axis in range(3):
        for end, sign in enumerate((-1.0, 1.0)):
            way = sign * box.axes[axis]
            reach = [float((i.upright_box.corners @ way).max()) for i in things]
            last = int(np.argmax(reach))
            if reach[last] - float((box.corners @ way).max()) <= _AT_END * box.longest:
                hidden[axis, end] = things[last].hidden_along(way)
    return hidden


def _by_number(thing: Instance, count: int) -> np.ndarray:
    if not 2 <= count <= MAX_PARTS:
        raise UserError(f"an object can be split into 2 to {MAX_PARTS} parts, not {count}")
    try:
        return parts_by_number(thing.points, count)
    except ValueError as error:
        raise UserError(f"{thing.name} {thing.id}: {error}") from None


def _new_name(name: str) -> str:
    """A name as it is kept: the person's own case and language, single spaces."""
    tidy = " ".join(name.split())
    if not tidy or not any(c.isalpha() for c in tidy):
        raise UserError(f"{name!r} is no name for an object")
    if len(tidy) > 100 or not tidy.isprintable():
        raise UserError("a name has at most 100 printable characters")
    return tidy


def _words(things: Sequence[Instance]) -> str:
    words = [f"{i.name} {i.id}" for i in things]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" and {words[-1]}"


def _there_is(memory: SpatialMemory) -> str:
    if not memory.instances:
        return "the memory has no objects"
    listed = [f"{i.id} {i.name}" for i in memory.instances[:12]]
    more = f" and {len(memory.instances) - 12} more" if len(memory.instances) > 12 else ""
    return f"there is {', '.join(listed)}{more}"
