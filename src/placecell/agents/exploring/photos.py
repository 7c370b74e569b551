"""Which photos stay in view while a place is explored, so that every render the rounds allow still fits.

Photos are thinned out before a single render is given up; which ones are not shown is said to the model and the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from placecell.agents.events import NoteEvent
from placecell.agents.models.pictures import Shown
from placecell.agents.strategy import Task
from placecell.engine.legend import photo_legend

__all__ = ["Kept", "keep", "kept_of", "room_for_pictures"]


@dataclass(frozen=True)
class Kept:
    """Numbers of the photos that are shown and of those that are not, and how many further pictures fit."""

    shown: tuple[int, ...]
    dropped: tuple[int, ...]
    left: int

    def told(self) -> str:
        """What a model must know about photos it does not see; "" when it sees all."""
        if not self.dropped:
            return ""
        numbers = ", ".join(map(str, self.dropped))
        return f"Not shown, to leave room for renders: images {numbers}. They can still be looked from."

    def pictures(self, task: Task, *, legend: bool) -> Iterator[Shown]:
        """The photos, with the known objects in each when there is to be a legend."""
        for number in self.shown:
            photo = Shown.of_frame(task.memory.frame(number))
            known = photo_legend(task.memory, number) if legend else ""
            yield replace(photo, caption=f"{photo.caption}. {known}" if known else photo.caption)


def keep(task: Task, renders: int, named: frozenset[int] = frozenset()) -> Kept:
    """The photos of a task that fit beside ``renders`` renders; those the question names stay longest."""
    fits = room_for_pictures(task)
    kept = kept_of(task.images, fits, renders, named)
    if kept.dropped:
        task.log.add(NoteEvent(text=kept.told(), facts={"fits": fits, "renders": renders}))
    return kept


def kept_of(images: Sequence[int], fits: int, renders: int, named: frozenset[int] = frozenset()) -> Kept:
    """Which of the photos are shown when ``fits`` pictures fit in all, ``renders`` of them renders."""
    most = max(0, min(len(images), fits - renders))
    asked = [n for n in images if n in named][:most]
    others = [n for n in images if n not in asked]
    wanted = most - len(asked)
    even = [others[i * len(others) // wanted] for i in range(wanted)] if wanted else []
    shown = tuple(sorted([*asked, *even]))
    return Kept(shown, tuple(n for n in images if n not in shown), fits - len(shown))


def room_for_pictures(task: Task) -> int:
    """How many different pictures may still be shown: by the question's limit, and by what the provider takes."""
    if task.channel is None:
        return 0
    limit, room = task.channel.account.limits.pictures, task.channel.room.pictures
    left = [limit - task.channel.account.spent.pictures] if limit is not None else []
    return max(0, min([*left, *([room] if room is not None else []), 10_000]))
