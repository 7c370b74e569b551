"""COCO's run-length masks. Runs alternate between 0 and 1, starting with 0, down the columns, from the left.

Compressed counts are a text of 6-bit groups: 5 bits of the number, lowest first, and whether more follow; the last
group's top bit is the sign. From the third run on it is the difference to the run before the last (as in cocoapi's
``maskApi.c``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_LONGEST = 12  # groups of one number; more would be no pixel count


def decode(counts: str | Sequence[int], height: int, width: int) -> NDArray[np.bool_]:
    """Mask (height, width). ValueError when the runs do not cover exactly this many pixels."""
    runs = np.array(_uncompressed(counts) if isinstance(counts, str) else counts, dtype=np.int64)
    if runs.ndim != 1 or (runs < 0).any():
        raise ValueError("a run of negative length")
    covered = int(runs.sum())
    if covered != height * width:
        raise ValueError(f"its runs cover {covered} pixels, not {width} x {height}")
    values = np.arange(len(runs)) % 2 == 1
    return np.ascontiguousarray(np.repeat(values, runs).reshape(width, height).T)


def _uncompressed(text: str) -> list[int]:
    runs: list[int] = []
    number = shift = 0
    for letter in text:
        group = ord(letter) - 48
        if not 0 <= group < 64 or shift >= 5 * _LONGEST:
            raise ValueError(f"{letter!r} is not part of a run-length code")
        number |= (group & 31) << shift
        shift += 5
        if group & 32:
            continue
        if group & 16:
            number -= 1 << shift
        runs.append(number + runs[-2] if len(runs) > 2 else number)
        number = shift = 0
    if shift:
        raise ValueError("the run-length code is cut off")
    return runs
