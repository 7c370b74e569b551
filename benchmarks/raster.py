"""Time of a picture of points, beside straightforward numpy: python benchmarks/raster.py [points] [width] [height].

The numpy way draws every point as a square of the same size as our splat, nearest last, one row and column offset at a
time: what a few lines of code do, with no sharpness, no holes closed and no index kept.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from placecell.geometry import transforms as tf
from placecell.geometry.camera import Camera
from placecell.geometry.raster import render

SPACING = 0.011


def room(count: int) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Points on the six faces of a room of 6 x 2.5 x 5 metres, in the order in which a scan would deliver them."""
    rng = np.random.default_rng(0)
    size = np.array([6.0, 2.5, 5.0])
    areas = np.array([size[1] * size[2], size[0] * size[2], size[0] * size[1]]).repeat(2)
    face = rng.choice(6, count, p=areas / areas.sum())
    points = rng.uniform(0, 1, (count, 3)) * size
    points[np.arange(count), face // 2] = (face % 2) * size[face // 2]
    order = np.lexsort((points[:, 2] // 0.2, points[:, 1] // 0.2, points[:, 0] // 0.2))
    return points[order].astype(np.float32), rng.integers(0, 256, (count, 3)).astype(np.uint8)


def numpy_picture(camera: Camera, points: NDArray[np.float32], colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The same view, painted from far to near."""
    pixels, depth, in_view = camera.project(points)
    ahead = np.flatnonzero(in_view)
    ahead = ahead[np.argsort(-depth[ahead], kind="stable")]
    u, v = pixels[ahead, 0].astype(int), pixels[ahead, 1].astype(int)
    radius = (0.71 * (SPACING * camera.K[0, 0] / depth[ahead] + 1)).astype(int)
    picture = np.full((camera.height, camera.width, 3), 211, np.uint8)
    nearest = np.full((camera.height, camera.width), np.inf, np.float32)
    for dv in range(-int(radius.max()), int(radius.max()) + 1):
        for du in range(-int(radius.max()), int(radius.max()) + 1):
            row, column = v + dv, u + du
            drawn = (max(abs(dv), abs(du)) <= radius) & (row >= 0) & (column >= 0)
            drawn &= (row < camera.height) & (column < camera.width)
            row, column, which = row[drawn], column[drawn], ahead[drawn]
            layer = np.full_like(nearest, np.inf)
            layer[row, column] = depth[which]
            colour = np.zeros_like(picture)
            colour[row, column] = colors[which]
            front = layer < nearest
            nearest[front], picture[front] = layer[front], colour[front]
    return picture


def best_of(repeats: int, draw: Callable[[], object]) -> float:
    """Milliseconds of the fastest call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        draw()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main() -> None:
    count, width, height = (int(a) for a in (*sys.argv[1:], *("1000000", "1024", "768")[len(sys.argv) - 1 :]))
    points, colors = room(count)
    camera = Camera.from_fov(70, width, height, tf.look_at([0.5, 1.6, 0.5], [5, 1, 4.5]))
    start = time.perf_counter()
    render(camera, points, colors, SPACING)
    print(f"first picture, compiling or loading kernels: {time.perf_counter() - start:.2f} s")
    ours = best_of(15, lambda: render(camera, points, colors, SPACING))
    bare = best_of(15, lambda: render(camera, points, colors, SPACING, gap=0))
    plain = best_of(2, lambda: numpy_picture(camera, points, colors))
    print(f"{count} points, {width} x {height}: {ours:.1f} ms ({bare:.1f} ms without closing holes)")
    print(f"straightforward numpy: {plain:.0f} ms, {plain / ours:.0f} times as long")
    pose = camera.world_from_cam
    change = best_of(2000, lambda: camera.posed(tf.turn(tf.level(pose), right=30, up=-10)))
    print(f"view change (level, turn, tilt, new camera): {1e3 * change:.0f} microseconds")


if __name__ == "__main__":
    main()
