"""Masks of named things in the frames of a video: by a tracker that follows them, else by a segmenter of pictures."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from placecell.backends.segment.ground import clean_phrases, licences_of, open_segmenter
from placecell.backends.table import all_backends
from placecell.memory.ports import Proposal, Segmenter, Tracker
from placecell.memory.scene import Frame, SpatialMemory


@dataclass(frozen=True)
class Masks:
    """Looks for ``phrases``."""

    phrases: tuple[str, ...]
    by: Segmenter | Tracker

    def found_in(self, frames: Iterable[Frame]) -> Iterator[tuple[Frame, Sequence[Proposal]]]:
        """Each frame with what it shows; frames are taken in order of time, some before the first is given back."""
        if not isinstance(self.by, Tracker):
            for frame in frames:
                yield frame, next(iter(self.by.segment([frame], self.phrases)), [])
            return
        taken: deque[Frame] = deque()

        def passed_on() -> Iterator[Frame]:
            for frame in frames:
                taken.append(frame)
                yield frame

        for found in self.by.track(passed_on(), self.phrases):
            yield taken.popleft(), found

    def recorded(self, memory: SpatialMemory) -> SpatialMemory:
        """The memory of these frames, with what was looked for, by what, and under which licences."""
        made = memory.provenance
        note = f"looked for {', '.join(self.phrases)} in {len(memory.frames)} frames with {self.by.name}"
        provenance = replace(
            made,
            settings={**made.settings, "segmenter": {"name": self.by.name, **self.by.settings}},
            licences=tuple(dict.fromkeys((*made.licences, *licences_of(self.by.name)))),
            notes=(*made.notes, note),
        )
        return replace(memory, vocabulary=memory.vocabulary | set(self.phrases), provenance=provenance)


def open_masks(objects: Sequence[str], name: str) -> Masks:
    """What finds the named things: the tracker or segmenter of this name; with "auto" a tracker that can run, if any.

    BackendUnavailable when it is not installed or its weights are not here.
    """
    phrases = clean_phrases(objects)
    trackers = {row.name: row for row in all_backends().values() if row.kind == "tracker"}
    row = trackers.get(name)
    if name == "auto":
        row = next((row for row in trackers.values() if row.missing() is None), None)
    return Masks(phrases, open_segmenter(name) if row is None else row.tracker())
