"""What the viewer needs for large clouds: processor time to open, choose and click, a frame in a headless browser.

python benchmarks/viewer.py 1 5 10     (millions of points; needs chromium; WebGL is drawn in software)
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np

from placecell.apps.viewer.detail import chosen, detail_of
from placecell.apps.viewer.server import Viewer
from placecell.apps.viewer.session import Session
from placecell.engine.derived import derived
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.picking import first_point
from placecell.geometry.transforms import look_at
from placecell.memory.scene import Alignment, Provenance, Scale, SpatialMemory

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "apps"))
from browser import Browser

T = TypeVar("T")


def hall(count: int) -> SpatialMemory:
    """The floor and two walls of a hall of 30 x 20 x 8 m, ``count`` points spread evenly, bricks in colour."""
    rng = np.random.default_rng(0)
    u, v = rng.uniform(size=(2, count)).astype(np.float32)
    side = rng.integers(0, 3, count)
    points = np.empty((count, 3), np.float32)
    points[:] = np.stack([30 * u, np.zeros_like(u), 20 * v], axis=1)
    points[side == 1] = np.stack([30 * u, 8 * v, np.zeros_like(u)], axis=1)[side == 1]
    points[side == 2] = np.stack([np.zeros_like(u), 8 * v, 20 * u], axis=1)[side == 2]
    brick = ((points / 0.5).astype(int).sum(axis=1) % 3).astype(np.uint8)
    colors = np.stack([120 + 40 * brick, 90 + 30 * brick, 80 + 20 * brick], axis=1).astype(np.uint8)
    return SpatialMemory(
        frames=(),
        cloud=Cloud.of_points(points, colors),
        scale=Scale("metric", "synthetic", 0.0),
        alignment=Alignment(np.eye(4), "made so", 0.0),
        provenance=Provenance(backend="synthetic", placecell=""),
    )


def seconds(action: Callable[..., T], *arguments: object) -> tuple[T, float]:
    """What ``action`` returns for the arguments, and how many seconds of processor time it took."""
    start = time.process_time()
    return action(*arguments), time.process_time() - start


def main() -> None:
    for millions in map(float, sys.argv[1:] or ["1", "5", "10"]):
        memory = hall(int(millions * 1e6))
        spacing, to_space = seconds(lambda m: derived(m).spacing, memory)
        points = memory.cloud.points
        detail, to_detail = seconds(detail_of, points, spacing)
        camera = Camera.from_fov(70, 1280, 800, look_at([20, 4, 16], [5, 1, 3]))
        drawn, to_choose = seconds(chosen, detail, camera, 1_000_000)
        first_point(points[:1000], [20, 4, 16], [-15, -3, -13], 0.5)  # compile
        _, to_pick = seconds(first_point, points, [20, 4, 16], [-15, -3, -13], 0.005, 0.01)
        print(
            f"{millions:g} M points: spacing {to_space:.1f} s, detail {to_detail:.1f} s, {len(detail.cubes)} cubes,"
            f" choice {1e3 * to_choose:.1f} ms for {len(drawn)} cubes, click {1e3 * to_pick:.0f} ms",
            flush=True,
        )
        viewer, to_open = seconds(lambda m: Viewer(Session(m)), memory)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            start = time.perf_counter()
            with Browser(viewer.url, Path(profile), size=(1280, 800), patience=240) as browser:
                browser.until(lambda v=viewer: v.drawn > 0, "the cloud")
                time.sleep(3)
                browser.drag(400, 400, 430, 400)
                shown = time.perf_counter() - start
                print(
                    f"    open {to_open:.1f} s, in the browser {shown:.0f} s, {viewer.drawn:,} points drawn,"
                    f" frame {browser.frame_ms():.0f} ms",
                    flush=True,
                )
                Path(tempfile.gettempdir(), f"viewer-{millions:g}.png").write_bytes(browser.picture())
        viewer.stop()


if __name__ == "__main__":
    main()
