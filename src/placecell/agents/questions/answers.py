"""What an offered answer means: a side, a motion, yes or no, a number, an order, turns, or a thing.

Every reading returns None rather than guess. Canonical words are the vocabulary the decomposition documents:
"front-left", "right-up" (depth, then side, then height), "forward-left", "towards", "away", "clockwise", "not moving",
"absent" (the thing is not there), "unsure", "neither", "both".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from placecell.agents.questions.grammar import Grammar, name_of, rules
from placecell.agents.questions.notation import words
from placecell.agents.questions.options import RawOption
from placecell.agents.questions.spelling import NUMBERS
from placecell.agents.questions.text import Text, tokenise
from placecell.language.decomposition import Option

Reading = Callable[[str], str | None]

_AXES = {
    **dict.fromkeys(("front", "ahead", "forward"), ("depth", "front")),
    **dict.fromkeys(("back", "behind", "rear", "backward"), ("depth", "back")),
    "left": ("side", "left"),
    "right": ("side", "right"),
    **dict.fromkeys(("up", "above", "over", "upward", "upper", "higher"), ("height", "up")),
    **dict.fromkeys(("down", "below", "under", "beneath", "downward", "lower", "underneath"), ("height", "down")),
}
_MOTION_AXES = {
    **_AXES,
    **dict.fromkeys(("front", "ahead", "forward"), ("depth", "forward")),
    **dict.fromkeys(("back", "behind", "rear", "backward"), ("depth", "backward")),
    "towards": ("depth", "towards"),
    "away": ("depth", "away"),
}
_NO_DIRECTION = frozenset(
    words("and to the or then in on at of from me you my your camera side hand straight diagonally , in_front_of")
)

_SIDE = Grammar(
    rules("""
        [( to | on | at | in | towards | from )] [( the | my | your | his | her | its | their )] {d:dirs}
            [( hand | side | sides | direction )] [of <me>]
    """)
)
_MOTION = Grammar(
    rules("""
        subject := [( it | he | she | they | i | you | the {x} )] [( is | are | was | were )]
        going := [( <ing> | coming | getting | turning | facing | leaning | move | moves | moved | go | goes | went
            | come | comes | came | get | gets | got | turn | turns
            | turned | run | walk | fly | step | bending )]
        there := [( there | here | in the ( video | videos | scene | image | picture ) | in view )]

        unsure:
        not sure | unsure | unclear | it is unclear | unknown | no idea | impossible to tell
        not enough information [{y:any}]
        can not ( tell | be determined | say ) [{y:any}]

        not moving:
        <subject> ( not ( moving | move | moved ) | ( do | does | did ) not move | no ( movement | motion ) | stationary
            | static | still | in place | motionless )
        <subject> [( staying | standing | stays | stay | stayed | remains | remain | remained | stands | remaining )]
            ( still | in place | put | in the same ( spot | place | location | position ) | stationary )

        not rotating:
        <subject> ( not ( spinning | rotating | flipping | spin | rotate | circling )
            | no ( rotation | spin | spinning ) | ( does | did | do ) not ( rotate | spin ) )

        straight:
        <subject> <going> [( continued | continues | keeps | keep )] straight [( ahead | on )] [and not turning]

        not turning:
        <subject> ( not turning | no ( turn | turning ) | ( does | did ) not turn )

        absent:
        there <is> ( no | not any ) {y:any} <there>
        no [such] {y:any} <there>
        not ( present | visible ) <there>

        ways:
        <subject> [diagonally] <going> [slightly] [( to | on | at | in | from | towards )]
            [( the | my | your | his | her | its | their )] {d:dirs} [( hand | side | sides | direction )] [of <me>]
            [( to | into ) the ( ground | sky | floor | ceiling | air | water )]

        towards:
        <subject> <going> <going> [( closer | nearer | forward )] towards {y}
        <subject> <going> <going> ( closer | nearer | towards ) [to {y}]

        away:
        <subject> <going> <going> [farther] away [from {y}]
        <subject> <going> <going> farther [from {y}]

        neither:
        neither [{y:any}] | none [of {y:any}]

        both:
        both [( ways | directions | sides | hands )]

        as said:
        uphill | downhill | sideways | other | nothing
        <subject> <going> <slope:w>

        sense:
        [both] <subject> <going> [( <spinning> | <spins> )] [in a] <sense:w> [direction]
    """)
)
_NUMBER = Grammar(
    rules("""
        [( about | around | only )] {n:number} [( times | {y} )]
        [only] <times:n>
    """)
)
_TIMES = {"once": "1", "twice": "2", "thrice": "3", "not at all": "0", "never": "0", "none": "0"}
_NO_ABSENCE = frozenset(words("turn turning rotation movement motion change spin one idea"))


def words_of(text: str) -> Text:
    """An answer's tokens without punctuation and parentheses."""
    tokens, depth = [], 0
    for token in tokenise(text).tokens:
        depth += (token.norm == "-lrb-") - (token.norm == "-rrb-")
        if not depth and token.norm not in (".", ",", ";", ":", "!", "?", "-rrb-"):
            tokens.append(token)
    return Text(text, tokens)


def plain(text: str) -> str:
    """An answer's words without punctuation, spelled the way rules see them."""
    return " ".join(words_of(text).norms)


@lru_cache(maxsize=4096)
def side(text: str) -> str | None:
    """A side or a combination of sides: "to my front left" -> "front-left", "above-right" -> "right-up"."""
    words = words_of(text)
    for match in _SIDE.match(words, 0, len(words)):
        return _combined(match.canon("d"), _AXES)
    return None


@lru_cache(maxsize=4096)
def motion(text: str) -> str | None:
    """A way of moving or turning, an absence, or a doubt: "coming closer" -> "towards"."""
    words = words_of(text)
    for match in _MOTION.match(words, 0, len(words)):
        if match.note == "ways":
            meaning = _combined(match.canon("d"), _MOTION_AXES)
        elif match.note in ("as said", "sense"):
            meaning = match.canon("w") or match.canon()
        elif match.note == "absent" and match.canon("y").split()[:1] and match.canon("y").split()[0] in _NO_ABSENCE:
            meaning = None
        else:
            meaning = match.note
        if meaning is not None:
            return meaning
    return None


_LANDMARK = re.compile(
    r"\b(towards?|to|from) (?!the (?:left|right|camera)\b|left\b|right\b)((?:the|a|his|her|its) (?:(?!\bor\b).)+)$",
    re.IGNORECASE,
)


def cut_landmark(words: str) -> tuple[str, str | None]:
    """ "towards or away from the people" -> the same words, and "people"; None when no thing or the camera is named."""
    words = " ".join(words.split()).strip(" .?")
    match = _LANDMARK.search(words)
    if match is None:
        return words, None
    preposition = "towards" if match[1].lower().startswith("toward") else ""
    return f"{words[: match.start()]}{preposition}".strip(), name_of(match[2])


def yes_no(text: str) -> str | None:
    """ "yes" or "no" when the answer is exactly that."""
    words = plain(text)
    return {"yes": "yes", "no": "no", "true": "yes", "false": "no"}.get(words)


def number(text: str) -> str | None:
    """A count in digits: "three logs" -> "3", "twice" -> "2"."""
    words = words_of(text)
    for match in _NUMBER.match(words, 0, len(words)):
        said = match.canon("n")
        return _TIMES.get(said) or (str(NUMBERS[said]) if said in NUMBERS else said)
    return None


def turns(text: str) -> tuple[str, ...] | None:
    """A route's turns: "Turn Left, Turn Back" -> ("left", "back")."""
    found: list[str] = []
    for part in re.split(r"\s*(?:,|;|->|\bthen\b|\band\b)\s*", text.lower().strip(" .")):
        words = plain(part)
        match = re.fullmatch(
            r"(?:turn |go |make a )?(?:to the )?(left|right|back|around|straight|u-turn)(?: turn)?", words
        )
        if match:
            found.append({"around": "back", "u-turn": "back"}.get(match[1], match[1]))
        elif words:
            return None
    return tuple(found) or None


def order(text: str, names: Sequence[str]) -> tuple[str, ...] | None:
    """An order of all of ``names``, whatever separates them; None when it is not a permutation of them."""
    known = {name_of(name): name for name in names}
    parts = [
        name_of(part)
        for part in re.split(r"\s*(?:,|;|->|\u2192|>|\bthen\b|\band\b|\bfollowed by\b)\s*", text)
        if part.strip(" .")
    ]
    if sorted(parts) != sorted(known):
        return None
    return tuple(known[part] for part in parts)


def thing(text: str) -> str | None:
    """The thing an answer names; None for a direction, a number, yes, no or a doubt."""
    name = name_of(text)
    if not re.search(r"[^\W\d_]", name) or side(text) or yes_no(text) or motion(text):
        return None
    return name


def read(options: Sequence[RawOption], reading: Reading, *, all_of_them: bool = True) -> tuple[Option, ...] | None:
    """Options whose meaning is a word; None when one cannot be read, or with ``all_of_them`` off fewer than two can."""
    out = tuple(Option(letter=o.letter, text=o.text, answer=reading(o.text)) for o in options)
    known = sum(o.answer is not None for o in out)
    if known == len(out) or (not all_of_them and known >= 2):
        return out
    return None


def things(options: Sequence[RawOption]) -> tuple[Option, ...] | None:
    """Options that name things, "none of them" among them; None when one does neither."""
    out = []
    for o in options:
        if re.match(r"(?:none|nothing|neither|no such)\b", plain(o.text)):
            out.append(Option(letter=o.letter, text=o.text, answer="neither"))
        elif name := thing(o.text):
            out.append(Option(letter=o.letter, text=o.text, entity=name))
        else:
            return None
    return tuple(out)


def _combined(words: str, axes: dict[str, tuple[str, str]]) -> str | None:
    """Direction words, at most one an axis, joined in the order depth, side, height."""
    found: dict[str, str] = {}
    parts = words.replace("in_front_of", "front").replace("-hand", "").replace("-", " ").split()
    if "or" in parts:
        return None
    for part in parts:
        if part in axes and axes[part][0] not in found:
            axis, word = axes[part]
            found[axis] = word
        elif part not in _NO_DIRECTION:
            return None
    return "-".join(found[axis] for axis in ("depth", "side", "height") if axis in found) or None
