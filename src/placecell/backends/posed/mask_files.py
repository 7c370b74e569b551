"""Masks by photo as NumPy archives: ``<photo>.npz`` with ``ids`` (h, w), or ``masks`` (n, h, w) and ``names`` (n,).

Archives are read without pickle. Does not know captures.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.backends.posed.polygons import Drawn, Ids, picture_size
from placecell.errors import UserError

_HINT = "an archive has ids (h, w), or masks (n, h, w) with names (n,) and perhaps scores (n,)"


def mask_archives(files: Mapping[str, Path]) -> Drawn:
    """Archives of masks by the stem of their photo; names are categories. Of overlapping masks the best score wins.

    UserError names the file and the array. Names are read from every archive, masks only when they are drawn.
    """
    said = {stem: _names(path) for stem, path in files.items()}
    number = {name: i for i, name in enumerate(sorted({n for names in said.values() for n in names}), 1)}
    ids: dict[str, Callable[[], Ids]] = {
        stem: partial(_draw, path, [number[name] for name in said[stem]]) for stem, path in files.items()
    }
    return Drawn("mask archive", {i: name for name, i in number.items()}, ids)


def id_archive(path: Path) -> Ids:
    """The ``ids`` (h, w) of an archive, which a labels.json names."""
    ids = _array(path, "ids")
    if ids.ndim != 2 or ids.dtype.kind not in "iub":
        raise UserError(f"{path}: ids is {ids.dtype} {ids.shape}, not whole numbers (h, w)", hint=_HINT)
    if ids.size and (int(ids.min()) < 0 or int(ids.max()) > np.iinfo(np.int32).max):
        raise UserError(f"{path} holds ids from {ids.min()} to {ids.max()}", hint="0 is none, others are positive")
    return np.asarray(ids, np.int32)


def _names(path: Path) -> list[str]:
    names = _array(path, "names")
    if names.ndim != 1 or names.dtype.kind != "U":
        raise UserError(f"{path}: names is {names.dtype} {names.shape}, not text (n,)", hint=_HINT)
    blank = [i for i, name in enumerate(names.tolist(), 1) if not name.strip()]
    if blank:
        raise UserError(f"{path}: name {blank[0]} is empty")
    return [str(name) for name in names.tolist()]


def _draw(path: Path, numbers: list[int]) -> Ids:
    masks = _array(path, "masks")
    if masks.ndim != 3 or len(masks) != len(numbers) or masks.dtype.kind not in "biu":
        message = f"{path}: masks is {masks.dtype} {masks.shape}, with {len(numbers)} names"
        raise UserError(message, hint=_HINT)
    picture_size(masks.shape[2], masks.shape[1], str(path))
    ids = np.zeros(masks.shape[1:], np.int32)
    for i in _worst_first(path, len(numbers)):
        ids[masks[i] != 0] = numbers[i]
    return ids


def _worst_first(path: Path, count: int) -> list[int]:
    scores = _array(path, "scores", optional=True)
    if scores is None:
        return list(range(count))
    if scores.shape != (count,) or scores.dtype.kind not in "fiu" or not np.isfinite(scores).all():
        raise UserError(f"{path}: scores is {scores.dtype} {scores.shape}, with {count} names", hint=_HINT)
    return [int(i) for i in np.argsort(scores, kind="stable")]


def _array(path: Path, name: str, optional: bool = False) -> Any:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            if name in archive:
                found: NDArray[Any] = archive[name]
                return found
            held = ", ".join(archive.files) or "nothing"
    except (OSError, ValueError, EOFError, KeyError, TypeError, zipfile.BadZipFile, zlib.error) as error:
        raise UserError(f"{path}: {name} cannot be read ({' '.join(str(error).split())[:100]})", hint=_HINT) from None
    if optional:
        return None
    raise UserError(f"{path} has no {name}, it holds {held}", hint=_HINT)
