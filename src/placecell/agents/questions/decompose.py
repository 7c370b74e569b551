"""From a question and its options to a decomposition, by grammar: no model, no benchmark label, no memory.

Set-up clauses are peeled off both ends (``setup``); what is left has to match a line of one family's grammar
completely. When none does, the families' loose lines are tried, which leave the order of words open. Every word is
accounted for or the question is "not understood", with the reason, the nearest family and an example of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, product

from placecell.agents.questions.clauses import PEELER
from placecell.agents.questions.families import (
    appearance,
    area,
    beyond,
    camera_motion,
    circling,
    closer,
    count,
    direction,
    distance,
    event_count,
    facing,
    nearest,
    object_motion,
    presence,
    rotation,
    route,
    size,
    superlative,
    there,
    visibility,
)
from placecell.agents.questions.family import Asked, Family, Reading, Refusal
from placecell.agents.questions.grammar import name_of
from placecell.agents.questions.options import read_options
from placecell.agents.questions.setup import Setup, Split, place_last
from placecell.agents.questions.text import ANY_IMAGE, Text, tokenise
from placecell.agents.questions.units import take_unit
from placecell.language.decomposition import Comparison, Decomposition, Facing, Function, Reference
from placecell.language.plan import numbers_text

FAMILIES: tuple[Family, ...] = (
    route.FAMILY,
    area.FAMILY,
    size.FAMILY,
    appearance.FAMILY,
    distance.FAMILY,
    closer.FAMILY,
    nearest.FAMILY,
    superlative.FAMILY,
    circling.FAMILY,
    camera_motion.FAMILY,
    facing.FAMILY,
    object_motion.FAMILY,
    rotation.FAMILY,
    event_count.FAMILY,
    count.FAMILY,
    direction.FAMILY,
    there.FAMILY,
    visibility.FAMILY,
    presence.FAMILY,
    beyond.FAMILY,
)
"""Every family, the more particular ones first: the first that accounts for all words has the question."""


LONGEST = 5_000
"""The most characters that are read, of a question and of its options; reading takes seconds from there on."""

LONGEST_LOOSE = 30
"""The most words that are read in any order: what is longer says more than it seems to."""


@dataclass(frozen=True)
class Understood:
    """A decomposition with the family and the line of grammar it came from, and its slots in the question's words."""

    family: str
    rule: str
    slots: dict[str, str]
    decomposition: Decomposition


@dataclass(frozen=True)
class NotUnderstood:
    """Why a question was not decomposed, the family it sounds like (None for none), the words left over.

    ``example`` is a question of that family that is understood.
    """

    question: str
    reason: str
    nearest: str | None = None
    leftover: str = ""
    example: str = ""

    def __str__(self) -> str:
        if not self.example:
            return f"not understood: {self.reason}"
        return f'not understood: {self.reason} (nearest kind: {self.nearest}); try: "{self.example}"'


def decompose(
    question: str,
    options: Sequence[str] | str | None = None,
    *,
    image_count: int | None = None,
    image_numbers: Collection[int] | None = None,
    known_names: Collection[str] = (),
) -> Decomposition | NotUnderstood:
    """The question taken apart, or why not. See ``understand``."""
    found = understand(question, options, image_count=image_count, image_numbers=image_numbers, known_names=known_names)
    return found.decomposition if isinstance(found, Understood) else found


def understand(
    question: str,
    options: Sequence[str] | str | None = None,
    *,
    image_count: int | None = None,
    image_numbers: Collection[int] | None = None,
    known_names: Collection[str] = (),
) -> Understood | NotUnderstood:
    """Decompose and say by which family.

    Args:
        question: in English; may contain the options and facts about the photos.
        options: offered answers, lettered or not; win over options written into the question.
        image_count: how many images there are; resolves "the last image", and a single image is the viewer's place.
        image_numbers: their numbers, when they are not 1 to ``image_count``.
        known_names: names of the memory's objects; they decide where a list of names is split.
    """
    lengths = {"it has": len(question), "its options have": sum(len(str(option)) for option in options or ())}
    for has, length in lengths.items():
        if length > LONGEST:
            return NotUnderstood(question, f"{has} {length:,} characters; at most {LONGEST:,} are read")
    stem, raw = read_options(question, options)
    numbers = range(1, image_count + 1) if image_numbers is None and image_count is not None else image_numbers
    images = None if numbers is None else tuple(sorted(numbers))
    text, unit = take_unit(tokenise(stem, images[-1] if images else None))
    if not text.tokens:
        return NotUnderstood(question, "there is no question")
    asking = partial(
        Asked,
        options=raw,
        unit=unit,
        known_names=frozenset(name_of(name) for name in known_names),
        images=images,
    )
    refusals: list[tuple[Family, Refusal]] = []
    # The whole text comes first: a route is read with its punctuation.
    ways = [
        (words, split)
        for words in filter(None, (text, place_last(text)))
        for split in chain([Split(Setup(), 0, len(words))], PEELER.splits(words))
    ]
    for loose in (False, True):
        if loose and any(refusal.final and family is not route.FAMILY for family, refusal in refusals):
            break  # what one family knows better is not guessed at
        for found in _readings(ways, asking, loose):
            if isinstance(found, Understood):
                return found
            refusals.append(found)
    return _not_understood(question, text, [split for _, split in ways], refusals)


def _readings(
    ways: Sequence[tuple[Text, Split]], asking: Callable[..., Asked], loose: bool
) -> Iterator[Understood | tuple[Family, Refusal]]:
    """What the families make of a question taken apart in these ways, those first that are to be believed first."""
    for (words, split), family in product(ways, FAMILIES):
        if loose and split.last - split.first > LONGEST_LOOSE:
            continue
        grammar = family.loose if loose else family.grammar
        for match in grammar.match(words, split.first, split.last):
            found = _reading(family, asking(match, split.setup, loose=loose))
            if found is not None:
                yield (family, found) if isinstance(found, Refusal) else found


def _reading(family: Family, asked: Asked) -> Understood | Refusal | None:
    """What a family makes of a line that matched."""
    found = family.build(asked)
    if not isinstance(found, Reading):
        return found
    if untaken := family.untaken(asked.setup):
        return Refusal(f"the question states {untaken}, which has no part in {family.asks}", final=False)
    decomposition = _decomposition(found, asked.setup, asked.images)
    if unknown := _unknown_image(decomposition, asked.images):
        return Refusal(unknown)
    return Understood(family.name, asked.match.rule.pattern, asked.match.slots, decomposition)


def _unknown_image(decomposition: Decomposition, images: tuple[int, ...] | None) -> str | None:
    for number in decomposition.image_numbers:
        if number < 1 or (images is not None and number not in images):
            return f"there is no image {number}; images are {numbers_text(images)}" if images else f"no image {number}"
    return None


def _decomposition(reading: Reading, setup: Setup, images: tuple[int, ...] | None) -> Decomposition:
    reference = reading.reference or setup.reference
    if reference.kind == "none" and images is not None and len(images) == 1 and _needs_a_viewer(reading.comparison):
        only = images[0]
        facing = reference.facing if reference.facing.kind != "free" else Facing(kind="same_as_image", image=only)
        reference = Reference(kind="image", image=only, facing=facing)
    motions = setup.motions if reading.motions is None else reading.motions
    return Decomposition(reference=reference, motions=motions, comparison=reading.comparison, given=setup.given)


_VIEWED = frozenset(
    {Function.DIRECTION, Function.WHAT_IS_THERE, Function.VISIBILITY, Function.CLOSER_AFTER_MOTION, Function.FACING}
)


def _needs_a_viewer(comparison: Comparison) -> bool:
    """Whether the answer depends on where one stands; with a single image that is its camera."""
    if comparison.function in (Function.NEAREST, Function.FARTHEST):
        return comparison.side is not None or comparison.relative_to is None
    if comparison.function is Function.DISTANCE:
        return len(comparison.entities) == 1
    return comparison.function in _VIEWED


def _not_understood(
    question: str, text: Text, splits: list[Split], refusals: list[tuple[Family, Refusal]]
) -> NotUnderstood:
    """The most telling reason: a family's own refusal first, else the kind of question it sounds like."""
    if "@last" in text.norms:
        return NotUnderstood(question, "which number the last image has is not known; say how many images there are")
    told = [r for r in refusals if r[0] is not beyond.FAMILY and r[0] is not route.FAMILY] or refusals
    if told:
        family, refusal = told[0]
        return NotUnderstood(question, refusal.reason, family.name, example=family.example)
    shortest = min(splits, key=lambda split: split.last - split.first, default=None)
    leftover = text.quote(shortest.first, shortest.last) if shortest else text.source
    nearest = _nearest(text)
    if nearest is None:
        return NotUnderstood(question, "no kind of question known here is asked like this", leftover=leftover)
    return NotUnderstood(question, "the wording is not known", nearest.name, leftover, nearest.example)


def _nearest(text: Text) -> Family | None:
    """The family whose cues the question has; cues of several families count less."""
    norms = (ANY_IMAGE if norm.startswith(ANY_IMAGE) else norm for norm in text.norms)
    canon = f" {' '.join(norms)} "
    shared = Counter(cue for family in FAMILIES for cue in family.cues)
    scored = [
        (sum(1 / shared[cue] for cue in family.cues if f" {cue} " in canon), -i, family)
        for i, family in enumerate(FAMILIES)
    ]
    best = max(scored)
    return best[2] if best[0] else None
