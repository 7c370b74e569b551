"""A model writes cells, one a reply, and is told what each came to, until one answers the question.

Knows the course of the conversation: what stays in its history, when an answer stands, and what is given when the cells
are used up. Does not know the language (``engine.session``), nor how a value is read (``values``).
"""

from __future__ import annotations

import re
from dataclasses import replace

from placecell.agents.exploring.photos import room_for_pictures
from placecell.agents.models.failures import Failure
from placecell.agents.models.pictures import Shown
from placecell.agents.opinions import SURE, agreement, disagreement
from placecell.agents.prompting import prompt, told_memory
from placecell.agents.quoting import as_data
from placecell.agents.reading import Reading, no_answer
from placecell.agents.stepping.goal import ask_goal, told_goal
from placecell.agents.stepping.notebook import Answered, Notebook
from placecell.agents.strategy import Task
from placecell.agents.talk import Talk
from placecell.engine.session import Turn
from placecell.language.diagnostics import render_compact

_STUCK = 3
"""The same cell rejected so often in a row: the model will not find out of it."""
_FENCE = re.compile(r"^```[^\n`]*\n(.*?)(?:^```|\Z)", re.DOTALL | re.MULTILINE)
_NO_CELL = "Your reply holds no cell. Write one in a ```python block; the last one calls answer(...)."

Said = list[str | Shown]


def cell_in(reply: str) -> str | None:
    """The cell of a reply: its last fenced block; None when there is none."""
    found = _FENCE.findall(reply)
    return found[-1] if found and found[-1].strip() else None


class Conversation:
    """Fills a notebook with the cells of its task's model; at most ``pictures`` pictures of a cell are shown."""

    def __init__(self, task: Task, notebook: Notebook, pictures: int) -> None:
        self._task = task
        self._notebook = notebook
        self._pictures = pictures
        self._noted: Answered | None = None
        self._absent: Answered | None = None

    def answered(self) -> Answered:
        """The answer the model comes to, or the best there is when it comes to none."""
        goal = ask_goal(self._task)
        if isinstance(goal, Failure) and goal.kind != "malformed":
            return Answered(no_answer(str(goal), goal.stuck("decomposition")))
        told: Said = [self._notebook.wanted.told_alone(), told_memory(self._task.facts)]
        if not isinstance(goal, Failure):
            self._notebook.aim(goal)
            told.append(told_goal(goal, self._task.memory))
        talk = self._task.talk(prompt("cells"), role="cells")
        return self._written(talk, [*told, self._left()])

    def _written(self, talk: Talk, told: Said) -> Answered:
        fault: Said = []
        rejected: list[str] = []
        while self._notebook.session.left.cells:
            before = talk.messages
            said = talk.ask(*told, *fault, output=str)
            if isinstance(said, Failure):
                return self._stopped(said)
            text = cell_in(said)
            if text is None and (left := self._noted or self._absent) is not None:
                return left
            if text is None:
                self._notebook.hear(said)
            turn = self._notebook.write(said if text is None else text, author="vlm")
            if not turn.accepted:
                # What was wrong is told once; the cell itself does not stay in the history.
                talk.messages = before
                fault = [_NO_CELL if text is None else _rejected(turn), self._left()]
                rejected = [*rejected, turn.text] if turn.text in rejected[-1:] else [turn.text]
                if len(rejected) == _STUCK:
                    break
                continue
            fault, rejected = [], []
            told = self._told(turn)
            answered = self._notebook.read(turn)
            if answered is not None and answered.reading.reason is not None:
                self._absent = answered
                told.append(_no_answer(answered.reading))
            elif answered is not None:
                if (settled := self._settled(answered)) is not None:
                    return settled
                told.append(_second_way(answered.reading))
            told.append(self._left())
        best = self._noted or self._notebook.best()
        return self._absent if best.reading.reason is not None and self._absent is not None else best

    def _settled(self, answered: Answered) -> Answered | None:
        """The answer that stands: a sure one, or an unsure one after a second way was tried; None while it may be."""
        first, self._noted = self._noted, self._noted or answered
        if first is None:
            sure = answered.reading.confidence >= SURE or not self._notebook.session.left.cells
            return answered if sure else None
        if _agree(first.reading, answered.reading):
            if not answered.independent_of(first):
                return replace(first, reading=first.reading.noting("the second way was the same one"))
            return replace(first, reading=agreement(first.reading, answered.reading, "a second way"))
        better, other = sorted((first, answered), key=lambda a: -a.reading.confidence)
        return replace(better, reading=disagreement(better.reading, other.reading, "another way"))

    def _stopped(self, failure: Failure) -> Answered:
        """A model that does not reply; an answer it had given before stands."""
        if self._noted is not None:
            reading = self._noted.reading.noting(f"no second way was tried: {failure}")
            return replace(self._noted, reading=reading)
        return Answered(no_answer(str(failure), failure.stuck("plan")))

    def _told(self, turn: Turn) -> Said:
        """What a cell came to: every name in a line, warnings, and the first of its pictures."""
        parts: Said = [f"Cell {turn.number}:", as_data("values", "\n".join(turn.told()))]
        if warnings := render_compact(turn.warnings):
            parts.append(warnings)
        most = min(self._pictures, room_for_pictures(self._task))
        for name, picture in turn.pictures[:most]:
            parts.append(replace(Shown.of_picture(picture), caption=f"{name}: {picture.caption}"))
        if unseen := [name for name, _ in turn.pictures[most:]]:
            parts.append(f"Not shown, there is room for {most}: {', '.join(unseen)}.")
        return parts

    def _left(self) -> str:
        return f"Left: {self._notebook.session.left.told()}."


def _agree(a: Reading, b: Reading) -> bool:
    """Whether two ways came to the same answer: in words, or to numbers within each other's intervals."""
    if a.interval is None or b.interval is None or a.option is not None or a.unit != b.unit:
        return a.text == b.text
    return max(a.interval[0], b.interval[0]) <= min(a.interval[1], b.interval[1])


def _rejected(turn: Turn) -> str:
    return f"Your last cell was not accepted, and nothing of it was kept:\n{render_compact(turn.faults)}"


def _no_answer(reading: Reading) -> str:
    return (
        f"That is no answer: {reading.reason}. Do something about that in the next cell; if nothing can be done, reply "
        "without a cell, and this is said instead of an answer."
    )


def _second_way(reading: Reading) -> str:
    return (
        f"Noted: {reading.text}, {reading.confidence:.0%} sure. If there is a second, independent way to find it, "
        "write a cell that takes it and answers; else reply without a cell, and this answer stands."
    )
