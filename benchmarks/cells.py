"""Figures of the cells on the questions of tests/cells.

    python benchmarks/cells.py families              right answers by family, and what the one-shot language can say
    python benchmarks/cells.py noise --seeds 20      how often intervals hold the truth
    python benchmarks/cells.py built                 the same over memories built from pictures of three rooms
    python benchmarks/cells.py study                 five ways to answer, by scripted models of three abilities
    python benchmarks/cells.py speed                 milliseconds to check a cell, and to run one that makes no picture

No model sees or thinks here: scripted ones write the hand-written cells, as well as their ability allows. Tokens are
characters over four, pictures as a provider counts them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import numpy as np

from placecell.agents.answering import How
from placecell.agents.models.settings import Settings
from placecell.agents.pipeline import Asker
from placecell.backends.synthetic.capture import Noise, photograph
from placecell.engine.cells.interpreter import CellState, run_cell
from placecell.engine.cells.quantities import quantity_of
from placecell.engine.context import PictureSettings
from placecell.engine.facts import facts_of
from placecell.engine.values import Value
from placecell.language.cells.check import check_cell
from placecell.language.cells.scope import CellScope
from placecell.memory.build import assemble

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "cells"))
from cell_authors import ABILITIES, by_cells
from cell_noise import Sampled, measured, sampled
from cell_play import is_right, judge, play
from cell_questions import FAMILIES, questions
from cell_rivals import Tally, one_call_a_turn, one_shot
from cell_worlds import memory, room


def families(parsed: argparse.Namespace) -> None:
    right, asked, said = Counter[str](), Counter[str](), Counter[str]()
    by_strategy = Counter[str]()
    for question in questions():
        asked[question.family] += 1
        right[question.family] += play(question).right
        said[question.family] += question.program is not None
        by_strategy[question.family] += is_right(question, by_cells(question, "perfect"))
    print(f"{'family':28}{'asked':>7}{'cells':>7}{'strategy':>10}{'program':>9}")
    for family in (*FAMILIES, "all"):
        told = [sum(c.values()) if family == "all" else c[family] for c in (asked, right, by_strategy, said)]
        print(f"{family:28}{told[0]:7}{told[1]:7}{told[2]:10}{told[3]:9}")


def noise(parsed: argparse.Namespace) -> None:
    answers = list(sampled(range(parsed.seeds)))
    print(f"{'family':28}{'n':>6}{'90 %':>8}{'95 %':>8}{'flagged':>9}{'of these':>10}{'absent':>8}")
    for family in (*FAMILIES, "all"):
        mine = [a for a in answers if family in ("all", a.question.family)]
        print(f"{family:28}{len(mine):6}{coverage(mine, 1.645):8.3f}{coverage(mine, 1.96):8.3f}"
              f"{sum(a.off is not None and not a.decided for a in mine):9}"
              f"{coverage(mine, 1.96, decided=False):10.3f}{sum(a.off is None for a in mine):8}")  # fmt: skip


def built(parsed: argparse.Namespace) -> None:
    off = []
    for seed in (1, 2, 3):
        noise = Noise(depth=0.01, place_m=0.005, turn_deg=0.2)
        seen = assemble(photograph(room(seed), size=(160, 120), noise=noise, frame="world", lit=False))
        for question in measured():
            if (question.world, question.seed) == ("boxes", seed):
                value = play(question, seen).value
                number = None if value is None else quantity_of(value)
                if number is not None and not isinstance(question.truth, str):
                    off.append(abs(number.value - question.truth) / max(number.sd, 1e-9))
    shares = ", ".join(f"{z:g} sd {np.mean(np.array(off) <= z):.3f}" for z in (1.0, 1.645, 1.96))
    print(f"{len(off)} answers over memories built from pictures, the truth within {shares}")


def coverage(answers: Iterable[Sampled], z: float, *, decided: bool = True) -> float:
    off = [a.off for a in answers if a.off is not None and a.decided is decided]
    return float(np.mean(np.array(off) <= z)) if off else float("nan")


def study(parsed: argparse.Namespace) -> None:
    asked = questions()[:: parsed.every]
    print(f"{len(asked)} questions\n{'way':14}{'model':11}{'right':>7}{'without':>9}{'rejected':>10}"
          f"{'turns':>7}{'pictures':>10}{'tokens':>8}")  # fmt: skip
    blind = Tally("direct", "blind")
    for question in asked:
        direct = Asker(memory(question.world, question.seed), How("direct", "blind", settings=Settings()))
        answer = direct.ask(question.question, question.options)
        blind.add_answer(is_right(question, answer), answer)
    print(blind.told(), flush=True)
    for ability in ABILITIES:
        tallies = [Tally("one program", ability), Tally("calls", ability), Tally("cells", ability)]
        for question in asked:
            one_shot(question, ability, tallies[0])
            one_call_a_turn(question, ability, tallies[1])
            answer = by_cells(question, ability)
            tallies[2].add_answer(is_right(question, answer), answer)
        for tally in tallies:
            print(tally.told(), flush=True)


def speed(parsed: argparse.Namespace) -> None:
    checks: dict[str, list[float]] = defaultdict(list)
    runs: dict[str, list[float]] = defaultdict(list)
    for question in questions():
        seen = memory(question.world, question.seed)
        scope = CellScope(facts=facts_of(seen), options=question.options)
        bound: dict[str, Value] = {}
        for number, text in enumerate(question.cells):
            check = partial(check_cell, text, scope)
            checks[f"{question.id} {number}"] += [timed(check) for _ in range(parsed.repeat)]
            report = check_cell(text, scope)
            assert report.cell is not None
            scope = scope.after(report.cell)
            state = CellState(seen, bindings=dict(bound), pictures=PictureSettings(size=96))
            ran = run_cell(report.cell, state, judge(question))
            if not (report.cell.effects or ran.used.pictures):
                again = partial(run_cell, report.cell, state, judge(question))
                runs[f"{question.id} {number}"] += [timed(again) for _ in range(parsed.repeat)]
            bound |= ran.bindings
    for what, times in (("check", checks), ("run", runs)):
        best = np.array([min(values) for values in times.values()]) * 1e3
        slowest = max(times, key=lambda key: min(times[key]))
        print(f"{what}: {len(best)} cells, median {np.median(best):.2f} ms, 95 % below "
              f"{np.percentile(best, 95):.2f} ms, slowest {best.max():.2f} ms ({slowest})")  # fmt: skip


def timed(what: Callable[[], object]) -> float:
    """Seconds of processor time."""
    started = time.process_time()
    what()
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"families": families, "noise": noise, "built": built, "study": study, "speed": speed}
    parser.add_argument("part", choices=parts)
    parser.add_argument("--seeds", type=int, default=20, help="noisy memories of each question")
    parser.add_argument("--every", type=int, default=1, help="ask only every so many questions")
    parser.add_argument("--repeat", type=int, default=5, help="times to check and run each cell")
    parsed = parser.parse_args()
    parts[parsed.part](parsed)


if __name__ == "__main__":
    main()
