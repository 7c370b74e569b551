"""Numbers with units in English prose: digits, words, fractions, ranges, feet and inches. Knows no question."""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from placecell.agents.numbers import METRES
from placecell.agents.questions.notation import words
from placecell.agents.questions.spelling import IMAGE_WORDS, NUMBERS
from placecell.agents.questions.units import unit_of
from placecell.language.decomposition import Unit

_TENS = {w: 10.0 * n for n, w in enumerate(words("twenty thirty forty fifty sixty seventy eighty ninety"), 2)}
_WORDS = {**{w: float(n) for w, n in NUMBERS.items()}, **_TENS}
_TIMES = {"dozen": 12.0, "hundred": 100.0, "thousand": 1000.0}
_PARTS = {"half": 0.5, "quarter": 0.25, "third": 1 / 3}
_GLYPHS = {"½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3"}
_SQUARE_METRES: dict[str, float] = {"m2": 1.0, "ft2": 0.3048**2}

_DIGITS = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:e[-+]?\d+)?|\.\d+"
_NUMBER = re.compile(
    rf"(?<![\w.])(?P<sign>[-+−](?=[\d.]))?(?:(?P<whole>\d+)\s+)?(?P<over>\d+)\s*/\s*(?P<under>\d+)(?![\d/])"
    rf"|(?<![\w.])(?P<comma>\d+,\d{{1,2}})(?=\s*(?:[a-z°²]|$))"
    rf"|(?<!\w)(?P<minus>[-+−](?=[\d.]))?(?P<digits>{_DIGITS})",
    re.IGNORECASE,
)
_WORD_ALTERNATIVES = "|".join(sorted([*_WORDS, *_TIMES], key=len, reverse=True))
_IN_WORDS = re.compile(
    rf"(?<![\w-])(?P<whole>(?:(?:an?\s+)?(?:{_WORD_ALTERNATIVES})\b(?:[-\s]+(?:and\s+)?(?=(?:{_WORD_ALTERNATIVES})\b))?)+)"
    rf"(?:\s+point\s+(?P<point>(?:(?:{'|'.join(NUMBERS)})\b[-\s]*)+))?(?P<part>\s+and\s+(?:an?|one)\s+(?:half|quarter|third)\b)?"
    rf"|(?<![\w-])(?:(?:an?|one)\s+)?(?P<alone>half|quarter|third)\b(?=\s+(?:an?\s+|of\s+an?\s+)?[a-z])",
    re.IGNORECASE,
)
_NOT_A_NUMBER_BEFORE = re.compile(
    rf"(?:\b(?:{IMAGE_WORDS}|camera|cam|step|option|figure|fig|point|room|no|this|that|the|which|each|any|every)\.?\s*#?)$",
    re.IGNORECASE,
)
_SQUARED = r"\s*(?:\^\s*\{?2\}?|²|2\b|squared\b)"
_UNIT_SIGNS: tuple[tuple[re.Pattern[str], Unit], ...] = (
    (re.compile(rf"\s*(?:sq(?:uare)?\.?[\s-]*(?:met(?:er|re)s?|m)\b|(?:m|met(?:er|re)s?){_SQUARED})", re.I), "m2"),
    (re.compile(rf"\s*(?:sq(?:uare)?\.?[\s-]*(?:feet|foot|ft)\b|(?:ft|feet){_SQUARED})", re.I), "ft2"),
    (re.compile(r"\s*(?:°|º|deg\b)", re.I), "degrees"),
    (re.compile(r"\s*(?:''|″|\")"), "in"),
    (re.compile(r"(?:'|′)"), "ft"),
)
_UNIT_WORD = re.compile(r"^[\s-]*(?:an?\s+|of\s+an?\s+)?([a-z]+)\b\.?", re.IGNORECASE)
_YARDS = frozenset({"yard", "yards", "yd", "yds"})
_TO = re.compile(r"^\s*(?:-|–|—|to)\s*$", re.IGNORECASE)
_BETWEEN = re.compile(r"\bbetween\s+$", re.IGNORECASE)
_LIST_MARK = re.compile(r"[.)]\s+\S")
_SPREAD = re.compile(r"(?:±|\+/-|\+-|plus or minus|\\pm)\s*$", re.IGNORECASE)


@dataclass(frozen=True)
class Amount:
    """A number in prose at ``start`` to ``end``; ``unit`` None when it carries none. ``ranged``: middle of a range."""

    value: float
    unit: Unit | None
    start: int
    end: int
    ranged: bool = False


def amounts(text: str) -> list[Amount]:
    """Every amount of a text in order; tolerances ("± 0.2") and numbers of images are none."""
    for glyph, meant in _GLYPHS.items():
        text = re.sub(rf"(?<=\d){glyph}", f" {meant}", text).replace(glyph, meant)
    found = [_with_unit(text, amount) for amount in sorted(_bare(text), key=lambda a: a.start)]
    return _joined(text, found)


def converted(amount: Amount, unit: Unit | None) -> float | None:
    """The amount in ``unit``; one without unit is taken to be in it. None when it measures something else."""
    if amount.unit is None or amount.unit == unit:
        return amount.value
    if unit is None:
        return None
    for factors in (METRES, _SQUARE_METRES):
        if amount.unit in factors and unit in factors:
            return amount.value * factors[amount.unit] / factors[unit]
    return None


def _bare(text: str) -> Iterator[Amount]:
    taken: list[tuple[int, int]] = []
    for match in _NUMBER.finditer(text):
        before = _before(text, match.start())
        if _NOT_A_NUMBER_BEFORE.search(before) or _SPREAD.search(before) or _is_list_mark(text, match):
            continue
        value = _digits(match)
        if value is not None and math.isfinite(value):
            taken.append(match.span())
            yield Amount(value, None, match.start(), match.end())
    for match in _IN_WORDS.finditer(text):
        last = bisect_left(taken, (match.end(),)) - 1  # of the digits that begin before its end
        overlaps = last >= 0 and match.start() < taken[last][1]
        if overlaps or _NOT_A_NUMBER_BEFORE.search(_before(text, match.start())):
            continue
        yield from (Amount(value, None, match.start(), match.end()) for value in _in_words(match))


def _is_list_mark(text: str, match: re.Match[str]) -> bool:
    """ "1. First, ..." at the start of a line that goes on."""
    starts_line = not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
    return starts_line and bool(_LIST_MARK.match(text, match.end()))


def _before(text: str, at: int) -> str:
    return text[max(0, at - 24) : at]


def _digits(match: re.Match[str]) -> float | None:
    sign = -1.0 if (match["sign"] or match["minus"] or "") in ("-", "−") else 1.0
    if match["over"]:
        under = float(match["under"])
        return sign * (float(match["whole"] or 0) + float(match["over"]) / under) if under else None
    if match["comma"]:
        return float(match["comma"].replace(",", "."))
    return sign * float(match["digits"].replace(",", ""))


def _in_words(match: re.Match[str]) -> list[float]:
    """The number a run of number words spells; the words one by one when they spell none ("one one two")."""
    if match["alone"]:
        return [_PARTS[match["alone"].lower()]]
    spelled = [w for w in re.findall(r"[a-z]+", match["whole"].lower()) if w in _WORDS or w in _TIMES]
    total = current = 0.0
    room = 100.0  # what may still be added below the word before
    for word in spelled:
        if word in _TIMES:
            total, current, room = total + max(current, 1.0) * _TIMES[word], 0.0, 100.0
        elif _WORDS[word] < room and not (word == "zero" and len(spelled) > 1):
            current, room = current + _WORDS[word], 10.0 if word in _TENS else 0.0
        else:
            return [_WORDS.get(w, _TIMES.get(w, 0.0)) for w in spelled]
    value = total + current
    if match["point"]:
        value += float("0." + "".join(str(int(_WORDS[w.lower()])) for w in re.findall(r"[a-zA-Z]+", match["point"])))
    if match["part"]:
        value += _PARTS[match["part"].split()[-1].lower()]
    return [value]


def _with_unit(text: str, amount: Amount) -> Amount:
    rest = text[amount.end : amount.end + 40]
    for pattern, unit in _UNIT_SIGNS:
        found = pattern.match(rest)
        if found:
            return replace(amount, unit=unit, end=amount.end + found.end())
    word = _UNIT_WORD.match(rest)
    if word is None:
        return amount
    if word[1].lower() in _YARDS:
        return replace(amount, value=3 * amount.value, unit="ft", end=amount.end + word.end())
    unit_here = unit_of(word[1].lower()) or ("in" if word[1] == "in" and _ends(rest, word) else None)
    if word[1].lower() == "s" or (unit_here == "s" and word[1].lower() not in ("second", "seconds")):
        unit_here = None
    return amount if unit_here is None else replace(amount, unit=unit_here, end=amount.end + word.end())


def _ends(rest: str, word: re.Match[str]) -> bool:
    """Whether nothing follows: "63 in", not "63 in the room"."""
    return not rest[word.end() :].strip(" .)")


def _joined(text: str, found: Sequence[Amount]) -> list[Amount]:
    """Feet and inches as one amount; a range as its middle."""
    out: list[Amount] = []
    for amount in found:
        between = text[out[-1].end : amount.start] if out else "|"
        last = out[-1] if out else None
        if last and last.start < amount.start < last.end:  # the 2 of m^2
            continue
        if last and last.unit == "ft" and amount.unit in ("in", None) and not between.strip(" ,and"):
            out[-1] = replace(last, value=last.value + amount.value / 12, end=amount.end)
        elif last and _to(text, last, between) and not last.ranged and last.unit in (None, amount.unit):
            out[-1] = Amount((last.value + amount.value) / 2, amount.unit, last.start, amount.end, ranged=True)
        elif last and not between.strip() and amount.value < 0 and last.unit is None:
            out[-1] = Amount((last.value - amount.value) / 2, amount.unit, last.start, amount.end, ranged=True)
        else:
            out.append(amount)
    return out


def _to(text: str, low: Amount, between: str) -> bool:
    """ "2 to 3", "2-3", "between 2 and 3"."""
    return bool(_TO.match(between) or (between.strip() == "and" and _BETWEEN.search(_before(text, low.start))))


def agree(values: Sequence[float]) -> bool:
    """Whether values are one value said several times ("2.5 m (250 cm)")."""
    return all(abs(a - b) <= 0.02 * max(abs(a), abs(b)) for a, b in pairwise(sorted(values)))
