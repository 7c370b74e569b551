"""Marks on pictures: text that stays readable on anything, arrows, numbered cameras, scale bars, legends, hatching.

Knows pixels only. Sizes follow the picture's, so that text reads the same at any size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

UInt8 = NDArray[np.uint8]
Point = tuple[float, float]
Colour = tuple[int, int, int]
Rect = tuple[float, float, float, float]

INK: Colour = (25, 25, 30)
PAPER: Colour = (255, 255, 255)
EGO: Colour = (214, 30, 42)
CAMERA: Colour = (24, 78, 160)
UNKNOWN: Colour = (206, 206, 210)
_HATCH: Colour = (188, 188, 194)

# Distinct on white and from the viewer's red, most different first (after Okabe and Ito, Tableau and Kelly).
PALETTE: tuple[Colour, ...] = (
    (0, 114, 178), (230, 159, 0), (0, 158, 115), (204, 121, 167), (86, 180, 233), (148, 103, 189),
    (140, 86, 75), (188, 189, 34), (23, 190, 207), (255, 127, 14), (44, 160, 44), (90, 90, 100),
    (214, 140, 180), (0, 68, 130), (120, 200, 120), (128, 62, 117), (193, 162, 98), (70, 130, 120),
    (180, 100, 20), (160, 160, 175),
)  # fmt: skip


class Canvas:
    """An RGB picture being drawn on. Text already placed keeps its space: later labels move out of its way."""

    def __init__(self, rgb: UInt8, size: int | None = None) -> None:
        """``size``: longer side of the whole picture that ``rgb`` becomes part of; text and lines follow it."""
        self.image = Image.fromarray(rgb)
        self.draw = ImageDraw.Draw(self.image, "RGBA")
        self.size = size or max(self.image.size)
        self.line = max(1, round(self.size / 380))
        self.taken: list[Rect] = []

    @property
    def rgb(self) -> UInt8:
        return np.asarray(self.image)

    def font(self, scale: float = 1.0) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
        """Text of 17 pixels on a picture of 768."""
        return _font(_text_pixels(self.size, scale))

    def text_size(self, text: str, scale: float = 1.0) -> tuple[float, float]:
        left, top, right, bottom = self.draw.textbbox((0, 0), text, font=self.font(scale))
        return right - left, bottom - top

    def label(
        self, at: Point, text: str, colour: Colour = INK, *, scale: float = 1.0, away: float = 0.0, must: bool = True
    ) -> bool:
        """Text near ``at`` on a pale plate, where it covers no other label; False when there is no room.

        ``away``: distance it keeps from ``at`` (0 = centred on it if there is room). ``must``: drawn even without room.
        """
        width, height = self.text_size(text, scale)
        pad = self.size / 190
        for x, y in _spots(at, width / 2 + pad, height / 2 + pad, away):
            rect = (x - width / 2 - pad, y - height / 2 - pad, x + width / 2 + pad, y + height / 2 + pad)
            if self._free(rect):
                break
        else:
            if not must:
                return False
            rect = self._inside((at[0] - width / 2 - pad, at[1] - height / 2 - pad, width + 2 * pad, height + 2 * pad))
        self.taken.append(rect)
        self.draw.rounded_rectangle(rect, radius=pad, fill=(*PAPER, 225), outline=(*colour, 255), width=1)
        centre = ((rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2)
        if math.hypot(centre[0] - at[0], centre[1] - at[1]) > 2.2 * (height + pad):
            self.draw.line([at, _edge(rect, at)], fill=(*colour, 255), width=1)
        self.draw.text(centre, text, font=self.font(scale), fill=INK, anchor="mm")
        return True

    def reserve(self, rect: Rect) -> None:
        """Keep labels off a place."""
        self.taken.append(rect)

    def polygon(self, points: Sequence[Point], colour: Colour, *, fill: int = 70) -> None:
        """A closed outline, filled with that opacity (0..255)."""
        self.draw.polygon(list(points), fill=(*colour, fill))
        self.draw.line([*points, points[0]], fill=(*colour, 255), width=self.line + 1, joint="curve")

    def path(self, points: Sequence[Point], colour: Colour, *, opacity: int = 200) -> None:
        """An open line with an arrow head in the middle of every long enough piece."""
        if len(points) < 2:
            return
        self.draw.line(list(points), fill=(*colour, opacity), width=self.line)
        for (x0, y0), (x1, y1) in pairwise(points):
            if math.hypot(x1 - x0, y1 - y0) > self.size / 16:
                self._head(((x0 + x1) / 2, (y0 + y1) / 2), math.atan2(y1 - y0, x1 - x0), self.size / 90, colour)

    def camera(self, at: Point, angle: float, colour: Colour, *, length: float, half: float = 32.0) -> None:
        """A wedge with its apex at the camera that opens where it looks. ``angle``: degrees clockwise from page-up."""
        sides = [
            (at[0] + length * math.sin(math.radians(a)), at[1] - length * math.cos(math.radians(a)))
            for a in (angle - half, angle + half)
        ]
        self.draw.polygon([at, *sides], fill=(*colour, 90), outline=(*colour, 255))
        self._dot(at, self.size / 150, colour)

    def viewer(self, at: Point, angle: float) -> None:
        """The viewer: a disc with an arrow where it faces. ``angle``: degrees clockwise from page-up."""
        reach = self.size / 13
        turn = math.radians(angle)
        tip = (at[0] + reach * math.sin(turn), at[1] - reach * math.cos(turn))
        for colour, width in ((PAPER, 3 * self.line + 4), (EGO, 2 * self.line + 1)):
            self.draw.line([at, tip], fill=colour, width=width)
        self._head(tip, math.atan2(tip[1] - at[1], tip[0] - at[0]), self.size / 42, EGO)
        self._dot(at, self.size / 62, EGO)

    def viewer_outline(self, at: Point, angle: float) -> list[Rect]:
        """What `viewer` covers, to be reserved."""
        turn, reach, half = math.radians(angle), self.size / 13, self.size / 50
        spots = [(at[0] + t * reach * math.sin(turn), at[1] - t * reach * math.cos(turn)) for t in (0.0, 0.5, 1.0)]
        return [(x - half, y - half, x + half, y + half) for x, y in spots]

    def scale_bar(self, pixels_per_unit: float, unit: str, corner: Point) -> None:
        """A bar of a round length with its text; ``corner`` is its lower left."""
        length = round_length(self.size * 0.22 / pixels_per_unit)
        width = length * pixels_per_unit
        x, y = corner
        text = f"{length:g} {unit}" if unit == "m" else f"{length:g} {'unit' if length == 1 else 'units'}"
        tick, pad = self.size / 110, self.size / 100
        text_width, text_height = self.text_size(text)
        plate = (x - pad, y - text_height - 3 * tick - pad, x + max(width, text_width) + pad, y + pad)
        self.draw.rounded_rectangle(plate, radius=pad, fill=(*PAPER, 235))
        self.draw.line([(x, y - tick), (x, y), (x + width, y), (x + width, y - tick)], fill=INK, width=self.line + 1)
        self.draw.text((x, y - 2 * tick), text, font=self.font(), fill=INK, anchor="ls")
        self.reserve(plate)

    def _dot(self, at: Point, radius: float, colour: Colour) -> None:
        box = (at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius)
        self.draw.ellipse(box, fill=colour, outline=PAPER, width=max(1, self.line - 1))

    def _head(self, tip: Point, angle: float, length: float, colour: Colour) -> None:
        ends = [
            (tip[0] - length * math.cos(angle + side), tip[1] - length * math.sin(angle + side))
            for side in (-0.45, 0.45)
        ]
        self.draw.polygon([tip, *ends], fill=(*colour, 255), outline=PAPER)

    def _free(self, rect: Rect) -> bool:
        width, height = self.image.size
        if rect[0] < 0 or rect[1] < 0 or rect[2] > width or rect[3] > height:
            return False
        return not any(
            rect[0] < other[2] and other[0] < rect[2] and rect[1] < other[3] and other[1] < rect[3]
            for other in self.taken
        )

    def _inside(self, box: Rect) -> Rect:
        x, y, width, height = box
        x = min(max(x, 0.0), max(self.image.size[0] - width, 0.0))
        y = min(max(y, 0.0), max(self.image.size[1] - height, 0.0))
        return x, y, x + width, y + height


def hatch_unknown(rgb: UInt8, unknown: NDArray[np.bool_]) -> UInt8:
    """The picture with ``unknown`` (H, W) pixels in a pale grey with fine diagonal lines, which no surface has."""
    height, width = unknown.shape
    period = max(6, round(max(height, width) / 64))
    diagonal = (np.arange(height)[:, None] + np.arange(width)[None, :]) % period < max(1, period // 6)
    out = rgb.copy()
    out[unknown] = UNKNOWN
    out[unknown & diagonal] = _HATCH
    return out


Entry = tuple[Colour | None, str]
"""A piece of a legend: a swatch of that colour, or none, and its text."""


def with_legend(rgb: UInt8, size: int, rows: Sequence[Sequence[Entry]], *, beside: bool = False) -> UInt8:
    """The picture with a legend below or beside it on white; ``size`` as in `Canvas`."""
    height, width = rgb.shape[:2]
    row = row_height(size)
    if beside:
        whole = (max(height, legend_height(size, len(rows))), width + legend_width(size, rows))
    else:
        whole = (height + legend_height(size, len(rows)), width)
    out = np.full((*whole, 3), 255, np.uint8)
    out[:height, :width] = rgb
    canvas = Canvas(out, size)
    for number, entries in enumerate(rows):
        x = row * 0.5 + (width if beside else 0)
        y = row * (number + 0.7) + (0 if beside else height)
        for colour, text in entries:
            if colour is not None:
                side = row * 0.3
                box = (x, y - side, x + 2 * side, y + side)
                canvas.draw.rectangle(box, fill=(*colour, 160), outline=colour, width=canvas.line)
                x += 3 * side
            canvas.draw.text((x, y), text, font=canvas.font(), fill=INK, anchor="lm")
            x += canvas.text_size(text)[0] + row
    return canvas.rgb


def flow(size: int, width: int, entries: Sequence[Entry]) -> list[list[Entry]]:
    """Entries of a legend broken into rows that fit ``width``."""
    rows: list[list[Entry]] = []
    left = 0.0
    for entry in entries:
        needs = legend_width(size, [[entry]])
        if not rows or left + needs > width:
            rows.append([])
            left = 0.0
        rows[-1].append(entry)
        left += needs
    return rows


def legend_width(size: int, rows: Sequence[Sequence[Entry]]) -> int:
    """Width of a legend."""
    font, row = _font(_text_pixels(size)), row_height(size)
    widths = [
        sum(font.getlength(text) + row * (1.9 if colour else 1.0) for colour, text in entries) for entries in rows
    ]
    return math.ceil(max(widths, default=0.0))


def row_height(size: int) -> int:
    """Height of a legend's row."""
    return max(8, round(size * 0.035))


def legend_height(size: int, rows: int) -> int:
    """Height of a legend."""
    return row_height(size) * rows + row_height(size) // 3 if rows else 0


def _text_pixels(size: int, scale: float = 1.0) -> int:
    return max(6, round(size * 0.022 * scale))


def round_length(about: float) -> float:
    """1, 2 or 5 times a power of ten, at most ``about``."""
    power = 10.0 ** math.floor(math.log10(about))
    return next(step * power for step in (5.0, 2.0, 1.0) if step * power <= about * (1 + 1e-9))


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def _spots(at: Point, half_width: float, half_height: float, away: float) -> list[Point]:
    """Centres for a label, best first: on the spot (unless ``away``), then around it in growing rings."""
    x, y = at
    spots = [] if away else [at]
    for ring in range(1, 7):
        dx, dy = half_width + away + (ring - 1) * half_height * 2, half_height + away + (ring - 1) * half_height * 2
        spots += [
            (x, y - dy), (x + dx, y), (x, y + dy), (x - dx, y),
            (x + dx, y - dy), (x + dx, y + dy), (x - dx, y + dy), (x - dx, y - dy),
        ]  # fmt: skip
    return spots


def _edge(rect: Rect, at: Point) -> Point:
    return min(max(at[0], rect[0]), rect[2]), min(max(at[1], rect[1]), rect[3])
