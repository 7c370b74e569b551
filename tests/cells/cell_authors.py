"""Scripted models that write the hand-written cells of a question, as well as their ability allows. None of them sees.

perfect     writes every cell as it stands
forgetful   leaves the first line out of every reply, and adds what it left out when it is told what is missing
careless    makes one mistake in every reply, and none in the next one
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from cell_forms import CellQuestion
from cell_worlds import memory
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from placecell.agents.answer import Answer
from placecell.agents.answering import How
from placecell.agents.models.doubles.hearing import Heard
from placecell.agents.models.doubles.scripted import said
from placecell.agents.models.doubles.speaking import double
from placecell.agents.models.settings import Settings
from placecell.agents.pipeline import Asker
from placecell.agents.stepping.goal import Goal

Ability = Literal["perfect", "forgetful", "careless"]
ABILITIES: tuple[Ability, ...] = ("perfect", "forgetful", "careless")
_DONE = "The answer stands."
_MISTAKES = (
    lambda text: re.sub(r"\b(\w+)_of\(", r"get_\1(", text, count=1),
    lambda text: re.sub(r"\)\s*$", "", text),
    lambda text: re.sub(r"\b(answer\()(.+)\)", r'\1"it is " + str(\2))', text, count=1),
    lambda text: re.sub(r" = ", " == ", text, count=1),
    lambda text: f"import numpy as np\n{text}",
)


def mistaken(text: str, which: int) -> str:
    """The text with one mistake, the kinds in turn."""
    changed = (_MISTAKES[(which + k) % len(_MISTAKES)](text) for k in range(len(_MISTAKES)))
    return next(wrong for wrong in changed if wrong != text)


@dataclass
class Author:
    """Writes the cells of one question; one for each conversation."""

    question: CellQuestion
    ability: Ability
    written: int = 0
    """Cells begun."""
    slipped: bool = False
    """The last reply was not as it should be."""
    dropped: str = ""
    """The line that the last reply left out."""
    missing: list[str] = field(default_factory=list)
    """Lines that accepted cells left out."""

    def model(self) -> FunctionModel:
        return double(self._speak, self.ability)

    def _speak(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard = Heard.of(messages)
        if heard.instructions.startswith("You look at pictures"):
            return said(f"Answer: {self._judged(heard)}")
        if heard.instructions.startswith("You prepare the answer"):
            return said(self._goal())
        text = self.next(heard.texts)
        return said(f"```python\n{text}\n```" if text else _DONE)

    def next(self, told: tuple[str, ...]) -> str | None:
        """The next cell after everything that was told; None when there is nothing more to write."""
        rejected = any("was not accepted" in text for text in told[-2:])
        if self.slipped and not rejected and self.dropped:
            self.missing.append(self.dropped)
        if rejected and self.slipped:
            self.slipped = False
            return self._whole()
        if rejected or self.written == len(self.question.cells):
            return None
        self.written += 1
        return self._slip(self.question.cells[self.written - 1])

    def _whole(self) -> str:
        """The current cell as it should be, with what earlier ones left out."""
        lines, self.missing = self.missing, []
        return "\n".join([*lines, self.question.cells[self.written - 1]])

    def _slip(self, text: str) -> str:
        self.dropped = ""
        self.slipped = self.ability != "perfect"
        if self.ability == "careless":
            return mistaken(text, len(self.question.id) + self.written)
        if self.ability == "forgetful" and "\n" in text:
            self.dropped, _, text = text.partition("\n")
        return text

    def _judged(self, heard: Heard) -> str:
        asked = heard.data("question")[-1].splitlines()[0]
        return next(option for question, option in self.question.judged.items() if question in asked)

    def _goal(self) -> str:
        kind = "option" if self.question.options else "number"
        names = tuple(name for slot, name in self.question.slots.items() if slot in _THINGS)
        unit = {"m2": "square metres", "m": "metres"}.get(self.question.unit, self.question.unit)
        return Goal(frame="as the question says", answer=kind, unit=unit, entities=names).model_dump_json()


_THINGS = ("a", "b", "c", "d", "many", "fronted", "top", "mover", "other", "prop")


def by_cells(question: CellQuestion, ability: Ability) -> Answer:
    """The question answered by the strategy `cells`, its author told all that a real model would be."""
    how = How("cells", "perfect", settings=Settings())
    asker = Asker(memory(question.world, question.seed), how, model=Author(question, ability).model())
    return asker.ask(question.question, question.options or None)
