"""The strategy ``direct``: the photos and the question, with or without reasoning in words. The baseline of all others.

Knows no geometry: nothing of the memory but its photos and their numbers is shown.
"""

from __future__ import annotations

from dataclasses import dataclass

from placecell.agents.exploring.photos import keep
from placecell.agents.prompting import prompt
from placecell.agents.strategy import Outcome, Task
from placecell.agents.strategy_options import settings_of
from placecell.agents.wanted import Wanted

_ATTEMPTS = 2
_THINKING = "Think step by step: where each photo was taken, which way it faces, and where things lie to each other."
_AT_ONCE = "Do not explain anything: your reply is the answer line alone."


@dataclass(frozen=True)
class Plainly:
    """``cot``: the model reasons in words before it answers (chain of thought); without, it answers at once."""

    cot: bool = True


class Direct:
    """Answers from the photos. Options are the fields of ``Plainly``."""

    name = "direct"

    def answer(self, task: Task) -> Outcome:
        """One question. UserError for options that do not fit, or without a model."""
        settings = settings_of(Plainly, task.options, self.name)
        wanted = Wanted.of(task.asked, task.facts)
        kept = keep(task, 0, wanted.images)
        system = prompt("direct").replace("{{thinking}}", _THINKING if settings.cot else _AT_ONCE)
        talk = task.talk(system, role="direct")
        told = [part for part in (kept.told(), wanted.told()) if part]
        photos = kept.pictures(task, legend=False)
        said = talk.ask(*photos, *told, output=str, check=wanted.missing(), attempts=_ATTEMPTS)
        return Outcome(wanted.reading(said), "vlm")
