"""One reader a benchmark: from its own fields to ``Sample``. Facts about the formats: docs/benchmarks.md."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from placecell.errors import UserError
from placecell.evaluation.benchmarks.rows import Row, field
from placecell.evaluation.benchmarks.sample import LETTERS, Sample, bare, lettered
from placecell.evaluation.scoring.aggregate import mindcube_setting
from placecell.evaluation.scoring.letters import truth_letter

_INLINE = re.compile(r"\s(?=[A-J]\. )")
_UNPACKED = ".placecell"
_FIRST_EXO_ID = 922
"""VLM4D: real rows up to this number are exo-centric; the later ones are exactly those of Ego4D."""


def vsibench(row: Row, folder: Path) -> Sample:
    """``options`` is null for numbers, else lettered; the video is dataset/scene.mp4."""
    options = tuple(row.get("options") or ())
    scene = f"{field(row, 'dataset')}/{field(row, 'scene_name')}"
    return Sample(
        id=str(field(row, "id")),
        question=field(row, "question"),
        options=options,
        truth=str(field(row, "ground_truth")).strip(),
        kind=field(row, "question_type"),
        media=(f"{scene}.mp4",),
        scene=scene,
    )


def mindcube(row: Row, folder: Path) -> Sample:
    """Options stand inline behind the question ("... ? A. x B. y"), or in ``options``."""
    name = str(field(row, "id", "pid"))
    question, options = field(row, "question"), tuple(row.get("options") or ())
    if not options:
        question, *found = _INLINE.split(question)
        options = tuple(found)
    images = tuple(row.get("images") or ())
    return Sample(
        id=name,
        question=question.strip(),
        options=options,
        truth=truth_letter(str(field(row, "gt_answer", "answer"))),
        kind=row.get("setting") or mindcube_setting(name),
        media=images,
        scene=_scene_of(images) or name,
    )


def blink(row: Row, folder: Path) -> Sample:
    """Images are in the row; answers are "(A)"."""
    images = [row[key] for key in sorted(row) if re.fullmatch(r"image_\d+", key) and row[key] is not None]
    name = str(field(row, "idx"))
    return Sample(
        id=name,
        question=field(row, "question"),
        options=lettered(field(row, "choices")),
        truth=truth_letter(field(row, "answer")),
        kind=row.get("sub_task") or "Multi-view_Reasoning",
        media=tuple(unpack(image, folder) for image in images),
        scene=name,
    )


def vlm4d(row: Row, folder: Path) -> Sample:
    """The answer is the text of a choice, which may be listed twice; numbers may be ints."""
    choices = {str(letter): str(text) for letter, text in field(row, "choices").items()}
    answer = str(field(row, "answer"))
    right = tuple(letter for letter, text in choices.items() if text == answer)
    name = str(field(row, "id"))
    if not right:
        raise UserError(f"VLM4D row {name}: its answer {answer!r} is none of its choices")
    video = str(field(row, "video")).rsplit("/resolve/main/", 1)[-1]
    return Sample(
        id=name,
        question=field(row, "question"),
        options=lettered([choices[letter] for letter in sorted(choices)]),
        truth=right[0],
        also_right=right[1:],
        kind="false positive" if _denies(answer) and "synthetic" in video else "direction",
        group=_vlm4d_group(name, video),
        media=(video,),
        scene=video,
        dynamic=True,
    )


def viewspatial(row: Row, folder: Path) -> Sample:
    """Choices are one text, a line each. Rows have no id: it is made of what the row says."""
    images = tuple(field(row, "image_path"))
    question, choices = field(row, "question"), field(row, "choices")
    key = "\n".join([*images, question, choices])
    return Sample(
        id=str(row.get("id") or hashlib.sha256(key.encode()).hexdigest()[:16]),
        question=question,
        options=tuple(line.strip() for line in choices.splitlines() if line.strip()),
        truth=truth_letter(field(row, "answer")),
        kind=field(row, "question_type"),
        media=images,
        scene=_scene_of(images),
    )


def mmsi(row: Row, folder: Path) -> Sample:
    """Options stand inline ("Options: A: x, B: y"); images are in the row. Type names: hyphen and en dash alike."""
    question, _, inline = field(row, "question").partition("Options:")
    options = re.split(r",?\s*(?=[A-D]: )", inline.strip())
    images = tuple(unpack(image, folder) for image in field(row, "images"))
    return Sample(
        id=str(field(row, "id")),
        question=question.strip(),
        options=lettered([option.partition(":")[2].strip() for option in options if option]),
        truth=truth_letter(field(row, "answer")),
        kind=field(row, "question_type").replace("–", "-"),
        media=images,
        scene="+".join(images),
    )


def omnispatial(row: Row, folder: Path) -> Sample:
    """The answer is an option's index, or its letter in ``gt``. Each task's folder numbers its pictures anew."""
    truth = field(row, "gt", "answer")
    task, number = field(row, "task_type"), str(field(row, "id"))
    picture = str(row.get("image_path") or f"{task}/{number.split('_')[0]}.png")
    return Sample(
        id=f"{task}/{number}",
        question=field(row, "question"),
        options=lettered([bare(option) for option in field(row, "options")]),
        truth=LETTERS[truth] if isinstance(truth, int) else truth_letter(truth),
        kind=task,
        group=row.get("sub_task_type") or "",
        media=(picture,),
        scene=picture,
    )


def unpack(image: Any, folder: Path) -> str:
    """An image of a parquet row as a file below ``folder``, named by its content; a path stays what it is."""
    if isinstance(image, str):
        return image
    data = image.get("bytes") if isinstance(image, dict) else image
    if not isinstance(data, bytes):
        raise UserError(f"a row's image is {type(image).__name__}, not bytes or a path")
    suffix = ".png" if data.startswith(b"\x89PNG") else ".jpg"
    name = f"{_UNPACKED}/{hashlib.sha256(data).hexdigest()[:32]}{suffix}"
    target = folder / name
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
            file.write(data)
        Path(file.name).replace(target)
    return name


def _scene_of(images: Sequence[str]) -> str:
    """Samples with the same pictures in the same order share a memory."""
    return "+".join(images)


def _denies(answer: str) -> bool:
    return answer.lower() == "no" or answer.lower().startswith("no ")


def _vlm4d_group(name: str, video: str) -> str:
    if "synthetic" in video:
        return "synthetic"
    number = int(re.sub(r"\D", "", name) or 0)
    return "real exo" if number <= _FIRST_EXO_ID else "real ego"
