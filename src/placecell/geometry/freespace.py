"""Which pixels of a video's depth maps show something that was not always there.

Knows z-depth maps of one size with pinhole cameras. Does not know objects.

A surface seen at one time contradicts a view of another time that looks through it: what it sees there lies clearly
behind. Such a surface has come or gone. A view that sees it confirms it; one that sees something in front says nothing.
"""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

from placecell.geometry.transforms import Array

Float32 = NDArray[np.float32]


def contradictions(
    depths: Float32, intrinsics: Array, world_from_cam: Array, others: NDArray[np.int64], tolerance: float
) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """For each pixel, how many of the other views look through its surface, and how many see it too.

    Args:
        depths: (N, h, w) z-depth, 0 unknown.
        intrinsics: (N, 4) fx, fy, cx, cy of that size. ``world_from_cam`` (N, 4, 4).
        others: (N, M) indices of the views each is compared with; a view's own index is skipped. M < 256.
        tolerance: relative depth difference within which two surfaces are the same.
    """
    cam_from_world = np.linalg.inv(world_from_cam)
    through = np.zeros(depths.shape, np.uint8)
    same = np.zeros(depths.shape, np.uint8)
    for i in range(len(depths)):
        _compare(i, depths, intrinsics, world_from_cam, cam_from_world, others, tolerance, through, same)
    return through, same


@nb.njit(cache=True, nogil=True)
def _compare(  # type: ignore[no-untyped-def]  # noqa: PLR0913
    i, depths, intrinsics, world_from_cam, cam_from_world, others, tolerance, through, same
):
    _, h, w = depths.shape
    fx, fy, cx, cy = intrinsics[i]
    for k in others[i]:
        if k == i:
            continue
        b = cam_from_world[k] @ world_from_cam[i]
        gx, gy, ox, oy = intrinsics[k]
        for r in range(h):
            for c in range(w):
                z = depths[i, r, c]
                if not z > 0:
                    continue
                x, y = (c + 0.5 - cx) / fx * z, (r + 0.5 - cy) / fy * z
                d = b[2, 0] * x + b[2, 1] * y + b[2, 2] * z + b[2, 3]
                if d <= 0:
                    continue
                u = int(np.floor((b[0, 0] * x + b[0, 1] * y + b[0, 2] * z + b[0, 3]) / d * gx + ox))
                v = int(np.floor((b[1, 0] * x + b[1, 1] * y + b[1, 2] * z + b[1, 3]) / d * gy + oy))
                if u < 1 or v < 1 or u > w - 2 or v > h - 2:
                    continue
                # The nearest of 3 x 3 pixels: at the edge of a surface nothing is looked through.
                nearest, seen = np.inf, False
                for rr in range(v - 1, v + 2):
                    for cc in range(u - 1, u + 2):
                        there = depths[k, rr, cc]
                        if there > 0:
                            nearest = min(nearest, there)
                            seen = seen or abs(there - d) <= tolerance * d
                if seen:
                    same[i, r, c] += 1
                elif nearest < np.inf and nearest > d * (1 + tolerance):
                    through[i, r, c] += 1


def spread_views(count: int, most: int) -> NDArray[np.int64]:
    """(N, M) for each of N moments others to compare with: near ones at growing distance, and some all over the video.

    A moment that would fall outside takes its mirror image inside.
    """
    if count < 2:
        return np.zeros((count, 0), np.int64)
    near = [round(1.8**k) + 1 for k in range(1, most)]
    near = [n for n in near if n < max(2, count // 3)][: most // 4]
    own = np.arange(count)[:, None]
    around = own + np.array([*near, *(-n for n in near)], np.int64)
    anywhere = (own + (np.arange(1, most - len(near) * 2 + 1) * count) // (most - len(near) * 2 + 1)) % count
    others = np.concatenate([around, anywhere], axis=1)
    others = np.where(others < 0, -others, others)
    return np.asarray(np.clip(np.where(others >= count, 2 * (count - 1) - others, others), 0, count - 1))
