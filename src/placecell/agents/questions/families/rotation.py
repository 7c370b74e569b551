"""Whether a thing in a video spins clockwise or counter-clockwise.

Slots: what spins, what it goes around, the part of the video. Decomposes to rotation_sense, entities=[thing],
relative_to=what it goes around.
"""

from __future__ import annotations

from placecell.agents.questions.families.movers import SENSES, TAKES, is_camera, motion_options, motion_reading, mover
from placecell.agents.questions.family import Asked, Family, Reading, Refusal
from placecell.agents.questions.grammar import Grammar, rules
from placecell.agents.questions.notation import words
from placecell.language.decomposition import Function, Option

_GRAMMAR = Grammar(
    rules("""
        who := {m:np+} | <they:m>
        agent := {agent} | <they>
        lead := [{when:lead} ,]
        sense := [in a] ( clockwise or counterclockwise | counterclockwise or clockwise ) [direction]

        either:
        <is> <who> ( <spinning> | <ing> | <turning> ) [( their | its | her | his )] <sense> [around {l}] [{when:when}]
        ( did | does | do ) <who> ( <spins> | <turns> | <verb> ) <sense> [around {l}] [{when:when}]
        <is> <agent> ( <handling> | <spinning> ) {m} <sense> [{when:when}]
        ( did | does | do ) <agent> <handle> {m} <sense> [{when:when}]
        <wh> <dirway> <is> <who> <spinning> [,] <sense>

        open:
        <wh> <dirway> <who> <is> <spinning> [{when:when}]
        <lead> [in] <wh> rotational <dirway> <is> <agent> ( <handling> | <spinning> ) {m} [{when:when}]
        <lead> [in] <wh> rotational <dirway> ( did | does | do ) <who> ( <turns> | <verb> | <spins> ) [in]
            [{when:when}]
        <lead> [in] <wh> rotational <dirway> <is> <who> ( <turning> | <ing> | <spinning> ) [in] [{when:when}]
        <lead> [in] <wh> [rotational] <dirway> <is> <who> <spinning> [( in | towards )] [{when:when}]
        <lead> [in] <wh> [rotational] <dirway> ( did | does | do ) <who> <spins> [in] [{when:when}]
        <lead> [in] <wh> [rotational] <dirway> ( did | does | do ) <agent> ( rotate | rotates | spin | turn | stir |
            stirs ) {m} [in] [{when:when}]
        <lead> [in] <wh> <dirway> <is> <who> ( <turning> | <ing> ) [( in | towards )] [{when:when}]
        <lead> [in] <wh> <dirway> ( did | does | do ) <who> ( <turns> | <verb> ) [( in | towards )] [{when:when}]
        how ( does | did | do ) <agent> ( rotate | spin | turn ) {m} [{when:when}]
        ( what <is> | <tell> ) the ( sense | direction ) of rotation of {m} [{when:when}]
    """)
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
    words("""
        spinning rotating circling revolving flipping twirling whirling orbiting spin spins rotate rotates
        rotated spun circle revolve flip twirl orbit stirring pedalling rotation
    """)
)

FAMILY = Family(
    "rotation",
    "whether something in a video spins clockwise or counter-clockwise",
    _GRAMMAR,
    _build,
    example="Is the wheel spinning clockwise or counter-clockwise?",
    cues=("clockwise", "counterclockwise", "spinning", "rotating", "rotational", "spin", "rotate"),
    takes=TAKES,
)
