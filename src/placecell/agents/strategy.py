"""What every way of answering gets and gives: a task in, an outcome out.

Nothing is raised for what a question asks or a model says; whatever goes wrong is the outcome's reading, with stage and
reason. Strategies are found by name and imported when used, since most need the extra [vlm].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import TYPE_CHECKING, Literal, Protocol, cast

from placecell.agents.answer import Attempt, Method
from placecell.agents.author import Asked, Understanding
from placecell.agents.log import Log
from placecell.agents.reading import Reading
from placecell.engine.context import Budget, Judge
from placecell.engine.interpreter import RunResult
from placecell.errors import UserError
from placecell.language.check import CheckReport
from placecell.language.plan import MemoryFacts
from placecell.memory.scene import SpatialMemory

if TYPE_CHECKING:
    from placecell.agents.models.channel import Channel
    from placecell.agents.models.pictures import Shown
    from placecell.agents.talk import Talk
    from placecell.language.cells.check import CellReport

Value = str | int | float | bool
Who = Literal["rules", "vlm", "auto"]
"""Who understands and reads: the grammar, the model, or the grammar first and the model where that is not enough."""


@dataclass(frozen=True, eq=False)
class Task:
    """One question to answer.

    ``images`` are the numbers of the photos within the image budget, ascending, those the question names among them;
    numbers are the memory's, so that program, caption and person mean the same one. ``channel`` is the model under the
    question's limits (``channel.account``), None where there is no model; ``author`` says whether rules or the model
    go first. ``options`` are the strategy's own settings ("rounds": 3). ``trace``: somebody will look at how it was
    answered, so pictures are worth making.
    """

    asked: Asked
    memory: SpatialMemory
    facts: MemoryFacts
    images: tuple[int, ...] = ()
    channel: Channel | None = None
    author: Who = "rules"
    log: Log = field(default_factory=Log)
    budget: Budget = field(default_factory=Budget)
    options: Mapping[str, Value] = field(default_factory=dict)
    trace: bool = False

    def talk(self, instructions: str = "", *, role: str = "") -> Talk:
        """A new conversation under the question's limits. UserError when there is no model."""
        if self.channel is None:
            raise UserError(
                "this strategy needs a model", hint="name one, such as openai:NAME@http://localhost:8000/v1"
            )
        from placecell.agents.talk import Talk

        return Talk(self.channel, instructions, role=role)

    @property
    def judge(self) -> Judge | None:
        """The model as one that looks at pictures for a program; None when there is none."""
        if self.channel is None:
            return None
        from placecell.agents.stepping.looking import ports_of

        return ports_of(self.channel).judge

    def photos(self) -> list[Shown]:
        """The photos of ``images``, each with its number as caption."""
        from placecell.agents.models.pictures import Shown

        return [Shown.of_frame(self.memory.frame(number)) for number in self.images]


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a strategy made of a task. Only ``reading`` is always there; the rest is what was reached on the way."""

    reading: Reading
    method: Method = "vlm"
    understanding: Understanding | None = None
    program: str | None = None
    report: CheckReport | CellReport | None = None
    result: RunResult | None = None
    attempts: tuple[Attempt, ...] = ()

    def noting(self, *notes: str) -> Outcome:
        """The outcome with remarks on its reading."""
        return replace(self, reading=self.reading.noting(*notes))

    def reread(self, reading: Reading, method: Method) -> Outcome:
        """The outcome with another reading of what was found."""
        return replace(self, reading=reading, method=method)

    def with_attempts(self, attempts: Sequence[Attempt]) -> Outcome:
        """The outcome with the programs a model wrote on the way."""
        return replace(self, attempts=tuple(attempts))


class Strategy(Protocol):
    """One way of answering questions with a memory."""

    name: str

    def answer(self, task: Task) -> Outcome:
        """Answer one question. Thread-safe."""
        ...


STRATEGIES: Mapping[str, str] = {
    "program": "placecell.agents.program:Program",
    "cells": "placecell.agents.cells:Cells",
    "explore": "placecell.agents.explore:Explore",
    "primitives": "placecell.agents.primitives:Primitives",
    "imagine": "placecell.agents.imagine:Imagine",
    "direct": "placecell.agents.direct:Direct",
}
"""Name to module and class; a class is made without arguments, options come with the task."""
WITHOUT_A_MODEL = frozenset({"program", "cells"})
"""Strategies that rules alone can follow."""


def open_strategy(name: str) -> Strategy:
    """A strategy by its name. UserError for one that does not exist."""
    if name not in STRATEGIES:
        raise UserError(f"unknown strategy {name!r}", hint=f"choose {', '.join(STRATEGIES)}")
    module, _, kind = STRATEGIES[name].partition(":")
    return cast("Strategy", getattr(import_module(module), kind)())
