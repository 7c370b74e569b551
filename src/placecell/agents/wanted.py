"""What a question wants for an answer, how that is told to a model, and how its reply becomes a reading.

Shared by every strategy whose answer is a model's reply. Knows options, units and whether a number is asked for; the
reading of replies itself is ``reply``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from placecell.agents.author import Asked
from placecell.agents.models.failures import Failure
from placecell.agents.questions.decompose import Understood, understand
from placecell.agents.questions.options import RawOption, read_options
from placecell.agents.questions.spelling import IMAGE_WORDS
from placecell.agents.quoting import as_data, as_list
from placecell.agents.reading import Reading, no_answer
from placecell.agents.reply import Reply, lettered, read_reply
from placecell.language.decomposition import Comparison, Function, Unit
from placecell.language.plan import MemoryFacts

_NUMBERED = re.compile(
    rf"\b(?:{IMAGE_WORDS})\s*#?\s*(\d{{1,9}})(?:\s*(?:,|and|to|or|&)\s*(\d{{1,9}}))?(?!\d)", re.IGNORECASE
)


@dataclass(frozen=True)
class Wanted:
    """``options`` with letters, in ``question`` none of them; else a number, in ``unit`` when it is known which.

    ``scaleless``: a length or an area is asked for in no unit, of a memory whose scale is not known.
    """

    question: str
    options: tuple[RawOption, ...] = ()
    unit: Unit | None = None
    number: bool = False
    scaleless: bool = False

    @classmethod
    def of(cls, asked: Asked, facts: MemoryFacts) -> Self:
        """From the question's own words; the grammar tells the unit where it understands the question."""
        question, options = read_options(asked.question, asked.options)
        if options:
            return cls(question, lettered(options))
        names = frozenset(facts.objects or ()) | facts.vocabulary
        found = understand(asked.question, (), known_names=names, image_numbers=facts.numbers)
        if not isinstance(found, Understood):
            return cls(question)
        return cls(question).after(found.decomposition.comparison, facts)

    def after(self, comparison: Comparison, facts: MemoryFacts) -> Self:
        """As a question taken apart asks for it: in its unit, else in metres where the memory has them."""
        number = comparison.form == "number"
        own = _OWN_UNITS.get(comparison.function) if number else None
        if facts.scale != "metric" and own is not None and comparison.unit is None:
            return replace(self, unit=None, number=True, scaleless=facts.scale == "relative")
        return replace(self, unit=comparison.unit or own, number=number)

    @property
    def images(self) -> frozenset[int]:
        """Numbers of the images the question names."""
        return frozenset(int(n) for match in _NUMBERED.finditer(self.question) for n in match.groups() if n)

    def told(self) -> str:
        """The question and its options, as data, and the form of the answer."""
        return f"{self.told_alone()}\n{self.form()}"

    def told_alone(self) -> str:
        """The question and its options, as data."""
        parts = [as_data("question", self.question)]
        if self.options:
            parts.append(as_list("options", self.offered))
        return "\n".join(parts)

    @property
    def offered(self) -> list[str]:
        """The options as they are listed: "A. left"; the text alone of one that has no letter."""
        return [f"{o.letter}. {o.text}" if o.letter else o.text for o in self.options]

    def form(self) -> str:
        """How the reply must end."""
        if self.options:
            letters = [option.letter for option in self.options if option.letter]
            what = f"the letter of one option, {letters[0]} to {letters[-1]}"
        elif self.number:
            what = f"one number in {_UNIT_WORDS.get(self.unit, self.unit)}" if self.unit else "one number"
        else:
            what = "the answer in a few words"
        return f"End your reply with one line: `Answer: ` followed by {what}."

    def missing(self, hint: str = "") -> Callable[[str], str | None]:
        """A check of replies: why one holds no answer, in words for the model."""

        def check(text: str) -> str | None:
            read = self._read(text)
            return None if read.answered else f"Your reply holds no answer: {read.reason}. {hint}{self.form()}"

        return check

    def reading(self, said: str | Failure) -> Reading:
        """A reply, or the failure to get one, as a reading."""
        if isinstance(said, Failure):
            return no_answer(str(said), said.stuck("answer"))
        return self._read(said).reading()

    def _read(self, text: str) -> Reply:
        read = read_reply(text, self.options, unit=self.unit, number=self.number)
        if self.scaleless and read.fault == "wrong kind":
            return replace(read, reason=f"{read.reason}, and nobody knows how long a unit of this memory is")
        return read


_OWN_UNITS: dict[Function, Unit] = {Function.DISTANCE: "m", Function.SIZE: "m", Function.AREA: "m2"}
_UNIT_WORDS: dict[Unit | None, str] = {
    "m": "metres", "cm": "centimetres", "mm": "millimetres", "km": "kilometres", "in": "inches", "ft": "feet",
    "m2": "square metres", "ft2": "square feet", "s": "seconds",
}  # fmt: skip
