"""Masks of named things in the frames of a video, by whatever segmenter is here."""

from __future__ import annotations

from collections.abc import Sequence

from placecell.backends.dynamic.posed import Masks
from placecell.memory.ports import Proposal
from placecell.memory.scene import Frame


def open_masks(objects: Sequence[str], segmenter: str) -> Masks:
    """A function that finds the named things in a frame; frames are to be given in order of time.

    BackendUnavailable when the segmenter is not installed or its weights are not here.
    """
    from placecell.backends.segment.ground import clean_phrases, open_segmenter

    phrases, ready = clean_phrases(objects), open_segmenter(segmenter)

    def look(frame: Frame) -> Sequence[Proposal]:
        return next(iter(ready.segment([frame], phrases)), [])

    return look
