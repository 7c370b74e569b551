"""Furnishing: which things a room gets and where, by theme and difficulty, from a seed.

Knows: what belongs together (a chair at a desk, a lamp on a nightstand). Does not know: pictures or questions. Things
never overlap; a thing that finds no free place is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from placecell.backends.synthetic.furniture import CLOTHS, FURNITURE, WOODS, Piece, Style
from placecell.backends.synthetic.layout import FloorPlan, Footprint, Wall, outline
from placecell.backends.synthetic.scene import Shell, SyntheticObject, SyntheticRoom
from placecell.backends.synthetic.shapes import Colour, Pattern, tight_bounds
from placecell.backends.synthetic.things import THINGS
from placecell.errors import UserError
from placecell.geometry.transforms import Array, rigid

MAKERS = {**FURNITURE, **THINGS}


@dataclass(frozen=True)
class Level:
    """What makes a room hard.

    ``extras``: things added beyond the theme's groups, ``tops``: things put on furniture, ``margin``: metres kept
    between things, ``l_shaped``: probability, ``alike``: all woods, cloths and paints equal, ``views``: pictures a
    capture takes by default, ``tilted``: cameras are rolled, ``frame``: see ``capture.photograph``.
    """

    extras: int
    tops: int
    margin: float
    l_shaped: float
    alike: bool
    views: int
    tilted: bool
    frame: str


LEVELS: Mapping[str, Level] = {
    "easy": Level(2, 1, 0.25, 0.0, False, 24, False, "world"),
    "medium": Level(4, 3, 0.18, 0.0, False, 24, False, "z-up"),
    "hard": Level(8, 5, 0.12, 0.5, False, 20, False, "camera"),
    "adversarial": Level(12, 6, 0.08, 0.5, True, 16, True, "camera"),
}

_WALL_COLOURS: tuple[tuple[Colour, Colour], ...] = (
    ((0.66, 0.60, 0.50), (0.52, 0.46, 0.37)),
    ((0.50, 0.58, 0.52), (0.38, 0.46, 0.40)),
    ((0.50, 0.58, 0.68), (0.38, 0.46, 0.57)),
    ((0.70, 0.68, 0.65), (0.56, 0.54, 0.51)),
    ((0.66, 0.50, 0.42), (0.53, 0.38, 0.31)),
)
_ACCENTS: tuple[tuple[Pattern, tuple[Colour, Colour]], ...] = (
    (Pattern.STRIPES, ((0.62, 0.54, 0.42), (0.45, 0.40, 0.33))),
    (Pattern.DOTS, ((0.52, 0.58, 0.62), (0.30, 0.38, 0.46))),
    (Pattern.BRICKS, ((0.46, 0.20, 0.12), (0.30, 0.12, 0.07))),
    (Pattern.PLASTER, ((0.32, 0.42, 0.40), (0.22, 0.31, 0.30))),
)
_CEILING = ((0.80, 0.79, 0.77), (0.72, 0.71, 0.69))


class Furnisher:
    """Places pieces on a floor plan and remembers them as objects."""

    def __init__(self, plan: FloorPlan, style: Style, level: Level) -> None:
        self.plan = plan
        self.style = style
        self.level = level
        self.rng = style.rng
        self.objects: list[SyntheticObject] = []
        self._surfaces: list[tuple[SyntheticObject, float]] = []

    def add(self, piece: Piece, place: Footprint, mount: str, support: int | None = None) -> SyntheticObject:
        """Takes the place. The footprint is of the piece's bounds, whose middle need not be its origin."""
        low, high = tight_bounds(piece.parts)
        turned = Rotation.from_euler("y", place.yaw, degrees=True).as_matrix()
        middle = turned @ np.array([(low[0] + high[0]) / 2, 0, (low[2] + high[2]) / 2])
        pose = rigid(turned, (place.x - middle[0], place.low - low[1], place.z - middle[2]))
        thing = SyntheticObject(len(self.objects) + 1, piece.name, pose, piece.parts, piece.faces, mount, support)
        self.objects.append(thing)
        if piece.name != "rug":
            self.plan.taken.append(place)
        if piece.shelf_y is not None:
            self._surfaces.append((thing, place.low + piece.shelf_y))
        return thing

    def wall(
        self, kind: str, wall: Wall | None = None, y: float = 0.0, margin: float | None = None
    ) -> SyntheticObject | None:
        """Against (y = 0: standing) or on a wall at height y."""
        piece, half, height = self._made(kind)
        found = self.plan.along_wall(
            half,
            (y, y + height),
            margin or self.level.margin,
            gap=0.02 if y == 0 and kind != "door" else 0.003,
            wall=wall,
        )
        return self.add(piece, found[0], "wall" if y > 0 or kind == "door" else "floor") if found else None

    def free(self, kind: str, yaw: float | None = None) -> SyntheticObject | None:
        piece, half, height = self._made(kind)
        place = self.plan.anywhere(half, (0, height), self.level.margin + 0.1, yaw)
        return self.add(piece, place, "floor") if place else None

    def beside(
        self, kind: str, anchor: SyntheticObject, offset: tuple[float, float], turn: float = 0.0, margin: float = 0.05
    ) -> SyntheticObject | None:
        """Beside an object: an ``offset`` (x, z) of (0.4, 0) leaves 0.4 m between its right side and this thing."""
        piece, half, height = self._made(kind)
        low, high = tight_bounds(anchor.parts)
        own = half if turn % 180 == 0 else (half[1], half[0])
        local = np.array([(low[0] + high[0]) / 2, 0, (low[2] + high[2]) / 2])
        for axis, (step, reach) in enumerate(zip(offset, own, strict=True)):
            k = 2 * axis
            if step:
                local[k] += np.sign(step) * ((high[k] - low[k]) / 2 + reach) + step
        place = _near(anchor, local, half, (0.0, height), turn)
        return self.add(piece, place, "floor") if self.plan.fits(place, margin) else None

    def on_top(self, kind: str, support: SyntheticObject | None = None) -> SyntheticObject | None:
        """On a table, desk or cabinet that has room for it."""
        piece, half, height = self._made(kind)
        choices = [s for s in self._surfaces if support is None or s[0] is support]
        for k in self.rng.permutation(len(choices)):
            base, y = choices[k]
            low, high = tight_bounds(base.parts)
            spare = (high - low)[[0, 2]] / 2 - half - 0.015
            if (spare < 0).any():
                continue
            for _ in range(12):
                x, z = self.rng.uniform(-spare, spare)
                local = np.array([x, 0.0, z])
                place = _near(base, local, half, (y, y + height))
                if self.plan.fits(place, 0.06):
                    return self.add(piece, place, "top", base.id)
        return None

    def _made(self, kind: str) -> tuple[Piece, tuple[float, float], float]:
        piece = MAKERS[kind](self.style)
        low, high = tight_bounds(piece.parts)
        size = high - low
        return piece, (float(size[0]) / 2, float(size[2]) / 2), float(size[1])


def _sofa_group(f: Furnisher) -> None:
    sofa = f.wall("sofa")
    if sofa:
        f.beside("rug", sofa, (0, 0.1))
        f.beside("low table", sofa, (0, 0.4))


def _tv_group(f: Furnisher) -> None:
    stand = f.wall("tv stand")
    if stand:
        f.on_top("tv", stand)


def _bed_group(f: Furnisher) -> None:
    bed = f.wall("bed")
    if bed is None:
        return
    for side in (-0.06, 0.06):
        # A bed is much longer than a nightstand is deep: move it to the head end.
        stand = _at_head(f, bed, side)
        if stand and f.rng.random() < 0.8:
            f.on_top("lamp", stand)


def _at_head(f: Furnisher, bed: SyntheticObject, side: float) -> SyntheticObject | None:
    piece, half, height = f._made("nightstand")
    low, high = tight_bounds(bed.parts)
    local = np.array([np.sign(side) * ((high[0] - low[0]) / 2 + half[0]) + side, 0, low[2] + half[1]])
    place = _near(bed, local, half, (0.0, height))
    return f.add(piece, place, "floor") if f.plan.fits(place, 0.02) else None


def _desk_group(f: Furnisher) -> None:
    desk = f.wall("desk")
    if desk:
        f.beside("chair", desk, (0, 0.06), turn=180)
        f.on_top("monitor", desk)


def _dining_group(f: Furnisher) -> None:
    table = f.free("table", yaw=float(f.rng.choice([0.0, 90.0])))
    if table is None:
        return
    sides: list[tuple[tuple[float, float], float]] = [
        ((0, 0.06), 180),
        ((0, -0.06), 0),
        ((0.06, 0), -90),
        ((-0.06, 0), 90),
    ]
    for k in f.rng.permutation(4)[: f.rng.integers(2, 5)]:
        f.beside("chair", table, sides[k][0], turn=sides[k][1], margin=0.03)
    f.on_top("vase", table)


def _kitchen_row(f: Furnisher) -> None:
    counter = f.wall("counter")
    if counter:
        f.beside("stove", counter, (0.04, 0), margin=0.02)
        f.beside("fridge", counter, (-0.04, 0), margin=0.02) or f.wall("fridge")
        f.on_top("microwave", counter)


_GROUPS: Mapping[str, Callable[[Furnisher], None]] = {
    "sofa": _sofa_group,
    "tv": _tv_group,
    "bed": _bed_group,
    "desk": _desk_group,
    "dining": _dining_group,
    "kitchen": _kitchen_row,
}
_AT_WALL = (
    "bookshelf",
    "wardrobe",
    "dresser",
    "armchair",
    "bench",
    "floor lamp",
    "plant",
    "trash can",
    "suitcase",
    "basket",
    "chair",
)
_FREE = ("stool", "ball", "armchair", "trash can", "chair", "plant", "basket")
_TOPS = ("lamp", "vase", "microwave", "printer", "monitor")


@dataclass(frozen=True)
class Theme:
    width: tuple[float, float]
    depth: tuple[float, float]
    groups: tuple[str, ...]
    singles: tuple[str, ...]


THEMES: Mapping[str, Theme] = {
    "living room": Theme((4.6, 6.0), (4.2, 5.4), ("sofa", "tv"), ("bookshelf", "armchair", "floor lamp", "plant")),
    "bedroom": Theme((4.0, 5.2), (3.8, 4.8), ("bed", "desk"), ("wardrobe", "dresser", "plant")),
    "kitchen": Theme((4.2, 5.4), (3.8, 5.0), ("kitchen", "dining"), ("washing machine", "trash can", "plant", "bench")),
    "office": Theme((4.4, 6.0), (4.0, 5.0), ("desk", "desk"), ("bookshelf", "trash can", "plant", "armchair")),
    "studio": Theme((5.2, 6.6), (4.8, 6.0), ("bed", "sofa", "kitchen", "dining"), ("wardrobe", "trash can")),
}


def make_room(seed: int = 0, level: str = "easy", theme: str | None = None) -> SyntheticRoom:
    """The room of a seed, level (easy, medium, hard, adversarial) and theme (drawn when None). Same call, same room."""
    if level not in LEVELS:
        raise UserError(f"unknown level {level!r}", hint=f"use one of {', '.join(LEVELS)}")
    if theme is not None and theme not in THEMES:
        raise UserError(f"unknown theme {theme!r}", hint=f"use one of {', '.join(THEMES)}")
    settings = LEVELS[level]
    rng = np.random.default_rng([seed, list(LEVELS).index(level)])
    chosen = theme or list(THEMES)[rng.integers(len(THEMES))]
    kind = THEMES[chosen]
    grow = 1.0 + 0.02 * settings.extras
    width, depth = (round(float(rng.uniform(*span)) * grow, 2) for span in (kind.width, kind.depth))
    notch = None
    if rng.random() < settings.l_shaped:
        width, depth = round(width * 1.15, 2), round(depth * 1.15, 2)
        notch = (round(0.3 * width, 2), round(0.35 * depth, 2))
    corners = outline(width, depth, notch)
    height = round(float(rng.uniform(2.4, 2.75)), 2)
    style = Style(rng, settings.alike)
    furnisher = Furnisher(FloorPlan(corners, height, rng), style, settings)
    _furnish(furnisher, kind)
    return SyntheticRoom(seed, level, chosen, _shell(corners, height, style), tuple(furnisher.objects))


def _furnish(f: Furnisher, theme: Theme) -> None:
    f.wall("door")
    keep_clear = [_doorway(o) for o in f.objects]
    f.plan.taken += keep_clear
    for _ in range(int(f.rng.integers(1, 3))):
        f.wall("window", y=0.95)
    for group in theme.groups:
        _GROUPS[group](f)
    for kind in theme.singles:
        f.wall(kind)
    for _ in range(f.level.extras):
        if f.rng.random() < 0.6:
            f.wall(_AT_WALL[f.rng.integers(len(_AT_WALL))])
        else:
            f.free(_FREE[f.rng.integers(len(_FREE))])
    for _ in range(f.level.tops):
        f.on_top(_TOPS[f.rng.integers(len(_TOPS))])
    for kind, y in (("painting", 1.35), ("painting", 1.35), ("clock", 1.75), ("radiator", 0.14)):
        if f.rng.random() < 0.7:
            f.wall(kind, y=y, margin=0.1)


def _doorway(door: SyntheticObject) -> Footprint:
    """The floor before a door stays free."""
    return _near(door, np.array([0.0, 0.0, 0.45]), (0.45, 0.42), (0.0, 2.0))


def _near(
    thing: SyntheticObject, local: Array, half: tuple[float, float], heights: tuple[float, float], turn: float = 0.0
) -> Footprint:
    """A footprint around the point ``local`` (3,) in a thing's own frame, turned as it is and by ``turn`` degrees."""
    pose = thing.world_from_object
    x, _, z = pose[:3, :3] @ local + pose[:3, 3]
    yaw = float(np.degrees(np.arctan2(pose[0, 2], pose[2, 2]))) + turn
    return Footprint(float(x), float(z), yaw, half, *heights)


def _shell(corners: Array, height: float, style: Style) -> Shell:
    rng = style.rng
    floor: tuple[tuple[Pattern, tuple[Colour, Colour]], ...] = (
        (Pattern.PLANKS, WOODS[0]),
        (Pattern.PLANKS, WOODS[1]),
        (Pattern.PLANKS, WOODS[3]),
        (Pattern.TILES, ((0.55, 0.50, 0.44), (0.36, 0.32, 0.28))),
        (Pattern.FABRIC, CLOTHS[-1]),
    )
    pattern, colours = floor[rng.integers(len(floor))]
    accent_pattern, accent = _ACCENTS[rng.integers(len(_ACCENTS))]
    return Shell(
        corners,
        height,
        style.finish(pattern, colours),
        style.finish(Pattern.PLASTER, _WALL_COLOURS[rng.integers(len(_WALL_COLOURS))]),
        style.finish(accent_pattern, accent),
        style.finish(Pattern.PLASTER, _CEILING),
    )
