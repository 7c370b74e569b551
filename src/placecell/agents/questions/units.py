"""Units an answer is asked in, and amounts in digits or words."""

from __future__ import annotations

import math

from placecell.agents.questions.grammar import Rule
from placecell.agents.questions.spelling import NUMBERS
from placecell.agents.questions.text import Text
from placecell.language.decomposition import Unit

_UNITS: dict[str, Unit] = {
    **dict.fromkeys(("m", "meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(("cm", "cms", "centimeter", "centimeters", "centimetre", "centimetres"), "cm"),
    **dict.fromkeys(("mm", "millimeter", "millimeters", "millimetre", "millimetres"), "mm"),
    **dict.fromkeys(("km", "kilometers", "kilometres"), "km"),
    **dict.fromkeys(("inch", "inches"), "in"),
    **dict.fromkeys(("foot", "feet", "ft"), "ft"),
    **dict.fromkeys(("m2", "sqm", "sq m", "sq meters", "sq metres"), "m2"),
    **dict.fromkeys(("square meters", "square metres", "square meter", "square metre"), "m2"),
    **dict.fromkeys(("ft2", "sqft", "square feet", "square foot", "sq ft", "sq feet"), "ft2"),
    **dict.fromkeys(("step", "steps", "pace", "paces"), "steps"),
    **dict.fromkeys(("degree", "degrees"), "degrees"),
    **dict.fromkeys(("second", "seconds"), "s"),
}  # fmt: skip
_ASKED_IN = Rule(
    "[,] [-lrb-] [and] [is | be] [( measured | expressed | given | stated | answer | answered | estimated | estimate "
    "| rounded | reported | express it | give it )] "
    "( in | using | to the nearest ) [units of] ( <length-unit:unit> | <area-unit:unit> | <other-unit:unit> ) [.] "
    "[-rrb-]"
    "| -lrb- ( <length-unit:unit> | <area-unit:unit> ) [.] -rrb-"
)
_OPENERS = frozenset(_ASKED_IN.first or ())


def unit_of(words: str) -> Unit | None:
    """The unit behind its words, None for none we know."""
    return _UNITS.get(words.replace(" .", ""))


def amount(words: str) -> float | None:
    """A number in digits or words; None when it is neither, or beyond all numbers."""
    try:
        value = float(NUMBERS.get(words, words))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def take_unit(text: Text) -> tuple[Text, Unit | None]:
    """The text without "in centimetres" and the like, and the unit it asks for."""
    for at, norm in enumerate(text.norms):
        if norm not in _OPENERS:
            continue
        match = _ASKED_IN.match_prefix(text, at, len(text))
        if match:
            closing = text.norms[match.first] == "," and text.norms[match.last : match.last + 1] == (",",)
            return text.without(match.first, match.last + closing), unit_of(match.canon("unit"))
    return text, None
