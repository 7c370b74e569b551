"""Which of several objects a phrase describes, judged by a model on a picture cut out of a photo of each.

For what neither geometry nor colours decide ("the wooden chair", "the one with armrests"). Knows how to ask and to
count votes; the model is a port (``context.Judge``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from placecell.engine.context import Judge
from placecell.engine.values import Absent, Evidence, Picture
from placecell.errors import PlacecellError
from placecell.memory.crops import best_view, crop
from placecell.memory.scene import Instance, SpatialMemory

MOST_ASKED = 8
"""Of more objects than this none is asked about: each is a request to a model."""
UNTOLD = 0.6
"""How sure a judgement is that does not say so."""
_YES, _NO = "yes", "no"


@dataclass(frozen=True)
class Votes:
    """Objects the phrase describes and those that nobody could judge; ``sure``: the least sure of all judgements."""

    fitting: tuple[Instance, ...]
    undecided: tuple[Instance, ...]
    sure: float

    def flags(self, phrase: str) -> tuple[str, ...]:
        """What is to be known of a choice that rests on these votes."""
        unseen = (f"{len(self.undecided)} more could not be judged",) if self.undecided else ()
        return (f"{phrase}: judged on pictures", *unseen)


def votes(memory: SpatialMemory, things: Sequence[Instance], phrase: str, judge: Judge) -> Votes | Absent:
    """What the model says of each of ``things``; absent when they are too many or it cannot be asked."""
    if len(things) > MOST_ASKED:
        message = f"there are {len(things)} to look at for {phrase!r}; a model is asked about {MOST_ASKED} at most"
        return Absent("instances", "ambiguous", message)
    fitting, undecided, sure = [], [], 1.0
    for thing in things:
        picture = _picture(memory, thing)
        question = f'Does "{phrase}" describe the {thing.name} in the middle of the picture?'
        try:
            said = None if picture is None else judge(question, (picture,), (_YES, _NO))
        except PlacecellError as error:
            return Absent("instances", "ambiguous", f"which is {phrase!r} could not be judged: {error}")
        if said is None or said.option not in (_YES, _NO):
            undecided.append(thing)
            continue
        sure = min(sure, UNTOLD if said.confidence is None else said.confidence)
        if said.option == _YES:
            fitting.append(thing)
    return Votes(tuple(fitting), tuple(undecided), sure)


def _picture(memory: SpatialMemory, thing: Instance) -> Picture | None:
    view = best_view(thing, memory.frames)
    if view is None:
        return None
    evidence = Evidence(frames=(view.frame,), instances=(thing.id,))
    caption = f"{thing.name}, cut out of image {view.frame}"
    return Picture(crop(memory.frame(view.frame), view), "photo", caption, evidence=evidence)
