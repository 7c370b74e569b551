"""Models that read: one that guesses without looking, and one that reads every text of a request perfectly.

Neither sees a picture. The perfect reader takes questions apart and plans with the package's own grammar and planner,
from what the request tells it, so that what goes wrong is the fault of prompts, parsing, checking or the engine. It
reads values and captions; what only a picture shows it does not know, and says so.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter

from pydantic import ValidationError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from placecell.agents.models.doubles import looker, stepper
from placecell.agents.models.doubles.hearing import Heard
from placecell.agents.models.doubles.scripted import said
from placecell.agents.models.doubles.speaking import double
from placecell.agents.planner import plan
from placecell.agents.questions.decompose import Understood, understand
from placecell.agents.questions.options import RawOption, read_options
from placecell.agents.reply import lettered
from placecell.agents.writer import PlanningError
from placecell.language.decomposition import Decomposition
from placecell.language.phrases import normalise_phrase
from placecell.language.plan import MemoryFacts

UNKNOWN = "I cannot determine that from what I was given."


def blind() -> FunctionModel:
    """A model that guesses from the question alone: an option by chance, though always the same, else three."""

    def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard = Heard.of(messages)
        if (scores := judged(heard)) is not None:
            return said(scores)
        options = offered(heard)
        chance = int(hashlib.sha256("\n".join(heard.data("question")).encode()).hexdigest(), 16)
        guess = f"{options[chance % len(options)].letter}" if options else "3"
        return said(f"Answer: {guess}")

    return double(speak, "blind")


def perfect() -> FunctionModel:
    """The perfect reader."""

    def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard = Heard.of(messages)
        move = looker.explore(heard, info.function_tools)
        if move is not None:
            return said(move) if isinstance(move, str) else move
        if (stepped := stepper.step(heard, facts_told(heard))) is not None:
            return said(stepped)
        if (scores := judged(heard)) is not None:
            return said(scores)
        if heard.data("decomposition"):
            return said(written(heard))
        if heard.instructions.startswith("You take questions about one place apart"):
            return said(taken_apart(heard))
        return said(read(heard))

    return double(speak, "perfect")


def taken_apart(heard: Heard) -> str:
    """The decomposition of the question in a request, as JSON."""
    questions = heard.data("question")
    if not questions:
        return UNKNOWN
    facts = facts_told(heard)
    names = frozenset(facts.objects or ())
    found = understand(questions[-1], heard.lines("options") or None, known_names=names, image_count=facts.image_count)
    return found.decomposition.model_dump_json(exclude_defaults=True) if isinstance(found, Understood) else UNKNOWN


def written(heard: Heard) -> str:
    """A program for the decomposition in a request."""
    try:
        decomposition = Decomposition.model_validate_json(heard.data("decomposition")[-1])
        return f"```python\n{plan(decomposition, facts_told(heard))}```"
    except (ValidationError, PlanningError):
        return UNKNOWN


def judged(heard: Heard) -> str | None:
    """Scores of the candidates in a request, as JSON, all the same: none is seen. None when nothing is to be judged."""
    candidates = sum(caption.startswith("Candidate ") for caption in heard.data("caption"))
    return json.dumps({"scores": [5] * candidates}) if candidates else None


def read(heard: Heard) -> str:
    """The option that values and captions speak of most, or the first number among the values."""
    told = normalise_phrase(" ".join([*heard.data("values"), *heard.data("caption")]))
    options = offered(heard)
    if not options:
        number = re.search(r"-?\d+(?:\.\d+)?", " ".join(heard.data("values")).partition("=")[2])
        return f"Answer: {number[0]}" if number else UNKNOWN
    counted = Counter({o: len(re.findall(rf"\b{re.escape(normalise_phrase(o.text))}\b", told)) for o in options})
    (best, most), *others = counted.most_common()
    if most == 0 or (others and others[0][1] == most):
        return UNKNOWN
    return f"Answer: {best.letter}. {best.text}"


def offered(heard: Heard) -> tuple[RawOption, ...]:
    """The options of a request, lettered; in tags of their own or written into the question."""
    questions = heard.data("question")
    return lettered(read_options(questions[-1] if questions else "", heard.lines("options") or None)[1])


def facts_told(heard: Heard) -> MemoryFacts:
    """What a request tells of its memory."""
    objects = {}
    for line in heard.lines("objects"):
        found = re.fullmatch(r"(.+) \((\d+)\)", line)
        if found:
            objects[found[1]] = int(found[2])
    images = re.search(r"^images: 1 to (\d+)$", heard.text, re.MULTILINE)
    metric = {"lengths: metres": "metric", "lengths: units of unknown size": "relative"}
    scale = next((kind for words, kind in metric.items() if words in heard.text), None)
    return MemoryFacts(
        image_count=int(images[1]) if images else None,
        objects=objects or None,
        vocabulary=frozenset(objects),
        scale=scale,  # type: ignore[arg-type]
    )
