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
from placecell.backends import auto
from placecell.backends.synthetic.capture import default_views, make_room, photograph, write_capture
from placecell.backends.synthetic.questions import SyntheticQuestion, questions_about
from placecell.engine.montage import side_by_side
from placecell.engine.renders import render_view
from placecell.engine.trace import Trace
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
    rows, answers = [], []
    for n, question in enumerate(asked, 1):
        answers.append(pipeline.ask(memory, question.question, question.options or None))
        rows.append(_row(question, answers[-1]))
        progress(Progress("questions", n, len(asked)))
    picture, trace = folder / "demo.png", folder / "trace.html"
    Image.fromarray(_overview(memory)).save(picture)
    _trace(memory, asked, answers).write(trace)
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


def _trace(memory: SpatialMemory, asked: tuple[SyntheticQuestion, ...], answers: list[Answer]) -> Trace:
    trace = Trace("placecell demo")
    for question, answer in zip(asked, answers, strict=True):
        section = trace.section(question.question)
        section.facts(
            {
                "options": "  ".join(question.options) or None,
                "answer": answer.answer or f"none: {answer.reason}",
                "truth": question.truth,
                "interval": answer.interval and f"{answer.interval[0]:.3g} to {answer.interval[1]:.3g} {answer.unit}",
                "confidence": f"{answer.confidence:.2f}",
                "images": ", ".join(map(str, answer.evidence.images)) or None,
                **answer.values,
            }
        )
        if answer.program:
            section.code(answer.program)
    views = trace.section("The memory")
    for mode in ("bev", "semantic"):
        views.picture(render_view(memory, mode=mode))
    return trace
