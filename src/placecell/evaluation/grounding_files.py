"""Predicted and true instances in the files the benchmarks use.

    PRED/SCENE.txt   ScanNet: a line a mask, "masks/SCENE_000.txt 5 0.92" (path beside it, class id, score); the mask's
                     file has a number a vertex, not 0 = part of it
    PRED/SCENE.npz   MaskClustering: pred_masks (V, n), pred_score (n,), pred_classes (n,)
    GT/SCENE.txt     a line a vertex: 1000 * class id + instance, 0 = unlabelled

Does not know how masks are scored (``grounding``).
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError
from placecell.evaluation.grounding import ScoredScene

_ARRAYS = ("pred_masks", "pred_score", "pred_classes")


def read_scenes(predictions: Path, truth: Path) -> Iterator[ScoredScene]:
    """Every scene of the folder ``truth`` with its predictions, by name.

    Raises:
        UserError: a folder or a scene's predictions are missing, or a file is damaged; it is named.
    """
    for folder in (predictions, truth):
        if not folder.is_dir():
            raise UserError(f"{folder} is no folder", hint="give the folder with one file a scene")
    files = sorted(truth.glob("*.txt"))
    if not files:
        raise UserError(f"{truth} has no SCENE.txt with true ids")
    for file in files:
        yield read_scene(predictions, file)


def read_scene(predictions: Path, truth_file: Path) -> ScoredScene:
    """One scene: its true ids, and the predictions in ``predictions`` of the same name. Errors as `read_scenes`."""
    truth = _numbers(truth_file)
    arrays, lines = predictions / f"{truth_file.stem}.npz", predictions / f"{truth_file.stem}.txt"
    if arrays.is_file():
        masks, scores, classes = _npz(arrays)
    elif lines.is_file():
        masks, scores, classes = _masks_by_line(lines, len(truth))
    else:
        raise UserError(f"{predictions} has neither {arrays.name} nor {lines.name}", hint="an empty file is no masks")
    if len(masks) != len(truth):
        raise UserError(f"{truth_file.stem}: masks of {len(masks)} vertices, but {len(truth)} true ids")
    return ScoredScene(masks, scores, classes, truth, truth_file.stem)


def _npz(file: Path) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]:
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as data:
            missing = [name for name in _ARRAYS if name not in data]
            if missing:
                raise UserError(f"{file} has no {missing[0]}", hint=f"it needs {', '.join(_ARRAYS)}")
            masks, scores, classes = (data[name] for name in _ARRAYS)
    except (OSError, ValueError, zipfile.BadZipFile) as error:
        raise UserError(f"{file} is damaged ({error})") from None
    if masks.ndim != 2:
        raise UserError(f"{file}: pred_masks must be (vertices, masks), not {masks.shape}")
    return masks != 0, scores.astype(np.float64).ravel(), classes.astype(np.int64).ravel()


def _masks_by_line(file: Path, vertices: int) -> tuple[NDArray[np.bool_], NDArray[np.float64], NDArray[np.int64]]:
    masks, scores, classes = [], [], []
    for number, line in enumerate(_text(file).splitlines(), 1):
        if not line.strip():
            continue
        words = line.rsplit(None, 2)
        try:
            label, score = int(words[1]), float(words[2])
        except (IndexError, ValueError):
            raise UserError(f"{file}, line {number}: not of the form MASKFILE CLASS SCORE") from None
        mask_file = (file.parent / words[0]).resolve()
        if not mask_file.is_relative_to(file.parent.resolve()):
            raise UserError(f"{file}, line {number}: the mask lies outside of the folder")
        mask = _numbers(mask_file) != 0
        if len(mask) != vertices:
            raise UserError(f"{mask_file} has {len(mask)} lines, the scene {vertices} vertices")
        masks.append(mask)
        scores.append(score)
        classes.append(label)
    stacked = np.stack(masks, axis=1) if masks else np.zeros((vertices, 0), bool)
    return stacked, np.array(scores, np.float64), np.array(classes, np.int64)


def _numbers(file: Path) -> NDArray[np.int64]:
    """One integer a line."""
    try:
        return np.array(_text(file).split(), dtype=np.int64)
    except ValueError:
        raise UserError(f"{file} is no list of whole numbers") from None


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{file} cannot be read ({error})") from None
