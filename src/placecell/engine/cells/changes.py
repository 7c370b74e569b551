"""What an effect did to the memory: the objects and tracks that came, went or changed, and which names are stale by it.

Ids are never given twice, so a name's objects are either still in the memory or gone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from placecell.engine.values import InstancesValue, InstanceValue, ListValue, TrackValue, Value
from placecell.memory.scene import SpatialMemory


@dataclass(frozen=True)
class MemoryChange:
    """From one version of the memory to a later one: ids of objects and tracks, and names looked for since."""

    before: int
    after: int
    added: tuple[int, ...] = ()
    retired: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    tracks: tuple[int, ...] = ()
    looked_for: tuple[str, ...] = ()

    def words(self) -> str:
        """ "version 3: objects 7, 8 new; 2 gone; looked for stool"."""
        parts = [
            f"objects {', '.join(map(str, ids))} {what}"
            for ids, what in ((self.added, "new"), (self.retired, "gone"), (self.changed, "changed"))
            if ids
        ]
        parts += [f"tracks {', '.join(map(str, self.tracks))} new"] if self.tracks else []
        parts += [f"looked for {', '.join(self.looked_for)}"] if self.looked_for else []
        return f"version {self.after}: {'; '.join(parts) or 'nothing new'}"


def change_between(before: SpatialMemory, after: SpatialMemory) -> MemoryChange | None:
    """What changed; None when it is the same memory."""
    if before is after:
        return None
    old, new = ({i.id: i for i in m.instances} for m in (before, after))
    return MemoryChange(
        before=before.version,
        after=after.version,
        added=tuple(sorted(new.keys() - old.keys())),
        retired=tuple(sorted(old.keys() - new.keys())),
        changed=tuple(sorted(id_ for id_ in old.keys() & new.keys() if old[id_] is not new[id_])),
        tracks=tuple(sorted({t.id for t in after.tracks} - {t.id for t in before.tracks})),
        looked_for=tuple(sorted(after.vocabulary - before.vocabulary)),
    )


def stale_names(bindings: Mapping[str, Value], memory: SpatialMemory) -> tuple[str, ...]:
    """Names whose objects or tracks are not in the memory any more."""
    known, tracks = {i.id for i in memory.instances}, {t.id for t in memory.tracks}
    return tuple(name for name, value in bindings.items() if _gone(value, known, tracks))


def _gone(value: Value, known: set[int], tracks: set[int]) -> bool:
    match value:
        case InstanceValue():
            return value.instance.id not in known
        case InstancesValue():
            return any(thing.id not in known for thing in value.instances)
        case TrackValue():
            # Objects at rest have tracks of their own, with the object's id below 0.
            return any(t.id not in tracks and -t.id not in known for t in value.tracks)
        case ListValue():
            return any(_gone(item, known, tracks) for item in value.items)
    return False
