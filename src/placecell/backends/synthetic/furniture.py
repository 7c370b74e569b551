"""Furniture that stands on the floor, composed of simple solids; sizes are those of real furniture, drawn at random.

Knows: how each kind is built. Does not know: where it goes. A piece stands on y = 0 around x = z = 0 and faces +z.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from placecell.backends.synthetic.shapes import Colour, Finish, Part, Pattern, box, cylinder, disc

WOODS: tuple[tuple[Colour, Colour], ...] = (
    ((0.48, 0.27, 0.12), (0.25, 0.12, 0.05)),
    ((0.62, 0.44, 0.24), (0.40, 0.25, 0.12)),
    ((0.16, 0.08, 0.045), (0.07, 0.035, 0.02)),
    ((0.70, 0.62, 0.48), (0.52, 0.43, 0.30)),
)
CLOTHS: tuple[tuple[Colour, Colour], ...] = (
    ((0.45, 0.06, 0.06), (0.25, 0.03, 0.03)),
    ((0.05, 0.14, 0.40), (0.02, 0.07, 0.22)),
    ((0.08, 0.28, 0.12), (0.03, 0.14, 0.06)),
    ((0.68, 0.42, 0.06), (0.45, 0.25, 0.03)),
    ((0.30, 0.30, 0.32), (0.14, 0.14, 0.16)),
    ((0.28, 0.10, 0.36), (0.14, 0.04, 0.20)),
    ((0.03, 0.33, 0.36), (0.01, 0.18, 0.21)),
    ((0.62, 0.54, 0.42), (0.42, 0.35, 0.25)),
)
PAINTS: tuple[tuple[Colour, Colour], ...] = (
    ((0.80, 0.80, 0.78), (0.62, 0.62, 0.62)),
    ((0.10, 0.10, 0.11), (0.05, 0.05, 0.06)),
    ((0.55, 0.58, 0.62), (0.38, 0.40, 0.44)),
    ((0.60, 0.12, 0.07), (0.40, 0.07, 0.05)),
    ((0.10, 0.35, 0.50), (0.05, 0.22, 0.35)),
    ((0.72, 0.55, 0.15), (0.50, 0.36, 0.08)),
)
METAL = ((0.50, 0.51, 0.53), (0.30, 0.31, 0.33))
BLACK = ((0.035, 0.035, 0.04), (0.015, 0.015, 0.02))


class Style:
    """Draws finishes. A ``uniform`` room has one wood, one cloth and one paint, so that its things look alike."""

    def __init__(self, rng: np.random.Generator, uniform: bool = False) -> None:
        self.rng = rng
        self._uniform = uniform
        self._fixed = {id(palette): int(rng.integers(len(palette))) for palette in (WOODS, CLOTHS, PAINTS)}

    def wood(self) -> Finish:
        return self._draw(WOODS, Pattern.WOOD)

    def cloth(self) -> Finish:
        patterns = (Pattern.FABRIC, Pattern.FABRIC, Pattern.STRIPES, Pattern.DOTS)
        return self._draw(CLOTHS, Pattern.FABRIC if self._uniform else patterns[self.rng.integers(len(patterns))])

    def paint(self) -> Finish:
        return self._draw(PAINTS, Pattern.PLAIN)

    def finish(self, pattern: Pattern, colours: tuple[Colour, Colour], scale: float = 1.0) -> Finish:
        return Finish(pattern, *colours, seed=int(self.rng.integers(1 << 20)), scale=scale)

    def _draw(self, palette: tuple[tuple[Colour, Colour], ...], pattern: Pattern) -> Finish:
        k = self._fixed[id(palette)] if self._uniform else int(self.rng.integers(len(palette)))
        return self.finish(pattern, palette[k])


@dataclass(frozen=True, eq=False)
class Piece:
    """One thing ready to be placed. ``faces``: it has a front, +z. ``shelf_y``: height things can stand on, if any."""

    name: str
    parts: tuple[Part, ...]
    faces: bool = False
    shelf_y: float | None = None


Maker = Callable[[Style], Piece]


def between(style: Style, low: float, high: float) -> float:
    """A length drawn at random, to the millimetre."""
    return round(float(style.rng.uniform(low, high)), 3)


def _legs(w: float, d: float, height: float, thick: float, finish: Finish) -> list[Part]:
    x, z = (w - thick) / 2, (d - thick) / 2
    return [box((thick, height, thick), (sx * x, 0, sz * z), finish) for sx in (-1, 1) for sz in (-1, 1)]


def chair(style: Style) -> Piece:
    w, d, seat, top = between(style, 0.42, 0.5), between(style, 0.42, 0.5), 0.46, between(style, 0.84, 1.0)
    wood, cloth = style.wood(), style.cloth()
    parts = _legs(w, d, seat - 0.05, 0.045, wood)
    parts.append(box((w, 0.06, d), (0, seat - 0.05, 0), cloth))
    parts += [
        box((0.045, top - seat - 0.01, 0.045), (s * (w - 0.045) / 2, seat + 0.01, -(d - 0.045) / 2), wood)
        for s in (-1, 1)
    ]
    parts += [
        box((w - 0.09, 0.3 * (top - seat), 0.03), (0, seat + share * (top - seat), -(d - 0.045) / 2), wood)
        for share in (0.25, 0.68)
    ]
    return Piece("chair", tuple(parts), faces=True)


def table(style: Style) -> Piece:
    w, d, h = between(style, 1.2, 1.8), between(style, 0.75, 0.95), between(style, 0.72, 0.77)
    wood = style.wood()
    parts = [box((w, 0.04, d), (0, h - 0.04, 0), wood), *_legs(w - 0.1, d - 0.1, h - 0.04, 0.07, wood)]
    parts.append(box((w - 0.2, 0.08, d - 0.2), (0, h - 0.12, 0), wood))
    return Piece("table", tuple(parts), shelf_y=h)


def low_table(style: Style) -> Piece:
    w, d, h = between(style, 0.8, 1.1), between(style, 0.5, 0.65), between(style, 0.38, 0.46)
    wood = style.wood()
    parts = [box((w, 0.05, d), (0, h - 0.05, 0), wood), *_legs(w, d, h - 0.05, 0.06, wood)]
    parts.append(box((w - 0.12, 0.02, d - 0.12), (0, 0.12, 0), wood))
    return Piece("table", tuple(parts), shelf_y=h)


def _upholstered(style: Style, w: float, d: float, seats: int, name: str) -> Piece:
    cloth = style.cloth()
    cushion = cloth._replace(light=_lighter(cloth.light), seed=cloth.seed + 1)
    arm, seat, top, arm_top = 0.16, 0.42, between(style, 0.78, 0.88), 0.6
    inner = w - 2 * arm
    parts = [
        box((w, 0.26, d), (0, 0.08, 0), cloth),
        *_legs(w - 0.1, d - 0.1, 0.08, 0.06, style.finish(Pattern.WOOD, WOODS[2])),
    ]
    parts += [box((arm, arm_top - 0.34, d), (s * (w - arm) / 2, 0.34, 0), cloth) for s in (-1, 1)]
    parts.append(box((inner, top - 0.34, 0.2), (0, 0.34, -(d - 0.2) / 2), cloth))
    each = inner / seats
    for k in range(seats):
        x = -inner / 2 + each * (k + 0.5)
        parts.append(box((each - 0.02, seat - 0.34, d - 0.22), (x, 0.34, 0.1), cushion))
        parts.append(box((each - 0.04, top - seat - 0.06, 0.14), (x, seat, -d / 2 + 0.27), cushion))
    return Piece(name, tuple(parts), faces=True)


def _lighter(colour: Colour) -> Colour:
    r, g, b = (min(0.9, 1.25 * c + 0.02) for c in colour)
    return r, g, b


def sofa(style: Style) -> Piece:
    return _upholstered(
        style, between(style, 1.7, 2.2), between(style, 0.85, 0.95), int(style.rng.integers(2, 4)), "sofa"
    )


def armchair(style: Style) -> Piece:
    return _upholstered(style, between(style, 0.8, 0.92), between(style, 0.8, 0.9), 1, "armchair")


def bed(style: Style) -> Piece:
    w, d = between(style, 1.0, 1.7), between(style, 2.0, 2.15)
    wood, cover = style.wood(), style.cloth()
    white = style.finish(Pattern.FABRIC, PAINTS[0])
    parts = [box((w, 0.22, d), (0, 0.08, 0), wood), *_legs(w, d, 0.08, 0.08, wood)]
    parts.append(box((w, between(style, 0.85, 1.1), 0.06), (0, 0, -(d - 0.06) / 2), wood))
    parts.append(box((w - 0.06, 0.2, d - 0.12), (0, 0.3, 0.03), white))
    parts.append(box((w - 0.02, 0.19, 0.66 * d), (0, 0.34, d / 2 - 0.33 * d - 0.02), cover))
    pillows = 2 if w > 1.35 else 1
    for k in range(pillows):
        x = (k - (pillows - 1) / 2) * w / 2
        parts.append(box((0.55, 0.13, 0.36), (x, 0.5, -d / 2 + 0.31), white._replace(seed=white.seed + 1 + k)))
    return Piece("bed", tuple(parts), faces=True)


def bookshelf(style: Style) -> Piece:
    w, d, h = between(style, 0.7, 1.1), between(style, 0.26, 0.34), between(style, 1.5, 2.0)
    wood = style.wood()
    boards = 5
    parts = [box((0.03, h, d), (s * (w - 0.03) / 2, 0, 0), wood) for s in (-1, 1)]
    parts.append(box((w - 0.06, h, 0.02), (0, 0, -(d - 0.02) / 2), wood))
    pitch = (h - 0.03) / (boards - 1)
    parts += [box((w - 0.06, 0.03, d - 0.02), (0, k * pitch, 0.01), wood) for k in range(boards)]
    for k in range(boards - 1):
        if style.rng.random() < 0.15:
            continue
        wide = (w - 0.08) * between(style, 0.6, 1.0)
        tall = pitch * between(style, 0.6, 0.8)
        books = style.finish(Pattern.BOOKS, CLOTHS[0])
        parts.append(box((wide, tall, d - 0.08), (-(w - 0.08 - wide) / 2, k * pitch + 0.03, -0.015), books))
    return Piece("bookshelf", tuple(parts), faces=True)


def wardrobe(style: Style) -> Piece:
    w, d, h = between(style, 1.0, 1.5), between(style, 0.52, 0.6), between(style, 1.85, 2.1)
    wood = style.wood()
    door = wood._replace(light=_lighter(wood.light), seed=wood.seed + 1)
    knob = style.finish(Pattern.PLAIN, METAL)
    parts = [box((w, h, d - 0.04), (0, 0, -0.02), wood)]
    for s in (-1, 1):
        parts.append(box((w / 2 - 0.02, h - 0.1, 0.02), (s * w / 4, 0.07, d / 2 - 0.03), door))
        parts.append(box((0.02, 0.2, 0.02), (s * 0.05, 0.45 * h, d / 2 - 0.01), knob))
    return Piece("wardrobe", tuple(parts), faces=True)


def desk(style: Style) -> Piece:
    w, d, h = between(style, 1.2, 1.5), between(style, 0.6, 0.7), between(style, 0.72, 0.76)
    wood = style.wood()
    side = style.paint()
    parts = [box((w, 0.035, d), (0, h - 0.035, 0), wood)]
    parts += [box((0.04, h - 0.035, d), (s * (w - 0.04) / 2, 0, 0), side) for s in (-1, 1)]
    parts.append(box((0.38, 0.5, d - 0.05), (w / 2 - 0.24, h - 0.535, 0), side))
    parts.append(box((w - 0.08, 0.35, 0.02), (0, h - 0.4, -d / 2 + 0.06), side))
    return Piece("desk", tuple(parts), shelf_y=h)


def _cabinet(style: Style, name: str, size: tuple[float, float, float], finish: Finish, drawers: int) -> Piece:
    w, h, d = size
    front = finish._replace(light=_lighter(finish.light), seed=finish.seed + 1)
    knob = style.finish(Pattern.PLAIN, BLACK)
    parts = [box((w, h, d - 0.04), (0, 0, -0.02), finish)]
    tall = (h - 0.05) / drawers
    for k in range(drawers):
        parts.append(box((w - 0.05, tall - 0.03, 0.02), (0, 0.04 + k * tall, d / 2 - 0.03), front))
        parts.append(box((min(0.16, 0.3 * w), 0.02, 0.02), (0, 0.04 + (k + 0.6) * tall, d / 2 - 0.01), knob))
    return Piece(name, tuple(parts), faces=True, shelf_y=h)


def nightstand(style: Style) -> Piece:
    return _cabinet(
        style, "nightstand", (between(style, 0.42, 0.52), between(style, 0.46, 0.56), 0.42), style.wood(), 2
    )


def tv_stand(style: Style) -> Piece:
    return _cabinet(style, "tv stand", (between(style, 1.2, 1.6), between(style, 0.42, 0.52), 0.42), style.wood(), 1)


def dresser(style: Style) -> Piece:
    return _cabinet(style, "dresser", (between(style, 0.8, 1.1), between(style, 0.8, 0.95), 0.48), style.wood(), 4)


def counter(style: Style) -> Piece:
    """A kitchen counter with a worktop."""
    w, d, h = between(style, 1.2, 1.8), 0.6, 0.9
    body = _cabinet(style, "counter", (w, h - 0.04, d), style.paint(), 2)
    stone = style.finish(Pattern.PLASTER, ((0.30, 0.30, 0.31), (0.12, 0.12, 0.13)), scale=0.2)
    return Piece("counter", (*body.parts, box((w, 0.04, d), (0, h - 0.04, 0), stone)), faces=True, shelf_y=h)


def fridge(style: Style) -> Piece:
    w, d, h = between(style, 0.6, 0.72), between(style, 0.62, 0.7), between(style, 1.65, 1.85)
    paint = style.paint()
    handle = style.finish(Pattern.PLAIN, METAL)
    split = 0.66 * h
    parts = [box((w, h, d - 0.08), (0, 0, -0.04), paint)]
    parts += [
        box((w - 0.01, split - 0.05, 0.05), (0, 0.04, d / 2 - 0.06), paint),
        box((w - 0.01, h - split - 0.02, 0.05), (0, split + 0.01, d / 2 - 0.06), paint),
    ]
    parts += [
        box((0.03, 0.4, 0.03), (-w / 2 + 0.07, split - 0.5, d / 2 - 0.02), handle),
        box((0.03, 0.25, 0.03), (-w / 2 + 0.07, split + 0.06, d / 2 - 0.02), handle),
    ]
    return Piece("fridge", tuple(parts), faces=True)


def stove(style: Style) -> Piece:
    w, d, h = 0.6, 0.62, 0.9
    white, black = style.paint(), style.finish(Pattern.PLAIN, BLACK)
    parts = [box((w, h - 0.02, d - 0.04), (0, 0, -0.02), white), box((w, 0.02, d - 0.04), (0, h - 0.02, -0.02), black)]
    parts.append(box((0.46, 0.36, 0.02), (0, 0.22, d / 2 - 0.03), black))
    parts.append(box((0.44, 0.025, 0.02), (0, 0.64, d / 2 - 0.01), style.finish(Pattern.PLAIN, METAL)))
    plate = style.finish(Pattern.PLAIN, ((0.20, 0.20, 0.21), (0.08, 0.08, 0.08)))
    parts += [cylinder(0.09, 0.012, (sx * 0.15, h, sz * 0.14 - 0.02), plate) for sx in (-1, 1) for sz in (-1, 1)]
    return Piece("stove", tuple(parts), faces=True)


def washing_machine(style: Style) -> Piece:
    w, d, h = 0.6, 0.6, 0.85
    white = style.finish(Pattern.PLAIN, PAINTS[0])
    parts = [box((w, h, d - 0.03), (0, 0, -0.015), white)]
    parts.append(disc(0.2, 0.02, (0, 0.42, d / 2 - 0.02), style.finish(Pattern.PLAIN, METAL)))
    parts.append(disc(0.15, 0.01, (0, 0.42, d / 2 - 0.005), style.finish(Pattern.PLAIN, BLACK)))
    parts.append(box((w - 0.06, 0.09, 0.01), (0, h - 0.12, d / 2 - 0.025), style.finish(Pattern.PLAIN, PAINTS[2])))
    return Piece("washing machine", tuple(parts), faces=True)


def stool(style: Style) -> Piece:
    r, h = between(style, 0.17, 0.2), between(style, 0.45, 0.65)
    wood = style.wood()
    side = 1.25 * r
    parts = [cylinder(r, 0.05, (0, h - 0.05, 0), style.cloth()), *_legs(side, side, h - 0.05, 0.04, wood)]
    return Piece("stool", tuple(parts))


def bench(style: Style) -> Piece:
    w, d, h = between(style, 1.0, 1.4), between(style, 0.34, 0.4), between(style, 0.42, 0.47)
    wood = style.wood()
    parts = [box((w, 0.05, d), (0, h - 0.05, 0), wood)]
    parts += [box((0.06, h - 0.05, d - 0.04), (s * (w / 2 - 0.1), 0, 0), wood) for s in (-1, 1)]
    return Piece("bench", tuple(parts))


FURNITURE: Mapping[str, Maker] = {
    "chair": chair,
    "table": table,
    "low table": low_table,
    "sofa": sofa,
    "armchair": armchair,
    "bed": bed,
    "bookshelf": bookshelf,
    "wardrobe": wardrobe,
    "desk": desk,
    "nightstand": nightstand,
    "tv stand": tv_stand,
    "dresser": dresser,
    "counter": counter,
    "fridge": fridge,
    "stove": stove,
    "washing machine": washing_machine,
    "stool": stool,
    "bench": bench,
}
