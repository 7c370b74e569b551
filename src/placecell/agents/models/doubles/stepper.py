"""How the perfect reader writes cells: the planner's program, or the cell of an arithmetic question, as one cell.

It knows what the request tells it: question, goal and the names of the memory's objects. Once a value is noted it adds
nothing.
"""

from __future__ import annotations

import re

from placecell.agents.author import Asked
from placecell.agents.models.doubles.hearing import Heard
from placecell.agents.planner import plan
from placecell.agents.questions.decompose import Understood, understand
from placecell.agents.stepping.arithmetic import cell_for
from placecell.agents.stepping.goal import Goal
from placecell.agents.writer import PlanningError
from placecell.language.decomposition import Decomposition
from placecell.language.plan import MemoryFacts

UNKNOWN = "I have no cell for that."
_GOAL, _CELLS = "You prepare the answer to a question", "You answer a question about one place by measuring"


def step(heard: Heard, facts: MemoryFacts) -> str | None:
    """The next reply in a conversation of cells; None when the request is none of one."""
    if heard.instructions.startswith(_GOAL):
        return _goal(heard, facts)
    if not heard.instructions.startswith(_CELLS):
        return None
    if re.search(r"^(?:Noted|That is no answer): ", heard.text, re.MULTILINE):
        return UNKNOWN
    return _cell(heard, facts)


def _goal(heard: Heard, facts: MemoryFacts) -> str:
    decomposition = _understood(heard, facts)
    offered = bool(heard.lines("options"))
    if decomposition is None:
        return Goal(frame="none", answer="option" if offered else "number").model_dump_json()
    form, reference = decomposition.comparison.form, decomposition.reference
    frame = f"image {reference.image}" if reference.image is not None else reference.object or "none"
    answer = "option" if offered else {"number": "number", "yes_no": "yes or no"}.get(form, "words")
    entities = tuple(dict.fromkeys(decomposition.objects))[:12]
    return Goal.model_validate({"frame": frame, "answer": answer, "entities": entities}).model_dump_json()


def _cell(heard: Heard, facts: MemoryFacts) -> str:
    decomposition = _understood(heard, facts)
    if decomposition is None:
        found = cell_for(_asked(heard), facts)
        return UNKNOWN if found is None else f"```python\n{found}```"
    try:
        return f"```python\n{plan(decomposition, facts)}```"
    except PlanningError:
        return UNKNOWN


def _understood(heard: Heard, facts: MemoryFacts) -> Decomposition | None:
    asked = _asked(heard)
    names = frozenset(facts.objects or ())
    found = understand(asked.question, asked.options, known_names=names, image_count=facts.image_count)
    return found.decomposition if isinstance(found, Understood) else None


def _asked(heard: Heard) -> Asked:
    return Asked(heard.data("question")[-1] if heard.data("question") else "", tuple(heard.lines("options")))
