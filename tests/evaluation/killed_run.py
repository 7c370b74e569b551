"""Runs a benchmark in a child process, kills it three times with SIGKILL while it works, and lets it finish.

    python killed_run.py DATA OUT

Prints how often it killed, and how many samples the last process asked and left unfinished. The same run without a
flaw goes before, into a folder "steady" beside it, so that children also find everything imported.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import small_benchmark as small

MODEL = "flaky:1:slow:0.2:blind"


def finished(folder: Path) -> int:
    records = folder / "records.jsonl"
    return records.read_bytes().count(b"\n") if records.exists() else 0


def child(data: Path, folder: Path) -> int:
    process = os.fork()
    if process == 0:
        done = small.run_all(small.request(data, strategy="direct", model=MODEL), folder, places=2)
        sys.stdout.write(f"{done.asked} {done.unfinished}\n")
        sys.stdout.flush()
        os._exit(0)
    return process


def main(data: Path, folder: Path) -> None:
    small.run_all(small.request(data, strategy="direct", model="blind"), folder.with_name("steady"), places=2)
    for _ in range(3):
        before = finished(folder)
        process = child(data, folder)
        while finished(folder) < before + 2:
            time.sleep(0.01)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        sys.stdout.write("killed ")
        sys.stdout.flush()
    _, status = os.waitpid(child(data, folder), 0)
    sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
