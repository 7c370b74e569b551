"""Runs of the synthetic benchmark with scripted models: every strategy, killed and resumed, over Ray, and in parallel.

    python benchmarks/runs.py strategies -o studies/strategies      300 questions, five strategies, three doubles
    python benchmarks/runs.py killed -o studies/killed              a flaky model, three SIGKILLs, resumed
    python benchmarks/runs.py ray -o studies/ray                    four Ray workers against one process
    python benchmarks/runs.py concurrency -o studies/concurrency    a server that takes 200 ms, 1 and 8 at a time

Each part runs `placecell eval` as a person would, and reads the records it leaves.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from placecell.evaluation.benchmarks.synthetic import code_digest
from placecell.evaluation.runs.record import SampleRecord, read_records
from placecell.evaluation.runs.summary import summarise

STRATEGIES = ("program", "explore", "primitives", "imagine", "direct")
MODELS = ("perfect", "blind", "flaky:1:perfect")
SMALL = {"explore": ["size=128"], "imagine": ["size=96", "views=8"]}
"""Pictures as small as doubles need them: none of them sees."""


def command(folder: Path, *more: str, strategy: str = "program", model: str = "perfect") -> list[str]:
    settings = [word for text in SMALL.get(strategy, []) for word in ("--set", text)]
    named = ["--strategy", strategy, "--model", model, "-o", str(folder)]
    return [sys.executable, "-m", "placecell.apps.cli", "eval", "synthetic", *named, *settings, *more]


def carried_out(words: list[str]) -> float:
    """Seconds that it took."""
    started = time.perf_counter()
    ended = subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
    if ended.returncode not in (0, 1):
        raise SystemExit(ended.returncode)
    return time.perf_counter() - started


def strategies(parsed: argparse.Namespace) -> None:
    print(f"questions drawn by {code_digest()}")
    print(f"{'strategy':12}{'model':18}{'n':>5}{'score':>8}{'95 %':>16}{'choices':>9}{'chance':>8}{'lost':>6}{'s':>7}")
    for strategy in parsed.strategy or STRATEGIES:
        for model in parsed.model or MODELS:
            folder = parsed.output / f"{strategy}-{model.replace(':', '-')}"
            more = ["--limit", str(parsed.limit), "--concurrency", str(parsed.concurrency)]
            seconds = carried_out(command(folder, *more, strategy=strategy, model=model))
            records = read_records(folder)
            found = summarise(records, "micro").all
            choices = [record for record in records if record.options]
            right, chance = (np.mean(x) for x in zip(*((r.score, 1 / r.options) for r in choices), strict=True))
            low, high = (100 * found.interval.low, 100 * found.interval.high) if found.interval else (0.0, 0.0)
            print(f"{strategy:12}{model:18}{found.n:5}{100 * found.score:8.1f}{low:9.1f} to{high:5.1f}"
                  f"{100 * right:9.1f}{100 * chance:8.1f}{found.lost:6}{seconds:7.0f}", flush=True)  # fmt: skip


def killed(parsed: argparse.Namespace) -> None:
    folder, model = parsed.output / "killed", "flaky:1:perfect"
    more = ["--limit", str(parsed.limit), "--concurrency", "8"]
    for part in (1, 2, 3):
        process = subprocess.Popen(command(folder, *more, model=model), stdout=subprocess.DEVNULL)
        while process.poll() is None and lines(folder) < part * parsed.limit // 4:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
        process.wait()
        print(f"killed with {lines(folder)} of {parsed.limit} records kept", flush=True)
    carried_out(command(folder, *more, model=model))
    steady = parsed.output / "steady"
    carried_out(command(steady, *more, model="perfect"))
    kept = read_records(folder)
    print(f"{len(kept)} records in {lines(folder)} lines, {sum(not r.final for r in kept)} unfinished; "
          f"replies differ from a model that is not flaky in {differing(steady, folder, answers)}")  # fmt: skip


def ray(parsed: argparse.Namespace) -> None:
    more = ["--limit", str(parsed.limit)]
    serial = carried_out(command(parsed.output / "serial", *more, "--concurrency", "1"))
    spread = carried_out(command(parsed.output / "ray", *more, "--engine", "ray", "--workers", "4"))
    differ = differing(parsed.output / "serial", parsed.output / "ray", SampleRecord.content)
    print(
        f"{parsed.limit} samples: serial {serial:.0f} s, four Ray workers {spread:.0f} s, records that differ {differ}"
    )


def concurrency(parsed: argparse.Namespace) -> None:
    """The answering alone: wall and processor time between the first records and the last one."""
    carried_out(command(parsed.output / "drawn", "--limit", str(parsed.limit)))  # so that every room is kept on disk
    for strategy, model in {"direct": "slow:0.2:blind", "program": "slow:0.2:perfect"}.items():
        if strategy in (parsed.strategy or (strategy,)):
            one, eight = (answering(strategy, model, places, parsed) for places in (1, 8))
            print(f"{strategy}: {one / eight:.1f} times faster", flush=True)


def answering(strategy: str, model: str, places: int, parsed: argparse.Namespace) -> float:
    """Wall seconds a sample, with so many asked at a time."""
    folder = parsed.output / f"{strategy}-at-{places}"
    more = ["--limit", str(parsed.limit), "--concurrency", str(places)]
    process = subprocess.Popen(command(folder, *more, strategy=strategy, model=model), stdout=subprocess.DEVNULL)
    while lines(folder) < places:
        time.sleep(0.002)
    started, busy = time.perf_counter(), processor_seconds(process.pid)
    while lines(folder) < parsed.limit:
        time.sleep(0.002)
    asked: int = parsed.limit - places
    wall = (time.perf_counter() - started) / asked
    busy = (processor_seconds(process.pid) - busy) / asked
    print(f"{strategy}, {places} at a time: {1000 * wall:.0f} ms a sample, {1000 * busy:.0f} ms of processor time")
    process.wait()
    return wall


def processor_seconds(process: int) -> float:
    """What a running process has used so far, in user and system time (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def lines(folder: Path) -> int:
    path = folder / "records.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def answers(record: SampleRecord) -> object:
    return record.reply


def differing(first: Path, second: Path, what) -> int:  # type: ignore[no-untyped-def]
    """How many samples have another content, or are in one of the folders only."""
    one, other = ({r.sample: what(r) for r in read_records(folder)} for folder in (first, second))
    return sum(one.get(sample) != other.get(sample) for sample in one.keys() | other.keys())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"strategies": strategies, "killed": killed, "ray": ray, "concurrency": concurrency}
    parser.add_argument("part", choices=parts)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--limit", type=int, default=300, help="questions")
    parser.add_argument("--concurrency", type=int, default=4)
    parser.add_argument("--strategy", action="append", choices=STRATEGIES, help="only these; repeat")
    parser.add_argument("--model", action="append", help="only these; repeat")
    parsed = parser.parse_args()
    parts[parsed.part](parsed)


if __name__ == "__main__":
    main()
