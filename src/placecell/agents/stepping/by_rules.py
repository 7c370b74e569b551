"""Cells without a model: the planner's program as one cell, or the cell of a question that asks for arithmetic."""

from __future__ import annotations

from dataclasses import replace

from placecell.agents.author import Rules, Understanding
from placecell.agents.program import rejected
from placecell.agents.reading import Reading, no_answer
from placecell.agents.stepping.arithmetic import understand_sum
from placecell.agents.stepping.notebook import Notebook


def by_rules(notebook: Notebook) -> Reading:
    """What grammar and planner come to; a reading with a reason when they come to nothing."""
    cell = _cell(notebook)
    if isinstance(cell, Reading):
        return cell
    turn = notebook.write(cell, author="rules")
    if not turn.accepted:
        return rejected(turn.faults)
    return notebook.read(turn) or no_answer("the cell gave no answer")


def _cell(notebook: Notebook) -> str | Reading:
    task, understood = notebook.task, notebook.understood
    if isinstance(understood, Understanding):
        return Rules().plan(understood.decomposition, task.facts, pictures=task.trace)
    found = understand_sum(task.asked, task.facts)
    if found is None:
        return understood
    notebook.sought = replace(notebook.sought, unit=found.unit)
    return found.cell
