"""The program out of a model's reply: fences, reasoning, prose, JSON strings.

Works on lines and marks only; whether what it finds is a correct program is ``syntax``'s business.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from placecell.language.ops import ALIASES, OPERATIONS
from placecell.language.rules.syntax import FUNCTION_NAMES

MAX_REPLY = 200_000
"""Longer replies are not searched; the checker rejects them by their size."""

_TAGS = "think|thinking|reasoning|reflection|scratchpad|analysis|thought"
_TAG = re.compile(rf"</?(?:{_TAGS})\b[^>\n]{{0,200}}>", re.IGNORECASE)
_FENCE = re.compile(r"^[ \t]{0,8}(`{3,}|~{3,})[ \t]*([^`\n]*)$")
_BEFORE_DEF = re.compile(r"[ \t]*(?:@|from typing|import typing)")
_DEF = re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)", re.MULTILINE)
_PLAN = re.compile(rf"^[ \t]*def[ \t]+(?:{'|'.join(FUNCTION_NAMES)})\b", re.MULTILINE)
_CODE_LINE = re.compile(
    r"\s*$|[#@)\]]|\s*(?:async\s+)?def\s+\w+|class\s+\w+.*:\s*$|import\s+[\w.]+|from\s+[\w.]+\s+import\b"
    r"|(?:if|for|while)\b.*:\s*$|\w+\s*=|\w+\(.*\)\s*$"
)
_RETURN = re.compile(r"^[ \t]+return[ \t]+\S", re.MULTILINE)
_CALL = re.compile(rf"\b(?:{'|'.join([*OPERATIONS, *ALIASES])})\s*\(")
_KEYS = ("program", "code", "plan", "python", "content", "text")


@dataclass(frozen=True)
class Extraction:
    """The program text and what was done to get it; ``first_line`` is its first line in the reply (0: rewritten).

    ``cut_off``: the reply ends inside a fence or inside its reasoning.
    """

    text: str
    steps: tuple[str, ...] = ()
    first_line: int = 1
    cut_off: bool = False


@dataclass(frozen=True)
class _Block:
    """A piece of the reply that may be the program."""

    text: str
    first_line: int
    closed: bool = True

    @property
    def rank(self) -> int:
        """How much it looks like the program: a whole plan, some function, bare operation calls, none of these."""
        if _PLAN.search(self.text):
            return 4 if _RETURN.search(self.text) else 3
        if _DEF.search(self.text) and _CALL.search(self.text):
            return 2
        return 1 if _CALL.search(self.text) else 0


def extract(reply: str) -> Extraction:
    """Find the program in a model's reply; a text that is nothing but a program comes back unchanged."""
    text = reply.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    if len(text) > MAX_REPLY:
        return Extraction(text)
    steps: list[str] = []
    unwrapped = _unwrap_json(text)
    if unwrapped is not None:
        text = unwrapped
        steps.append("unpacked a JSON string")
    elif "\\n" in text and "\n" not in text.strip():
        text = text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
        steps.append("unescaped newlines")
    first_line = 0 if steps else 1
    if _is_code(text):
        return Extraction(text, tuple(steps), first_line)
    visible, hidden = _without_reasoning(text)
    if visible != text:
        steps.append("left out the reasoning")
    best = _best(_blocks(visible))
    if best is None and hidden:
        best = _best(_blocks(_TAG.sub("", text)))
    if best is None:
        return Extraction(text, tuple(steps), cut_off=hidden)
    if best.text.strip() != visible.strip():
        steps.append("took the last complete program" if best.rank >= 3 else "took the code")
    cut_off = not best.closed and best.rank < 4
    return Extraction(best.text, tuple(steps), first_line and best.first_line, cut_off)


def _is_code(text: str) -> bool:
    """Whether nothing in the text is prose: then all of it is the program, and what does not belong is reported."""
    in_function = False
    for line in text.split("\n"):
        in_function = in_function or bool(_DEF.match(line))
        if not (_CODE_LINE.match(line) or (in_function and line[:1].isspace())):
            return False
    return in_function


def _unwrap_json(text: str) -> str | None:
    """A JSON string, or an object with one that holds code."""
    stripped = text.strip()
    if stripped[:1] not in ('"', "{"):
        return None
    try:
        value = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        candidates = [value[k] for k in _KEYS if isinstance(value.get(k), str)]
        value = next((c for c in candidates if "def " in c or _CALL.search(c)), None)
    return value if isinstance(value, str) and ("def " in value or _CALL.search(value)) else None


def _without_reasoning(text: str) -> tuple[str, bool]:
    """Blank out reasoning, keeping line numbers. The flag says that some reasoning never ends.

    A closing tag without an opening one ends reasoning that began with the reply.
    """
    kept, at, inside = "", 0, False
    for tag in _TAG.finditer(text):
        closes = tag.group().startswith("</")
        if not closes and not inside:
            kept, at, inside = kept + text[at : tag.start()], tag.start(), True
        elif closes:
            blank = text[at : tag.end()] if inside else kept + text[at : tag.end()]
            kept = (kept if inside else "") + "\n" * blank.count("\n")
            at, inside = tag.end(), False
    return (kept, True) if inside else (kept + text[at:], False)


def _blocks(text: str) -> list[_Block]:
    """Fenced blocks, and the text outside of fences from each ``def`` on."""
    lines = text.split("\n")
    blocks: list[_Block] = []
    fence, start = "", 0
    outside: list[str] = []
    for number, line in enumerate(lines, 1):
        match = _FENCE.match(line)
        mark = match.group(1) if match else ""
        if not fence and match:
            fence, start = mark, number
            outside.append("")
        elif fence and match and mark[0] == fence[0] and len(mark) >= len(fence) and not match.group(2).strip():
            blocks.append(_Block("\n".join(lines[start : number - 1]) + "\n", start + 1))
            fence = ""
            outside.append("")
        else:
            outside.append("" if fence else line)
    if fence:
        blocks.append(_Block("\n".join(lines[start:]), start + 1, closed=False))
    return sorted([*blocks, *_bare(outside)], key=lambda b: b.first_line)


def _bare(lines: list[str]) -> list[_Block]:
    """Programs that stand in prose: each ``def`` with the lines that belong to it, else the lines that hold calls."""
    found = []
    at = 0
    while at < len(lines):
        if not _DEF.match(lines[at]):
            at += 1
            continue
        first, end = at, _end_of_function(lines, at)
        while first > 0 and _BEFORE_DEF.match(lines[first - 1]):
            first -= 1
        found.append(_Block("\n".join(lines[first:end]) + "\n", first + 1))
        at = end
    if not found:
        code = [i for i, line in enumerate(lines) if _CALL.search(line) or line.strip().startswith("return ")]
        if code:
            found.append(_Block("\n".join(lines[code[0] : code[-1] + 1]) + "\n", code[0] + 1))
    return found


def _end_of_function(lines: list[str], first: int) -> int:
    """Index after the last line that is indented deeper than ``def``, or inside a bracket of such a line."""
    margin = _indentation(lines[first])
    depth, end = _depth(lines[first]), first + 1
    for number in range(first + 1, len(lines)):
        line = lines[number]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if _indentation(line) <= margin and depth <= 0:
            break
        depth += _depth(line)
        end = number + 1
    return end


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _depth(line: str) -> int:
    """How many more brackets a line opens than it closes; texts are not looked into, this is only a guess."""
    return sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))


def _best(blocks: list[_Block]) -> _Block | None:
    """The last of the blocks that look most like a program, or a later one that the reply's end has cut off."""
    ranked = [b for b in blocks if b.rank > 0]
    if not ranked:
        return None
    top = max(b.rank for b in ranked)
    best = [b for b in ranked if b.rank == top][-1]
    later = [b for b in ranked if not b.closed and b.rank == 3 and b.first_line > best.first_line]  # cut off
    return later[-1] if later else best
