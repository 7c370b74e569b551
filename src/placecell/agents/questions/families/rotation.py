"""Whether a thing in a video spins clockwise or counter-clockwise.

Slots: what spins, what it goes around, the part of the video. Decomposes to rotation_sense, entities=[thing],
relative_to=what it goes around.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.families.movers import SENSES, TAKES, is_camera, motion_options, motion_reading, mover
from placecell.agents.questions.family import Asked, Family, Reading, Refusal
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Function, Option

_WHO = "( {m:np+} | <they:m> )"
_AGENT = "( {agent} | <they> )"
_LEAD = "[{when:lead} ,]"
_SENSE = "( [in a] ( clockwise or counterclockwise | counterclockwise or clockwise ) [direction] )"
_GRAMMAR = Grammar(
    (
        *rules(
            f"<is> {_WHO} ( <spinning> | <ing> | <turning> ) [( their | its | her | his )] {_SENSE} [around {{l}}] [{{when:when}}]",
            f"( did | does | do ) {_WHO} ( <spins> | <turns> | <verb> ) {_SENSE} [around {{l}}] [{{when:when}}]",
            f"<is> {_AGENT} ( <handling> | <spinning> ) {{m}} {_SENSE} [{{when:when}}]",
            f"( did | does | do ) {_AGENT} <handle> {{m}} {_SENSE} [{{when:when}}]",
            f"<wh> <dirway> <is> {_WHO} <spinning> [,] {_SENSE}",
            note="either",
        ),
        *rules(
            f"{_LEAD} [in] <wh> rotational <dirway> <is> {_AGENT} ( <handling> | <spinning> ) {{m}} [{{when:when}}]",
            f"{_LEAD} [in] <wh> rotational <dirway> ( did | does | do ) {_WHO} ( <turns> | <verb> | <spins> ) [in] [{{when:when}}]",
            f"{_LEAD} [in] <wh> rotational <dirway> <is> {_WHO} ( <turning> | <ing> | <spinning> ) [in] [{{when:when}}]",
            f"{_LEAD} [in] <wh> [rotational] <dirway> <is> {_WHO} <spinning> [( in | towards )] [{{when:when}}]",
            f"{_LEAD} [in] <wh> [rotational] <dirway> ( did | does | do ) {_WHO} <spins> [in] [{{when:when}}]",
            f"{_LEAD} [in] <wh> [rotational] <dirway> ( did | does | do ) {_AGENT} ( rotate | rotates | spin | turn | stir | stirs ) {{m}} [in] [{{when:when}}]",
            f"{_LEAD} [in] <wh> <dirway> <is> {_WHO} ( <turning> | <ing> ) [( in | towards )] [{{when:when}}]",
            f"{_LEAD} [in] <wh> <dirway> ( did | does | do ) {_WHO} ( <turns> | <verb> ) [( in | towards )] [{{when:when}}]",
            f"how ( does | did | do ) {_AGENT} ( rotate | spin | turn ) {{m}} [{{when:when}}]",
            f"( what <is> | <tell> ) the ( sense | direction ) of rotation of {{m}} [{{when:when}}]",
            note="open",
        ),
    )
)


def _build(asked: Asked) -> Reading | Refusal | None:
    name = mover(asked)
    if name is None or is_camera(name):
        return None
    options = motion_options(asked.options) if asked.options else ()
    words = asked.match.canon()
    said = any(word in SENSES or word == "rotational" for word in words.split())
    if options is None:
        return Refusal("the options are not senses of rotation")
    ways = {o.answer for o in options}
    spins = said or any(word in _SPINS for word in words.split())
    if asked.options and not ways & SENSES and not said:
        return None
    if not spins and not ways & SENSES:
        return None
    if not spins and ways & {"left", "right", "up", "down"}:
        return None  # a choice among ways of moving that lists a sense too
    if not options and asked.note == "either":
        options = (
            Option(text="clockwise", answer="clockwise"),
            Option(text="counter-clockwise", answer="counterclockwise"),
        )
    around = asked.name("l") or None
    fields = {"relative_to": around} if around else {}
    return motion_reading(asked, Function.ROTATION_SENSE, name, options=options, **fields)


_SPINS = frozenset(
    """spinning rotating circling revolving flipping twirling whirling orbiting spin spins rotate rotates rotated spun
    circle revolve flip twirl orbit stirring pedalling rotation""".split()
)

FAMILY = Family(
    "rotation",
    "whether something in a video spins clockwise or counter-clockwise",
    _GRAMMAR,
    _build,
    cues=("clockwise", "counterclockwise", "spinning", "rotating", "rotational", "spin", "rotate"),
    takes=TAKES,
)
