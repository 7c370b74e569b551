"""What looking for things added to a memory, as a record and arrays: enough to add it again without looking.

Objects and tracks that are as they were stand by their ids. Provenance stays that of the memory it is added to. Knows
two versions of a memory; what found the things is not its matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from placecell.memory.manifest import Arrays, EditRecord, InstanceRecord, Record, TrackRecord, track_arrays
from placecell.memory.scene import Edit, Instance, SpatialMemory
from placecell.memory.track import Track

_Thing = TypeVar("_Thing", Instance, Track)
_FIXED = ("frames", "cloud", "scale", "alignment", "layout", "dynamic")


class Growth(Record):
    """From one version of a memory to a later one; bare numbers are ids of things that stayed as they were."""

    version: int
    edits: tuple[EditRecord, ...]
    vocabulary: tuple[str, ...]
    instances: tuple[int | InstanceRecord, ...]
    retired: tuple[int | InstanceRecord, ...]
    tracks: tuple[int | TrackRecord, ...]


def growth(before: SpatialMemory, after: SpatialMemory) -> tuple[Growth, dict[str, NDArray[Any]]] | None:
    """What is new, and its arrays; None where more changed than objects, tracks and what was looked for."""
    if any(getattr(before, name) is not getattr(after, name) for name in _FIXED):
        return None
    old = len(before.edits)
    if after.edits[:old] != before.edits or not before.vocabulary <= after.vocabulary:
        return None
    arrays: dict[str, NDArray[Any]] = {}
    known, tracks = _by_id((*before.instances, *before.retired)), _by_id(before.tracks)

    def instance(thing: Instance) -> int | InstanceRecord:
        if known.get(thing.id) is thing:
            return thing.id
        points = f"instances/{thing.id}"
        arrays[points] = np.asarray(thing.points, np.float32)
        return InstanceRecord.of(thing, points)

    def track(track: Track) -> int | TrackRecord:
        if tracks.get(track.id) is track:
            return track.id
        arrays.update(track_arrays(track))
        return TrackRecord.of(track)

    record = Growth(
        version=after.version,
        edits=tuple(EditRecord(**vars(edit)) for edit in after.edits[old:]),
        vocabulary=tuple(sorted(after.vocabulary - before.vocabulary)),
        instances=tuple(map(instance, after.instances)),
        retired=tuple(map(instance, after.retired)),
        tracks=tuple(map(track, after.tracks)),
    )
    return record, arrays


def grown(before: SpatialMemory, record: Growth, arrays: Arrays) -> SpatialMemory:
    """The later version again. KeyError for an array or a thing that is missing, ValueError for one that is none."""
    known, tracks = _by_id((*before.instances, *before.retired)), _by_id(before.tracks)

    def instances(records: tuple[int | InstanceRecord, ...]) -> tuple[Instance, ...]:
        return tuple(known[r] if isinstance(r, int) else r.value(arrays) for r in records)

    return replace(
        before,
        version=record.version,
        edits=(*before.edits, *(Edit(**vars(edit)) for edit in record.edits)),
        vocabulary=before.vocabulary.union(record.vocabulary),
        instances=instances(record.instances),
        retired=instances(record.retired),
        tracks=tuple(tracks[r] if isinstance(r, int) else r.value(arrays) for r in record.tracks),
    )


def _by_id(things: Iterable[_Thing]) -> dict[int, _Thing]:
    return {thing.id: thing for thing in things}
