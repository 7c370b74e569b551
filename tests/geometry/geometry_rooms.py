"""Points on the surfaces of simple rooms, cameras that walk in them, and the real kitchen."""

from pathlib import Path

import cv2
import numpy as np
from scipy.spatial.transform import Rotation

from placecell.geometry import transforms as tf
from placecell.geometry.camera import Camera


def surface(low, high, per_square, rng):
    """Points on an axis-aligned rectangle: one of its three sides has no length."""
    low, high = np.array(low, float), np.array(high, float)
    sides = np.sort(high - low)[1:]
    return rng.uniform(low, high, (max(1, int(per_square * sides.prod())), 3))


def block(low, high, per_square, rng):
    """The five faces of a box that are seen when it stands on something."""
    faces = []
    for axis, end in ((0, 0), (0, 1), (1, 1), (2, 0), (2, 1)):
        a, b = np.array(low, float), np.array(high, float)
        (b if end == 0 else a)[axis] = (a if end == 0 else b)[axis]
        faces.append(surface(a, b, per_square, rng))
    return np.concatenate(faces)


def room(*parts, per_square=1500, noise=0.005, seed=0):
    """Points of a room of 5 x 2.6 x 4 metres in an upright world, floor at 0, walls along x and z."""
    rng = np.random.default_rng(seed)
    faces = {
        "floor": lambda: surface([0, 0, 0], [5, 0, 4], per_square, rng),
        "ceiling": lambda: surface([0, 2.6, 0], [5, 2.6, 4], per_square, rng),
        "walls": lambda: np.concatenate(
            [
                surface([0, 0, 0], [0, 2.6, 4], per_square, rng),
                surface([0, 0, 0], [5, 2.6, 0], per_square, rng),
                surface([5, 0, 0], [5, 2.6, 4], per_square, rng),
            ]
        ),
        "one wall": lambda: surface([0, 0, 0], [5, 2.6, 0], per_square, rng),
        "table": lambda: block([1.5, 0.7, 1.2], [3.5, 0.75, 2.4], per_square, rng),
        "mugs": lambda: np.concatenate(
            [
                block([x, 0.75, z], [x + 0.1, 0.87, z + 0.08], 20_000, rng)
                for x, z in ((1.8, 1.5), (2.6, 2.0), (3.1, 1.4))
            ]
        ),
        "clutter": lambda: np.concatenate(
            [
                tf.apply(tf.rigid(Rotation.random(rng=rng), rng.uniform([0.5, 0, 0.5], [4.5, 1.5, 3.5])), cube)
                for cube in [block([-0.2] * 3, [0.2] * 3, 1000, rng) for _ in range(25)]
            ]
        ),
    }
    points = np.concatenate([faces[part]() for part in parts])
    return points + rng.normal(0, noise, points.shape)


def walk(count=12, down=20.0, roll=2.0, seed=0):
    """Poses of a hand-held camera that walks round a room and looks down a little."""
    rng = np.random.default_rng(seed)
    poses = []
    for i in range(count):
        pose = tf.level(tf.rigid(None, [2.5 + np.cos(i), 1.5, 2 + np.sin(i)]))
        pose = tf.turn(pose, right=360 * i / count, up=-down + rng.normal(0, 5))
        poses.append(pose @ tf.rigid(Rotation.from_euler("z", rng.normal(0, roll), degrees=True)))
    return np.array(poses)


def kitchen(folder: Path, step=1):
    """(rgb, z-depth in metres with 0 unknown, camera) of every ``step``-th frame of the 7-Scenes kitchen."""
    K = np.loadtxt(folder / "camera-intrinsics.txt")
    for colour in sorted(folder.glob("*.color.jpg"))[::step]:
        rgb = cv2.imread(str(colour))[..., ::-1]
        depth = cv2.imread(str(colour).replace("color.jpg", "depth.png"), cv2.IMREAD_UNCHANGED)
        z = np.where(depth == 65535, 0, depth).astype(np.float32) / 1000
        pose = tf.nearest_rigid(np.loadtxt(str(colour).replace("color.jpg", "pose.txt")))
        yield np.ascontiguousarray(rgb), z, Camera(K, z.shape[1], z.shape[0], pose)
