"""Three published ways to read a number out of a reply. They differ: always say which made a figure."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable

from placecell.evaluation.scoring.accuracy import mean_relative_accuracy
from placecell.evaluation.scoring.scorer import Score

WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)  # fmt: skip
_WORD = re.compile(rf"\b({'|'.join(WORDS)})\b", re.IGNORECASE)
_NUMBER_OR_WORD = re.compile(rf"-?\d+(?:\.\d+)?|\b(?:{'|'.join(WORDS)})\b", re.IGNORECASE)
_SIGNED = re.compile(r"[-+]?(?:\d*\.\d+|\d+)(?:[eE][-+]?\d+)?")
_TAGGED = re.compile(
    rf"<\s*answer\b[^>]*>\s*({_SIGNED.pattern})(?:[^\d<][^<]*)?<\s*/\s*answer\s*>", re.IGNORECASE | re.DOTALL
)
_THINK_ENDS = re.compile(r"</\s*think\s*>", re.IGNORECASE)
_THINK_STARTS = re.compile(r"<\s*think\s*>", re.IGNORECASE)
_ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\ufeff]")


def first_token(reply: str) -> str:
    """What stands before the first space, without the dots at its end (VSI-Bench's ``fuzzy_matching``)."""
    return reply.split(" ")[0].rstrip(".").strip()


def vsi_official(reply: str) -> float | None:
    """The first token as a number: "3.5 meters" is one, "3.5m", "about 3.5" and "1,200" are not."""
    try:
        return float(first_token(reply))
    except ValueError:
        return None


def lmms_eval_main(reply: str) -> float | None:
    """The first run of digits or English number word anywhere: "1,200" is 1."""
    found = _NUMBER_OR_WORD.search(reply)
    if found is None:
        return None
    text = found.group().lower()
    return float(WORDS.index(text)) if text in WORDS else float(text)


def vlmevalkit(reply: str) -> float | None:
    """The number in the answer tag, else the last one after the thinking, else the last one. Of a list, its first."""
    listed = reply.strip()
    if listed.startswith("[") and listed.endswith("]"):
        try:
            items = ast.literal_eval(reply)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
        reply = str(items[0]) if isinstance(items, list) and items else reply
    text = _WORD.sub(lambda m: str(WORDS.index(m.group(1).lower())), _ZERO_WIDTH.sub("", reply.strip()))
    tagged = _TAGGED.search(text)
    if tagged:
        return float(tagged.group(1))
    numbers = _SIGNED.findall(after_thinking(text)) or _SIGNED.findall(text)
    return float(numbers[-1]) if numbers else None


def after_thinking(text: str) -> str:
    """The text after the last closing (else opening) think tag."""
    tags = list(_THINK_ENDS.finditer(text)) or list(_THINK_STARTS.finditer(text))
    return text[tags[-1].end() :].strip() if tags else text


def scored(extract: Callable[[str], float | None]) -> Callable[[str, str], Score]:
    """A rule that reads a number with ``extract`` and gives its mean relative accuracy."""

    def rule(reply: str, truth: str) -> Score:
        value = extract(reply)
        score = mean_relative_accuracy(value, float(truth))
        return Score(score, value if value is not None and math.isfinite(value) else None)

    return rule
