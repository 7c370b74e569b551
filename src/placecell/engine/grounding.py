"""Which objects of a memory a phrase means: a name, or a name with what it looks like, judged on the photos.

Colours ("the red chair") are measured; of what they do not decide, and of other looks ("the wooden chair"), a model is
asked where there is one.

Says what it rests on, and why there is nothing: not looked for, looked for and not there, or no photo to judge by.
"""

from __future__ import annotations

from collections.abc import Sequence

from placecell.engine.colours import MOST_JUDGED, PERHAPS, SURE, fits_of
from placecell.engine.context import Judge
from placecell.engine.evidence import seen_by
from placecell.engine.judging import votes
from placecell.engine.places import told_apart
from placecell.engine.values import Absent, Evidence, InstancesValue, Reason
from placecell.language.attributes import coloured
from placecell.memory.names import LookUp, look_up, numbered
from placecell.memory.scene import SpatialMemory

_AS_GOOD = 0.15
"""When no object has a colour for sure, all that fit it nearly as well as the best may be meant."""
_CLEAR, _UNCLEAR = 0.95, 0.6


def ground(memory: SpatialMemory, phrase: str, judge: Judge | None = None) -> InstancesValue:
    """The objects that ``phrase`` means, most confident first; empty with the reason when there are none.

    "chair 17" is the chair with that number. A memory's own name wins: objects called "red chair" are found without
    looking at their colour. ``judge``: a model that looks at pictures.
    """
    found = look_up(phrase, memory.object_names, memory.vocabulary)
    told = numbered(phrase) if found.state == "unknown" else None
    if told is not None:
        return _by_number(phrase, told[1], ground(memory, told[0], judge))
    attribute = coloured(phrase) if found.state == "unknown" else None
    if attribute is not None:
        colours, category = attribute
        things = _by_name(memory, category, look_up(category, memory.object_names, memory.vocabulary))
        if not things.instances:
            return InstancesValue(phrase, (), things.reason, things.evidence)
        chosen = _by_colour(memory, phrase, colours, things)
        decided = chosen.judged == _CLEAR
        return chosen if decided or judge is None else _by_looking(memory, phrase, things, judge)
    named = _by_name(memory, phrase, found)
    if judge is None or found.state != "unknown" or not found.match.near:
        return named
    things = InstancesValue(phrase, tuple(i for i in memory.instances if i.name in found.match.near))
    return _by_looking(memory, phrase, things, judge) if things.instances else named


def _by_name(memory: SpatialMemory, name: str, found: LookUp) -> InstancesValue:
    if found.state != "present":
        reason: Reason = "not found" if found.state == "absent" else "not looked for"
        near = found.match.near
        flags = (f"there is {' and '.join(near)}",) if near else ()
        return InstancesValue(name, (), reason, Evidence(flags=flags))
    wanted = set(found.match.names)
    chosen = [i for i in memory.instances if i.name in wanted]
    chosen.sort(key=lambda i: (-i.confidence, i.id))
    return InstancesValue(name, tuple(chosen), evidence=seen_by(chosen))


def _by_number(phrase: str, number: int, things: InstancesValue) -> InstancesValue:
    chosen = [thing for thing in things.instances if thing.id == number]
    if things.instances and not chosen:
        return InstancesValue(phrase, (), "not found", things.evidence, f"there is {told_apart(things.instances)}")
    return InstancesValue(phrase, tuple(chosen), things.reason, seen_by(chosen), things.note)


def _by_colour(memory: SpatialMemory, phrase: str, colours: Sequence[str], things: InstancesValue) -> InstancesValue:
    """Those of ``things`` that have the colours for sure; when none has, those that may have."""
    category, look = things.name, " and ".join(colours)
    if len(things.instances) > MOST_JUDGED:
        note = f"there are {len(things.instances)} of {category}, too many to look at each for {look}"
        return InstancesValue(phrase, (), "ambiguous", things.evidence, note)
    found = fits_of(memory, things.instances, colours)
    if not found.scores:
        note = f"no photo shows the colour of any {category}"
        return InstancesValue(phrase, (), "not seen", things.evidence, note)
    more = (f"no photo shows the colour of {found.unseen} more",) if found.unseen else ()
    sure = _CLEAR if found.certain else _UNCLEAR
    if found.best < PERHAPS:
        seen = len(found.scores)
        note = f"none of {seen} {category} looks {look}" if seen > 1 or more else f"the {category} is not {look}"
        if more:
            return InstancesValue(phrase, (), "not seen", things.evidence, ", and ".join((note, *more)))
        return InstancesValue(phrase, (), "not found", things.evidence, note, sure)
    enough = SURE if found.best >= SURE else max(PERHAPS, found.best - _AS_GOOD)
    chosen = [i for i, score in found.scores if score >= enough]
    flags = [f"{i.name} {i.id}: {look} judged by colour ({score:.2f})" for i, score in found.scores if score >= PERHAPS]
    doubt = "" if found.certain else f"not certain that {'it is' if len(chosen) == 1 else 'they are'} {look}"
    evidence = seen_by(chosen, flags=[*flags, *([doubt] if doubt else []), *more])
    return InstancesValue(phrase, tuple(chosen), None, evidence, doubt, sure)


def _by_looking(memory: SpatialMemory, phrase: str, things: InstancesValue, judge: Judge) -> InstancesValue:
    """Those of ``things`` that a model says the phrase describes."""
    said = votes(memory, things.instances, phrase, judge)
    if isinstance(said, Absent):
        return InstancesValue(phrase, (), "ambiguous", things.evidence, said.message)
    if said.fitting:
        evidence = seen_by(said.fitting, flags=said.flags(phrase))
        return InstancesValue(phrase, said.fitting, None, evidence, judged=said.sure)
    if said.undecided:
        note = f"whether {len(said.undecided)} of them is {phrase!r} could not be judged on pictures"
        return InstancesValue(phrase, (), "not seen", things.evidence, note)
    note = f"none of {len(things.instances)} was judged to be {phrase!r} on pictures"
    return InstancesValue(phrase, (), "not found", things.evidence, note, said.sure)
