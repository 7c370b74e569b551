"""Things that move by themselves, composed of simple solids. Each faces +z and stands on y = 0 around x = z = 0.

Knows: how each kind is built, and which kinds have a front. Does not know: where they go.
"""

from __future__ import annotations

from collections.abc import Mapping

from placecell.backends.synthetic.furniture import BLACK, CLOTHS, METAL, PAINTS, Maker, Piece, Style
from placecell.backends.synthetic.shapes import Pattern, box, cylinder, disc, ellipsoid

_SKIN = ((0.62, 0.42, 0.30), (0.50, 0.32, 0.22))
_LIGHT = ((0.95, 0.90, 0.60), (0.85, 0.75, 0.40))


def car(style: Style) -> Piece:
    paint, dark = style.paint(), style.finish(Pattern.PLAIN, BLACK)
    light = style.finish(Pattern.PLAIN, _LIGHT)
    return Piece(
        "car",
        (
            box((0.8, 0.35, 1.6), (0, 0.15, 0), paint),
            box((0.7, 0.32, 0.8), (0, 0.5, -0.2), dark),
            box((0.7, 0.12, 0.04), (0, 0.3, 0.81), light),
        ),
        faces=True,
    )


def bus(style: Style) -> Piece:
    paint, dark = style.cloth(), style.finish(Pattern.PLAIN, BLACK)
    return Piece(
        "bus",
        (box((0.85, 1.0, 2.2), (0, 0.15, 0), paint), box((0.75, 0.45, 0.04), (0, 0.6, 1.11), dark)),
        faces=True,
    )


def person(style: Style) -> Piece:
    cloth, skin = style.cloth(), style.finish(Pattern.PLAIN, _SKIN)
    return Piece(
        "person",
        (
            cylinder(0.16, 0.8, (0, 0, 0), style.cloth()),
            box((0.55, 0.6, 0.26), (0, 0.8, 0), cloth),
            ellipsoid((0.13, 0.16, 0.14), (0, 1.56, 0.02), skin),
        ),
        faces=True,
    )


def dog(style: Style) -> Piece:
    fur = style.finish(Pattern.FABRIC, CLOTHS[style.rng.integers(4)])
    return Piece(
        "dog",
        (
            ellipsoid((0.18, 0.2, 0.45), (0, 0.45, 0), fur),
            ellipsoid((0.13, 0.15, 0.2), (0, 0.66, 0.45), fur),
            *(cylinder(0.05, 0.4, (x, 0, z), fur) for x in (-0.12, 0.12) for z in (-0.3, 0.3)),
        ),
        faces=True,
    )


def robot(style: Style) -> Piece:
    metal, eye = (
        style.finish(Pattern.STRIPES, PAINTS[style.rng.integers(len(PAINTS))]),
        style.finish(Pattern.PLAIN, _LIGHT),
    )
    return Piece(
        "robot",
        (
            box((0.45, 0.8, 0.9), (0, 0.1, 0), metal),
            box((0.3, 0.3, 0.3), (0, 0.9, 0.3), style.finish(Pattern.PLAIN, METAL)),
            disc(0.1, 0.04, (0, 1.05, 0.46), eye),
        ),
        faces=True,
    )


def ball(style: Style) -> Piece:
    return Piece("ball", (ellipsoid((0.3, 0.3, 0.3), (0, 0.3, 0), style.cloth()),))


def scooter(style: Style) -> Piece:
    paint, metal = style.paint(), style.finish(Pattern.PLAIN, METAL)
    return Piece(
        "scooter",
        (
            box((0.3, 0.2, 1.1), (0, 0.1, 0), paint),
            box((0.3, 0.3, 0.45), (0, 0.3, -0.3), paint),
            cylinder(0.06, 0.7, (0, 0.3, 0.45), metal),
            box((0.6, 0.08, 0.08), (0, 0.98, 0.45), metal),
        ),
        faces=True,
    )


def pillar(style: Style) -> Piece:
    return Piece("pillar", (cylinder(0.22, 2.6, (0, 0, 0), style.finish(Pattern.BRICKS, CLOTHS[7])),))


def crate(style: Style) -> Piece:
    return Piece("crate", (box((0.7, 0.6, 0.7), (0, 0, 0), style.wood()),))


def barrel(style: Style) -> Piece:
    return Piece("barrel", (cylinder(0.3, 0.85, (0, 0, 0), style.paint()),))


MOVERS: Mapping[str, Maker] = {
    "car": car, "bus": bus, "person": person, "dog": dog, "robot": robot, "ball": ball, "scooter": scooter,
}  # fmt: skip
"""Kinds that may move; all but the ball have a front."""
PROPS: Mapping[str, Maker] = {"pillar": pillar, "crate": crate, "barrel": barrel}
"""Kinds that never move: things to pass, to hide behind and to go towards."""
NEVER_THERE = ("train", "horse", "boat", "bicycle", "plane", "giraffe")
"""Kinds no scene holds, so that a question about one has no answer but that."""
PLURALS = {"person": "people", "bus": "buses"}


def plural(kind: str) -> str:
    return PLURALS.get(kind, f"{kind}s")
