"""A strategy with the shipped doubles on many synthetic rooms: the perfect reader must be right, garbage must fail.

    python benchmarks/vlm_rooms.py --rooms 100
    python benchmarks/vlm_rooms.py --rooms 100 --strategy cells --models perfect

Four questions a room, the families in turn. Each goes the whole way a real model's would: prompt, reply, parsing,
validation, check, run, reading. Prints a table by family, and at which attempt programs were accepted.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter

from placecell.agents.answer import Answer
from placecell.agents.answering import How
from placecell.agents.models.settings import Settings
from placecell.agents.pipeline import Asker
from placecell.backends.synthetic import questions
from placecell.backends.synthetic.asking import SyntheticQuestion
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory

SIZE = (96, 72)
FAMILIES = tuple(f for f in questions.FAMILIES if f != "appearance order")  # which is asked of videos


def is_right(question: SyntheticQuestion, answer: Answer) -> bool:
    """The right letter, or a number within 3 percent."""
    if question.value is None:
        return answer.letter == question.answer
    value = answer.value
    return isinstance(value, (int, float)) and abs(value - question.value) <= 0.03 * max(abs(question.value), 1e-9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=100)
    parser.add_argument("--first", type=int, default=1000, help="seed of the first room")
    parser.add_argument("--strategy", choices=("program", "cells"), default="program")
    parser.add_argument("--models", nargs="+", default=["perfect", "garbage"])
    arguments = parser.parse_args()
    started = time.perf_counter()
    asked: Counter[tuple[str, str]] = Counter()
    right, failed = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    accepted: Counter[tuple[str, int | None]] = Counter()
    for seed in range(arguments.first, arguments.first + arguments.rooms):
        room = make_room(seed)
        views = default_views(room)
        memory = perfect_memory(room, views, size=SIZE)
        families = tuple(FAMILIES[(seed * 4 + k) % len(FAMILIES)] for k in range(4))
        asking = questions.questions_about(room, views, per_family=1, families=families, size=SIZE)
        for model in arguments.models:
            asker = Asker(memory, How(arguments.strategy, model, settings=Settings()))
            for question in asking:
                answer = asker.ask(question.question, question.options)
                key = (model, question.family)
                asked[key] += 1
                right[key] += is_right(question, answer)
                failed[key] += answer.abstained and answer.reason is not None
                first = next((n for n, a in enumerate(answer.attempts, 1) if a.accepted or a.repaired), None)
                accepted[model, first] += 1
                if model == "perfect" and not is_right(question, answer):
                    print(f"room {seed}, {question.family}: {question.question} -> {answer.answer} {answer.reason}")
    for model in arguments.models:
        families_asked = sorted(family for m, family in asked if m == model)
        print(f"\n{model}: {'family':20} asked right failed")
        for family in families_asked:
            key = (model, family)
            print(f"{model}: {family:20} {asked[key]:5} {right[key]:5} {failed[key]:6}")
        totals = [sum(c[model, f] for f in families_asked) for c in (asked, right, failed)]
        print(f"{model}: {'all':20} {totals[0]:5} {totals[1]:5} {totals[2]:6}  right {totals[1] / totals[0]:.1%}")
        print(f"{model}: accepted at attempt", {k: n for (m, k), n in sorted(accepted.items(), key=str) if m == model})
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
