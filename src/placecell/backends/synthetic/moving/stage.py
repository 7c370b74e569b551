"""Making up a moving scene from a seed: a stage, things to hide behind, one to five movers, a camera that may move.

Knows: what makes a scene unambiguous: movers keep apart, and keep in the picture at every frame. Does not know: pixels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.spatial.transform import Rotation

from placecell.backends.synthetic.furniture import CLOTHS, Style
from placecell.backends.synthetic.layout import outline
from placecell.backends.synthetic.moving.acts import DEEDS, Act, Deed
from placecell.backends.synthetic.moving.bodies import MOVERS, PROPS
from placecell.backends.synthetic.moving.scene import Mover, MovingScene
from placecell.backends.synthetic.scene import Shell, SyntheticObject
from placecell.backends.synthetic.shapes import Pattern
from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import Array, look_at, rigid, step, turn

FRAMES = 24
EVERY_S = 0.2
FOV_X = 62.0
CAMERAS = (
    "static", "shake", "pan left", "pan right", "walk forward", "walk backward", "walk left", "walk right",
    "tilt up", "tilt down", "roll clockwise", "roll counterclockwise",
)  # fmt: skip
"""Ways the camera may move; scenes made up without a wish use the first eight."""
_WISHED = CAMERAS[:8]
_EYE, _AIM = (0.0, 2.5, 6.0), (0.0, 0.2, -1.2)
_REGION = np.array([[-4.5, -5.0], [4.5, 3.2]])  # (x, z) where movers may be
_APART_M = 1.5  # between the middles of two movers
_CLEAR_M = 1.0  # between the middles of a mover and a prop
_MARGIN = 0.06  # of the picture, that the middle of a mover keeps from its edges
_MOVER_TRIES, _PLACE_TRIES = 12, 200
_SHARES: Mapping[Deed, float] = {
    "still": 0.14, "go": 0.26, "back up": 0.14, "to and fro": 0.14, "turn": 0.14, "spin": 0.12, "circle": 0.06,
}  # fmt: skip
_FRONTLESS: tuple[Deed, ...] = ("still", "go", "to and fro")


def make_scene(
    seed: int, *, camera: str | None = None, movers: int | None = None, frames: int = FRAMES, every_s: float = EVERY_S
) -> MovingScene:
    """The scene of a seed: the same for the same arguments.

    Args:
        seed: any whole number from 0.
        camera: one of ``CAMERAS``; by chance when None.
        movers: 1 to 5; by chance when None. A crowded seed may get fewer than asked, never none.
        frames: how many pictures; 2 or more.
        every_s: seconds between them.

    Raises:
        UserError: an unknown camera, or a number out of range.
    """
    rng = np.random.default_rng([seed, 11])
    wish = _WISHED[rng.integers(len(_WISHED))]
    count = int(rng.integers(1, 6))
    camera = wish if camera is None else camera
    count = count if movers is None else movers
    if camera not in CAMERAS:
        raise UserError(f"unknown camera {camera!r} for a moving scene", hint=f"use one of {', '.join(CAMERAS)}")
    if not 1 <= count <= 5 or frames < 2:
        raise UserError(f"a moving scene has 1 to 5 movers and 2 or more frames, not {count} and {frames}")
    times = np.arange(frames, dtype=np.float64) * every_s
    poses = _camera_path(camera, times / times[-1], rng)
    style = Style(rng)
    floor = style.finish(Pattern.TILES, ((0.42, 0.42, 0.40), (0.34, 0.34, 0.33)))
    wall = style.finish(Pattern.BRICKS, CLOTHS[7])
    shell = Shell(outline(20.0, 18.0), 5.0, floor, wall, wall, None)
    props = _props(style)
    empty = MovingScene(seed, shell, props, (), times, poses, camera)
    return MovingScene(seed, shell, props, _movers(empty, count, style), times, poses, camera)


def _camera_path(act: str, passed: Array, rng: np.random.Generator) -> Array:
    first = look_at(_EYE, _AIM)
    amount = float(rng.uniform(0.8, 1.2))
    how = _PATHS[act.split()[0]]
    return np.array([how(first, act, share * amount, rng) for share in passed])


def _pan(first: Array, act: str, share: float, rng: np.random.Generator) -> Array:
    sign = 1 if act.endswith("right") else -1
    return turn(first, right=sign * 26.0 * (share - 0.5))


def _tilt(first: Array, act: str, share: float, rng: np.random.Generator) -> Array:
    return turn(first, up=(1 if act.endswith("up") else -1) * 14.0 * (share - 0.5))


def _roll(first: Array, act: str, share: float, rng: np.random.Generator) -> Array:
    angle = np.radians((1 if act.endswith(" clockwise") else -1) * 25.0 * share)
    return np.asarray(first @ rigid(Rotation.from_rotvec([0, 0, angle])))  # +z is ahead: a right-hand turn is clockwise


def _walk(first: Array, act: str, share: float, rng: np.random.Generator) -> Array:
    way = act.split()[1]
    sign = -1 if way in ("backward", "left") else 1
    bob = 0.015 * np.sin(share * 25)
    if way in ("forward", "backward"):
        return step(first, forward=sign * 1.6 * share, up=bob)
    return step(first, right=sign * 1.5 * (share - 0.5), up=bob)


def _shake(first: Array, act: str, share: float, rng: np.random.Generator) -> Array:
    jolt = rigid(Rotation.from_rotvec(np.radians(rng.normal(0, 0.9, 3))), rng.normal(0, 0.02, 3))
    return np.asarray(first @ jolt)


_PATHS: Mapping[str, Callable[[Array, str, float, np.random.Generator], Array]] = {
    "static": lambda first, act, share, rng: first,
    "shake": _shake,
    "pan": _pan,
    "tilt": _tilt,
    "roll": _roll,
    "walk": _walk,
}


def _props(style: Style) -> tuple[SyntheticObject, ...]:
    """One of each kind: the pillar in front, where movers pass behind it, the others at the sides and the back."""
    rng = style.rng
    side = rng.choice([-1.0, 1.0])
    places = {
        "pillar": (side * rng.uniform(0.4, 1.2), rng.uniform(2.4, 3.0)),
        "crate": (-side * rng.uniform(3.6, 4.4), rng.uniform(-3.5, -1.5)),
        "barrel": (side * rng.uniform(3.0, 4.2), rng.uniform(-6.0, -5.0)),
    }
    props = []
    for number, (name, (x, z)) in enumerate(places.items(), start=1):
        piece = PROPS[name](style)
        props.append(SyntheticObject(number, name, rigid(None, (x, 0.0, z)), piece.parts, False, "floor"))
    return tuple(props)


def _movers(scene: MovingScene, count: int, style: Style) -> tuple[Mover, ...]:
    rng = style.rng
    camera = Camera.from_fov(FOV_X, 160, 120)
    kinds = list(MOVERS)
    main = kinds[rng.integers(len(kinds))]
    # In half of the scenes a kind comes several times, so that there is something to count.
    again = 0.6 if rng.random() < 0.5 else 0.0
    found: list[Mover] = []
    for _ in range(_MOVER_TRIES):
        if len(found) == count:
            break
        taken = {mover.name for mover in found}
        fresh = [kind for kind in kinds if kind not in taken]
        name = main if not found or rng.random() < again else fresh[rng.integers(len(fresh))]
        piece = MOVERS[name](style)
        weights = np.array([_SHARES[deed] * (piece.faces or deed in _FRONTLESS) for deed in DEEDS])
        deed = DEEDS[rng.choice(len(DEEDS), p=weights / weights.sum())]
        for _ in range(_PLACE_TRIES):
            act = _act(rng, deed)
            mover = Mover(len(scene.props) + len(found) + 1, name, piece.parts, piece.faces, act)
            if _fits(scene, camera, found, mover):
                found.append(mover)
                break
    return tuple(found)


def _act(rng: np.random.Generator, deed: Deed) -> Act:
    start = rng.uniform(*_REGION)
    heading = float(90 * rng.integers(4) + rng.uniform(-12, 12))
    place = (float(start[0]), float(start[1]))
    sign = float(rng.choice([-1, 1]))
    if deed == "to and fro":
        return Act(deed, place, heading, float(rng.uniform(1.2, 2.0)), legs=int(rng.integers(2, 4)))
    if deed == "turn":
        return Act(deed, place, heading, float(rng.uniform(2.8, 4.5)), sign * float(rng.uniform(75, 105)))
    if deed == "spin":
        return Act(deed, place, float(rng.uniform(-180, 180)), 0.0, sign * float(rng.uniform(270, 540)))
    if deed == "circle":
        return Act(deed, place, heading, float(rng.uniform(1.0, 1.5)), sign * float(rng.uniform(240, 330)))
    return Act(deed, place, heading, float(rng.uniform(1.5, 3.5)) if deed in ("go", "back up") else 0.0)


def _fits(scene: MovingScene, camera: Camera, others: list[Mover], mover: Mover) -> bool:
    """Whether it stays on the stage, in every picture, and away from everything else at every frame."""
    places, _ = mover.act.places(scene.passed)
    if (places < _REGION[0]).any() or (places > _REGION[1]).any():
        return False
    for prop in scene.props:
        if np.linalg.norm(places - prop.world_from_object[[0, 2], 3], axis=1).min() < _CLEAR_M:
            return False
    for other in others:
        if np.linalg.norm(places - other.act.places(scene.passed)[0], axis=1).min() < _APART_M:
            return False
    return _in_every_picture(scene.world_from_cam, camera, scene.centres(mover))


def _in_every_picture(world_from_cam: Array, camera: Camera, centres: Array) -> bool:
    """Whether centres (N, 3), one a frame, keep ``_MARGIN`` from the edges of their pictures."""
    x, y, z = np.einsum("nji,nj->in", world_from_cam[:, :3, :3], centres - world_from_cam[:, :3, 3])
    if (z < 0.5).any():
        return False
    u = (camera.K[0, 0] * x / z + camera.K[0, 2]) / camera.width
    v = (camera.K[1, 1] * y / z + camera.K[1, 2]) / camera.height
    return bool(np.minimum(np.minimum(u, 1 - u), np.minimum(v, 1 - v)).min() >= _MARGIN)
