"""Whether the camera circles a thing clockwise or counter-clockwise, seen from above.

Slots: the thing circled, which words stand for which sense ("clockwise (left)"), the images. Decomposes to
rotation_sense, frame=camera, images=(first, last), relative_to=thing.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, alternatives, choice_or
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function, Option

_GRAMMAR = Grammar(
    rules("""
        camera := the camera | i | we | you
        around := [around {o}]
        while := [( when | while ) ( shooting | filming | recording ) the video]
        between := ( between {m:image} and {n:image} | from {m:image} to {n:image} )
        head := [<between> [,]]
        going := moving | going | circling | rotating | orbiting | revolving | travelling | turning | walking
        go := move | go | circle | rotate | orbit | revolve | travel | walk
        turn := [( , | : )] {alts:sense}

        named:
        ( is | was ) ( <camera> | it ) ( <going> ) {alts:sides} <while>
        ( did | does ) ( <camera> | it ) ( <go> ) {alts:sides} <while>
        [in] <wh> <dirway> ( did | does | is | was ) ( <camera> | it ) ( <go> | <going> ) <while>

        plain:
        <head> ( is | was | am | are | were ) <camera> ( <going> ) [( {o} | around {o} )] {alts:sense} <around>
            [<between>] <while>
        <head> ( did | does | do ) <camera> ( <go> ) [( {o} | around {o} )] {alts:sense} <around> [<between>] <while>
        <head> [in] <wh> [rotational] <dirway> ( did | does | do | is | was | am | are | were | have ) <camera> ( circle
            | circling | orbit | orbiting | ( <go> | <going> ) around ) {o} [<between>] [<turn>]
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    senses = dict(asked.setup.senses)
    if (asked.note == "named") != bool(senses):
        return None
    offered = _offered(asked, senses)
    if offered is None:
        return Refusal("the options are not the two senses of rotation")
    first, second = asked.match.image("m"), asked.match.image("n")
    images = (first, second) if first and second else asked.setup.images
    if images is None:
        images = asked.pair or ((1, 2) if senses else None)
    thing = asked.name("o") or None
    return Reading(
        Comparison(
            function=Function.ROTATION_SENSE,
            relative_to=None if thing in ("object", "scene", "it") else thing,
            frame="camera",
            form=choice_or("open", offered),
            options=offered,
            images=images,
            during=asked.setup.during or "whole",
        )
    )


def _offered(asked: Asked, senses: dict[str, str]) -> tuple[Option, ...] | None:
    def meaning(text: str) -> str | None:
        return senses.get(answers.plain(text)) or answers.motion(text)

    if asked.options:
        return answers.read(asked.options, meaning)
    if "alts" in asked.match:
        return alternatives(asked.match.quote("alts"), meaning)
    return tuple(Option(text=word, answer=sense) for word, sense in senses.items())


FAMILY = Family(
    "circling",
    "whether the camera circles something clockwise or counter-clockwise",
    _GRAMMAR,
    _build,
    example="From image 1 to image 2, did the camera circle the table clockwise or counter-clockwise?",
    cues=("circles", "circling", "orbit", "clockwise", "counterclockwise", "camera"),
    takes=frozenset({"senses", "during", "images"}),
)
