"""How well each basic colour fits what the photos show of an object.

Knows each term as a few focal colours in OKLab (Ottosson 2020), where distance is about as different as two colours
look. Does not know the words of a phrase (``language.attributes``), nor which object is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from placecell.language.attributes import BASIC
from placecell.memory.scene import Frame, Instance, SpatialMemory

Array = NDArray[np.float64]

SURE, PERHAPS = 0.6, 0.35
"""An object whose fit is at least ``SURE`` has a colour, below ``PERHAPS`` it has not. In twelve synthetic rooms under
lamps that took no part in the choice, 75 % of 96 objects reach ``SURE`` for their paint's colour and 92 % ``PERHAPS``;
for clearly other colours 0 % and 1 % do."""
_CLEARLY_NOT = 0.2
MOST_JUDGED = 40
"""Photos of at most this many objects are looked at for one phrase."""

_FOCAL: Mapping[str, str] = {
    "black": "080808 1e1e20 2e2a28",
    "white": "ffffff ececea",
    "grey": "464648 69696c 8c8c8e afafb0 cdcdcd",
    "red": "cd1919 8c1416 e14137 6e1919",
    "orange": "f58c14 e1691e faa546",
    "yellow": "f5dc28 cdb428 faf082",
    "green": "28a03c 195a28 82b95a 5f6e37 3c6e55 8c966e",
    "blue": "1e46c8 232d6e 5a96dc 416996 3c5069 96c3e1",
    "purple": "7828b4 502d6e a578c3 5f375f",
    "pink": "fa96b4 e65a96 f0c3c8 c8828c",
    "brown": "734628 503220 966441 3e2a20 a5734b",
    "beige": "e1cdaa c8b496 f0e1c8 bea582",
}
_LIGHTNESS = 0.6  # lightness counts less than hue: the same paint is lit differently over a room
_BLUR = 0.04  # a term that is this much farther from a colour than the nearest one fits it 1/e as well
_VIEWS = 3
_PIXELS = 4000
_BRIGHT, _SHARE, _MOST_GAIN = 0.75, 95, 2.0  # photos are exposed so that 5 % of their pixels are brighter than this

# sRGB to the responses of the eye's cones, and these to OKLab (Ottosson 2020).
_CONES = np.array(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
     [0.0883024619, 0.2817188376, 0.6299787005]]
)  # fmt: skip
_LAB = np.array(
    [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
     [0.0259040371, 0.7827717662, -0.8086757660]]
)  # fmt: skip


@dataclass(frozen=True)
class Fits:
    """How well objects fit colours, 0..1 each, in the order they were given; ``unseen`` more are in no photo."""

    scores: tuple[tuple[Instance, float], ...]
    unseen: int = 0

    @property
    def best(self) -> float:
        return max((score for _, score in self.scores), default=0.0)

    @property
    def certain(self) -> bool:
        """Whether colours decide: one has them for sure, or all are seen to be of other colours."""
        return self.best >= SURE or (self.best < _CLEARLY_NOT and not self.unseen)


def fits_of(memory: SpatialMemory, things: Sequence[Instance], colours: Sequence[str]) -> Fits:
    """How well each of ``things`` fits all of ``colours``, by the photos that show it best."""
    seen = [(thing, found) for thing in things if (found := colour_fits(memory, thing))]
    return Fits(tuple((thing, fit(found, colours)) for thing, found in seen), len(things) - len(seen))


def colour_fits(memory: SpatialMemory, instance: Instance) -> Mapping[str, float]:
    """How well each basic colour fits ``instance``, 0..1, in the photos that show it best; empty when none does.

    Neighbours both fit a colour between them, so the fits do not add up to 1.
    """
    by_number = {f.number: f for f in memory.frames}
    views = sorted((v for v in instance.views if v.frame in by_number), key=lambda v: (-v.pixels, v.frame))[:_VIEWS]
    parts = [_pixels(by_number[v.frame], instance, v.bbox) for v in views]
    light = np.concatenate([np.zeros((0, 3)), *parts])
    if not len(light):
        return MappingProxyType({})
    distance = _distances(light)
    fits = np.exp((distance.min(axis=1, keepdims=True) - distance) / _BLUR).mean(axis=0)
    return MappingProxyType(dict(zip(BASIC, fits.tolist(), strict=True)))


def fit(fits: Mapping[str, float], colours: Sequence[str]) -> float:
    """How well an object of ``fits`` has all of ``colours`` together: "black and white" things have some of both."""
    return min(1.0, sum(fits.get(colour, 0.0) for colour in colours))


def _linear(rgb: NDArray[np.uint8]) -> Array:
    """Light of sRGB pixels, 0..1."""
    c = rgb.astype(np.float64) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def _oklab(light: Array) -> Array:
    return np.asarray(np.cbrt(light @ _CONES.T) @ _LAB.T)


@cache
def _focal() -> tuple[Array, NDArray[np.intp]]:
    """Focal colours (K, 3) in OKLab, and the first of each term's."""
    groups = [np.frombuffer(bytes.fromhex(colours), np.uint8).reshape(-1, 3) for colours in _FOCAL.values()]
    starts = np.cumsum([0, *(len(g) for g in groups[:-1])])
    return _oklab(_linear(np.concatenate(groups))), starts


def _distances(light: Array) -> Array:
    """How far each pixel (N, 3) looks from the nearest focal colour of each term (N, 12)."""
    focal, starts = _focal()
    apart = (_oklab(light)[:, None] - focal) * np.array([_LIGHTNESS, 1.0, 1.0])
    return np.asarray(np.minimum.reduceat(np.linalg.norm(apart, axis=2), starts, axis=1))


def _pixels(frame: Frame, instance: Instance, bbox: tuple[int, int, int, int]) -> Array:
    """Light (N, 3) of the object in a photo, exposed as people expect: where its points fall, else mid-rectangle."""
    rgb = frame.rgb
    every = max(1, int(np.sqrt(rgb.shape[0] * rgb.shape[1] / _PIXELS)))
    bright = float(np.percentile(_linear(rgb[::every, ::every]).max(axis=2), _SHARE))
    gain = float(np.clip(_BRIGHT / max(bright, 1e-6), 1.0, _MOST_GAIN))
    return np.minimum(_linear(_crop(rgb, frame, instance, bbox)) * gain, 1.0)


def _crop(
    rgb: NDArray[np.uint8], frame: Frame, instance: Instance, bbox: tuple[int, int, int, int]
) -> NDArray[np.uint8]:
    left, top, right, bottom = bbox
    if frame.camera is not None and len(instance.points) >= 20:
        points = instance.points[:: max(1, len(instance.points) // _PIXELS)]
        view = frame.camera.project(points)
        u, v = view.pixels[view.in_view].astype(np.int64).T
        inside = (u >= left) & (u < right) & (v >= top) & (v < bottom)
        if inside.any():
            return np.asarray(rgb[v[inside], u[inside]])
    width, height = right - left, bottom - top
    crop = rgb[top + height // 4 : bottom - height // 4, left + width // 4 : right - width // 4].reshape(-1, 3)
    return np.asarray(crop[:: max(1, len(crop) // _PIXELS)])
