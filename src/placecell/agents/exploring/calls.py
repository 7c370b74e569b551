"""Tool calls written in plain text between tags, read from whatever a small model makes of the format.

Understood beside the exact form: a missing closing tag, code fences inside the tags, a list of calls, single quotes and
Python words, "parameters" in place of "arguments". What cannot be read is told back, never dropped.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Called", "read_calls"]

_REASONED = re.compile(r"^.*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<(/?)tool_calls?>", re.IGNORECASE)
_FENCE = re.compile(r"```(?:\w+)?")
_LONGEST = 20_000


@dataclass(frozen=True)
class Called:
    """One call: the tool's name and its arguments as written."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


def read_calls(reply: str) -> list[Called] | str:
    """The calls of a reply, in order; none when it makes none; a sentence for the model when one cannot be read."""
    text = _REASONED.sub("", reply)
    calls: list[Called] = []
    for block in _blocks(text):
        found = _record(_FENCE.sub("", block).strip())
        entries = found if isinstance(found, list) else [found]
        for entry in entries:
            call = _called(entry)
            if call is None:
                return (
                    'A call could not be read. Write {"name": ..., "arguments": {...}} as JSON between <tool_call> and '
                    "</tool_call>."
                )
            calls.append(call)
    return calls


def _blocks(text: str) -> Iterator[str]:
    """What stands between tags; one that was never closed ends with the reply or the next one."""
    start: int | None = None
    for tag in _TAG.finditer(text):
        if start is not None and text[start : tag.start()].strip():
            yield text[start : tag.start()]
        start = None if tag[1] else tag.end()
    if start is not None and text[start:].strip():
        yield text[start:]


def _record(text: str) -> Any:
    """The JSON value, or Python literal, that a text begins with; None when it is neither."""
    at = min((i for i in (text.find("{"), text.find("[")) if i >= 0), default=-1)
    if at < 0 or len(text) > _LONGEST:
        return None
    try:
        return json.JSONDecoder().raw_decode(text, at)[0]
    except (ValueError, RecursionError):
        pass
    end = max(text.rfind("}"), text.rfind("]"))
    try:
        return ast.literal_eval(text[at : end + 1])  # literals only: nothing is called
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


def _called(entry: Any) -> Called | None:
    if not isinstance(entry, dict):
        return None
    if isinstance(entry.get("function"), dict):  # the form of an API's own tool calls
        entry = entry["function"]
    name = entry.get("name")
    arguments = entry.get("arguments", entry.get("parameters", {}))
    if isinstance(arguments, str):
        arguments = _record(arguments)
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    return Called(name, arguments)
