"""Mechanical rewrites of a question that must not change what it means, and how meanings are compared."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

from placecell.agents.questions.decompose import NotUnderstood
from placecell.language.decomposition import Decomposition

Asked = tuple[str, list[str] | None]

SYNONYMS = (
    ("image", "photo"), ("what is", "what's"), ("where is", "where's"), ("i am", "I'm"), ("nearest", "closest"),
    ("in meters", "in metres"), ("to my left", "on my left"), ("to my right", "on my right"), ("largest", "biggest"),
    ("moving towards?", "moving?"), ("counter-clockwise", "anticlockwise"), ("perspective", "point of view"),
    ("you are", "you're"), ("centimeters", "cm"), ("which direction", "which way"),
)  # fmt: skip


def meaning(d: Decomposition | NotUnderstood) -> Any:
    """What must not change: everything but quotes, letters, the order of options and the spelling of their texts."""
    assert isinstance(d, Decomposition), str(d)
    content = json.loads(d.model_dump_json())

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: plain(v) for k, v in value.items() if k not in ("quote", "letter", "text", "when")}
        if isinstance(value, list):
            return [plain(v) for v in value]
        return value

    content = plain(content)
    options = content["comparison"]["options"]
    content["comparison"]["options"] = sorted(options, key=str)
    if options:
        content["comparison"]["entities"] = sorted(content["comparison"]["entities"])
    return content


def _cased(question: str, options: list[str] | None, rng: random.Random) -> Asked:
    change = rng.choice([str.upper, str.lower, str.title])
    return change(question), [change(o) for o in options] if options else None


def _spaced(question: str, options: list[str] | None, rng: random.Random) -> Asked:
    gaps = ["  ", " \n", "\t", "   "]
    text = re.sub(" ", lambda _: rng.choice([" ", rng.choice(gaps)]), question)
    text = re.sub(r"([?!])", r" \1 ", text)
    return f"  {text}\n", [f" {o}  " for o in options] if options else None


def _reordered(question: str, options: list[str] | None, rng: random.Random) -> Asked:
    return question, rng.sample(options, len(options)) if options else None


def _restyled(question: str, options: list[str] | None, rng: random.Random) -> Asked:
    if not options:
        return question, None
    bare = [re.sub(r"^\s*\(?[A-Za-z][.):]+\s+", "", o).strip() for o in options]
    letters = "ABCDEFGH"[: len(bare)]
    styles = {
        "A. x": [f"{a}. {o}" for a, o in zip(letters, bare, strict=True)],
        "A) x": [f"{a}) {o}" for a, o in zip(letters, bare, strict=True)],
        "(A) x": [f"({a}) {o}" for a, o in zip(letters, bare, strict=True)],
        "a: x": [f"{a.lower()}: {o}" for a, o in zip(letters, bare, strict=True)],
        "dots": [o if o.endswith(".") else f"{o}." for o in bare],
        "bare": bare,
    }
    style = rng.choice([*styles, "inline", "inline brackets", "lines"])
    if style == "inline":
        return f"{question} {' '.join(styles['A. x'])}", None
    if style == "inline brackets":
        return f"{question} {' '.join(styles['(A) x'])}", None
    if style == "lines":
        return f"{question}\nOptions:\n" + "\n".join(styles["A. x"]), None
    return question, styles[style]


def _with_synonyms(question: str, options: list[str] | None, rng: random.Random) -> Asked:
    text = question
    for one, other in SYNONYMS:
        text = re.sub(rf"\b{re.escape(one)}(?!\w)", other, text, flags=re.IGNORECASE)
    return text, options


REWRITES: dict[str, Callable[[str, list[str] | None, random.Random], Asked]] = {
    "case": _cased,
    "spacing": _spaced,
    "option order": _reordered,
    "option style": _restyled,
    "synonyms": _with_synonyms,
}
