"""Synthetic rooms end to end: photographed as posed RGB-D, built into a memory, asked every family of question.

    python benchmarks/rooms.py [--rooms 200] [--first 0] [--level easy] [--depth-noise 0.01] [--perfect]

Prints right answers by family (mean relative accuracy for numbers), every miss with how it was answered, and how often
answers of a given confidence are right. ``--perfect`` leaves perception out: true boxes instead of built ones.
``--flat`` paints each object in one colour, which is faster and changes no depth.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from itertools import pairwise

import numpy as np

from placecell.agents.answer import Answer
from placecell.agents.pipeline import ask
from placecell.backends.synthetic.capture import Noise, default_views, photograph
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.backends.synthetic.questions import SyntheticQuestion, questions_about
from placecell.memory.build import assemble

_BINS = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--level", default="easy")
    parser.add_argument("--per-family", type=int, default=2)
    parser.add_argument("--depth-noise", type=float, default=0.0)
    parser.add_argument("--perfect", action="store_true")
    parser.add_argument("--flat", action="store_true")
    parsed = parser.parse_args()
    scores: dict[str, list[float]] = defaultdict(list)
    sure: list[tuple[float, float]] = []
    building = asking = 0.0
    for seed in range(parsed.first, parsed.first + parsed.rooms):
        room = make_room(seed, parsed.level)
        views = default_views(room)
        started = time.perf_counter()
        if parsed.perfect:
            memory = perfect_memory(room, views)
        else:
            memory = assemble(photograph(room, views, noise=Noise(depth=parsed.depth_noise), lit=not parsed.flat))
        building += time.perf_counter() - started
        for question in questions_about(room, views, per_family=parsed.per_family, seed=seed):
            started = time.perf_counter()
            answer = ask(memory, question.question, list(question.options) or None)
            asking += time.perf_counter() - started
            got = score(question, answer)
            scores[question.family].append(got)
            if not answer.abstained:
                sure.append((answer.confidence, float(got >= 0.9)))
            if got < 0.9:
                print(f"room {seed}: {miss(question, answer)}", flush=True)
    print_table(scores, sure)
    total = sum(map(len, scores.values()))
    each, per = building / parsed.rooms, 1e3 * asking / max(1, total)
    print(f"\n{parsed.rooms} rooms, {each:.2f} s each; {per:.1f} ms a question")


def score(question: SyntheticQuestion, answer: Answer) -> float:
    """The letter, or the mean relative accuracy at ten tolerances from 50 % to 5 %."""
    if question.value is None:
        return float(answer.letter == question.answer)
    if not isinstance(answer.value, int | float):
        return 0.0
    tolerances = 1 - np.linspace(0.5, 0.95, 10)
    return float(np.mean(abs(answer.value - question.value) / question.value <= tolerances))


def miss(question: SyntheticQuestion, answer: Answer) -> str:
    options = f" {' '.join(question.options)}" if question.options else ""
    got = f"no answer: {answer.reason}" if answer.abstained else f"{answer.answer} ({answer.confidence:.2f})"
    return f"{question.family}: {question.question}{options} | true {question.truth} | {got} {'; '.join(answer.notes)}"


def print_table(scores: dict[str, list[float]], sure: list[tuple[float, float]]) -> None:
    print(f"\n{'family':22}{'n':>6}{'score':>8}")
    for family, values in sorted(scores.items()):
        print(f"{family:22}{len(values):6}{np.mean(values):8.3f}")
    everything = [v for values in scores.values() for v in values]
    print(f"{'all':22}{len(everything):6}{np.mean(everything):8.3f}")
    print(f"\n{'confidence':22}{'n':>6}{'mean':>8}{'right':>8}")
    for low, high in pairwise(_BINS):
        inside = [(c, right) for c, right in sure if low <= c < high or (high == 1.0 and c == 1.0)]
        if inside:
            confidence, right = np.mean(inside, axis=0)
            print(f"{f'{low:.2f} to {high:.2f}':22}{len(inside):6}{confidence:8.3f}{right:8.3f}")


if __name__ == "__main__":
    main()
