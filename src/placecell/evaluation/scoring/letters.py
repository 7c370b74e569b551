"""Published ways to read an option's letter out of a reply, one a benchmark (MindCube and VLMEvalKit: own modules)."""

from __future__ import annotations

import re
from collections.abc import Callable

from placecell.evaluation.scoring.numbers import first_token
from placecell.evaluation.scoring.scorer import Score

_BLINK_START = re.compile(r"[(\s]*([A-Z])", re.IGNORECASE)
_BLINK_MARKED = re.compile(r"\([A-Z]\)")
_MMSI_WRAPPED = (re.compile(r"``([^`]*)``"), re.compile(r"`([^`]*)`"), re.compile(r"\{([^}]*)\}"))
_MMSI_LETTER = re.compile(r"\b[A-D]\b(?!\s[a-zA-Z])")
_VIEWSPATIAL = re.compile(r"\b([A-D])\b", re.IGNORECASE)
_FINAL_ANSWER = re.compile(r"final answer is:?\s*\$?\s*\(?([A-D])\b", re.IGNORECASE)
_OMNISPATIAL = re.compile(r"Answer\s*:\s*\(?([A-D])\b", re.IGNORECASE)


def vsi_official(reply: str, truth: str) -> Score:
    """The first token is the letter, whatever its case: "A." counts, "A)" and "The answer is A" do not."""
    token = first_token(reply)
    return Score(float(token.lower() == truth.lower()), token or None)


def blink_official(reply: str) -> str | None:
    """A bare letter or "(X)"; else the only "(X)" among the words of the reply's last paragraph, or of the whole.

    The authors let a language model read what is left; here that is no answer.
    """
    text = reply.strip()
    if len(text) == 1 and text.isalpha():
        return text.upper()
    for part in (text.split("\n\n")[-1], text):
        marked = [word for word in part.split() if _BLINK_MARKED.fullmatch(word.rstrip(".,"))]
        if len(marked) == 1:
            return marked[0][1]
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
    """The last "Answer: X". Without one the authors count A; so do they here, and a silent model earns A's share."""
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
