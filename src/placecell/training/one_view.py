"""Rooms of which exactly one canonical view shows the answer, to see whether a policy learns where to look.

A chest stands in front of the camera, with a coloured panel on its left side, on its right side and, behind a rim, on
its top; the photo shows none of them. A ball lies on one of the three sides: the question is about the panel there, so
the photo says where to look and only that view says what is there. The other views show wrong options.
"""

from __future__ import annotations

import hashlib
import string
from collections.abc import Mapping
from functools import lru_cache
from importlib import metadata

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from placecell.agents.exploring.published import CANONICAL
from placecell.backends.synthetic.render import Lights, shoot
from placecell.backends.synthetic.shapes import Finish, Part, Pattern, box, ellipsoid, pack
from placecell.errors import UserError
from placecell.evaluation.benchmarks.sample import Sample, lettered
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud, concat
from placecell.geometry.transforms import Array, apply, look_at, rigid
from placecell.memory.scene import Alignment, Frame, Provenance, Scale, SpatialMemory

_Colour = tuple[int, int, int]
KIND = "one view"
SIDES = ("left", "right", "top")
"""Where the ball may lie, in the order of ``CANONICAL``."""
COLOURS: Mapping[str, _Colour] = {
    "green": (40, 160, 60), "blue": (40, 70, 200), "orange": (240, 130, 20), "cyan": (40, 200, 210),
    "yellow": (235, 215, 40), "pink": (245, 130, 180), "purple": (120, 50, 160), "lime": (170, 235, 60),
}  # fmt: skip
_BALL = (225, 30, 30)
_OFFERED = 4
_NAME = "one-view-"
_PHOTO = (96, 72)
_SPACING_M, _FLOOR_SPACING_M = 0.03, 0.06
_NEAR = 12
"""Largest difference of a channel at which a pixel still is of a colour."""


def samples(count: int, *, seed: int = 0) -> tuple[Sample, ...]:
    """``count`` questions, one a room; another seed has other rooms. ``group`` is the side that must be looked at."""
    if count < 1:
        raise UserError(f"{count} questions make no training set")
    return tuple(_sample(seed * 100_000 + number) for number in range(count))


class OneView:
    """The memory source of these rooms."""

    name = KIND

    def make(self, sample: Sample) -> SpatialMemory:
        """The room of a sample. UserError for a sample of another set."""
        number = sample.scene.removeprefix(_NAME)
        if not sample.scene.startswith(_NAME) or not number.isdigit():
            raise UserError(f"{sample.scene!r} is no room of the set {KIND!r}")
        return _memory(int(number))


def informative(sample: Sample) -> tuple[float, float]:
    """(azimuth, elevation) of the one canonical view that shows the answer."""
    return CANONICAL[SIDES.index(sample.group)]


def read_colour(rgb: NDArray[np.uint8], sample: Sample) -> str | None:
    """The letter of the offered colour that most pixels (H, W, 3) have; None when none of them is to be seen."""
    counts = {}
    for option in sample.options:
        letter, _, name = option.partition(". ")
        apart = np.abs(rgb.astype(np.int16) - np.array(COLOURS[name])).max(axis=-1)
        counts[letter] = int((apart <= _NEAR).sum())
    best = max(counts, key=lambda letter: counts[letter])
    return best if counts[best] else None


def _panels(number: int) -> tuple[str, dict[str, str], list[str]]:
    """The side that is asked about, the colour on each side, and the colours offered."""
    rng = np.random.default_rng([number, 1])
    names = [str(name) for name in rng.permutation(list(COLOURS))[:_OFFERED]]
    side = SIDES[rng.integers(len(SIDES))]
    return side, dict(zip(SIDES, names, strict=False)), [names[k] for k in rng.permutation(_OFFERED)]


def _sample(number: int) -> Sample:
    side, panels, offered = _panels(number)
    return Sample(
        id=f"{_NAME}{number}",
        question="What colour is the panel of the chest on the side where the red ball is?",
        truth=string.ascii_uppercase[offered.index(panels[side])],
        kind=KIND,
        scene=f"{_NAME}{number}",
        options=lettered(offered),
        group=side,
    )


@lru_cache(maxsize=512)
def _memory(number: int) -> SpatialMemory:
    rng = np.random.default_rng([number, 2])
    side, panels, _ = _panels(number)
    width, height, depth = rng.uniform((0.9, 0.8, 0.7), (1.3, 1.2, 1.0))
    rim = 0.35 * width
    eye = [rng.uniform(-0.1, 0.1), height, depth / 2 + rng.uniform(2.2, 3.2)]
    target = [rng.uniform(-0.25, 0.25), 0.6 * height + rng.uniform(-0.1, 0.1), 0.0]
    world = rigid(Rotation.from_euler("y", rng.uniform(-180, 180), degrees=True))
    camera = Camera.from_fov(70.0, *_PHOTO, world @ look_at(eye, target))
    parts = _parts(rng, (width, height, depth, rim), {s: COLOURS[name] for s, name in panels.items()}, side)
    lights = Lights(apply(world, np.array([[1.5, 3.0, 2.5], [-1.5, 3.0, 2.5]])), np.full((2, 3), 0.7))
    rgb = shoot(pack([(1, world, part) for part, _ in parts]), camera, lights).rgb
    rgb.flags.writeable = False
    frame = Frame(1, "photo.png", hashlib.sha256(rgb.tobytes()).hexdigest(), *_PHOTO, lambda: rgb, camera)
    return SpatialMemory(
        frames=(frame,),
        cloud=concat([_cloud(world, part, colour) for part, colour in parts]),
        scale=Scale("metric", "synthetic", 0.0),
        alignment=Alignment(np.eye(4), "the room's own axes", 0.0),
        provenance=Provenance("synthetic", metadata.version("placecell"), {"set": KIND, "number": number}),
    )


def _parts(
    rng: np.random.Generator,
    size: tuple[float, float, float, float],
    panels: Mapping[str, _Colour],
    side: str,
) -> list[tuple[Part, _Colour]]:
    """Solids with their colours, in the frame of the chest: it faces +z, the camera's side; its left is -x."""
    width, height, depth, rim = size
    tone, grey = float(rng.uniform(0.7, 1.1)), int(rng.integers(90, 150))
    wood, floor = (int(150 * tone), int(110 * tone), int(75 * tone)), (grey, grey, grey)
    thin = 0.04
    built: list[tuple[Part, _Colour]] = [
        (box((5.0, 0.1, 5.0), (0, -0.1, 0), _plain(floor)), floor),
        (box((width, height, depth), (0, 0, 0), _plain(wood)), wood),
        *(
            (box((thin, rim, depth), (x, height, 0), _plain(wood)), wood)
            for x in (-(width - thin) / 2, (width - thin) / 2)
        ),
        *(
            (box((width, rim, thin), (0, height, z), _plain(wood)), wood)
            for z in (-(depth - thin) / 2, (depth - thin) / 2)
        ),
    ]
    places = {
        "left": ((0.02, 0.6 * height, 0.7 * depth), (-width / 2 - 0.01, 0.2 * height, 0)),
        "right": ((0.02, 0.6 * height, 0.7 * depth), (width / 2 + 0.01, 0.2 * height, 0)),
        "top": ((0.7 * width, 0.02, 0.7 * depth), (0, height, 0)),
    }
    built += [(box(*places[s], _plain(panels[s])), panels[s]) for s in SIDES]
    radius = rng.uniform(0.12, 0.16)
    balls = {
        "left": (-width / 2 - 0.35, radius, 0.0),
        "right": (width / 2 + 0.35, radius, 0.0),
        "top": (0.0, height + rim + radius, depth / 2),
    }
    return [*built, (ellipsoid((radius, radius, radius), balls[side], _plain(_BALL)), _BALL)]


def _plain(colour: _Colour) -> Finish:
    red, green, blue = ((value / 255) ** 2.2 for value in colour)
    return Finish(Pattern.PLAIN, (red, green, blue), (red, green, blue))


def _cloud(world: Array, part: Part, colour: _Colour) -> Cloud:
    points = apply(world, part.surface(_FLOOR_SPACING_M if part.half[0] > 2 else _SPACING_M))
    return Cloud.of_points(points, np.tile(np.array(colour, np.uint8), (len(points), 1)))
