"""How many things do something in a video, or how often one does it.

Slots: who, what they do, the part of the video. Decomposes to event_count, entities=[who], event ("turn left", "move
right", "not move", else the question's own words), attribute=movers ("how many cars ..."), times ("how many times
..."), steps, or the things handled ("how many books does he take"). "pass" and "contact" are with another thing, which
is relative_to; whether they happen is the same with form=yes_no.
"""

from __future__ import annotations

from placecell.agents.questions import answers
from placecell.agents.questions.families.movers import TAKES, WAYS, is_camera, mover
from placecell.agents.questions.family import Asked, Family, Reading, choice_or
from placecell.agents.questions.grammar import Grammar, rules
from placecell.agents.questions.notation import words
from placecell.language.decomposition import Comparison, Function

_GRAMMAR = Grammar(
    rules("""
        who := {m} | <they:m>
        do := did | does | do

        meets:
        <do> <who> [ever] ( <pass:pass> | <touch:touch> ) {l}
        has <who> [ever] ( <passed:pass> | <touched:touch> ) {l}
        <is> <who> ( <passing:pass> | <touching:touch> ) {l}

        meeting:
        how ( many times | often ) <do> <who> ( <pass:pass> | <touch:touch> ) {l}
        how ( many times | often ) has <who> ( <passed:pass> | <touched:touch> ) {l}

        meeters:
        how many {m} ( <pass:pass> | <passed:pass> | <touch:touch> | <touched:touch> ) {l}
        how many {m} <is> ( <passing:pass> | <touching:touch> ) {l}

        movers:
        how many {m} <is> [<is>] [moving are] <event:e>
        how many {m} <event-ing:e>
        how many {m} ( never moved | did not move | do not move | never move ) [{x:any}]
        how many {m} [( was | were )] <event-past:e>
        how many of {m} <is> <event:e>

        times:
        how ( many times | often ) ( did | does | do | has | have ) <who> <event-verb:e>
        how ( many times | often ) ( is | was | are | were ) {m} <event-past:e>

        steps:
        how many [full] <count-noun:noun> ( did | does | do | has ) <who> ( take | do | make | complete | perform |
            spin | turn ) [{e:deed}]

        things:
        how many {x} ( did | does | do ) <who> <event-verb:e>
    """)
)
_STILL = (
    "not moving", "standing still", "standing in place", "staying in place", "parked", "stationary", "staying still",
    "never moved", "did not move", "do not move", "never move",
)  # fmt: skip


def _build(asked: Asked) -> Reading | None:
    if asked.note in _MEETS:
        return _meeting(asked)
    name = mover(asked)
    options = answers.read(asked.options, answers.number)
    if name is None or options is None:
        return None
    event = _event(asked)
    if event is None or name.split()[0] in ("times", "steps"):
        return None
    noun = asked.match.phrase("x")
    if asked.note == "things" and (not noun or noun.split()[0] in ("times", "of")):
        return None
    attribute = asked.match.canon("noun") or (noun if asked.note == "things" else asked.note)
    frame = "object" if asked.setup.frame == "own" or asked.setup.owner else "camera"
    return Reading(
        Comparison(
            function=Function.EVENT_COUNT,
            entities=(name,),
            event=event,
            attribute=attribute,
            frame=frame,  # type: ignore[arg-type]
            relative_to=asked.setup.landmark,
            form=choice_or("number", options),
            options=options,
            during=asked.setup.during or "whole",
        )
    )


def _meeting(asked: Asked) -> Reading | None:
    """Passes and contacts of one thing with another."""
    name = mover(asked)
    other = "camera" if is_camera(asked.match.canon("l").removeprefix("the ")) else asked.name("l")
    yes_no = asked.note == "meets"
    options = answers.read(asked.options, answers.yes_no if yes_no else answers.number)
    if name is None or not other or options is None:
        return None
    return Reading(
        Comparison(
            function=Function.EVENT_COUNT,
            entities=(name,),
            event="pass" if "pass" in asked.match else "contact",
            attribute=_MEETS[asked.note],
            frame="camera",
            relative_to=other,
            form="yes_no" if yes_no else choice_or("number", options),
            options=options,
            during=asked.setup.during or "whole",
        )
    )


_MEETS = {"meets": "times", "meeting": "times", "meeters": "movers"}


def _event(asked: Asked) -> str | None:
    """What is done, in canonical words where they are ways of moving or turning, else as said."""
    words = asked.match.canon("e")
    said = " ".join(asked.match.quote("e").lower().split())
    whole = asked.match.canon()
    if any(still in whole for still in _STILL):
        return "not move"
    noun = asked.match.canon("noun")
    if noun:
        return f"{noun} {said}".strip()
    if words in _REVERSALS:
        return "reverse"
    verb, _, rest = words.partition(" ")
    way = answers.motion(rest) if rest else None
    kind = _KINDS.get(verb)
    if kind and way in WAYS:
        return f"{kind} {way}"
    if kind and not rest:
        return kind if kind != "move" else said
    return said or None


_REVERSALS = frozenset({"change direction", "changed direction", "reverse", "reverse direction", "reverse course"})
_KINDS = {
    **dict.fromkeys(words("""
        moving move moved going went walking walked running ran flying flew swimming driving drove rolling riding
        traveling heading coming came
    """), "move"),
    **dict.fromkeys(["turning", "turn", "turns", "turned"], "turn"),
    **dict.fromkeys(["spinning", "spin", "spins", "rotating", "rotate"], "spin"),
    **dict.fromkeys(["facing", "face"], "face"),
    **dict.fromkeys(["jumping", "jump", "jumps"], "jump"),
}  # fmt: skip

FAMILY = Family(
    "event count",
    "how many things do something in a video, or how often",
    _GRAMMAR,
    _build,
    example="How many times did the dancer spin?",
    cues=("how many times", "times", "often"),
    takes=TAKES,
)
