"""A strategy on synthetic rooms with a model, by default one that reads captions perfectly and sees no picture.

    python benchmarks/strategies.py --strategy explore --rooms 100
    python benchmarks/strategies.py --strategy explore --model garbage --rooms 100

Scores are those of ``benchmarks/rooms.py``: right letters, and mean relative accuracy of numbers. What is missed then
is the fault of prompts, tools, captions or geometry, never of perception.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict

import numpy as np

from placecell.agents.answering import How
from placecell.agents.models.settings import Settings
from placecell.agents.pipeline import Asker
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.backends.synthetic.questions import questions_about
from rooms import score

_SIZE = (128, 96)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategy", default="explore")
    parser.add_argument("--model", default="perfect")
    parser.add_argument("--rooms", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="seed of the first room")
    parser.add_argument("--per-family", type=int, default=1)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="of the strategy; repeat")
    parser.add_argument("--misses", action="store_true", help="print what was missed")
    parsed = parser.parse_args()
    options = dict(pair.split("=", 1) for pair in parsed.option)
    how = How(parsed.strategy, parsed.model, settings=Settings(), options=options)
    scores: dict[str, list[float]] = defaultdict(list)
    unanswered, started = 0, time.perf_counter()
    for seed in range(parsed.first, parsed.first + parsed.rooms):
        room = make_room(seed)
        views = default_views(room)
        memory = perfect_memory(room, views, size=_SIZE)
        asked = questions_about(room, views, per_family=parsed.per_family, size=_SIZE)
        asker = Asker(memory, how)
        for question in asked:
            answer = asker.ask(question.question, list(question.options) or None)
            got = score(question, answer)
            scores[question.family].append(got)
            unanswered += answer.abstained
            if parsed.misses and got < 1:
                print(f"{seed} {question.family}: {question.question} {' '.join(question.options)} | true "
                      f"{question.truth} | {answer.answer or answer.reason}", flush=True)  # fmt: skip
    print(f"\n{'family':22}{'n':>6}{'score':>8}")
    for family, values in sorted(scores.items()):
        print(f"{family:22}{len(values):6}{np.mean(values):8.3f}")
    everything = [v for values in scores.values() for v in values]
    print(f"{'all':22}{len(everything):6}{np.mean(everything):8.3f}")
    each = (time.perf_counter() - started) / max(1, len(everything))
    print(f"\n{parsed.strategy}, {parsed.model}: {parsed.rooms} rooms, {unanswered} without answer, {each:.2f} s each")


if __name__ == "__main__":
    main()
