"""Two other ways to answer the questions, by scripted models of the same abilities: one program, one call a turn.

Both are given more than they have: the program is the best its language can say; calls may use every operation that
cells have, and what a caller computes from their results in its head is taken to be right. Tokens are counted as for
cells: everything that was said before is read again for each reply.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from cell_authors import Ability, mistaken
from cell_forms import CellQuestion
from cell_play import play
from cell_programs import ATTEMPTS, is_right, program_of
from cell_worlds import memory

from placecell.agents.answer import Answer
from placecell.agents.author import Asked
from placecell.agents.models.doubles.speaking import CHARACTERS_PER_TOKEN, TOKENS_PER_PICTURE
from placecell.agents.prompting import prompt, told_memory, told_question
from placecell.engine.describe import describe
from placecell.engine.facts import facts_of
from placecell.engine.interpreter import Step, run
from placecell.engine.values import Absent, Picture, Value
from placecell.language.check import check
from placecell.language.diagnostics import render_compact

MOST_CALLS = 12
"""As the strategy `primitives` allows."""


@dataclass
class Tally:
    """What one way came to with one model."""

    way: str
    model: str
    right: list[bool] = field(default_factory=list)
    without: int = 0
    rejected: int = 0
    turns: int = 0
    pictures: int = 0
    tokens: int = 0

    def add(self, *, right: bool, answered: bool) -> None:
        self.right.append(right)
        self.without += not answered

    def add_answer(self, right: bool, answer: Answer) -> None:
        self.add(right=right, answered=not answer.abstained)
        self.rejected += sum(not (a.accepted or a.repaired) for a in answer.attempts)
        self.turns += len(answer.attempts) or 1
        self.pictures += answer.usage.pictures_sent
        self.tokens += answer.usage.tokens

    def told(self) -> str:
        n = len(self.right)
        return (
            f"{self.way:14}{self.model:11}{np.mean(self.right):7.1%}{self.without:9}{self.rejected:10}"
            f"{self.turns / n:7.1f}{self.pictures / n:10.2f}{self.tokens / n:8.0f}"
        )


@dataclass
class _Talk:
    """Counts what is said and read."""

    read: int
    tokens: int = 0
    turns: int = 0

    def turn(self, said: str, told: str) -> None:
        self.turns += 1
        self.tokens += -(-self.read // CHARACTERS_PER_TOKEN) - (-len(said) // CHARACTERS_PER_TOKEN)
        self.read += len(said) + len(told)


def _begun(question: CellQuestion, role: str) -> _Talk:
    told = f"{told_question(Asked(question.question, question.options))}\n" + told_memory(facts_of(_seen(question)))
    return _Talk(len(prompt(role)) + len(told))


def one_shot(question: CellQuestion, ability: Ability, tally: Tally) -> None:
    """One program, written again when it was rejected and its author knows better."""
    facts, talk = facts_of(_seen(question)), _begun(question, "planner")
    whole = program_of(question)
    texts = [ATTEMPTS[question.family][0] if whole is None else whole] if whole or question.family in ATTEMPTS else []
    if whole is not None and ability != "perfect":
        texts.insert(0, _forgotten(whole) if ability == "forgetful" else mistaken(whole, len(question.id)))
    right, value = False, None
    for text in texts:
        report = check(text, facts=facts)
        talk.turn(text, render_compact(report.errors))
        if report.plan is None:
            tally.rejected += 1
            continue
        value = run(report.plan, _seen(question)).values[-1]
        right = is_right(question, value)
        break
    tally.add(right=right, answered=value is not None and not isinstance(value, Absent))
    tally.turns, tally.tokens = tally.turns + talk.turns, tally.tokens + talk.tokens


def _forgotten(program: str) -> str:
    head, build, _, *rest = program.split("\n")
    return "\n".join([head, build, *rest])


def one_call_a_turn(question: CellQuestion, ability: Ability, tally: Tally) -> None:
    """Every operation of the cells as a call of its own, up to ``MOST_CALLS``; then the answer, in the head."""
    talk = _begun(question, "primitives")
    steps = [step for turn in play(question).turns if turn.result is not None for step in turn.result.steps]
    told = list(dict.fromkeys((_call(step), describe(step.result)) for step in steps))
    if ability == "forgetful":  # what was found first is asked again for every later cell
        told += told[:1] * (len(question.cells) - 1)
    if ability == "careless":
        told = [part for call in told for part in ((f"wrong {call[0]}", "no such operation or argument"), call)]
        tally.rejected += len(told[:MOST_CALLS]) // 2
    for call, result in told[:MOST_CALLS]:
        talk.turn(call, result)
    talk.turn("Answer: ...", "")
    enough = len(told) <= MOST_CALLS
    tally.add(right=enough, answered=enough)
    shown = sum(isinstance(step.result, Picture) for step in steps) if enough else 0
    tally.pictures += shown
    tally.turns += talk.turns
    tally.tokens += talk.tokens + shown * TOKENS_PER_PICTURE


def _call(step: Step) -> str:
    return f"{step.operation}({', '.join(f'{name}={_short(value)}' for name, value in step.arguments.items())})"


def _short(value: Value) -> str:
    return describe(value)[:24] if isinstance(value, Value) else str(value)[:24]


def _seen(question: CellQuestion):  # type: ignore[no-untyped-def]
    return memory(question.world, question.seed)
