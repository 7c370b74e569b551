"""The rooms and videos that questions are about, and their memories: exact, without a scale, or off by chance."""

from __future__ import annotations

from functools import cache

from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.moving.film import film
from placecell.backends.synthetic.moving.perfect import perfect_video
from placecell.backends.synthetic.moving.scene import MovingScene
from placecell.backends.synthetic.moving.stage import make_scene
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.backends.synthetic.scene import SyntheticRoom
from placecell.memory.ports import Reconstruction
from placecell.memory.rescale import rescaled
from placecell.memory.scene import Scale, SpatialMemory

PICTURE_SIZE = (96, 72)
VIDEO_SIZE = (64, 48)
ROOMS = range(1, 13)
SCENES = (2, 4, 5, 7, 9, 11, 12, 15, 18, 20, 23, 24, 25, 26, 27, 32, 34, 36, 37, 38)
A_UNIT_M = 0.37
"""Metres of a unit, in memories without a scale."""


@cache
def room(seed: int) -> SyntheticRoom:
    return make_room(seed)


@cache
def scene(seed: int) -> MovingScene:
    return make_scene(seed, movers=3)


@cache
def _video(seed: int) -> Reconstruction:
    return film(scene(seed), size=VIDEO_SIZE)


@cache
def memory(world: str, seed: int) -> SpatialMemory:
    """The exact memory of a room or video as ``cell_forms.World`` says."""
    if world == "video":
        return perfect_video(scene(seed), _video(seed))
    if world == "pictures":
        return perfect_memory(room(seed), default_views(room(seed)), size=PICTURE_SIZE)
    boxes = perfect_memory(room(seed))
    return boxes if world == "boxes" else rescaled(boxes, 1 / A_UNIT_M, Scale(), "without a scale")


@cache
def always_seen(seed: int) -> frozenset[int]:
    """Ids of the movers of a video that show in every frame."""
    labels = _video(seed).labels
    assert labels is not None
    shown = [set(frame.ids.ravel().tolist()) for frame in labels.frames.values()]
    return frozenset(set.intersection(*shown) - {0})
