"""Reads the programs of tests/programs; their README describes the format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from language_questions import QUESTIONS

from placecell.language.decomposition import Decomposition
from placecell.language.plan import MemoryFacts, Span

FOLDER = Path(__file__).resolve().parent.parent / "programs"
_HEADS = {
    "": "",
    "plan": "def plan(images):\n    memory = build_static_memory(images)\n",
    "view": (
        "def plan(images):\n    memory = build_static_memory(images)\n"
        "    here = query_camera_pose(memory, image=1)\n    set_viewpoint(memory, at=here)\n"
    ),
}


@dataclass(frozen=True)
class Case:
    """One program and what the checker must say about it."""

    name: str
    text: str
    expect: tuple[str, ...]
    at: Span | None
    facts: MemoryFacts
    question: Decomposition | None
    fix: tuple[str, ...] | None
    is_reply: bool


def read(path: Path) -> list[Case]:
    parts = re.split(r"^=== ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [_case(part, is_reply=path.stem == "replies") for part in parts]


def _case(part: str, *, is_reply: bool) -> Case:
    name, rest = part.split("\n", 1)
    head, form, body = re.split(r"^---(.*)\n", rest, maxsplit=1, flags=re.MULTILINE)
    fields = dict(line.split(": ", 1) for line in head.strip().split("\n"))
    body = body.strip("\n") + "\n" if body.strip("\n") else ""
    form = form.strip()
    if form:
        body = _HEADS[form] + "".join(f"    {line}\n" if line else "\n" for line in body.rstrip("\n").split("\n"))
    question = QUESTIONS[fields["question"]] if "question" in fields else None
    at = Span(*map(int, re.split(r"[:-]", fields["at"]))) if "at" in fields else None
    fix = _codes(fields["fix"]) if "fix" in fields else None
    return Case(name, body, _codes(fields["expect"]), at, _facts(fields), question, fix, is_reply)


def _codes(text: str) -> tuple[str, ...]:
    return () if text == "ok" else tuple(text.split())


def _facts(fields: dict[str, str]) -> MemoryFacts:
    objects = None
    if "objects" in fields:
        named = [item.strip() for item in fields["objects"].split(";")[0].split(",")]
        objects = {name: int(count) for name, count in (item.split("*") for item in named)}
    dynamic = {"yes": True, "no": False}.get(fields.get("dynamic", ""))
    return MemoryFacts(
        image_count=int(fields["images"]) if "images" in fields else None,
        scale=fields.get("scale"),
        dynamic=dynamic,
        objects=objects,
        closed_vocabulary="closed" in fields.get("objects", ""),
    )


def all_cases() -> list[tuple[str, Case]]:
    """Every case with an id that names its file."""
    return [(f"{path.stem}: {case.name}", case) for path in sorted(FOLDER.glob("*.txt")) for case in read(path)]
