"""The offered answers in any form: a list, lettered or not, or written into the question.

Knows layout ("A. x B. y", "(A) x", "A) x", lines, with or without final dots). What an option *means* depends on what
is asked: ``answers`` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_LABEL = re.compile(r"^\s*(?:\(\s*([A-Za-z])\s*\)\s*|([A-Za-z])\s*[.):]\s+)(?=\S)")
_HEADER = re.compile(
    r"(?:[\s,;:.(]*(?:please\s+)?(?:(?:select|choose|pick|answer)\b[^.?!:]{0,60}\b)?"
    r"(?:the\s+)?(?:following\s+)?(?:options|choices|answers|candidates)(?:\s+(?:are|below))?\s*[.:]?\s*)$",
    re.IGNORECASE,
)
_INLINE = (
    re.compile(r"(?:(?<=\s)|(?<=[?.:;]))\(\s*([A-Za-z])\s*\)\s*"),
    re.compile(r"(?:(?<=\s)|(?<=[?:;]))([A-Z])\s*[.):]\s+"),
    re.compile(r"(?:(?<=\s)|(?<=[?:;]))([a-z])\)\s+"),
)


@dataclass(frozen=True)
class RawOption:
    """An offered answer: its letter ("" when it has none) and its text without it."""

    letter: str
    text: str


def read_options(question: str, options: Sequence[str] | str | None) -> tuple[str, tuple[RawOption, ...]]:
    """The question without any options written into it, and the options. Given options win over written ones."""
    stem, written = split_question(question)
    if isinstance(options, str):
        lines = [line for line in options.splitlines() if line.strip()]
        inline = split_question(f"? {options}")[1]
        options = [f"{o.letter}. {o.text}" for o in inline] if len(inline) > len(lines) else lines
    if options:
        return stem, _labelled([str(option) for option in options])
    return stem, written


def _labelled(texts: Sequence[str]) -> tuple[RawOption, ...]:
    """Letters are letters only when every option has one and they are all different."""
    found = [_LABEL.match(text) for text in texts]
    letters = [next(g for g in match.groups() if g) for match in found if match]
    if len(letters) == len(texts) and len({letter.lower() for letter in letters}) == len(texts):
        return tuple(
            RawOption(letter.upper(), text[match.end() :].strip())
            for letter, text, match in zip(letters, texts, found, strict=True)
            if match
        )
    return tuple(RawOption("", text.strip()) for text in texts)


def split_question(question: str) -> tuple[str, tuple[RawOption, ...]]:
    """Options written after the question: labels A, B, ... in order, at least two of them."""
    for label in _INLINE:
        marks = list(label.finditer(question))
        for start, mark in enumerate(marks):
            if mark[1].lower() != "a":
                continue
            run = [mark]
            for following in marks[start + 1 :]:
                if ord(following[1].lower()) == ord("a") + len(run):
                    run.append(following)
            if len(run) >= 2 and question[: mark.start()].strip():
                return _cut(question, run)
    return question, ()


def _cut(question: str, marks: Sequence[re.Match[str]]) -> tuple[str, tuple[RawOption, ...]]:
    ends = [*(mark.start() for mark in marks[1:]), len(question)]
    options = tuple(
        RawOption(mark[1].upper(), question[mark.end() : end].strip().rstrip(",;").strip())
        for mark, end in zip(marks, ends, strict=True)
    )
    stem = question[: marks[0].start()].rstrip()
    header = _HEADER.search(stem)
    return (stem[: header.start()] if header and header.start() else stem), options
