"""What a model's reply puts forward as its answer, out of whatever the model wrapped it in.

Knows tags, boxes, JSON, markdown, chat-template leftovers and the phrases that announce an answer. Does not know
options, numbers or units (``reply``, ``replies.quantities``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

_REASONING = re.compile(
    r"<(/?)(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|reflection|scratchpad|cot)>", re.IGNORECASE
)
_ANSWER = re.compile(r"<(/?)(?:final[_ ]?)?answer>", re.IGNORECASE)
_OTHER_DIALECTS = (
    (re.compile(r"◁think▷"), "<think>"),
    (re.compile(r"◁/think▷"), "</think>"),
    (re.compile(r"\[THINK\]"), "<think>"),
    (re.compile(r"\[/THINK\]"), "</think>"),
    (re.compile(r"<\|begin_of_box\|>"), "<answer>"),
    (re.compile(r"<\|end_of_box\|>"), "</answer>"),
    (re.compile(r"^.*<\|channel\|>final<\|message\|>", re.DOTALL), ""),
    (re.compile(r"<\|[a-z_]+\|>(?:assistant\n)?"), ""),
)
_BOXED = re.compile(r"\\(?:boxed|fbox)\s*\{")
_MOST_BOXES = 8
_JSON = re.compile(r"\{[^{}]*\}", re.DOTALL)
_JSON_KEYS = ("answer", "final_answer", "final answer", "option", "choice", "letter", "prediction")
_WORD_FOR_IT = r"(?:answer|option|choice|selection|prediction|solution|conclusion|response)"
_ANNOUNCED = re.compile(
    rf"""(?:
        (?<![\w-])(?:answer|option|choice)\s+(?:option|choice|letter)?\s*[:=]\s*
      | (?<![\w-]){_WORD_FOR_IT}\s*(?:\([^()\n]{{0,40}}\)\s*)?(?:(?:to|for|of|here)\b[^.:\n]{{0,80}}?\s)?
        (?:is|would\ be|should\ be|must\ be|will\ be|has\ to\ be|[:=→]|->|=>)+\s*[:=]?\s*
      | \b(?:therefore|thus|hence|so|in\ conclusion|overall|in\ short)\b,?\s+
        (?:(?:it\ is|it's|it\ must\ be|i\ (?:choose|pick|select|go\ with)|that\ is)\s+)?
        (?=\(?[A-Za-z]\)?\s*(?:[.!]|$))
      | \b(?:i|i'd|i'll|i\ would|we|let's)\s+(?:choose|pick|select|go\ with|say|answer|estimate)\s*:?\s+
    )""",
    re.IGNORECASE | re.VERBOSE,
)
_NEGATED = re.compile(r"^(?:(?:clearly|definitely|certainly|probably)\s+)?(?:not\b|neither\b|none of)", re.IGNORECASE)
_MARKUP = (
    (re.compile(r"\\(?:text|textbf|mathrm|mathbf|rm|mbox)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\[()\[\]]|\\[,;!: ]|\\left|\\right|\$"), " "),
    (re.compile(r"\\(?:approx|sim)\b"), "approximately "),
    (re.compile(r"\^\s*\{?\\?circ\}?|\\degree\b"), " degrees"),
    (re.compile(r"\\frac\s*\{(\d+)\}\s*\{(\d+)\}"), r"\1/\2"),
    (re.compile(r"\*{1,3}|__|~~|`{1,3}(?:\w+\n)?"), ""),
    (re.compile(r"^[ \t]*(?:#{1,6}|>|[-•][ \t])[ \t]*", re.MULTILINE), ""),
    (re.compile(r"[\u200b\u200c\u200d\ufeff]"), ""),
    (re.compile(r"[\u00a0\u2009\u202f]"), " "),
    (re.compile(r"[\u2018\u2019]"), "'"),
    (re.compile(r"[\u201c\u201d]"), '"'),
)
_SENTENCE_END = re.compile(r"(?<=[\w)\"'°][\w)\"'°])[.!?](?=\s|$)")


@dataclass(frozen=True)
class Said:
    """One thing a reply puts forward. ``marked``: the model marked it as its answer."""

    text: str
    marked: bool


@dataclass(frozen=True)
class Unwrapped:
    """``said``: candidates for the answer, the most binding first. ``unfinished``: the reply ends amid reasoning."""

    said: tuple[Said, ...]
    unfinished: bool = False


def unwrap(reply: str) -> Unwrapped:
    """The candidates for the answer in a reply.

    An answer tag outside the reasoning binds most, then a box, then JSON, then the last phrase that announces an
    answer, then everything outside the reasoning. Answers in reasoning count only when nothing stands outside of it.
    """
    for pattern, meant in _OTHER_DIALECTS:
        reply = pattern.sub(meant, reply)
    outside, inside, unfinished = _without_reasoning(reply)
    said = list(_candidates(outside))
    if not said:
        said = [s for s in _candidates(inside) if s.marked][:1] if _ANSWER.search(inside) else []
    return Unwrapped(tuple(said), unfinished and not said)


def plain(text: str) -> str:
    """Text without markdown, LaTeX dress and invisible characters, stripped."""
    for pattern, meant in _MARKUP:
        text = pattern.sub(meant, text)
    return text.strip()


def last_sentence(text: str) -> str:
    """The last sentence of the last line."""
    lines = [line for line in text.splitlines() if line.strip()]
    parts = [part for part in _SENTENCE_END.split(lines[-1]) if part.strip()] if lines else []
    return parts[-1].strip() if parts else ""


def _without_reasoning(reply: str) -> tuple[str, str, bool]:
    """(what stands outside the reasoning, what stands in it, whether the reasoning was never closed)."""
    outside, inside, at, opened = "", "", 0, False
    for tag in _REASONING.finditer(reply):
        piece, at = reply[at : tag.start()], tag.end()
        if opened:
            inside += piece + "\n"
        elif tag[1]:  # only closed: all before it was reasoning
            inside, outside = inside + outside + piece, ""
        else:
            outside += piece + " "
        opened = not tag[1]
    if opened:
        return outside, inside + reply[at:], True
    return outside + reply[at:], inside, False


def _tagged(text: str) -> str | None:
    """What the last answer tag that says anything holds; one left open at the end holds the rest."""
    said, start = None, None
    for tag in _ANSWER.finditer(text):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            said = text[start : tag.start()] if plain(text[start : tag.start()]) else said
            start = None
    rest = text[start:] if start is not None else ""
    return rest if plain(rest) else said


def _candidates(text: str) -> Iterator[Said]:
    tagged, boxed = _tagged(text), _boxed(text)
    if tagged is not None:
        yield Said(plain(_boxed(tagged) or tagged), True)
    if boxed is not None:
        yield Said(plain(boxed), True)
    yield from _from_json(text)
    bare = plain(text)
    announced = _announced(bare)
    if announced:
        yield Said(announced, True)
    if bare:
        yield Said(bare, False)


def _boxed(text: str) -> str | None:
    """The content of the last LaTeX box whose braces match."""
    for match in list(_BOXED.finditer(text))[: -_MOST_BOXES - 1 : -1]:
        depth = 1
        for at in range(match.end(), len(text)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if depth == 0 and plain(text[match.end() : at]):
                return text[match.end() : at]
            if depth == 0:
                break
    return None


def _from_json(text: str) -> Iterator[Said]:
    """The answer of the last JSON object that has one."""
    for match in reversed(list(_JSON.finditer(text))):
        try:
            record = json.loads(match[0])
        except ValueError:
            continue
        fields = {str(key).lower(): value for key, value in record.items()}
        for key in _JSON_KEYS:
            value = fields.get(key)
            if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
                yield Said(plain(str(value)), True)
                return


def _announced(text: str) -> str | None:
    """What follows the last phrase that announces an answer, to the end of its sentence."""
    for match in reversed(list(_ANNOUNCED.finditer(text))):
        rest = text[match.end() :].lstrip(" :\t")
        lines = [line.strip() for line in rest.splitlines() if line.strip()]
        if not lines or (rest.startswith("\n") and not lines):
            continue
        sentence = _SENTENCE_END.split(lines[0], maxsplit=1)[0].strip()
        if sentence and not _NEGATED.match(sentence):
            return sentence
    return None
