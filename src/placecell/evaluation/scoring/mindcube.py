"""MindCube's reading of a letter: patterns in order, the last match of the first that hits (commit 6d8fd9a)."""

from __future__ import annotations

import re

_ANYWHERE = re.compile(r"([A-E])\.")
_SECTION = re.compile(r"<Answer>(.*?)(?:<|$)", re.DOTALL)
_IN_SECTION = tuple(
    re.compile(pattern) for pattern in (r"[Mm]y answer is ([A-E])", r"[Tt]he answer is ([A-E])", r"\b([A-E])\b")
)
_ELSEWHERE = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:^|\n)(?:Answer: )?([A-E])(?:$|\s)",
        r"[*\"]([A-E])[*\"]",
        r"\bAnswer:?\s*([A-E])\b",
        r"[Mm]y answer is ([A-E])",
        r"answer is ([A-E])",
    )
)
_ALONE = re.compile(r"\b([A-E])\b")


def mindcube(reply: str) -> str | None:
    """The last "X." anywhere, else by the patterns above, else the first capital alone in the lowest line that has one.

    Their patterns with a dot are left out where "X." anywhere has already caught them. The tag is case-sensitive, so
    ``<answer>`` never takes the second way; lower-case letters never count.
    """
    reply = reply.strip()
    dotted = _ANYWHERE.findall(reply)
    if dotted:
        return str(dotted[-1])
    section = _SECTION.search(reply)
    tries = [(pattern, section.group(1)) for pattern in _IN_SECTION] if section else []
    for pattern, text in [*tries, *((pattern, reply) for pattern in _ELSEWHERE)]:
        found = pattern.findall(text)
        if found:
            return str(found[-1])
    for line in reversed(reply.split("\n")):
        alone = _ALONE.search(line)
        if alone:
            return alone.group(1)
    return None
