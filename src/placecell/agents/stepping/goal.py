"""What a question wants, said before anything is looked at: a frame, a type of answer, the things to look up.

Knows how a goal is asked of a model, and what the memory holds of it. Does not know cells.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from placecell.agents.models.failures import Failure
from placecell.agents.prompting import prompt, told_memory, told_question
from placecell.agents.quoting import as_data, as_list
from placecell.agents.strategy import Task
from placecell.engine.describe import describe
from placecell.engine.grounding import ground
from placecell.memory.scene import SpatialMemory

_ATTEMPTS = 2
"""A question is answered without a goal rather than not at all."""


class Goal(BaseModel):
    """``frame`` in a few words ("none" when no side is asked), the type of the answer, and what is to be looked up."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    frame: str = Field(max_length=200)
    answer: Literal["option", "number", "yes or no", "words"]
    unit: str = Field(default="", max_length=20)
    entities: tuple[str, ...] = Field(default=(), max_length=12)


def ask_goal(task: Task) -> Goal | Failure:
    """The goal as the model of a task sees it, from question and names alone."""

    def wrong(goal: Goal) -> str | None:
        offered = bool(task.asked.options)
        if offered and goal.answer != "option":
            return 'Options are offered, so `answer` is "option".'
        return None

    talk = task.talk(prompt("cells_goal"), role="goal")
    told = f"{told_question(task.asked)}\n{told_memory(task.facts)}"
    return talk.ask(told, output=Goal, check=wrong, attempts=_ATTEMPTS)


def told_goal(goal: Goal, memory: SpatialMemory) -> str:
    """A goal as data, with what the memory knows of its things."""
    said = as_data("goal", goal.model_dump_json(exclude_defaults=True))
    if not goal.entities:
        return said
    known = [f"{entity}: {describe(ground(memory, entity))}" for entity in goal.entities]
    return f"{said}\n{as_list('known', known)}"
