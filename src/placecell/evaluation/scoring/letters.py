"""Published ways to read an option's letter out of a reply, one a benchmark (MindCube and VLMEvalKit: own modules)."""

from __future__ import annotations

import re
from collections.abc import Callable

from placecell.evaluation.scoring.numbers import first_token
from placecell.evaluation.scoring.scorer import Score

_BLINK_START = re.compile(r"[(\s]*([A-Z])", re.IGNORECASE)
_BLINK_LETTERS = ("A", "B", "C", "D", "E")
_MMSI_WRAPPED = (re.compile(r"``([^`]*)``"), re.compile(r"`([^`]*)`"), re.compile(r"\{([^}]*)\}"))
_MMSI_LETTER = re.compile(r"\b[A-D]\b(?!\s[a-zA-Z])")
_VIEWSPATIAL = re.compile(r"\b([A-D])\b", re.IGNORECASE)
_FINAL_ANSWER = re.compile(r"final answer is:?\s*\$?\s*\(?([A-D])\b", re.IGNORECASE)
_OMNISPATIAL = re.compile(r"Answer\s*:\s*([A-D])\b", re.IGNORECASE)


def vsi_official(reply: str, truth: str) -> Score:
    """The first token is the letter, whatever its case: "A." counts, "A)" and "The answer is A" do not."""
    token = first_token(reply)
    return Score(float(token.lower() == truth.lower()), token or None)


def blink_official(reply: str, offered: int = len(_BLINK_LETTERS)) -> str | None:
    """A bare "X" or "(X)"; else the only "(X)" among the words of the last paragraph, else of all the reply.

    ``offered``: how many options there were; marks of others do not count, nor does "(X)." with its dot. The authors
    let a language model read what is left; here that is no answer.
    """
    if reply in _BLINK_LETTERS:
        return reply
    if reply in (f"({letter})" for letter in _BLINK_LETTERS):
        return reply[1]
    marks = {f"({letter})": letter for letter in _BLINK_LETTERS[:offered]}
    for part in (reply.split("\n\n")[-1], reply):
        found = marks.keys() & part.split()
        if len(found) == 1:
            return marks[found.pop()]
    return None


def blink_lmms_eval(reply: str) -> str | None:
    """The first letter of the reply, whatever it is: "The answer is A" gives T."""
    found = _BLINK_START.match(reply.strip())
    return found.group(1).upper() if found else None


def mmsi(reply: str) -> str | None:
    """The first capital A to D that stands alone and has no word after it, inside of backquotes or braces if any."""
    for wrapped in _MMSI_WRAPPED:
        found = wrapped.search(reply)
        reply = found.group(1) if found else reply
    letter = _MMSI_LETTER.search(reply)
    return letter.group() if letter else None


def viewspatial(reply: str) -> str | None:
    """The first A to D that stands alone in the last line, of any case; so the article "a" counts."""
    found = _VIEWSPATIAL.search(reply.split("\n")[-1])
    return found.group(1).upper() if found else None


def vlm4d(reply: str) -> str | None:
    """The letter after the last "final answer is", or a bare letter.

    The authors let a language model judge; this rule reads the form their prompt asks for.
    """
    found = _FINAL_ANSWER.findall(reply)
    if found:
        return str(found[-1]).upper()
    bare = reply.strip().strip("().$*:` ")
    return bare.upper() if len(bare) == 1 and bare.upper() in "ABCD" else None


def omnispatial(reply: str) -> str | None:
    """The last "Answer: X". What has none, "Answer: (X)" too, counts as A, so a silent model earns A's share."""
    found = _OMNISPATIAL.findall(reply)
    return str(found[-1]).upper() if found else "A"


def scored(extract: Callable[[str], str | None]) -> Callable[[str, str], Score]:
    """A rule that reads a letter with ``extract`` and compares it with the truth's, bare or "(A)" or "A. text"."""

    def rule(reply: str, truth: str) -> Score:
        letter = extract(reply)
        return Score(float(letter is not None and letter == truth_letter(truth)), letter)

    return rule


def truth_letter(truth: str) -> str:
    """The letter of a published answer. ValueError when it has none."""
    found = re.match(r"\(?([A-Z])(?:[).:\s]|$)", truth.strip())
    if found is None:
        raise ValueError(f"{truth!r} is no option letter")
    return found.group(1)
