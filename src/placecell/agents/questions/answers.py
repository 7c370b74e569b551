"""What an offered answer means: a side, a motion, yes or no, a number, an order, turns, or a thing.

Every reading returns None rather than guess. Canonical words are the vocabulary the decomposition documents:
"front-left", "right-up" (depth, then side, then height), "forward-left", "towards", "away", "clockwise", "not moving",
"absent" (the thing is not there), "unsure", "neither", "both".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from placecell.agents.questions.grammar import name_of
from placecell.agents.questions.options import RawOption
from placecell.agents.questions.text import NUMBERS, tokenise
from placecell.language.decomposition import Option

Reading = Callable[[str], str | None]

_AXES = {
    **dict.fromkeys(("front", "ahead", "forward", "straight ahead"), ("depth", "front")),
    **dict.fromkeys(("back", "behind", "rear", "backward"), ("depth", "back")),
    "left": ("side", "left"),
    "right": ("side", "right"),
    **dict.fromkeys(("up", "above", "over", "upward", "upper", "higher", "upwards"), ("height", "up")),
    **dict.fromkeys(("down", "below", "under", "beneath", "downward", "lower", "underneath"), ("height", "down")),
}
_MOTION_AXES = {
    **_AXES,
    **dict.fromkeys(("front", "ahead", "forward"), ("depth", "forward")),
    **dict.fromkeys(("back", "behind", "backward"), ("depth", "backward")),
    "towards": ("depth", "towards"),
    "away": ("depth", "away"),
}
_DECOR = re.compile(
    r"^(?:it is |they are |he is |she is |i am |i |it |you )?(?:diagonally |slightly |(?:mov|go|head|turn|fac|fly|com|driv|swimm|runn|walk|jump|roll|rid|travel|crawl|slid|paddl|kayak|sail|climb|veer|lean)(?:ing|e|es|s|ed)? |"
    r"(?:went|came|ran|drove|flew|swam|swim|run) |straight (?=up|down|left|right|back|forward))*"
    r"(?:(?:to|on|at|in|towards|from) )?(?:(?:the|my|your|his|her|its|their) )?|(?: (?:hand|side|of me|of you|direction|sides))+$"
)
_ABSENT = re.compile(
    r"^(?:there (?:is|are|was|were) (?:no|not any) .+|no (?:such )?(?!turn\b|turning\b|rotation\b|movement\b|motion\b|change\b|spin\b|one\b|idea\b).+"
    r"|there (?:is|are) not .+|not (?:present|there|in the video|visible))$"
)
_UNSURE = re.compile(
    r"^(?:not sure|not enough .*|unsure|unclear|it is unclear|unknown|(?:can )?not (?:tell|be determined|determine).*|no idea|impossible to tell)$"
)
_STILL = re.compile(
    r"^(?:(?:it|he|she|they|the \w+|the \w+ \w+) )?(?:is |are |was |remains? |remained |stays? |stayed )?(?:not (?:moving|move|moved)|(?:does|do|did) not move|no (?:movement|motion)|stationary|static|still|"
    r"(?:staying|standing|stays?|stayed|remaining|staying|stands?|in) (?:still|in place|put|there|in the same (?:spot|place|location|position))|in place|"
    r"in the same (?:spot|place|location|position))$"
)
_NOT_SPINNING = re.compile(
    r"^(?:not (?:spinning|rotating|flipping|spin|rotate|circling)|no (?:rotation|spin|spinning)|(?:does|did) not (?:rotate|spin))$"
)
_STRAIGHT = re.compile(
    r"^(?:(?:moving |going |continued |keeps? )*straight(?: ahead| on)?(?: and not turning)?|.* continued straight)$"
)
_NOT_TURNING = re.compile(r"^(?:not turning|no turn(?:ing)?|(?:does|did) not turn)$")
_APPROACH = re.compile(
    r"^(?:(?:it is |is )?(?:\w+ing|gets?|got|moved?|moves|goes|go|come|comes|came|went|run|walk) )*(?:(?:closer|nearer|close|forward) )?(?:(?:towards|to) (?:the )?(?:\w+ ?){1,3}|closer|nearer|towards)$"
)
_RECEDE = re.compile(
    r"^(?:(?:it is |is )?(?:\w+ing|gets?|got|moved?|moves|goes|go|come|comes|came|went|run|walk) )*(?:farther |further )?(?:away(?: from (?:the )?(?:\w+ ?){1,3})?|farther(?: from (?:the )?\w+)?)$"
)
_TIMES = {"once": "1", "twice": "2", "thrice": "3", "not at all": "0", "never": "0", "none": "0"}


def plain(text: str) -> str:
    """An answer's words without punctuation, spelled the way rules see them."""
    return re.sub(
        r"(?:^| )(?:[.,;:!?]|-lrb-.*?-rrb-)(?= |$)", "", " ".join(tokenise(text).norms).replace("_", " ")
    ).strip()


def side(text: str) -> str | None:
    """A side or a combination of sides: "to my front left" -> "front-left", "above-right" -> "right-up"."""
    return _combined(_DECOR.sub("", _DECOR.sub("", plain(text))), _AXES)


def motion(text: str) -> str | None:
    """A way of moving or turning, an absence, or a doubt: "coming closer" -> "towards"."""
    words = plain(text)
    for pattern, meaning in (
        (_UNSURE, "unsure"),
        (_STILL, "not moving"),
        (_NOT_SPINNING, "not rotating"),
        (_STRAIGHT, "straight"),
        (_NOT_TURNING, "not turning"),
        (_ABSENT, "absent"),
        (_RECEDE, "away"),
    ):
        if pattern.match(words):
            return meaning
    core = _DECOR.sub("", _DECOR.sub("", words))
    if found := _combined(core.replace(" the camera", "").replace(" from", ""), _MOTION_AXES):
        return found
    words = core if core in ("uphill", "downhill", "sideways") else words
    for sense in ("counterclockwise", "clockwise"):
        if re.fullmatch(rf"(?:(?:both|\w+ing|spins?|turns?|rotates?|in a) )*{sense}(?: direction)?", words):
            return sense
    if words in ("uphill", "downhill", "sideways", "neither", "both", "other", "yes", "no", "nothing"):
        return words
    if words in ("both ways", "both directions", "both sides", "both hands"):
        return "both"
    if re.match(r"(?:neither|none of them|none)\b", words):
        return "neither"
    return "towards" if _APPROACH.match(words) else None


_LANDMARK = re.compile(
    r"\b(?:towards?|to|from) (?!the (?:left|right|camera)\b|left\b|right\b)((?:the|a|his|her|its) .+)$", re.IGNORECASE
)


def cut_landmark(words: str) -> tuple[str, str | None]:
    """ "towards or away from the people" -> the same words, and "people"; None when no thing or the camera is named."""
    match = _LANDMARK.search(words.strip(" .?"))
    if match is None:
        return words, None
    return words[: match.start(1)].strip(), name_of(match[1])


def yes_no(text: str) -> str | None:
    """ "yes" or "no" when the answer is exactly that."""
    words = plain(text)
    return {"yes": "yes", "no": "no", "true": "yes", "false": "no"}.get(words)


def number(text: str) -> str | None:
    """A count in digits: "three logs" -> "3", "twice" -> "2"."""
    words = plain(text)
    if words in _TIMES:
        return _TIMES[words]
    match = re.fullmatch(r"(?:about )?(\d+(?:\.\d+)?|" + "|".join(NUMBERS) + r")(?: (?:times|[a-z]+))?", words)
    if match is None:
        return None
    return str(NUMBERS[match[1]]) if match[1] in NUMBERS else match[1]


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
    if not re.search(r"[^\W\d_]", name) or side(text) or yes_no(text) or _UNSURE.match(plain(text)):
        return None
    return name


def read(options: Sequence[RawOption], reading: Reading, *, all_of_them: bool = True) -> tuple[Option, ...] | None:
    """Options whose meaning is a word; None when one cannot be read (or, with ``all_of_them`` off, fewer than two can)."""
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
    if words in axes:
        return axes[words][1]
    found: dict[str, str] = {}
    parts = [
        p for p in re.split(r"[\s-]+", words) if p not in ("and", "to", "the", "or", "then", "in", "of", "me", "it")
    ]
    for part in parts:
        if part not in axes or axes[part][0] in found:
            return None
        axis, word = axes[part]
        found[axis] = word
    return "-".join(found[axis] for axis in ("depth", "side", "height") if axis in found) or None
