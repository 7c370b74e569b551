"""The one place where a model's reply becomes an answer: an option, a number in the asked unit, or plain text.

Knows letters, option texts and quantities in prose. A reply that names no option, several, one that was not offered, or
whose letter and text contradict each other is no answer, with the reason: nothing is guessed. (The official scorers of
benchmarks, which do guess, are the evaluation's and read the raw reply.)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Literal

from placecell.agents.questions.options import RawOption
from placecell.agents.reading import Reading, no_answer
from placecell.agents.replies.quantities import agree, amounts, converted
from placecell.agents.replies.wrapping import Said, last_sentence, unwrap
from placecell.language.decomposition import Option, Unit
from placecell.language.phrases import normalise_phrase, stems

__all__ = ["Reply", "lettered", "read_reply"]

Fault = Literal["empty", "unfinished", "none", "several", "not offered", "contradictory", "wrong kind"]

_LEADING = re.compile(
    r"""^\W*(?:(?i:option|choice|letter|answer|candidate)\s*[:#]?\s*)?
    (?: [(\[{<]\s*(?P<closed>[A-Za-z])\s*[)\]}>] | (?P<open>[A-Za-z])(?=\s*(?:[).:\],;=]|[-–—]\s|\(|$))
      | (?P<lone>[A-Z])(?=\s+(?:because|since|as\s+(?:the|it)|is\s+(?:the\s+)?(?:correct|right|answer|best)|based)\b
          |\s*(?:and|or|&|/)\s*[(\[]?[A-Z]\b(?!'|\s+[a-z]))  )""",
    re.VERBOSE,
)
_LABELLED = re.compile(
    r"""(?: [(\[]\s*([A-Za-z])\s*[)\]] | (?<![\w'-])([A-Z])[).:](?=\s|$)
        | \b(?i:option|choice|letter|answer)s?\s+\(?([A-Z])\b(?!') | \bis\s+([A-Z])(?=[.!]?\s*$) )""",
    re.VERBOSE,
)
_JOINED = re.compile(r"^\W*?(?:\.|\))?\s*(?:and|or|&|/|,)+\s*(?:also\s+)?[(\[]?([A-Z])(?=[)\].,;\s]|$)(?!\s+[a-z])")
_REFUSAL = re.compile(
    r"\b(?:can(?:not|'t| not)|unable to|not able to|impossible to|not possible to|insufficient|not enough) "
    r"(?:\w+ ){0,3}?(?:determin|answer|tell|say|conclude|decide|know|information|identify|provide|assist|help)"
    r"|\bi (?:do not|don't) know\b|\bi(?: a|')m sorry\b",
    re.IGNORECASE,
)
_NOT_IT = re.compile(r"(?:\bnot|n't|\bneither|\bnor|rather than|instead of)\s+(?:\w+\s+)?(?:the\s+|an?\s+)?$", re.I)
_NONE_OF_THEM = re.compile(r"^(?:there (?:are|is) )?(?:none|no \w+)(?: \w+){0,4}$", re.IGNORECASE)
_HEDGE = re.compile(
    r"^\W*(?:(?:about|approximately|approx|around|roughly|nearly|almost|some|circa|ca|is|it|at|least|estimated|to|be|"
    r"the|distance|height|length|width|depth|size|area|total|number|count|of|there|are|exactly|only)\b\W*)*$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Reply:
    """What a reply answers: ``option`` of the offered ones, or ``value`` in ``unit``, or ``text``; else the ``reason``.

    ``fault`` is the kind of failure, None for an answer. ``notes`` say what had to be read into it.
    """

    option: RawOption | None = None
    value: float | None = None
    unit: Unit | None = None
    text: str | None = None
    fault: Fault | None = None
    reason: str | None = None
    notes: tuple[str, ...] = ()

    @property
    def answered(self) -> bool:
        return self.fault is None

    def reading(self, confidence: float = 0.5) -> Reading:
        """The reply as the answer in the making of a pipeline, or why there is none."""
        if self.fault is not None:
            return no_answer(f"the model gave no answer: {self.reason}", "answer")
        option = Option(letter=self.option.letter, text=self.option.text) if self.option else None
        shown = self.value if self.value is not None else self.text
        if isinstance(shown, float) and shown.is_integer() and self.unit is None:
            shown = int(shown)
        return Reading(self.text, option, shown, self.unit, confidence=confidence, notes=self.notes)


@dataclass(frozen=True)
class _Nothing:
    """A candidate that holds no answer; ``fault`` when that is decisive for the whole reply."""

    why: str = "it names none of the options"
    fault: Fault | None = None


@dataclass(frozen=True)
class _Found:
    option: RawOption | None = None
    value: float | None = None
    text: str | None = None
    notes: tuple[str, ...] = field(default=())


def lettered(options: Sequence[RawOption]) -> tuple[RawOption, ...]:
    """Options with letters: their own, or A to Z by place when they have none; "" beyond Z."""
    if all(option.letter for option in options):
        return tuple(options)
    return tuple(RawOption(ascii_uppercase[at : at + 1], option.text) for at, option in enumerate(options))


def read_reply(
    reply: str, options: Sequence[RawOption] = (), *, unit: Unit | None = None, number: bool = False
) -> Reply:
    """What a model's reply answers.

    Args:
        reply: the whole text as the model wrote it.
        options: the offered answers; letters are given by place when they have none.
        unit: the unit a number is asked in; numbers in others are converted, those without are taken to be in it.
        number: a number is asked for, so that a reply without one is no answer.

    Returns:
        An option when options were offered, else a number when one is asked for or all that is said, else text.
    """
    if not reply.strip():
        return Reply(fault="empty", reason="the reply is empty")
    found = unwrap(reply)
    if not found.said:
        reason = "it ends amid its reasoning" if found.unfinished else "it says nothing outside its reasoning"
        return Reply(fault="unfinished" if found.unfinished else "empty", reason=reason)
    offered = lettered(options)
    last = _Nothing("it says nothing")
    for said in found.said:
        if not said.marked and _REFUSAL.search(said.text) and not offered:
            return Reply(fault="none", reason="it says that it cannot tell")
        got = _choose(said, offered) if offered else _open(said, unit, number=number or unit is not None)
        if isinstance(got, _Found):
            return _answered(got, unit)
        if got.fault is not None:
            return Reply(fault=got.fault, reason=got.why)
        last = got
    if _REFUSAL.search(found.said[-1].text):
        return Reply(fault="none", reason="it says that it cannot tell")
    return Reply(fault="none", reason=last.why)


def _answered(got: _Found, unit: Unit | None) -> Reply:
    if got.option is not None:
        return Reply(option=got.option, text=got.option.text, notes=got.notes)
    if got.value is not None:
        return Reply(value=got.value, unit=unit, text=f"{got.value:g} {unit or ''}".strip(), notes=got.notes)
    return Reply(text=got.text, notes=got.notes)


def _choose(said: Said, options: Sequence[RawOption]) -> _Found | _Nothing:
    """The one option a candidate names, by its letter, else by its text, else by its number."""
    text = said.text
    exact = [o for o in options if normalise_phrase(o.text) == normalise_phrase(text)]
    if len(exact) == 1:
        return _Found(exact[0])
    lead = _LEADING.match(text)
    if lead is not None and (said.marked or not _lists_options(text, options)):
        return _by_letter(text, lead, options)
    if said.marked:
        by_label = _labels(text, options)
        return by_label if by_label is not None else _by_text(text, options)
    ending = last_sentence(text)
    if _lists_options(text, options) and _LEADING.match(ending):
        return _Nothing("it goes through the options without choosing one")
    for part in dict.fromkeys((ending, text)):
        named = _labels(part, options)
        if isinstance(named, _Found):
            return named
        by_text = _by_text(part, options)
        if isinstance(by_text, _Found) and named is None:
            return by_text
    return _Nothing(by_text.why if isinstance(by_text, _Nothing) else "it names several options")


def _by_letter(text: str, lead: re.Match[str], options: Sequence[RawOption]) -> _Found | _Nothing:
    letter = next(group for group in lead.groups() if group).upper()
    rest = text[lead.end() :]
    option = next((o for o in options if o.letter == letter), None)
    if option is None:
        others = _by_text(text, options)
        if isinstance(others, _Found):
            return others
        offered = f"{options[0].letter} to {options[-1].letter}"
        return _Nothing(f"{letter} is not one of the options {offered}", "not offered")
    joined = _JOINED.match(rest)
    if joined and joined[1] != letter and any(o.letter == joined[1] for o in options):
        return _Nothing(f"it names several options, {letter} and {joined[1]}", "several")
    tail = normalise_phrase(re.sub(r"^\W+", "", rest))
    other = next((o for o in options if o is not option and normalise_phrase(o.text) == tail), None)
    if other is not None and normalise_phrase(option.text) != tail:
        why = f"its letter is {letter}, {option.text!r}, but its text is that of {other.letter}, {other.text!r}"
        return _Nothing(why, "contradictory")
    return _Found(option)


def _lists_options(text: str, options: Sequence[RawOption]) -> bool:
    """Whether a text goes through the options line by line rather than giving one."""
    starts = {m[1] for m in re.finditer(r"^\W*([A-Z])[).:]", text, re.MULTILINE)}
    return len(starts & {o.letter for o in options}) > 1


def _labels(text: str, options: Sequence[RawOption]) -> _Found | _Nothing | None:
    """The option whose labelled letter stands in a text; None when no letter does."""
    found: dict[str, RawOption] = {}
    for match in _LABELLED.finditer(text):
        letter = next(group for group in match.groups() if group).upper()
        option = next((o for o in options if o.letter == letter), None)
        if option is not None and not _NOT_IT.search(text[max(0, match.start() - 40) : match.start()]):
            found[letter] = option
    if not found:
        return None
    if len(found) > 1:
        return _Nothing(f"it names several options, {' and '.join(sorted(found))}")
    return _Found(next(iter(found.values())))


def _by_text(text: str, options: Sequence[RawOption]) -> _Found | _Nothing:
    """The one option whose text stands in the candidate; longer texts first, so that "left" is not "front-left"."""
    remaining = f" {normalise_phrase(text)} "
    named: list[RawOption] = []
    for option in sorted(options, key=lambda o: -len(o.text)):
        phrase = normalise_phrase(option.text)
        pattern = re.compile(rf"(?<![\w-]){re.escape(phrase)}(?![\w-])")
        places = [m.start() for m in pattern.finditer(remaining)]
        spots = [at for at in places if not _NOT_IT.search(remaining[max(0, at - 40) : at])]
        if phrase and places:
            remaining = pattern.sub(" ", remaining)
        if phrase and spots:
            named.append(option)
    if len(named) == 1:
        return _Found(named[0])
    if named:
        return _Nothing(f"it names several options, {' and '.join(sorted(o.letter for o in named))}")
    words = stems(text)
    alike = [o for o in options if words and stems(o.text) == words]
    if len(alike) == 1:
        return _Found(alike[0])
    return _by_number(text, options)


def _by_number(text: str, options: Sequence[RawOption]) -> _Found | _Nothing:
    """The option that is the same amount, its unit converted."""
    said = amounts(text)
    if len(said) != 1:
        return _Nothing()
    equal = []
    for option in options:
        offered = amounts(option.text)
        if len(offered) != 1:
            continue
        value = converted(said[0], offered[0].unit)
        if value is not None and abs(value - offered[0].value) <= 1e-3 * max(1e-9, abs(offered[0].value)):
            equal.append(option)
    return _Found(equal[0]) if len(equal) == 1 else _Nothing()


def _open(said: Said, unit: Unit | None, *, number: bool) -> _Found | _Nothing:
    """A number when one is asked for or the candidate is nothing else; else its text."""
    if number:
        return _number(said, unit)
    said_amounts = amounts(said.text)
    if len(said_amounts) == 1 and said_amounts[0].unit is None and _HEDGE.match(said.text[: said_amounts[0].start]):
        rest = said.text[said_amounts[0].end :].strip(" .")
        if not rest:
            return _Found(value=said_amounts[0].value)
    return _Found(text=said.text)


def _number(said: Said, unit: Unit | None) -> _Found | _Nothing:
    for part in dict.fromkeys((said.text, said.text.rpartition("=")[2], last_sentence(said.text))):
        if unit is None and _NONE_OF_THEM.match(part.strip(" .")):
            return _Found(value=0.0)
        found = amounts(part)
        if not found:
            continue
        if unit is None and any(a.ranged for a in found):
            return _Nothing("it counts from one number to another")
        fits = [(value, a) for a in found if (value := converted(a, unit)) is not None]
        if not fits:
            given = found[0].unit
            return _Nothing(f"{unit or 'a bare number'} was asked for, it gives {given}", "wrong kind")
        leads = said.marked and _HEDGE.match(part[: fits[0][1].start])
        if leads or agree([value for value, _ in fits]):
            value, amount = fits[0]
            return _Found(value=value, notes=("the middle of a range was taken",) if amount.ranged else ())
    return _Nothing("it gives several numbers" if amounts(said.text) else "it gives no number")
