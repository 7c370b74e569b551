"""Secrets are taken out of everything before it is written down.

Knows what keys look like and which environment variables hold them. A key that was put into a question, a reply or an
error of a provider goes the same way.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

_NAMES = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SHORTEST = 8
"""No key is shorter; shorter values of such variables are too common as words to be replaced wherever they stand."""
_KEY = "[key removed]"
_PATTERNS = (
    (("sk-", "pk-", "rk-"), re.compile(r"\b(sk|pk|rk)-[A-Za-z0-9_-]{16,}"), _KEY),
    (("aiza",), re.compile(r"\bAIza[0-9A-Za-z_-]{30,}"), _KEY),
    (
        ("hf", "gh", "glpat", "xox"),
        re.compile(r"\b(hf|ghp|gho|ghs|glpat|xox[bap])[_-][A-Za-z0-9_-]{16,}"),
        _KEY,
    ),
    (
        ("bearer", "basic"),
        re.compile(r"\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{12,}", re.IGNORECASE),
        rf"\1 {_KEY}",
    ),
    (("://",), re.compile(r"(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"), _KEY),
    (
        ("key", "token"),
        re.compile(r"((?:api[_-]?key|access[_-]?token)[\"']?\s*[:=]\s*[\"']?)[^\s\"'&,;}\[]{8,}", re.IGNORECASE),
        rf"\1{_KEY}",
    ),
)
"""Each with what stands in every text it matches, in small letters: looking for that is much faster."""


def redactor() -> Callable[[Any], Any]:
    """A function that returns a JSON-able value with every secret replaced; the environment is read once, now."""
    held = {value for name, value in os.environ.items() if _NAMES.search(name) and len(value) >= _SHORTEST}
    literal = re.compile("|".join(map(re.escape, sorted(held, key=len, reverse=True)))) if held else None

    def text(value: str) -> str:
        if len(value) < _SHORTEST:
            return value
        if literal is not None:
            value = literal.sub(_KEY, value)
        small = value.casefold()
        for marks, pattern, instead in _PATTERNS:
            if any(mark in small for mark in marks):
                value = pattern.sub(instead, value)
        return value

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return text(value)
        if isinstance(value, dict):
            return {text(k) if isinstance(k, str) else k: clean(v) for k, v in value.items()}
        if isinstance(value, (list, tuple)):
            return [clean(v) for v in value]
        return value

    return clean
