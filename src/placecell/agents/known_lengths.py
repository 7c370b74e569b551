"""Lengths a person knows ("door height 2.03 m") and the scale of a memory that follows from them.

Each known length is measured in the memory as a question about it would be; the factor is their weighted mean in the
logarithm, and what they disagree about widens its error. Does not know how a memory is rescaled (``memory.rescale``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from placecell.agents.numbers import METRES
from placecell.agents.questions.units import unit_of
from placecell.engine.measures import CLEAR
from placecell.engine.places import Place, closest, distance, length, place_of
from placecell.engine.sizes import extents_of
from placecell.engine.values import Length
from placecell.errors import UserError
from placecell.memory.corrections import pick
from placecell.memory.rescale import rescaled
from placecell.memory.scene import Scale, SpatialMemory

TAPE = 0.005
"""Relative standard deviation of a length a person states without "+-": a tape measure, and where one holds it."""
POSES = 0.01
"""Relative standard deviation taken for the distance of two cameras: no reconstructor states how well it knows them."""

_SIDES = {
    "height": "height", "tall": "height", "high": "height", "width": "width", "wide": "width", "depth": "depth",
    "deep": "depth", "length": "longest", "long": "longest", "longest side": "longest",
}  # fmt: skip
_SHAPE = 'for example "door height 2.03 m", "bed to door 1.5 m" or "image 1 to image 5 120 cm"'
_AMOUNT = r"(?<![\w#.,])\d+(?:[.,]\d+)?\s*(?:\"|'|[a-z]+\.?)"
_FEET = r"\d+\s*(?:ft|feet|foot|')\s*(?:and\s+)?"
_INCHES = r"\d+(?:\.\d+)?\s*(?:in|inch|inches|\")"
_STATED = re.compile(
    rf"^(?P<what>.*?)\s*[=:,]?\s*(?P<length>(?<![\w#.,]){_FEET}{_INCHES}|{_AMOUNT})"
    rf"(?:\s*(?:\+/?-|\u00b1)\s*(?P<error>{_AMOUNT}))?$"
)
_NUMBER_UNIT = re.compile(r"(\d+(?:[.,]\d+)?)\s*(\"|'|[a-z]+)")
_OF = re.compile(rf"^(?:the )?(?P<side>{'|'.join(_SIDES)}) of (?P<thing>.+)$", re.IGNORECASE)
_SIDE_LAST = re.compile(rf"^(?P<thing>.+?)(?:'s)? (?P<side>{'|'.join(_SIDES)})$", re.IGNORECASE)
_PAIR = re.compile(
    r"^(?:(?:the )?distance )?(?:between (?P<a>.+?) and|(?:from )?(?P<c>.+?) (?:to|from)) (?P<b>.+)$", re.IGNORECASE
)
_IMAGE = re.compile(r"^(?:image|camera|photo|picture|frame)\s*(\d+)$", re.IGNORECASE)
_THE = re.compile(r"^(?:the|an?|my|our)\s+", re.IGNORECASE)
_VERB = re.compile(r"\s+(?:is|are|of)$", re.IGNORECASE)


@dataclass(frozen=True)
class Known:
    """A stated length: what is ``metres`` long, give or take ``sd`` metres.

    ``things`` is one thing, whose ``side`` it is (longest, width, depth or height; "room" has a height), or two, whose
    distance it is. A thing is an object's id or name, or "image N".
    """

    text: str
    metres: float
    sd: float
    things: tuple[str, ...]
    side: str | None = None


@dataclass(frozen=True)
class Check:
    """A known length against the memory: measured in its unit, with its uncertainty; how far off after scaling.

    ``off`` is measured over stated, less 1; ``sds`` the same in standard deviations of the two.
    """

    known: Known
    measured: Length
    off: float
    sds: float


@dataclass(frozen=True)
class Scaling:
    """``factor``: metres of one unit. ``relative_error``: its standard deviation, widened where lengths disagree."""

    factor: float
    relative_error: float
    checks: tuple[Check, ...]

    @property
    def disagreeing(self) -> tuple[Check, ...]:
        """The known lengths that the others contradict."""
        return tuple(c for c in self.checks if abs(c.sds) > CLEAR)


def read_known(text: str) -> Known:
    """A known length in words, in m, cm, mm, km, ft or in ("6 ft 8 in"), with "+- 1 cm" when the person says so.

    Raises:
        UserError: it states no length, or nothing that has one.
    """
    plain = " ".join(text.split()).lower()
    found = _STATED.match(plain)
    if not found or not found["what"]:
        raise UserError(f"{text!r} states no length of anything", hint=_SHAPE)
    metres = _metres(found["length"], text)
    sd = _metres(found["error"], text) if found["error"] else TAPE * metres
    if not (metres > 0 and sd > 0):
        raise UserError(f"{text!r}: a length and its error are more than 0")
    # The words keep the person's case: a name may be known in no other.
    what = " ".join(text.split())[: len(found["what"])]
    return Known(text, metres, sd, *_things(what, text))


def solve(memory: SpatialMemory, known: Sequence[Known]) -> Scaling:
    """The factor that fits the known lengths best, weighted by how well each is known and measured.

    Raises:
        UserError: something named is not in the memory, or has no length there.
    """
    if not known:
        raise UserError("no known length", hint=_SHAPE)
    measured = [_measure(memory, k) for k in known]
    ratios = [math.log(k.metres / m.value) for k, m in zip(known, measured, strict=True)]
    sds = [math.hypot(k.sd / k.metres, m.own_sd / m.value) for k, m in zip(known, measured, strict=True)]
    weights = [sd**-2 for sd in sds]
    mean = sum(w * r for w, r in zip(weights, ratios, strict=True)) / sum(weights)
    chi2 = sum(w * (r - mean) ** 2 for w, r in zip(weights, ratios, strict=True))
    # Birge's ratio: lengths that scatter more than they should are known worse than they say.
    wider = math.sqrt(max(1.0, chi2 / (len(known) - 1))) if len(known) > 1 else 1.0
    checks = tuple(
        Check(k, m, math.expm1(mean - r), (mean - r) / sd)
        for k, m, r, sd in zip(known, measured, ratios, sds, strict=True)
    )
    return Scaling(math.exp(mean), wider / math.sqrt(sum(weights)), checks)


def scaled(memory: SpatialMemory, known: Sequence[Known | str], *, anew: bool = False) -> tuple[SpatialMemory, Scaling]:
    """The memory in metres by known lengths, and how they fit. ``anew`` allows it for a memory that has metres.

    Raises:
        UserError: as `read_known` and `solve`; or the memory is in metres already, with what it measures.
    """
    scaling = solve(memory, [read_known(k) if isinstance(k, str) else k for k in known])
    if memory.scale.metric and not anew:
        first = scaling.checks[0]
        raise UserError(
            f"the memory is in metres already (from {memory.scale.source}): {first.known.text!r} measures"
            f" {first.measured.value:.3g} +- {first.measured.sd:.2g} m in it",
            hint="--anew scales it all the same",
        )
    by_object = any(not _IMAGE.match(thing) for check in scaling.checks for thing in check.known.things)
    scale = Scale("metric", "reference" if by_object else "user", scaling.relative_error)
    said = "; ".join(check.known.text for check in scaling.checks)
    detail = f"x {scaling.factor:.6g} by {said} (error {scaling.relative_error:.2%})"
    return rescaled(memory, scaling.factor, scale, detail), scaling


def _metres(text: str, whole: str) -> float:
    total = 0.0
    for number, word in _NUMBER_UNIT.findall(text):
        unit = {'"': "in", "'": "ft", "in": "in"}.get(word) or unit_of(word)
        if unit not in METRES or unit == "steps":
            raise UserError(f"{whole!r}: {word!r} is no unit of length", hint="use m, cm, mm, km, ft or in")
        if re.fullmatch(r"\d+,\d{3}", number):
            raise UserError(f"{whole!r}: {number!r} may be two numbers", hint="write it without the comma")
        total += float(number.replace(",", ".")) * METRES[unit]
    return total


def _things(what: str, text: str) -> tuple[tuple[str, ...], str | None]:
    what = _VERB.sub("", what.strip(" .=:,"))
    for pattern in (_OF, _SIDE_LAST):
        if found := pattern.match(what):
            return (_bare(_VERB.sub("", found["thing"])),), _SIDES[found["side"].lower()]
    pair = _PAIR.match(what)
    if not pair:
        raise UserError(f"{text!r} does not say which length it is", hint=_SHAPE)
    return (_bare(pair["a"] or pair["c"]), _bare(pair["b"])), None


def _bare(thing: str) -> str:
    bare = _THE.sub("", thing.strip())
    return bare.lower() if _IMAGE.match(bare) else bare


def _measure(memory: SpatialMemory, known: Known) -> Length:
    """A known length as the memory has it."""
    if len(known.things) == 2:
        a, b = (_place(memory, thing) for thing in known.things)
        found = distance(memory, closest(memory, (a,), (b,)))
        if a.image is not None and b.image is not None:
            found = length(memory, found.value, POSES * found.value)
    elif known.things[0].lower() == "room" and known.side == "height":
        if memory.layout.height is None:
            raise UserError(f"{known.text!r}: the height of the room is not known in this memory")
        found = length(memory, memory.layout.height)
    else:
        extents = extents_of(memory, pick(memory, _id_or_name(known.things[0])))
        sides = {
            "longest": extents.longest, "width": extents.width, "depth": extents.depth, "height": extents.height,
        }  # fmt: skip
        found = sides[known.side or "longest"]
    if not found.value > 0:
        raise UserError(f"{known.text!r}: that measures nothing in this memory", hint="use another known length")
    return found


def _place(memory: SpatialMemory, thing: str) -> Place:
    image = _IMAGE.match(thing)
    if not image:
        return place_of(pick(memory, _id_or_name(thing)))
    frame = memory.frame(int(image[1]))
    if frame.camera is None:
        raise UserError(f"where image {frame.number} was taken is not known")
    return Place(thing, frame.camera.centre, image=frame.number)


def _id_or_name(thing: str) -> int | str:
    return int(thing.lstrip("#")) if thing.lstrip("#").isdecimal() else thing
