"""The prompts: text files filled with the operation reference and with worked examples, both from their one source.

Knows how they are put together, and how a question and a memory are told to a model. Does not know conversations.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources

from placecell.agents.author import Asked
from placecell.agents.quoting import as_data, as_list
from placecell.language.decomposition import Decomposition
from placecell.language.plan import MemoryFacts
from placecell.language.reference import cells_in_short, operations_in_short

_MOST_NAMES = 120
"""Names of a memory's objects that are told; a memory may know thousands."""


@dataclass(frozen=True)
class Example:
    """A question worked out: what it means, and a program that answers it."""

    asked: Asked
    images: int
    decomposition: Decomposition
    program: str


@cache
def examples() -> tuple[Example, ...]:
    """The worked examples of the prompts."""
    table = tomllib.loads(_file("examples.toml"))
    return tuple(
        Example(
            Asked(entry["question"], tuple(entry["options"])),
            entry["images"],
            Decomposition.model_validate_json(entry["decomposition"]),
            entry["program"].strip() + "\n",
        )
        for entry in table["example"]
    )


@cache
def prompt(name: str) -> str:
    """A prompt by the name of its file, complete."""
    text = _file(f"{name}.md")
    if "{{operations}}" in text:
        text = text.replace("{{operations}}", operations_in_short())
    if "{{cells}}" in text:
        text = text.replace("{{cells}}", cells_in_short())
    if "{{examples}}" in text:
        text = text.replace("{{examples}}", "\n\n".join(_shown(name)))
    return text.strip()


def told_question(asked: Asked) -> str:
    """The question and its options, as data."""
    parts = [as_data("question", asked.question)]
    if asked.options:
        parts.append(as_list("options", list(asked.options)))
    return "\n".join(parts)


def told_memory(facts: MemoryFacts) -> str:
    """What a model should know of the memory: images, scale, and the names of its objects, as data."""
    lines = [f"images: {facts.images_text}" if facts.image_count else "no images"]
    if facts.scale is not None:
        lines.append("lengths: metres" if facts.scale == "metric" else "lengths: units of unknown size")
    if facts.dynamic is not None:
        lines.append("a video with motion" if facts.dynamic else "a place at rest")
    told = "\n".join(lines)
    if facts.objects:
        names = [f"{name} ({count})" for name, count in list(facts.objects.items())[:_MOST_NAMES]]
        more = [f"and {len(facts.objects) - _MOST_NAMES} more"] if len(facts.objects) > _MOST_NAMES else []
        told += "\n" + as_list("objects", [*names, *more])
    return f"The memory:\n{told}"


def told_decomposition(decomposition: Decomposition) -> str:
    """A decomposition as data; what is not said is left out."""
    return as_data("decomposition", decomposition.model_dump_json(exclude_defaults=True))


def _shown(name: str) -> Iterator[str]:
    """The examples as a prompt shows them."""
    for example in examples():
        if name == "decomposer":
            yield f"{told_question(example.asked)}\n{example.decomposition.model_dump_json(exclude_defaults=True)}"
        else:
            told = told_decomposition(example.decomposition)
            yield f"{told_question(example.asked)}\n{told}\n```python\n{example.program}```"


def _file(name: str) -> str:
    return resources.files("placecell.agents").joinpath("prompts", name).read_text(encoding="utf-8")
