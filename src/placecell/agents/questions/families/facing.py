"""Which way a person, an animal or a thing with a front faces.

Slots: who; whose left and right (the camera's, or the own body's for "picture yourself as the man: which way are you
looking"). Decomposes to facing, entities=[who], frame=camera or object.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Family, Reading, Refusal, alternatives, choice_or
from placecell.agents.questions.grammar import Grammar, rules
from placecell.language.decomposition import Comparison, Function

_GRAMMAR = Grammar(
    rules("""
        looking := facing | looking | gazing | pointing | oriented | turned | pointed | staring

        who:
        [( in | to )] <wh> <dirway> ( is | are ) {x} <looking> [( towards | to | in | at )] [<scene>]
        ( is | are ) {x} <looking> [( to | towards )] [the] {alts:sides}
        [( in | to )] <wh> <dirway> ( does | do | did ) {x} ( face | look | point ) [( towards | to | in )] [<scene>]
        [( in | to )] <wh> <dirway> {x} <is> <looking> [( towards | to )]

        you:
        [( in | to )] <wh> <dirway> <am> <i> <looking> [( towards | to | in | at )] [<scene>]
        [( in | to )] <wh> <dirway> ( would | will ) <i> be <looking> [( towards | to | in | at )] [<scene>]
        [( in | to )] <wh> <dirway> ( do | would | will ) <i> ( face | look ) [<scene>]
    """)
)


def _build(asked: Asked) -> Reading | Refusal | None:
    reference = asked.reference
    if asked.note == "you":
        if reference.facing.kind != "same_way_as_object" or reference.object is None:
            return Refusal("a heading is asked of a place; say who is looking")
        who, frame = reference.object, "object"
    else:
        who, frame = asked.name("x"), "object" if asked.setup.frame == "own" else "camera"
        if asked.setup.owner is not None:
            if asked.setup.owner not in (who, f"{who}s"):
                return Refusal(f"whether {who} faces as seen by {asked.setup.owner} needs both their headings")
            frame = "object"
    if not who:
        return None
    named = alternatives(asked.match.quote("alts"), answers.side) if "alts" in asked.match else ()
    offered = answers.read(asked.options, _word(asked)) if asked.options else named
    if offered is None:
        return Refusal("the options are not directions")
    comparison = Comparison(
        function=Function.FACING,
        entities=(who,),
        frame=frame,  # type: ignore[arg-type]
        form=choice_or("open", offered),
        options=offered,
        during=asked.setup.during or "whole",
    )
    return Reading(comparison, reference)


def _word(asked: Asked) -> answers.Reading:
    """Sides; for a video also "towards the camera" and "away"."""
    sides = all(answers.side(o.text) for o in asked.options)
    return answers.side if sides else answers.motion


FAMILY = Family(
    "facing",
    "which way a person, an animal or a thing with a front faces",
    _GRAMMAR,
    _build,
    example="Which way is the girl facing?",
    cues=("way is", "gazing", "is facing"),
    takes=frozenset({"owner", "own", "during"}),
)
