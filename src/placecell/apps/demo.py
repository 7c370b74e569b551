"""The demonstration: a room is drawn, photographed, built into a memory, and asked every kind of question.

The truth comes from the room's exact geometry, the answers from the pictures alone; the two meet only in the table.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from placecell.agents import pipeline
from placecell.agents.answer import Answer
from placecell.agents.events import NoteEvent
from placecell.agents.log import Log
from placecell.agents.trace_page import write_page
from placecell.backends import auto
from placecell.backends.synthetic.capture import default_views, make_room, photograph, write_capture
from placecell.backends.synthetic.questions import SyntheticQuestion, questions_about
from placecell.engine.montage import side_by_side
from placecell.engine.renders import render_view
from placecell.errors import UserError
from placecell.memory import storage
from placecell.memory.scene import SpatialMemory
from placecell.progress import OnProgress, Progress, silent

SIZE = (480, 360)
NUMBER_TOLERANCE = 0.1
"""A number is right within 10 % of the truth."""


@dataclass(frozen=True)
class Row:
    """One question with its answer beside the truth."""

    family: str
    question: str
    answer: str
    truth: str
    right: bool

    def record(self) -> dict[str, Any]:
        """The JSON object of ``placecell demo --json``."""
        return dict(vars(self))


@dataclass(frozen=True)
class DemoReport:
    """What was asked, and the files that were kept."""

    rows: tuple[Row, ...]
    files: tuple[Path, ...]


def run_demo(folder: Path, *, seed: int, progress: OnProgress = silent) -> DemoReport:
    """Run the demonstration in ``folder``; a capture from an earlier run there is drawn again.

    Raises:
        UserError: the folder holds something else, or cannot be written.
    """
    room = make_room(seed)
    views = default_views(room)
    capture = _empty(folder, "capture")
    write_capture(photograph(room, views, size=SIZE), capture)
    memory = auto.build([capture], labels=capture / "labels", progress=progress)
    storage.save(memory, folder / "room.pcell", overwrite=True)
    asked = questions_about(room, views, per_family=1, size=SIZE)
    rows, log, asker = [], Log(), pipeline.Asker(memory)
    for n, question in enumerate(asked, 1):
        row = _row(question, asker.ask(question.question, question.options or None, log=log))
        log.add(
            NoteEvent(question=n, text="right" if row.right else "WRONG", facts={"truth": row.truth}, headline=True)
        )
        rows.append(row)
        progress(Progress("questions", n, len(asked)))
    picture, trace = folder / "demo.png", folder / "trace.html"
    Image.fromarray(_overview(memory)).save(picture)
    write_page(log, trace, title="placecell demo")
    return DemoReport(tuple(rows), (picture, trace, folder / "room.pcell", capture))


def is_right(question: SyntheticQuestion, answer: Answer) -> bool:
    """Whether the option is the right one, or the number is within tolerance (counts exactly)."""
    if question.value is None:
        return answer.letter == question.answer
    if isinstance(answer.value, bool) or not isinstance(answer.value, (int, float)):
        return False
    tolerance = NUMBER_TOLERANCE * question.value if question.unit else 0.0
    return abs(answer.value - question.value) <= tolerance


def _row(question: SyntheticQuestion, answer: Answer) -> Row:
    said = answer.answer if answer.answer is not None else f"no answer: {answer.reason}"
    return Row(question.family, question.question, said, question.truth, is_right(question, answer))


def _empty(folder: Path, name: str) -> Path:
    capture = folder / name
    if capture.exists():
        if not (capture / "labels" / "labels.json").is_file():
            raise UserError(f"{capture} is not an earlier demo's capture", hint="choose another --out")
        shutil.rmtree(capture)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}", hint="choose another --out") from None
    return capture


def _overview(memory: SpatialMemory) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Photo, the memory from the same camera, and the top view, side by side."""
    anchor = memory.posed_frames[len(memory.posed_frames) // 3].number
    return side_by_side(
        [
            (memory.frame(anchor).rgb, f"Photo {anchor}"),
            (render_view(memory, anchor=anchor, size=640).rgb, "The memory, from the same camera"),
            (render_view(memory, anchor=anchor, mode="semantic", size=768).rgb, "Its objects and cameras, from above"),
        ],
        height=480,
    )
