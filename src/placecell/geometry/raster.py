"""A z-buffer renderer of point clouds: perspective and orthographic, on the CPU, deterministic.

Knows: which point is seen in each pixel, how gaps between the points of a surface close, and what stays unknown.
Does not know: drawing on pictures (lines, labels, boxes), files, or what the points are.

Every point is a splat as large as its distance to its neighbours appears from here, and the splat is a paraboloid: its
rim lies one spacing behind its middle. So on a surface each pixel goes to the nearest point, the picture stays sharp,
and what lies behind does not show through between the points. Then background seen through pinholes, and unknown gaps
no wider than a few spacings with one surface on both sides, take a point beside them. All else is unknown.

A picture is made by one thread, with the interpreter lock released, so pictures can be made side by side in threads.
There is no parallel loop and no reordering of sums: equal input gives equal bytes, whatever the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from placecell.geometry import holes, splats
from placecell.geometry.camera import Camera, OrthoCamera
from placecell.geometry.transforms import invert

UNKNOWN_COLOR = (211, 211, 211)


@dataclass(frozen=True, eq=False)
class Raster:
    """What is seen: ``rgb`` (H, W, 3) uint8, z-``depth`` (H, W) float32, ``index`` (H, W) int32 of the point shown.

    Where nothing is known: the background colour, depth 0, index -1.
    """

    rgb: NDArray[np.uint8]
    depth: NDArray[np.float32]
    index: NDArray[np.int32]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Mask (H, W) of the pixels that show a point."""
        return self.index >= 0


def render(
    camera: Camera | OrthoCamera,
    points: ArrayLike,
    colors: ArrayLike,
    spacing: float,
    *,
    near: float = 0.05,
    gap: float = 4.0,
    background: tuple[int, int, int] = UNKNOWN_COLOR,
) -> Raster:
    """Picture of points (N, 3), world, with colours (N, 3) uint8; of points at the same depth the earlier one is seen.

    ``spacing``: usual distance between neighbouring points of a surface, in world lengths (`cloud.typical_spacing`, or
    the voxel size of a fused cloud). ``near``: points closer than this z-depth are left out. ``gap``: unknown space of
    up to this many spacings is closed; 0 leaves the bare splats.
    """
    xyz = np.ascontiguousarray(points, dtype=np.float32).reshape(-1, 3)
    rgb = np.ascontiguousarray(colors, dtype=np.uint8).reshape(-1, 3)
    if rgb.shape != xyz.shape:
        raise ValueError(f"{len(xyz)} points need as many colours, got {len(rgb)}")
    if not (spacing > 0 and near > 0 and gap >= 0):
        raise ValueError(f"spacing and near must be positive and gap not negative, got {spacing}, {near}, {gap}")
    perspective = isinstance(camera, Camera)
    if isinstance(camera, Camera):
        lens = [camera.K[0, 0], camera.K[1, 1], camera.K[0, 2], camera.K[1, 2]]
    else:
        lens = [1 / camera.units_per_pixel, 1 / camera.units_per_pixel, camera.width / 2, camera.height / 2]
    pose = invert(camera.world_from_cam)[:3].astype(np.float32)
    view = splats.View(np.float32(spacing), np.float32(spacing * max(lens[0], lens[1])), perspective)
    size = (camera.height, camera.width)
    depth, index = splats.draw(xyz, pose, np.array(lens, np.float32), view, near, size)
    if gap > 0:
        depth, index = holes.cover_leaks(depth, index, view)
    holes.close_gaps(depth, index, view, gap)
    return Raster(holes.paint(index, rgb, np.array(background, np.uint8)), depth, index)
