"""Names of colours, and which colour an object has in the photos that show it.

Knows the eleven basic colour terms of English (Berlin and Kay 1969) plus beige, by hue, saturation and brightness.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from placecell.memory.scene import Frame, Instance, SpatialMemory

_SYNONYMS = {
    "gray": "grey", "silver": "grey", "silvery": "grey", "violet": "purple", "lilac": "purple", "golden": "yellow",
    "gold": "yellow", "tan": "beige", "cream": "beige", "navy": "blue", "turquoise": "blue", "cyan": "blue",
    "reddish": "red", "bluish": "blue", "greenish": "green", "wooden": "brown", "dark": "black",
}  # fmt: skip
BASIC = ("black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "beige")
_VIEWS = 3
_PIXELS = 4000


def colours_in(phrase: str) -> tuple[str, ...]:
    """Basic colours that a phrase names, in order: "the dark blue one" has blue; "dark" alone is black."""
    words = re.findall(r"[a-z]+", phrase.lower())
    named = [_SYNONYMS.get(w, w) for w in words if w != "dark"]
    found = tuple(dict.fromkeys(w for w in named if w in BASIC))
    return found or (("black",) if "dark" in words else ())


def colour_shares(memory: SpatialMemory, instance: Instance) -> Mapping[str, float]:
    """Share of each basic colour in the photos that show ``instance`` best; empty when none does."""
    by_number = {f.number: f for f in memory.frames}
    views = sorted((v for v in instance.views if v.frame in by_number), key=lambda v: (-v.pixels, v.frame))[:_VIEWS]
    parts = [_pixels(by_number[v.frame], instance, v.bbox) for v in views]
    pixels = np.concatenate([np.zeros((0, 3), np.uint8), *parts])
    if not len(pixels):
        return MappingProxyType({})
    counts = np.bincount(name_pixels(pixels), minlength=len(BASIC)) / len(pixels)
    return MappingProxyType({name: float(share) for name, share in zip(BASIC, counts, strict=True) if share > 0})


def name_pixels(rgb: NDArray[np.uint8]) -> NDArray[np.intp]:
    """The index in ``BASIC`` of each pixel (N, 3)."""
    r, g, b = (rgb[:, k].astype(np.float64) / 255 for k in range(3))
    value, low = np.maximum(np.maximum(r, g), b), np.minimum(np.minimum(r, g), b)
    spread = value - low
    saturation = np.where(value > 0, spread / np.maximum(value, 1e-9), 0.0)
    step = np.maximum(spread, 1e-9)
    hue = 60 * np.where(value == r, (g - b) / step % 6, np.where(value == g, (b - r) / step + 2, (r - g) / step + 4))
    name = {colour: i for i, colour in enumerate(BASIC)}
    out = np.select(
        [hue < 14, hue < 42, hue < 68, hue < 165, hue < 258, hue < 292, hue < 342],
        [name[c] for c in ("red", "orange", "yellow", "green", "blue", "purple", "pink")],
        name["red"],
    )
    warm = (hue < 50) | (hue > 345)
    out = np.where(warm & (hue > 8) & (hue < 50) & (value < 0.72) & (saturation > 0.25), name["brown"], out)
    out = np.where((hue > 18) & (hue < 60) & (saturation < 0.42) & (value > 0.6), name["beige"], out)
    out = np.where(((hue > 330) | (hue < 12)) & (saturation < 0.55) & (value > 0.75), name["pink"], out)
    dull = (saturation < 0.14) | ((value < 0.3) & (saturation < 0.3))
    out = np.where(dull, np.where(value > 0.78, name["white"], name["grey"]), out)
    return np.asarray(np.where(value < 0.2, name["black"], out))


def _pixels(frame: Frame, instance: Instance, bbox: tuple[int, int, int, int]) -> NDArray[np.uint8]:
    """Pixels (N, 3) of the object in a photo: where its points fall, else the middle of its bounding box."""
    rgb = frame.rgb
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
