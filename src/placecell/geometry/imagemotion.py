"""The camera's turn between two pictures from what most of the picture does, and where the picture moves otherwise.

Knows grey pictures of one size and a pinhole K. Without depth a small turn and a small step aside look the same; the
background's motion is taken for a turn (Hartley and Zisserman, Multiple View Geometry, 8.4: H = K R K^-1), and its
growth for a step ahead, in units of the distance of what is in the middle.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.transforms import Array, nearest_rotation

UInt8 = NDArray[np.uint8]

_CORNERS, _QUALITY, _APART = 400, 0.01, 7
_RANSAC_PIXELS = 1.5
_LEAST_POINTS = 12


@dataclass(frozen=True, eq=False)
class PictureMotion:
    """From one picture to the next. ``second_from_first`` (3, 3) maps pixels of the background.

    ``first_from_second`` (3, 3) is the camera's turn, ``ahead`` the step along its axis as a share of the distance;
    ``share``: of the followed corners, those that move with the background (0: nothing could be followed).
    """

    second_from_first: Array
    first_from_second: Array
    ahead: float
    share: float


def picture_motion(first: UInt8, second: UInt8, K: Array) -> PictureMotion:
    """The background's motion between grey (h, w) pictures: corners followed both ways, homography by RANSAC."""
    import cv2

    cv: Any = cv2  # its stubs know neither flow without a guess nor DIS
    still = PictureMotion(np.eye(3), np.eye(3), 0.0, 0.0)
    corners = cv2.goodFeaturesToTrack(first, _CORNERS, _QUALITY, _APART)
    if corners is None or len(corners) < _LEAST_POINTS:
        return still
    there, found, _ = cv.calcOpticalFlowPyrLK(first, second, corners, None)
    back, again, _ = cv.calcOpticalFlowPyrLK(second, first, there, None)
    same = np.linalg.norm((back - corners).reshape(-1, 2), axis=1) < 1.0
    good = (found.ravel() > 0) & (again.ravel() > 0) & same
    if good.sum() < _LEAST_POINTS:
        return still
    cv2.setRNGSeed(0)
    # OpenCV's corners have the first pixel's centre at (0, 0).
    a, b = corners.reshape(-1, 2)[good] + 0.5, there.reshape(-1, 2)[good] + 0.5
    H, inliers = cv2.findHomography(a, b, cv2.RANSAC, _RANSAC_PIXELS)
    if H is None:
        return still
    H = np.asarray(H, np.float64)
    turned = np.linalg.inv(K) @ H @ K
    turned /= np.cbrt(np.linalg.det(turned))
    grown = _growth(H, (first.shape[1] / 2, first.shape[0] / 2))
    return PictureMotion(H, nearest_rotation(turned).T, 1 - 1 / grown, float(inliers.mean()))


def _growth(H: Array, at: tuple[float, float]) -> float:
    """How much longer lengths in the picture get around a pixel."""
    x, y, w = H @ [*at, 1.0]
    jacobian = (H[:2, :2] - np.outer([x / w, y / w], H[2, :2])) / w
    return float(np.clip(np.sqrt(abs(np.linalg.det(jacobian))), 0.5, 2.0))


def other_motion(first: UInt8, second: UInt8, second_from_first: Array) -> tuple[NDArray[np.float32], float]:
    """(h, w, 2) flow in pixels that the background's motion leaves over, seen in ``second``, and its usual noise.

    Dense inverse search (Kroeger et al. 2016) between the second picture and the first one moved onto it.
    """
    import cv2

    h, w = second.shape
    shift = np.array([[1, 0, -0.5], [0, 1, -0.5], [0, 0, 1]])  # our pixel centres to OpenCV's
    homography = shift @ second_from_first @ np.linalg.inv(shift)
    moved = cv2.warpPerspective(first, homography, (w, h))
    inside = cv2.warpPerspective(np.full_like(first, 255), homography, (w, h))
    cv: Any = cv2
    flow = cv.DISOpticalFlow_create(cv.DISOPTICAL_FLOW_PRESET_FAST).calc(moved, second, None)
    flow[cv2.erode(inside, np.ones((9, 9), np.uint8)) < 255] = 0
    noise = float(np.median(np.linalg.norm(flow, axis=-1))) / 1.18  # of a Rayleigh distribution
    return np.asarray(flow, np.float32), noise
