"""Who takes questions apart, writes programs and reads values: the interface, and the author that uses rules only.

A ``Reading`` with a reason, in place of what was asked for, says why there is none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from placecell.agents import answers, planner
from placecell.agents.answer import Method
from placecell.agents.questions.decompose import NotUnderstood, understand
from placecell.agents.reading import Reading, no_answer
from placecell.agents.writer import PlanningError
from placecell.engine.interpreter import RunResult
from placecell.language.decomposition import Decomposition
from placecell.language.plan import MemoryFacts


@dataclass(frozen=True)
class Understanding:
    """A question taken apart, and the kind of question it is ("distance", "what is there")."""

    decomposition: Decomposition
    family: str


@dataclass(frozen=True)
class Asked:
    """A question as it was put."""

    question: str
    options: tuple[str, ...] = ()


class Author(Protocol):
    """One way to understand and answer questions. Nothing here raises for what a question says."""

    name: str
    method: Method

    def decompose(self, asked: Asked, facts: MemoryFacts) -> Understanding | Reading:
        """The question taken apart, or why it was not understood."""
        ...

    def plan(self, decomposition: Decomposition, facts: MemoryFacts, *, pictures: bool) -> str | Reading:
        """A program's text, or why none can be written; with ``pictures`` it also shows what it measures."""
        ...

    def read(self, asked: Asked, decomposition: Decomposition, result: RunResult) -> Reading:
        """What the values of a run, its pictures among them, answer."""
        ...


class Rules:
    """Grammar, planner and readers; no model."""

    name = "rules"
    method: Method = "geometry"

    def decompose(self, asked: Asked, facts: MemoryFacts) -> Understanding | Reading:
        names = frozenset(facts.objects or ()) | facts.vocabulary
        found = understand(asked.question, asked.options, known_names=names, image_numbers=facts.numbers)
        if isinstance(found, NotUnderstood):
            return no_answer(str(found), "decomposition")
        return Understanding(found.decomposition, found.family)

    def plan(self, decomposition: Decomposition, facts: MemoryFacts, *, pictures: bool) -> str | Reading:
        try:
            return planner.plan(decomposition, facts, pictures=pictures)
        except PlanningError as error:
            return no_answer(str(error), "plan")

    def read(self, asked: Asked, decomposition: Decomposition, result: RunResult) -> Reading:
        return answers.read(decomposition, result)
