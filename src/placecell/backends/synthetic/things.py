"""Smaller things: what stands on the floor or on furniture, and what hangs on walls; same terms as ``furniture``."""

from __future__ import annotations

import math
from collections.abc import Mapping

from placecell.backends.synthetic.furniture import BLACK, CLOTHS, METAL, PAINTS, WOODS, Maker, Piece, Style, between
from placecell.backends.synthetic.shapes import Finish, Part, Pattern, box, cylinder, disc, ellipsoid

_GREEN = ((0.10, 0.32, 0.06), (0.02, 0.10, 0.02))
_PETALS = (
    ((0.80, 0.10, 0.14), (0.50, 0.03, 0.06)),
    ((0.85, 0.65, 0.08), (0.65, 0.40, 0.04)),
    ((0.55, 0.25, 0.75), (0.32, 0.10, 0.50)),
)
_EARTH = ((0.42, 0.16, 0.08), (0.28, 0.09, 0.05))
_GLASS = ((0.60, 0.72, 0.78), (0.45, 0.58, 0.64))


def trash_can(style: Style) -> Piece:
    r, h = between(style, 0.13, 0.16), between(style, 0.36, 0.48)
    paint = style.paint()
    dark = style.finish(Pattern.PLAIN, BLACK)
    return Piece(
        "trash can", (cylinder(0.85 * r, h, (0, 0, 0), paint, top=r), cylinder(0.9 * r, 0.01, (0, h, 0), dark))
    )


def plant(style: Style) -> Piece:
    r, pot, h = between(style, 0.15, 0.19), between(style, 0.28, 0.36), between(style, 0.95, 1.35)
    leaves = style.finish(Pattern.LEAVES, _GREEN)
    parts = [cylinder(0.75 * r, pot, (0, 0, 0), style.finish(Pattern.PLAIN, _EARTH), top=r)]
    parts.append(cylinder(0.02, h - pot - 0.3, (0, pot, 0), style.finish(Pattern.WOOD, WOODS[2])))
    parts.append(ellipsoid((0.8 * r, 0.2, 0.8 * r), (0, h - 0.2, 0), leaves))
    crown = h - pot - 0.25
    for k in range(9):  # a spiral of tufts round the stem
        angle, share = 2.4 * k, (k + 0.5) / 9
        reach = (1.15 - 0.45 * share) * r
        at = (reach * math.cos(angle), pot + 0.1 + share * crown, reach * math.sin(angle))
        size = (0.62 * r, between(style, 0.1, 0.15), 0.62 * r)
        parts.append(ellipsoid(size, at, leaves._replace(seed=leaves.seed + k + 1)))
    return Piece("plant", tuple(parts))


def floor_lamp(style: Style) -> Piece:
    h = between(style, 1.5, 1.7)
    metal = style.finish(Pattern.PLAIN, METAL)
    shade = style.finish(Pattern.FABRIC, ((0.85, 0.72, 0.45), (0.70, 0.55, 0.30)))
    parts = [cylinder(0.15, 0.025, (0, 0, 0), metal), cylinder(0.015, h - 0.3, (0, 0.025, 0), metal)]
    parts.append(cylinder(0.21, 0.3, (0, h - 0.3, 0), shade, top=0.15))
    return Piece("floor lamp", tuple(parts))


def suitcase(style: Style) -> Piece:
    w, d, h = between(style, 0.4, 0.48), between(style, 0.24, 0.28), between(style, 0.6, 0.7)
    paint = style.cloth()
    dark = style.finish(Pattern.PLAIN, BLACK)
    parts = [box((w, h - 0.1, d), (0, 0.04, 0), paint), box((0.22, 0.06, 0.03), (0, h - 0.06, 0), dark)]
    parts += [
        cylinder(0.025, 0.04, (sx * (w / 2 - 0.05), 0, sz * (d / 2 - 0.05)), dark) for sx in (-1, 1) for sz in (-1, 1)
    ]
    return Piece("suitcase", tuple(parts))


def basket(style: Style) -> Piece:
    w, d, h = between(style, 0.38, 0.5), between(style, 0.3, 0.38), between(style, 0.26, 0.36)
    weave = style.finish(Pattern.BRICKS, WOODS[1], scale=0.35)
    linen = style.cloth()
    return Piece("basket", (box((w, h, d), (0, 0, 0), weave), box((w - 0.06, 0.03, d - 0.06), (0, h, 0), linen)))


def ball(style: Style) -> Piece:
    r = between(style, 0.12, 0.16)
    return Piece(
        "ball",
        (ellipsoid((r, r, r), (0, r, 0), style.finish(Pattern.STRIPES, CLOTHS[style.rng.integers(4)], scale=0.7)),),
    )


def lamp(style: Style) -> Piece:
    h = between(style, 0.4, 0.52)
    shade = style.finish(Pattern.FABRIC, ((0.85, 0.72, 0.45), (0.70, 0.55, 0.30)))
    parts = [
        cylinder(0.09, 0.02, (0, 0, 0), style.paint()),
        cylinder(0.02, h - 0.2, (0, 0.02, 0), style.finish(Pattern.PLAIN, METAL)),
    ]
    return Piece("lamp", (*parts, cylinder(0.15, 0.2, (0, h - 0.2, 0), shade, top=0.1)))


def tv(style: Style) -> Piece:
    w = between(style, 0.95, 1.25)
    h = round(0.57 * w, 3)
    black = style.finish(Pattern.PLAIN, BLACK)
    parts = [box((0.4, 0.02, 0.2), (0, 0, 0), black), box((0.06, 0.07, 0.04), (0, 0.02, 0), black)]
    parts += [
        box((w, h, 0.04), (0, 0.09, 0), black),
        box((w - 0.02, h - 0.02, 0.01), (0, 0.1, 0.025), style.finish(Pattern.SCREEN, BLACK)),
    ]
    return Piece("tv", tuple(parts), faces=True)


def monitor(style: Style) -> Piece:
    w, h = between(style, 0.52, 0.62), 0.35
    black = style.finish(Pattern.PLAIN, BLACK)
    parts = [box((0.24, 0.02, 0.18), (0, 0, 0), black), box((0.04, 0.14, 0.03), (0, 0.02, -0.02), black)]
    parts += [
        box((w, h, 0.03), (0, 0.12, 0), black),
        box((w - 0.02, h - 0.02, 0.008), (0, 0.13, 0.019), style.finish(Pattern.SCREEN, BLACK)),
    ]
    return Piece("monitor", tuple(parts), faces=True)


def microwave(style: Style) -> Piece:
    w, d, h = between(style, 0.46, 0.52), 0.36, 0.28
    black = style.finish(Pattern.PLAIN, BLACK)
    parts = [
        box((w, h, d - 0.02), (0, 0, -0.01), style.paint()),
        box((0.66 * w, 0.2, 0.02), (-0.12 * w, 0.04, d / 2 - 0.01), black),
    ]
    return Piece("microwave", tuple(parts), faces=True)


def vase(style: Style) -> Piece:
    r, h = between(style, 0.07, 0.09), between(style, 0.24, 0.3)
    paint = style.finish(Pattern.STRIPES, CLOTHS[style.rng.integers(len(CLOTHS))], scale=0.3)
    green = style.finish(Pattern.LEAVES, _GREEN, scale=0.6)
    petals = style.finish(Pattern.LEAVES, _PETALS[style.rng.integers(len(_PETALS))], scale=0.4)
    parts = [
        cylinder(0.7 * r, 0.6 * h, (0, 0, 0), paint, top=r),
        cylinder(r, 0.4 * h, (0, 0.6 * h, 0), paint, top=0.6 * r),
        ellipsoid((0.9 * r, 0.07, 0.9 * r), (0, h + 0.04, 0), green),
    ]
    for k in range(5):
        x, z = 0.75 * r * math.cos(1.26 * k), 0.75 * r * math.sin(1.26 * k)
        parts.append(ellipsoid((0.45 * r, 0.035, 0.45 * r), (x, h + 0.1 + 0.02 * (k % 3), z), petals))
    return Piece("vase", tuple(parts))


def printer(style: Style) -> Piece:
    w, d, h = between(style, 0.42, 0.48), 0.36, between(style, 0.22, 0.28)
    paint = style.finish(Pattern.PLAIN, PAINTS[2])
    parts = [
        box((w, h, d), (0, 0, 0), paint),
        box((0.7 * w, 0.06, 0.3), (0, h, -0.02), style.finish(Pattern.PLAIN, BLACK)),
    ]
    return Piece("printer", tuple(parts), faces=True)


def painting(style: Style) -> Piece:
    w, h = between(style, 0.5, 0.95), between(style, 0.45, 0.7)
    parts = [
        box((w, h, 0.03), (0, 0, 0), style.wood()),
        box((w - 0.08, h - 0.08, 0.01), (0, 0.04, 0.02), style.finish(Pattern.PAINTING, WOODS[0])),
    ]
    return Piece("painting", tuple(parts), faces=True)


def clock(style: Style) -> Piece:
    r = between(style, 0.17, 0.22)
    face = Finish(Pattern.DIAL, (0.85, 0.85, 0.82), (0.05, 0.05, 0.05))
    parts: tuple[Part, ...] = (disc(r, 0.04, (0, r, 0), style.paint()), disc(0.92 * r, 0.01, (0, r, 0.025), face))
    return Piece("clock", parts, faces=True)


def radiator(style: Style) -> Piece:
    w, h = between(style, 0.9, 1.2), 0.55
    white = style.finish(Pattern.PLAIN, PAINTS[0])
    ribs = int(w / 0.075)
    parts = [box((0.045, h, 0.09), ((k - (ribs - 1) / 2) * 0.075, 0.0, 0), white) for k in range(ribs)]
    parts += [box((0.075 * ribs - 0.03, 0.03, 0.05), (0, y, 0), white) for y in (0.06, h - 0.09)]
    return Piece("radiator", tuple(parts), faces=True)


def window(style: Style) -> Piece:
    w, h = between(style, 1.0, 1.6), between(style, 1.1, 1.3)
    frame = style.finish(Pattern.PLAIN, PAINTS[0])
    parts = [box((w - 0.1, h - 0.1, 0.01), (0, 0.05, -0.01), style.finish(Pattern.OUTDOORS, _GLASS))]
    parts += [box((0.06, h, 0.05), (s * (w - 0.06) / 2, 0, 0), frame) for s in (-1, 1)]
    parts += [box((w - 0.12, 0.06, 0.05), (0, y, 0), frame) for y in (0.0, h - 0.06)]
    parts += [box((0.04, h - 0.12, 0.04), (0, 0.06, 0), frame), box((w, 0.03, 0.14), (0, -0.03, 0.045), frame)]
    return Piece("window", tuple(parts), faces=True)


def door(style: Style) -> Piece:
    w, h = between(style, 0.85, 0.95), between(style, 2.0, 2.08)
    leaf = style.wood()
    frame = style.finish(Pattern.PLAIN, PAINTS[0])
    parts = [box((w - 0.12, h - 0.06, 0.03), (0, 0, 0), leaf)]
    parts += [box((0.06, h, 0.06), (s * (w - 0.06) / 2, 0, 0), frame) for s in (-1, 1)]
    parts.append(box((w - 0.12, 0.06, 0.06), (0, h - 0.06, 0), frame))
    panel = leaf._replace(light=leaf.dark, seed=leaf.seed + 1)
    parts += [box((w - 0.36, tall, 0.01), (0, y, 0.02), panel) for y, tall in ((0.2, 0.6), (1.0, 0.8))]
    parts.append(box((0.12, 0.02, 0.05), (w / 2 - 0.15, 1.02, 0.04), style.finish(Pattern.PLAIN, METAL)))
    return Piece("door", tuple(parts), faces=True)


def rug(style: Style) -> Piece:
    w, d = between(style, 1.5, 2.2), between(style, 1.1, 1.5)
    colours = CLOTHS[style.rng.integers(len(CLOTHS))]
    light = CLOTHS[-1][0]
    return Piece("rug", (box((w, 0.012, d), (0, 0, 0), style.finish(Pattern.RUG, (light, colours[0]))),))


THINGS: Mapping[str, Maker] = {
    "trash can": trash_can,
    "plant": plant,
    "floor lamp": floor_lamp,
    "suitcase": suitcase,
    "basket": basket,
    "ball": ball,
    "lamp": lamp,
    "tv": tv,
    "monitor": monitor,
    "microwave": microwave,
    "vase": vase,
    "printer": printer,
    "painting": painting,
    "clock": clock,
    "radiator": radiator,
    "window": window,
    "door": door,
    "rug": rug,
}
