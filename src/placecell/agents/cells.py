"""The strategy ``cells``: a program written step by step, every step checked before it runs and told what it came to.

By rules the planner's program is one cell; a model says what the question wants before it sees anything, then writes
cells until one answers. Knows which of the two goes first; the cells themselves are ``engine.session``'s.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from placecell.agents.events import NoteEvent
from placecell.agents.stepping.by_rules import by_rules
from placecell.agents.stepping.notebook import Notebook
from placecell.agents.stepping.perception import perception
from placecell.agents.strategy import Outcome, Task
from placecell.agents.strategy_options import settings_of, within
from placecell.engine.context import Budget, PictureSettings
from placecell.engine.session import CellSession, SessionLimits
from placecell.language.cells.scope import BUDGET


@dataclass(frozen=True)
class Stepwise:
    """``cells`` that may be written, rejected ones included; of a cell's pictures at most ``pictures`` are shown, with
    a longer side of ``size`` pixels. ``segmenter`` looks for what nobody looked for yet; without one nothing is looked
    for.
    """

    cells: int = 8
    pictures: int = 2
    size: int = 384
    segmenter: str = ""

    def __post_init__(self) -> None:
        within("cells", "cells", self.cells, 1, 100)
        within("cells", "pictures", self.pictures, 0, 8)
        within("cells", "size", self.size, 64, 2048)


class Cells:
    """Answers cell by cell. Options are the fields of ``Stepwise``."""

    name = "cells"

    def answer(self, task: Task) -> Outcome:
        """Answer by rules, by a model, or by rules first (``task.author``)."""
        settings = settings_of(Stepwise, task.options, self.name)
        if task.author != "vlm":
            notebook = _notebook(task, settings)
            found = by_rules(notebook)
            if task.author == "rules" or found.reading.reason is None:
                return notebook.outcome(found)
            why = f"the rules gave no answer ({found.reading.reason})"
            task.log.add(NoteEvent(text=f"{why}; the model takes over"))
        from placecell.agents.stepping.conversation import Conversation

        notebook = _notebook(task, settings)
        return notebook.outcome(Conversation(task, notebook, settings.pictures).answered())


def _notebook(task: Task, settings: Stepwise) -> Notebook:
    """An empty one, with what the task's model can perceive."""
    session = CellSession(
        task.memory,
        limits=_limits(task.budget, settings.cells),
        options=task.asked.options,
        effects=perception(task.channel, settings.segmenter or None),
        pictures=PictureSettings(size=settings.size),
    )
    return Notebook(task, session)


def _limits(budget: Budget, cells: int) -> SessionLimits:
    """A run's budget: its operations for each cell, its pictures for all of them, its seconds for a single one."""
    most = replace(BUDGET, operations=cells * budget.operations, pictures=budget.pictures)
    return SessionLimits(cells, most, budget.seconds)
