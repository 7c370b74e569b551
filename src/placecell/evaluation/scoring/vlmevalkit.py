"""VLMEvalKit's reading of an option, shared by its spatial benchmarks (commit e8e78f0, English patterns)."""

from __future__ import annotations

import re

from placecell.evaluation.scoring.numbers import after_thinking

_TAIL_LINES, _TAIL_WINDOW = 6, 800
_ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\ufeff]")
_TAGGED = re.compile(
    r"<\s*answer\b[^>]*>\s*([A-J])(?:\s*[.．:：)\]】、])?.*?<\s*/\s*answer\s*>", re.IGNORECASE | re.DOTALL
)
_BEFORE_TAG = tuple(
    re.compile(rf"(?<![A-Za-z])[(\[{{（【]?\s*([A-F])\s*[)\]}}）】]?\s*</\s*{tag}\s*>", re.IGNORECASE)
    for tag in ("answer", "think")
)
_OPTION_LINE = re.compile(r"^(?:[*_>\-\s]*)(?:option|选项)\s+[A-J]\s*[:：]", re.IGNORECASE)
_ONLY = re.compile(r"^\s*[*_`>（）\[\]【】()]*\s*([A-Fa-f])\s*[*_`（）\[\]【】()]*\s*$")
_LABELLED = re.compile(r"^\s*([A-F])\s*[.．:：)\]】、-]\s+", re.IGNORECASE)
_INLINE = re.compile(r"(?<![A-Za-z])[*_`（\[{(]*\s*([A-F])\s*[*_`）\]})]*(?=$|[\s.,:;!?)\]】》」』，。；、：）])")
_CONCLUSION = re.compile(
    r"(?i)(?:final\s*answer|the\s*answer\s*is|answer(?:\s*is)?|correct\s*answer|答案|最终答案|结论|所以|因此|我选(?:择)?"
    r"|选择|选)\s*[:：>＝=]?\s*[(\[{（【]?\s*([A-F])\s*[)\]}）】]?(?:\b|[.)、。])"
)
_ANYWHERE = re.compile(r"(?<![A-Za-z])[(\[{（【]?\s*([A-F])\s*[)\]}）】]?(?![A-Za-z])")


def vlmevalkit(reply: str) -> str | None:
    """Answer tag, letter before a closing tag, last lines after the thinking, last lines, conclusion, only capital."""
    text = _ZERO_WIDTH.sub("", reply.strip())
    tagged = _TAGGED.search(text)
    if tagged:
        return tagged.group(1).upper()
    tail = text[-_TAIL_WINDOW:]
    for pattern in _BEFORE_TAG:
        found = pattern.search(tail)
        if found:
            return found.group(1).upper()
    for part in (after_thinking(text), tail):
        picked = _from_lines(part.splitlines()[-_TAIL_LINES:])
        if picked:
            return picked
    concluded = _CONCLUSION.search(text)
    if concluded:
        return concluded.group(1).upper()
    kept = "\n".join(line for line in text.splitlines() if not _OPTION_LINE.search(line))
    letters = set(_ANYWHERE.findall(kept))
    return str(letters.pop()) if len(letters) == 1 else None


def _from_lines(lines: list[str]) -> str | None:
    """The letter of the lowest line that is one, begins with one, or has only one."""
    for line in reversed([line.strip() for line in lines if line.strip()]):
        if _OPTION_LINE.search(line):
            continue
        found = _ONLY.fullmatch(line) or _LABELLED.match(line)
        if found:
            return found.group(1).upper()
        letters = set(_INLINE.findall(line))
        if len(letters) == 1:
            return str(letters.pop())
    return None
