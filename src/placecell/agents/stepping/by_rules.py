"""Cells without a model: the planner's program as one cell, or the cell of a question that asks for arithmetic."""

from __future__ import annotations

from placecell.agents.author import Rules, Understanding
from placecell.agents.program import rejected
from placecell.agents.reading import Reading, no_answer
from placecell.agents.stepping.arithmetic import cell_for
from placecell.agents.stepping.notebook import Answered, Notebook


def by_rules(notebook: Notebook) -> Answered:
    """What grammar and planner come to; a reading with a reason when they come to nothing."""
    cell = _cell(notebook)
    if isinstance(cell, Reading):
        return Answered(cell)
    turn = notebook.write(cell, author="rules")
    if not turn.accepted:
        return Answered(rejected(turn.faults))
    return notebook.read(turn) or Answered(no_answer("the cell gave no answer"))


def _cell(notebook: Notebook) -> str | Reading:
    task, understood = notebook.task, notebook.understood
    if isinstance(understood, Understanding):
        return Rules().plan(understood.decomposition, task.facts, pictures=task.trace)
    return cell_for(task.asked, task.facts) or understood
