"""Which frames to keep of many: evenly in time, the most different, the sharpest near each even slot, or by a text.

Pure functions over times and small pictures; where frames come from is the caller's. Every choice is a sorted list of
distinct indices, deterministic, and everything there is when more is asked for than exists.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.errors import UserError
from placecell.media.frames import area_resize

UInt8 = NDArray[np.uint8]
Float64 = NDArray[np.float64]


@dataclass(frozen=True)
class ByText:
    """Frames that show what a text says. ``likeness`` gives a number for each of some pictures, high where one does.

    Written ``clip:TEXT`` where a sampling is written.
    """

    text: str
    likeness: Callable[[Sequence[UInt8], str], Float64] = field(compare=False, repr=False)

    def __str__(self) -> str:
        return f"{BY_TEXT}{self.text}"


BY_TEXT = "clip:"
Named = Literal["uniform", "coverage", "sharpest"]
NAMED: tuple[Named, ...] = get_args(Named)
Sampling = Named | ByText

Look = Callable[[Sequence[int], int], Iterator[tuple[int, UInt8]]]
"""``look(indices, longest_side)`` yields (index, small (h, w, 3) picture), leaving out what cannot be decoded."""

COVERAGE_POOL = 512
COVERAGE_SIDE = 64
THUMBNAIL = (16, 16)
SHARPNESS_SIDE = 640
CANDIDATES_PER_SLOT = 5
TEXT_SIDE = 336
_TEXT_BATCH = 16
_STANDS_OUT, _DEEPEST = 0.6, 5


def choose(times: Float64, end: float, n: int, sampling: Sampling, look: Look) -> list[int]:
    """Indices of ``n`` of the frames shown at ``times`` (ascending seconds, the last one until ``end``)."""
    if not isinstance(sampling, ByText) and sampling not in NAMED:
        raise UserError(f"unknown sampling {sampling!r}", hint=f"one of {', '.join(NAMED)}, {BY_TEXT}TEXT")
    if n < 1:
        raise UserError(f"{n} frames cannot be sampled", hint="ask for at least 1")
    if n >= len(times):
        return list(range(len(times)))
    if sampling == "coverage":
        pool = uniform(times, end, max(COVERAGE_POOL, 4 * n))
        seen = [(index, thumbnail(picture)) for index, picture in look(pool, COVERAGE_SIDE)]
        if not seen:
            return []
        picked = coverage(np.stack([small for _, small in seen]), n, [times[index] for index, _ in seen])
        return [seen[i][0] for i in picked]
    if sampling == "sharpest":
        slots = slot_candidates(times, end, n)
        pool = sorted({index for slot in slots for index in slot})
        score = {index: sharpness(picture) for index, picture in look(pool, SHARPNESS_SIDE)}
        best = [max((i for i in slot if i in score), key=lambda i: (score[i], -i), default=None) for slot in slots]
        return sorted(i for i in best if i is not None)
    if isinstance(sampling, ByText):
        return _by_text(uniform(times, end, max(COVERAGE_POOL, 4 * n)), n, sampling, look)
    return uniform(times, end, n)


def _by_text(pool: list[int], n: int, sampling: ByText, look: Look) -> list[int]:
    seen: list[int] = []
    scores: list[Float64] = []
    batch: list[UInt8] = []
    for index, picture in look(pool, TEXT_SIDE):
        seen.append(index)
        batch.append(picture)
        if len(batch) == _TEXT_BATCH:
            scores.append(sampling.likeness(batch, sampling.text))
            batch = []
    if batch:
        scores.append(sampling.likeness(batch, sampling.text))
    return [seen[i] for i in adaptive(np.concatenate(scores), n)] if scores else []


def adaptive(scores: Float64, n: int) -> list[int]:
    """The ``n`` best of (N,) scores in order of time, but not all from one moment (Tang et al. 2025, AKS).

    Where the best stand out from the rest by 0.6 of the range of all scores, they are taken. Else each half of the time
    gives its share, up to five times over, so that scores which say little fall back to an even choice.
    """
    span = float(np.ptp(scores))
    even = (scores - scores.min()) / span if span > 0 else np.zeros(len(scores))

    def take(low: int, high: int, count: int, depth: int) -> list[int]:
        part = even[low:high]
        best = np.argsort(-part, kind="stable")[:count]
        if count == 0 or len(best) < 2 or depth == _DEEPEST or part[best].mean() - part.mean() >= _STANDS_OUT:
            return [low + int(i) for i in best]
        middle = (low + high) // 2
        left = min((count + 1) // 2, middle - low)
        right = min(count - left, high - middle)
        return take(low, middle, count - right, depth + 1) + take(middle, high, right, depth + 1)

    return sorted(take(0, len(scores), min(n, len(scores)), 0))


def uniform(times: ArrayLike, end: float, n: int) -> list[int]:
    """The frames whose time on screen is centred nearest to the centres of ``n`` equal slots of time.

    Centres, so that each frame stands for an equal share and neither end, often black or shaken, is favoured. Where
    frames are rarer than slots (variable rate), the missing ones are the frames farthest in time from those taken.
    """
    t = np.asarray(times, np.float64)
    if n >= len(t):
        return list(range(len(t)))
    middles = (t + np.append(t[1:], end)) / 2
    centres = t[0] + (np.arange(n) + 0.5) * (end - t[0]) / n
    return farthest_first(middles[:, None], n, nearest(middles, centres))


def at_rate(times: ArrayLike, end: float, fps: float) -> list[int]:
    """The frames nearest to every 1/fps seconds from the first frame on, each once."""
    if not fps > 0 or not np.isfinite(fps):
        raise UserError(f"{fps} frames per second is no rate", hint="give a number above 0")
    t = np.asarray(times, np.float64)
    count = max(1, int(np.ceil((end - t[0]) * fps - 1e-9)))
    return nearest(t, t[0] + np.arange(min(count, 1_000_000)) / fps)


def nearest(times: ArrayLike, wanted: ArrayLike) -> list[int]:
    """Indices of the frames nearest to the ``wanted`` seconds (the earlier of two), sorted, each once."""
    t, w = np.asarray(times, np.float64), np.asarray(wanted, np.float64)
    right = np.clip(np.searchsorted(t, w), 1, max(1, len(t) - 1))
    left = right - 1
    right = np.minimum(right, len(t) - 1)
    return [int(i) for i in np.unique(np.where(w - t[left] <= t[right] - w + 1e-9, left, right))]


def coverage(thumbnails: UInt8, n: int, times: ArrayLike | None = None) -> list[int]:
    """The ``n`` most different of (N, h, w, 3) thumbnails, from the first on always the one farthest from all taken.

    Distance is Euclidean after each picture's mean brightness is removed, so that exposure does not pass for content.
    Pictures that look the same are told apart by ``times`` (default: their order).
    """
    features = thumbnails.reshape(len(thumbnails), -1).astype(np.float64)
    features -= features.mean(axis=1, keepdims=True)
    return farthest_first(features, n, [0], np.arange(len(features)) if times is None else times)


def farthest_first(features: Float64, n: int, taken: Sequence[int], times: ArrayLike = ()) -> list[int]:
    """Extend ``taken`` to ``n`` of the (N, d) features, each time by the one farthest from all taken (Gonzalez 1985).

    Ties go to the farthest in ``times``, then to the first.
    """
    chosen = list(taken)
    if n >= len(features):
        return list(range(len(features)))
    t = np.asarray(times, np.float64)[:, None] if np.size(times) else np.zeros((len(features), 1))
    distance = np.full(len(features), np.inf)
    gap = np.full(len(features), np.inf)
    for index in chosen:
        _approach(distance, features, index)
        _approach(gap, t, index)
    while len(chosen) < n:
        distance[chosen] = gap[chosen] = -1.0
        ties = np.flatnonzero(distance >= distance.max() * (1 - 1e-12))
        index = int(ties[np.argmax(gap[ties])])
        chosen.append(index)
        _approach(distance, features, index)
        _approach(gap, t, index)
    return sorted(chosen)


def _approach(distance: Float64, features: Float64, index: int) -> None:
    np.minimum(distance, np.linalg.norm(features - features[index], axis=1), out=distance)


def slot_candidates(times: ArrayLike, end: float, n: int) -> list[list[int]]:
    """For each of ``n`` slots: its uniform frame and a few others of its middle half, so that spacing stays even.

    No frame is a candidate of two slots.
    """
    t = np.asarray(times, np.float64)
    base = uniform(t, end, n)
    width = (end - t[0]) / n
    slots = []
    for k, index in enumerate(base):
        centre = t[0] + (k + 0.5) * width
        low, high = np.searchsorted(t, [centre - width / 4, centre + width / 4])
        others = [i for i in range(int(low), int(high)) if i not in base]
        keep = np.linspace(0, len(others) - 1, min(len(others), CANDIDATES_PER_SLOT - 1)).round().astype(int)
        slots.append(sorted({index, *(others[i] for i in keep)}))
    return slots


def thumbnail(rgb: UInt8) -> UInt8:
    """A (16, 16, 3) version of any picture, its shape aside."""
    return area_resize(rgb, THUMBNAIL)


def sharpness(rgb: UInt8) -> float:
    """Variance of the Laplacian of the brightness (Pech-Pacheco et al. 2000); only comparable at equal size."""
    grey = rgb.astype(np.float32) @ np.array([0.299, 0.587, 0.114], np.float32)
    if min(grey.shape) < 3:
        return 0.0
    centre = grey[1:-1, 1:-1]
    laplacian = grey[:-2, 1:-1] + grey[2:, 1:-1] + grey[1:-1, :-2] + grey[1:-1, 2:] - 4 * centre
    return float(laplacian.var())
