"""Figures of the language: ``python benchmarks/language.py``; with ``--fuzz 600`` also random texts for 600 seconds.

Best of many runs, milliseconds of processor time. The reference is Python's own parser on the same text, so that
figures of different machines can be compared.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

from placecell.language.cells.check import CellScope, check_cell, fix_cell
from placecell.language.check import check, fix
from placecell.language.plan import MemoryFacts
from placecell.language.rewrite import rewrite
from placecell.language.syntax import parse

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "language"))
from language_programs import Programs, broken


def hundred_lines() -> str:
    """An accepted program of 100 lines."""
    lines = ["memory = build_static_memory(images)", "here = query_camera_pose(memory, image=1)"]
    lines.append("set_viewpoint(memory, at=here)")
    for i in range(32):
        lines.append(f'o{i} = query_3d_object_location(memory, "chair {i}")')
        lines.append(f's{i} = select_object(o{i}, by="nearest")')
        lines.append(f"d{i} = locate(memory, s{i})")
    results = ", ".join(f"d{i}" for i in range(32))
    return "def plan(images):\n" + "".join(f"    {line}\n" for line in lines) + f"    return [{results}]\n"


CELL = """
chairs = query_3d_object_location("chair")
table = select_object(query_3d_object_location("table"), by="largest")
def gap(o): return measure_distance(o, table)
order = sorted(chairs, by=gap)
near = [c for c in chairs if gap(c) < metres(1.5) and not blocked(c, table)]
f = standing_at(table, facing=order[0])
side = side_of(order[1], frame=f)
way = in_frame(centre_of(order[1]), f) - in_frame(centre_of(table), f)
share = measure_size(order[0]).height / measure_size(table).height
apart = [length_of(centre_of(a) - centre_of(b)) for a, b in pairs(chairs, near)]
best = min(chairs, by=lambda c: distance_to_line(c, table, order[0]))
answer(gap(best) * 2 if share > 1 else max(apart) + metres(0.5))
"""
"""A cell of as many statements as there may be."""
IN_A_ROOM = CellScope(facts=MemoryFacts(image_count=8, objects={"chair": 4, "table": 1}, scale="metric"))

PATHOLOGICAL = {
    "100,000-term sum": "def plan(images):\n    x = " + "+".join(["1"] * 100_000) + "\n    return [x]\n",
    "10,000 parentheses": "def plan(images):\n    x = " + "(" * 10_000 + ")" * 10_000 + "\n",
    "5 MB of text": "x = (" * 1_000_000,
    "largest text looked at": ("    x = [[1, 'a'], f(g(h(1)))] + 2\n" * 490)[:19_900],
}


def best(run: Callable[[], object], times: int) -> float:
    """Milliseconds of the fastest of ``times`` runs."""
    fastest = float("inf")
    for _ in range(times):
        start = time.thread_time()
        run()
        fastest = min(fastest, time.thread_time() - start)
    return fastest * 1e3


def fuzz(seconds: float, seed: int) -> None:
    """Broken programs and random characters through everything, for a while; any exception ends it."""
    rng, programs = random.Random(seed), Programs(seed)
    count, slowest, worse, end = 0, 0.0, 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        text = broken(programs.next(), rng)
        if rng.random() < 0.2:
            text = "".join(chr(rng.choice((rng.randrange(32, 127), rng.randrange(0x2FFF)))) for _ in range(200))
        start = time.thread_time()
        report, mended = check(text, extract=rng.random() < 0.5), fix(text)
        if mended.plan is not None:
            rewrite(mended.plan)
        cell = fix_cell(broken(CELL, rng), IN_A_ROOM)
        if not cell.ok and not cell.errors:
            raise SystemExit(f"rejected without an error: {cell.text!r}")
        slowest = max(slowest, time.thread_time() - start)
        worse += len(mended.errors) > len(check(text).errors)
        count += 1
        if report.plan is None and not report.errors:
            raise SystemExit(f"rejected without an error: {text!r}")
    print(f"{count:,} texts in {seconds:g} s: no exception, {worse} made worse, slowest {slowest * 1e3:.1f} ms")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--fuzz", type=float, default=0.0, metavar="SECONDS")
    arguments.add_argument("--seed", type=int, default=0)
    given = arguments.parse_args()
    text = hundred_lines()
    plan = check(text).plan
    reference = best(lambda: ast.parse(text), 200)
    print(f"{'Python parses the same text':32} {reference:8.2f} ms")
    figures = {
        "100 lines: parse": lambda: parse(text),
        "100 lines: parse and check": lambda: check(text),
        "100 lines: rewrite": lambda: rewrite(plan) if plan else None,
        "100 lines: fix a misspelling": lambda: fix(text.replace("locate(", "lokate(", 1)),
        "100 lines: extract and check": lambda: check(f"Here:\n```python\n{text}```\n", extract=True),
    }
    for name, run in figures.items():
        took = best(run, 100)
        print(f"{name:32} {took:8.2f} ms {took / reference:6.1f} x")
    for name, cell in {"a cell of 12 statements": CELL, "a cell of one": CELL.split("\n")[1]}.items():
        took = best(lambda cell=cell: check_cell(cell, IN_A_ROOM), 100)  # type: ignore[misc]
        print(f"{name + ': check':32} {took:8.2f} ms")
    for name, odd in PATHOLOGICAL.items():
        print(f"{'rejected: ' + name:32} {best(lambda odd=odd: check(odd), 10):8.2f} ms")  # type: ignore[misc]
        print(f"{'as a cell: ' + name:32} {best(lambda odd=odd: check_cell(odd), 10):8.2f} ms")  # type: ignore[misc]
    if given.fuzz:
        fuzz(given.fuzz, given.seed)


if __name__ == "__main__":
    main()
