"""Which few frames of a memory to show to somebody who cannot look at all of them.

Numbers are the memory's own, so that "image 7" means the same to a model, to a program and to a person. Knows depth and
cameras; does not know who looks.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError
from placecell.geometry.cloud import voxel_ids
from placecell.media.sampling import farthest_first, uniform
from placecell.memory.depthmaps import known_pixels
from placecell.memory.scene import Frame, SpatialMemory

SHOWN = 16
"""Frames shown to a vision-language model unless somebody asks for another number; a memory is built from more."""

_VOXEL = 0.08  # of the usual distance of what is seen
_SAMPLES = 3000  # depth pixels a frame


def representative_frames(memory: SpatialMemory, count: int = SHOWN, *, include: Sequence[int] = ()) -> tuple[int, ...]:
    """Numbers of at most ``count`` frames, ascending, that together show most of the place.

    Greedy maximum coverage (Nemhauser et al. 1978; Video-3D LLM, Zheng et al. 2025): each frame taken is the one whose
    depth shows most voxels that none of those before shows. What is left over, and frames without depth, is filled by
    the frames farthest in order from those taken; so is all of a video with movers. ``include``: numbers that are
    always among them, for a question that names images; more than ``count`` of these are kept all.

    Raises:
        UserError: ``include`` names an image that is not there, or ``count`` is below 1.
    """
    if count < 1:
        raise UserError(f"{count} frames cannot be shown", hint="ask for at least 1")
    frames = sorted(memory.frames, key=lambda f: f.number)
    place = {frame.number: i for i, frame in enumerate(frames)}
    taken = sorted({place[memory.frame(number).number] for number in include})
    wanted = max(count, len(taken))
    if len(frames) > wanted:
        # A video is about when things are where: its frames are spread over time, not over the place.
        taken = taken if memory.dynamic else _covering(_seen(memory), taken, wanted)
        order = np.arange(len(frames), dtype=np.float64)
        taken = farthest_first(order[:, None], wanted, taken) if taken else uniform(order, float(len(frames)), wanted)
    else:
        taken = list(range(len(frames)))
    return tuple(frames[i].number for i in sorted(taken))


# Kept while a memory is in use: it takes longer than the choice, which differs with the images a question names.
_SEEN: WeakKeyDictionary[SpatialMemory, NDArray[np.bool_]] = WeakKeyDictionary()


def _seen(memory: SpatialMemory) -> NDArray[np.bool_]:
    found = _SEEN.get(memory)
    return _SEEN.setdefault(memory, _look(memory)) if found is None else found


def _look(memory: SpatialMemory) -> NDArray[np.bool_]:
    """(frames by number, voxels): which voxels of the place each one's depth shows; no columns without any depth."""
    frames = sorted(memory.frames, key=lambda f: f.number)
    points, depths = zip(*(_surface(frame) for frame in frames), strict=True)
    distances = np.concatenate(depths)
    if not len(distances):
        return np.zeros((len(frames), 0), bool)
    ids, voxels = voxel_ids(np.concatenate(points), _VOXEL * float(np.median(distances)))
    seen = np.zeros((len(frames), voxels), bool)
    seen[np.repeat(np.arange(len(frames)), [len(p) for p in points]), ids] = True
    return seen


def _surface(frame: Frame) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """World points (N, 3) and z-depths (N,) of an even sample of the frame's depth."""
    if frame.depth is None:
        return np.zeros((0, 3), np.float32), np.zeros(0, np.float32)
    depth = frame.depth
    step = max(1, round(float(np.sqrt(depth.z.size / _SAMPLES))))
    pixels, z = known_pixels(depth, step)
    return depth.camera.unproject_pixels(pixels, z).astype(np.float32), z


def _covering(seen: NDArray[np.bool_], taken: Sequence[int], count: int) -> list[int]:
    """Extend ``taken`` greedily until there are ``count`` or nothing new is left to see; ties go to the earlier."""
    chosen = list(taken)
    unseen = ~seen[chosen].any(axis=0)
    while len(chosen) < count:
        gains = (seen & unseen).sum(axis=1)
        best = int(np.argmax(gains))
        if gains[best] == 0:
            break
        chosen.append(best)
        unseen &= ~seen[best]
    return chosen
