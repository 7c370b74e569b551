"""What a question says before (or after) it asks: where to stand, which way to face, stated motions, whose view, when.

Clauses are peeled off the ends of a question until only the thing asked is left. The rules of each kind of clause are
in ``places``, ``motions`` and ``frames``; this module combines what they say and knows how clauses are joined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from placecell.agents.questions.grammar import Grammar, Match
from placecell.agents.questions.notation import words
from placecell.agents.questions.text import ANY_IMAGE, Text
from placecell.language.decomposition import CameraFact, Facing, Motion, Reference

Frame = Literal["viewer", "camera", "own", "world"]
During = Literal["whole", "first_half", "last_half"]


NOWHERE = Reference()


@dataclass(frozen=True)
class Setup:
    """Everything said around the thing asked. Empty fields were not mentioned.

    ``owner``: whose perspective ("from the boy's perspective"). ``landmark``: what it is relative to. ``sectors``: how
    the question defines its direction words ("quadrants", "back_from_135"). ``senses``: words that stand for a sense of
    rotation ("left" for clockwise). ``given``: facts stated about the photos. ``images``: from which image to which.
    """

    reference: Reference = NOWHERE
    motions: tuple[Motion, ...] = ()
    frame: Frame | None = None
    owner: str | None = None
    landmark: str | None = None
    during: During | None = None
    sectors: str | None = None
    senses: tuple[tuple[str, str], ...] = ()
    given: tuple[CameraFact, ...] = ()
    images: tuple[int, int] | None = None

    def joined(self, other: Setup) -> Setup | None:
        """Both together, ``other`` said later; None when they contradict each other."""
        reference = _joined_references(self.reference, other.reference)
        if reference is None:
            return None
        once = {name: (getattr(self, name), getattr(other, name)) for name in _SAID_ONCE}
        if any(a and b and a != b for a, b in once.values()):
            return None
        return Setup(
            reference,
            motions=self.motions + other.motions,
            senses=self.senses or other.senses,
            given=self.given + other.given,
            **{name: a or b for name, (a, b) in once.items()},
        )


_SAID_ONCE = ("frame", "owner", "landmark", "during", "sectors", "images")


def _joined_references(a: Reference, b: Reference) -> Reference | None:
    """A place from one and a facing from the other; None for two different places or facings."""
    if a.kind != "none" and b.kind != "none" and (a.kind, a.image, a.object) != (b.kind, b.image, b.object):
        return None
    place = a if a.kind != "none" else b
    stated = [r.facing for r in (a, b) if r.facing.kind != "free"]
    aimed = [
        f for f in stated if f.kind != "same_as_image"
    ] or stated  # an image's own heading gives way to a stated one
    if len({(f.kind, f.image, f.object) for f in aimed}) > 1:
        return None
    return replace_facing(place, aimed[0]) if aimed else place


def replace_facing(reference: Reference, facing: Facing) -> Reference:
    """The same place, facing another way."""
    return reference.model_copy(update={"facing": facing})


Builder = Callable[[Match], Setup | None]


@dataclass(frozen=True)
class Clauses:
    """A kind of clause: its rules, and what one of them says (None: the rule matched words it should not)."""

    grammar: Grammar
    build: Builder


_JOINTS = frozenset(words(", . ; : ? ! and then next now so but also first finally afterwards"))
_IN = frozenset(words("in from at on for"))
_BEFORE_A_LIST = frozenset(words(", : ? -lrb-"))
_MARKS = frozenset(words(", . ; : ? ! and"))


@dataclass(frozen=True)
class Split:
    """One way to take a question apart: set-up clauses, and the tokens ``first`` to ``last`` that ask."""

    setup: Setup
    first: int
    last: int


class Peeler:
    """Takes set-up clauses off both ends of a question."""

    def __init__(self, kinds: tuple[Clauses, ...]) -> None:
        self._kinds = kinds
        openers = {word for kind in kinds for rule in kind.grammar.rules for word in rule.first or ()}
        self._by_word = {
            word: tuple((rule, kind.build) for kind in kinds for rule in kind.grammar.starting_with(word))
            for word in openers
        }
        self._anywhere = tuple((rule, kind.build) for kind in kinds for rule in kind.grammar.starting_with(""))

    def splits(self, text: Text) -> Iterator[Split]:
        """Every way to cut, most clauses taken from the front first, then from the back."""
        last = _without_joints(text, len(text))
        clauses: dict[int, tuple[int, Setup] | None] = {}
        fronts = list(self._prefixes(text, 0, last, clauses))
        for first, front in reversed(fronts):
            yield Split(front, first, last)
        backs: dict[int, Setup] = {}
        for cut in range(1, last):
            if text.norms[cut] in self._by_word:
                *_, (stop, back) = self._prefixes(text, cut, last, clauses)
                if stop >= last:
                    backs[cut] = back
        for first, front in reversed(fronts):
            for cut, back in backs.items():
                if cut > first and (whole := front.joined(back)) is not None:
                    yield Split(whole, first, _without_joints(text, cut))

    def read(self, text: Text, first: int, last: int) -> Setup | None:
        """What tokens ``first`` to ``last`` say when all of them are set-up clauses."""
        *_, (stop, setup) = self._prefixes(text, first, last, {})
        return setup if stop >= last else None

    def _prefixes(
        self, text: Text, first: int, last: int, clauses: dict[int, tuple[int, Setup] | None]
    ) -> Iterator[tuple[int, Setup]]:
        """Positions after 0, 1, 2, ... leading clauses, with what they said together."""
        at, setup = _after_joints(text, first, last), Setup()
        yield at, setup
        while at < last:
            if at not in clauses:
                clauses[at] = self._clause(text, at, last)
            found = clauses[at]
            together = setup.joined(found[1]) if found else None
            if found is None or together is None:
                return
            at, setup = _after_joints(text, found[0], last), together
            yield at, setup

    def _clause(self, text: Text, at: int, last: int) -> tuple[int, Setup] | None:
        """The longest clause at ``at``."""
        best: tuple[int, Setup] | None = None
        for rule, build in self._by_word.get(text.norms[at], self._anywhere):
            match = rule.match_prefix(text, at, last)
            if match and (best is None or match.last > best[0]) and (said := build(match)) is not None:
                best = match.last, said
        return best


def place_last(text: Text) -> Text | None:
    """The text with "in photo 2" from the middle put last: "what is nearest in photo 2: the bed or the lamp?".

    None when there is no such place, or it is not followed by a mark.
    """
    for at in range(1, len(text) - 2):
        if text.norms[at] in _IN and text.norms[at + 1].startswith(ANY_IMAGE) and text.norms[at + 2] in _BEFORE_A_LIST:
            place = text.tokens[at : at + 2]
            return Text(text.source, (*text.tokens[:at], *text.tokens[at + 2 :], *place))
    return None


def _after_joints(text: Text, at: int, last: int) -> int:
    while at < last and text.norms[at] in _JOINTS:
        at += 1
    return at


def _without_joints(text: Text, last: int) -> int:
    while last > 0 and text.norms[last - 1] in _MARKS:
        last -= 1
    return last
