"""The strategy ``explore``: a model looks around in the reconstruction, round by round, and answers (Think3D).

Photos stay in view, every render is added with its exact camera and caption, and after the last round only an answer is
left to give (Think3D, section 3.1). Knows the course of an exploration; views are ``exploring.gallery``'s, the
published checkpoints' protocol is ``exploring.published``'s.
"""

from __future__ import annotations

from placecell.agents.events import NoteEvent
from placecell.agents.exploring import published
from placecell.agents.exploring.gallery import Gallery
from placecell.agents.exploring.photos import keep
from placecell.agents.exploring.prompts import instructions
from placecell.agents.exploring.settings import Exploration
from placecell.agents.exploring.tools import Explorer
from placecell.agents.models.failures import Failure
from placecell.agents.models.pictures import Shown
from placecell.agents.strategy import Outcome, Task
from placecell.agents.strategy_options import settings_of
from placecell.agents.wanted import Wanted

_ATTEMPTS = 3
"""Replies in a row that hold neither a call nor an answer; each is told what is missing."""


class Explore:
    """Answers by looking around. Options are the fields of ``Exploration``."""

    name = "explore"

    def answer(self, task: Task) -> Outcome:
        """One question. UserError for options that do not fit, or without a model."""
        settings = settings_of(Exploration, task.options, self.name)
        wanted = Wanted.of(task.asked, task.facts)
        kept = keep(task, settings.rounds * settings.views, wanted.images)
        gallery = Gallery(task.memory, settings, task.log, kept.left, frozenset(kept.shown))
        photos = list(kept.pictures(task, legend=settings.legend))
        if settings.profile == "think3d":
            said = published.converse(task, gallery, wanted, photos)
        else:
            said = _converse(task, gallery, wanted, kept.told(), photos)
        task.log.add(NoteEvent(text=_summary(gallery), facts=gallery.statistics()))
        return Outcome(wanted.reading(said), "vlm", result=gallery.result())


def _converse(task: Task, gallery: Gallery, wanted: Wanted, note: str, photos: list[Shown]) -> str | Failure:
    talk = task.talk(instructions(gallery.settings), role="explorer")
    explorer = Explorer(talk, gallery)
    told = [part for part in (note, wanted.told()) if part]
    return talk.ask(*photos, *told, check=wanted.missing(), attempts=_ATTEMPTS, tools=explorer.tools())


def _summary(gallery: Gallery) -> str:
    if not gallery.views:
        return "answered from the photos" if not gallery.reconstructed else "reconstructed, but looked at nothing"
    ego = sum(v.look.mode == "ego" for v in gallery.views)
    refused = f", {gallery.refused} refused" if gallery.refused else ""
    return f"looked {len(gallery.views)} times, {ego} from inside{refused}"
