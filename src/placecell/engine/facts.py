"""What a memory lets the checker know beforehand."""

from __future__ import annotations

from collections import Counter

from placecell.language.plan import MemoryFacts
from placecell.memory.scene import SpatialMemory

_CLOSED = ("oracle",)
"""Backends whose objects are an annotation: a name they do not have is not there to be found."""


def facts_of(memory: SpatialMemory) -> MemoryFacts:
    """Image numbers, objects by name, the names looked for, scale and time of ``memory``."""
    numbers = frozenset(frame.number for frame in memory.frames)
    # A thing is an object at rest, a track, or both: it counts once.
    objects = Counter(instance.name for instance in memory.instances) | Counter(track.name for track in memory.tracks)
    return MemoryFacts(
        image_count=len(numbers),
        image_numbers=numbers,
        objects=dict(sorted(objects.items())),
        vocabulary=memory.vocabulary,
        closed_vocabulary=memory.provenance.backend in _CLOSED,
        scale=memory.scale.kind,
        dynamic=memory.dynamic,
    )
