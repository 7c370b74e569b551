"""A benchmark in VSI-Bench's format with two annotated scenes: small enough that a run takes no time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from placecell.agents.models.settings import Settings
from placecell.evaluation.runs.engines import Threads
from placecell.evaluation.runs.request import Request, prepare
from placecell.evaluation.runs.running import run

LEFT_BY_INSPECT = (
    "ignore:Unclosed <MemoryObject:ResourceWarning",
    "ignore:Exception ignored in. <function MemoryObject:pytest.PytestUnraisableExceptionWarning",
)
"""inspect-ai 0.3.285 does not close all of its channels."""
AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
QUICK = Settings(retries=1, backoff=0.001)


def box(category, *centre):
    return {"category": category, "center": centre, "size": [0.6, 0.4, 0.8], "axes": AXES, "duplicate": False}


def scene(name, *, shift=0.0):
    """A room of 20 m2 with three chairs in a row, a lamp and a sofa; ``shift`` moves the lamp."""
    things = [box("chair", x, 0.0, 0.4) for x in (0.0, 1.5, 3.0)]
    things += [box("lamp", 0.0, 2.0 + shift, 0.4), box("sofa", 3.0, 3.0, 0.4)]
    counts = {"chair": 3, "lamp": 1, "sofa": 1}
    return {"scene_name": name, "room_size_m2": 20.0, "object_counts": counts, "objects": things}


def row(number, name, kind, question, truth, options=None):
    fields = {"id": number, "dataset": "d", "scene_name": name, "question_type": kind, "question": question}
    return fields | {"ground_truth": truth, "options": options}


def rows():
    """Eight questions; the last asks for what no annotation states."""
    made = []
    size = "What is the size of this room (in square meters)?"
    for number, name in enumerate(("one", "two")):
        between = "Measuring from the closest point of each object, what is the distance between the lamp and the sofa"
        nearest = "Measuring from the closest point of each object, which of these objects (chair, sofa) is the closest"
        made += [
            row(4 * number, name, "object_counting", "How many chair(s) are in this room?", "3"),
            row(4 * number + 1, name, "object_abs_distance", f"{between} (in meters)?", "2.5"),
            row(4 * number + 2, name, "object_rel_distance", f"{nearest} to the lamp?", "A", ["A. chair", "B. sofa"]),
            row(4 * number + 3, name, "room_size_estimation", size, "20"),
        ]
    appearance = "What will be the first-time appearance order of the following categories in the video: lamp, sofa?"
    made[-1] = row(7, "two", "obj_appearance_order", appearance, "A", ["A. lamp, sofa", "B. sofa, lamp"])
    return made


def write(folder: Path, made=None) -> Path:
    """The benchmark's folder: rows and annotations."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in (rows() if made is None else made)))
    annotations = [scene("one"), scene("two", shift=0.5)]
    (folder / "oracle_scenes.jsonl").write_text("".join(json.dumps(s) + "\n" for s in annotations))
    return folder


def request(folder: Path, **fields) -> Request:
    """A run over the folder's own annotations."""
    kept = {"memory": f"oracle:{folder}", "data": folder, "cache": folder / "cache", "use": QUICK}
    return replace(Request("vsibench"), **(kept | fields))


def run_all(asked: Request, folder: Path, *, model=None, places=4):
    """Run a request in threads; ``model`` takes the place of the one it names."""
    prepared = prepare(asked)
    return run(prepared, lambda: Threads(prepared.solver(model), places), folder)
