"""Rigid transforms and views as plain float64 arrays, and every camera-convention conversion.

Knows: how 4x4 matrices named ``a_from_b`` compose, turn, step and level, and which axes other tools give a camera.
Does not know: images, intrinsics or files.

A point goes ``p_a = a_from_b @ p_b``. Cameras have OpenCV axes (+x right, +y down, +z forward). The functions that need
a vertical (heading, elevation, level, turn, step) are for an aligned world: right-handed, +y up.
All take leading batch axes unless they say otherwise. Angles are in degrees.
"""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

Array = NDArray[np.float64]

WORLD_UP: Array = np.array([0.0, 1.0, 0.0])
WORLD_UP.flags.writeable = False

# A viewing direction with a shorter horizontal part than this (1.1 degrees off the vertical) has no heading of its own.
_STEEP = 0.02

CameraAxes = Literal["opencv", "colmap", "rerun", "opengl", "nerfstudio", "arkit", "blender", "pytorch3d", "ros_body"]
_EYE3 = np.eye(3)
_LAST_ROW = np.array([0.0, 0.0, 0.0, 1.0])

_OPENCV = _EYE3
_OPENGL = np.diag([1.0, -1.0, -1.0])  # x right, y up, z backward
# opencv_from_other: columns are the other tool's x, y and z axes written in OpenCV axes.
CAMERA_AXES: dict[CameraAxes, Array] = {
    "opencv": _OPENCV,
    "colmap": _OPENCV,
    "rerun": _OPENCV,  # rerun's default ViewCoordinates of a Pinhole, RDF
    "opengl": _OPENGL,
    "nerfstudio": _OPENGL,
    "arkit": _OPENGL,
    "blender": _OPENGL,
    "pytorch3d": np.diag([-1.0, -1.0, 1.0]),  # x left, y up, z forward
    "ros_body": np.array([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]]),  # x forward, y left, z up
}

# Worlds with +z up (ScanNet, Blender, ROS) to ours with +y up: x stays, z becomes y.
Y_UP_FROM_Z_UP: Array = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
Y_UP_FROM_Z_UP.flags.writeable = False


def rigid(rotation: ArrayLike | Rotation | None = None, translation: ArrayLike | None = None) -> Array:
    """The (..., 4, 4) transform with this rotation (..., 3, 3) and translation (..., 3); either may be left out."""
    matrix = rotation.as_matrix() if isinstance(rotation, Rotation) else rotation
    r = np.eye(3) if matrix is None else np.asarray(matrix, dtype=np.float64)
    t = np.zeros(3) if translation is None else np.asarray(translation, dtype=np.float64)
    if r.shape[-2:] != (3, 3) or t.shape[-1:] != (3,):
        raise ValueError(f"rotation must be (..., 3, 3) and translation (..., 3), got {r.shape} and {t.shape}")
    shape = r.shape[:-2] if r.shape[:-2] == t.shape[:-1] else np.broadcast_shapes(r.shape[:-2], t.shape[:-1])
    out = np.zeros((*shape, 4, 4))
    out[..., :3, :3] = r
    out[..., :3, 3] = t
    out[..., 3, 3] = 1.0
    return out


def invert(a_from_b: ArrayLike) -> Array:
    """``b_from_a`` of rigid (..., 4, 4) transforms."""
    matrix = as_transforms(a_from_b)
    transposed = np.swapaxes(matrix[..., :3, :3], -1, -2)
    out = np.zeros_like(matrix)
    out[..., :3, :3] = transposed
    out[..., :3, 3] = -(transposed @ matrix[..., :3, 3, None])[..., 0]
    out[..., 3, 3] = 1.0
    return out


def compose(*transforms: ArrayLike) -> Array:
    """``compose(a_from_b, b_from_c)`` is ``a_from_c``; any number, batch axes broadcast."""
    out = np.eye(4)
    for transform in transforms:
        out = out @ as_transforms(transform)
    return out


def apply(a_from_b: ArrayLike, points_b: ArrayLike) -> NDArray[Any]:
    """Move points. One (4, 4) transform takes points (..., 3); a batch (..., 4, 4) takes points (..., N, 3).

    float32 points stay float32 (a cloud of millions should not double), everything else becomes float64.
    """
    matrix = as_transforms(a_from_b)
    moved = rotate(matrix, points_b)
    shift = matrix[..., :3, 3] if matrix.ndim == 2 else matrix[..., None, :3, 3]
    moved += shift.astype(moved.dtype, copy=False)
    return moved


def rotate(a_from_b: ArrayLike, vectors_b: ArrayLike) -> NDArray[Any]:
    """As `apply`, without the translation: for directions."""
    matrix, vectors = as_transforms(a_from_b), np.asarray(vectors_b)
    if vectors.shape[-1:] != (3,):
        raise ValueError(f"points must be (..., 3), got {vectors.shape}")
    dtype = np.float32 if vectors.dtype == np.float32 else np.float64
    b_from_a = np.swapaxes(matrix[..., :3, :3], -1, -2).astype(dtype, copy=False)
    rotated: NDArray[Any] = np.matmul(vectors.astype(dtype, copy=False), b_from_a)
    return rotated


def is_rigid(transform: ArrayLike, tolerance: float = 1e-6) -> bool:
    """Whether every (..., 4, 4) matrix is a rotation and a translation: orthonormal, right-handed, last row 0 0 0 1."""
    matrix = np.asarray(transform, dtype=np.float64)
    if matrix.shape[-2:] != (4, 4) or not np.isfinite(matrix).all():
        return False
    x, y, z = (matrix[..., :3, axis] for axis in range(3))
    expected_z = np.stack([x[..., i - 2] * y[..., i - 1] - x[..., i - 1] * y[..., i - 2] for i in range(3)], axis=-1)
    gram = np.swapaxes(matrix[..., :3, :3], -1, -2) @ matrix[..., :3, :3]
    off = np.abs(gram - _EYE3).max(initial=0.0), np.abs(z - expected_z).max(initial=0.0)
    return bool(max(*off, np.abs(matrix[..., 3, :] - _LAST_ROW).max(initial=0.0)) <= tolerance)


def nearest_rigid(matrix: ArrayLike, tolerance: float = 1e-2) -> Array:
    """The rigid transforms closest to (..., 4, 4) matrices that were rounded when written to a file.

    ValueError when an entry would move by more than ``tolerance``: that is another scale, a mirror or no pose at all.
    """
    given = as_transforms(matrix)
    if np.isfinite(given).all():
        cleaned = rigid(nearest_rotation(given[..., :3, :3]), given[..., :3, 3])
        if np.abs(cleaned - given).max(initial=0.0) <= tolerance:
            return cleaned
    raise ValueError("the matrix is not a rigid transform (rotation and translation, last row 0 0 0 1)")


def nearest_rotation(matrix: ArrayLike) -> Array:
    """The rotation closest to each (..., 3, 3) matrix in the Frobenius norm (orthogonal Procrustes, det +1)."""
    u, _, vt = np.linalg.svd(np.asarray(matrix, dtype=np.float64))
    flip = np.ones(u.shape[:-1])
    flip[..., 2] = np.sign(np.linalg.det(u @ vt))
    nearest: Array = (u * flip[..., None, :]) @ vt
    return nearest


def from_quat_wxyz(quat_wxyz: ArrayLike, translation: ArrayLike | None = None) -> Array:
    """Transform from quaternions (..., 4), scalar first and not necessarily of length 1; a zero one is a ValueError."""
    quat = np.asarray(quat_wxyz, dtype=np.float64)
    if quat.shape[-1:] != (4,):
        raise ValueError(f"quat_wxyz must be (..., 4), got {quat.shape}")
    flat = Rotation.from_quat(quat.reshape(-1, 4), scalar_first=True).as_matrix()
    return rigid(flat.reshape(*quat.shape[:-1], 3, 3), translation)


def to_quat_wxyz(a_from_b: ArrayLike) -> Array:
    """Unit quaternions (..., 4) of the rotation part, scalar first and not negative."""
    matrix = as_transforms(a_from_b)
    flat = Rotation.from_matrix(matrix[..., :3, :3].reshape(-1, 3, 3))
    return flat.as_quat(canonical=True, scalar_first=True).reshape(*matrix.shape[:-2], 4)


def yaw(degrees: float) -> Array:
    """``cam_from_turned`` (4, 4) about the camera's own vertical axis; positive turns right."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[c, 0.0, s, 0.0], [0.0, 1.0, 0.0, 0.0], [-s, 0.0, c, 0.0], [0.0, 0.0, 0.0, 1.0]])


def pitch(degrees: float) -> Array:
    """``cam_from_tilted`` (4, 4) about the camera's own horizontal axis; positive looks up."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return np.array([[1.0, 0.0, 0.0, 0.0], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]])


def turn(world_from_cam: ArrayLike, right: float = 0.0, up: float = 0.0) -> Array:
    """Turn on the spot: ``right`` degrees about world up, then ``up`` degrees about the camera's own x axis."""
    matrix = as_transforms(world_from_cam)
    # The world's y points up, the camera's down: a right turn has the opposite sign about the world's axis.
    out = yaw(-right) @ matrix
    out[..., :3, 3] = matrix[..., :3, 3]
    return out @ pitch(up) if up else out


def step(world_from_cam: ArrayLike, right: float = 0.0, up: float = 0.0, forward: float = 0.0) -> Array:
    """Walk without turning, in world lengths; right and forward are horizontal whatever the pitch, up is world up."""
    matrix = as_transforms(world_from_cam).copy()
    x, z = _heading_xz(matrix)
    matrix[..., 0, 3] += forward * x - right * z
    matrix[..., 1, 3] += up
    matrix[..., 2, 3] += forward * z + right * x
    return matrix


def look_at(eye: ArrayLike, target: ArrayLike, up: ArrayLike = WORLD_UP) -> Array:
    """``world_from_cam`` (4, 4) at ``eye`` with ``target`` in the picture's centre and ``up`` towards its top.

    When the view is along ``up``, the top of the picture is the world's -z (heading 0), or +x if ``up`` is along z.
    A target that is the eye itself is a ValueError.
    """
    origin = np.asarray(eye, dtype=np.float64)
    forward = np.asarray(target, dtype=np.float64) - origin
    distance = float(np.linalg.norm(forward))
    if not distance > 1e-12:
        raise ValueError(f"cannot look from {origin.tolist()} at the same point")
    forward = forward / distance
    upward = np.asarray(up, dtype=np.float64)
    right = _cross(forward, upward)
    if float(np.linalg.norm(right)) < 1e-6 * float(np.linalg.norm(upward)):
        top = np.array([0.0, 0.0, -1.0]) if abs(forward[2]) < 0.9 else np.array([1.0, 0.0, 0.0])
        right = _cross(forward, top)
    right /= np.linalg.norm(right)
    return rigid(np.stack([right, _cross(forward, right), forward], axis=-1), origin)


def heading(world_from_cam: ArrayLike) -> NDArray[np.float64]:
    """Compass angle (...) in degrees, in [-180, 180): 0 looks along -z, +90 along +x, so it grows turning right."""
    x, z = _heading_xz(as_transforms(world_from_cam))
    return wrap_degrees(np.degrees(np.arctan2(x, -z)))


def elevation(world_from_cam: ArrayLike) -> NDArray[np.float64]:
    """Angle (...) of the viewing direction above the horizon in degrees; positive looks up."""
    forward = as_transforms(world_from_cam)[..., :3, 2]
    return np.asarray(np.degrees(np.arctan2(forward[..., 1], np.hypot(forward[..., 0], forward[..., 2]))))


def level(world_from_cam: ArrayLike) -> Array:
    """The same place and heading without pitch and roll.

    Looking straight down (or up), the heading is where the top (or bottom) of the picture points: the direction the
    camera would look after being raised (or lowered) to the horizon.
    """
    matrix = as_transforms(world_from_cam)
    x, z = _heading_xz(matrix)
    out = np.zeros_like(matrix)
    out[..., 0, 0], out[..., 2, 0] = -z, x
    out[..., 1, 1] = -1.0
    out[..., 0, 2], out[..., 2, 2] = x, z
    out[..., :3, 3] = matrix[..., :3, 3]
    out[..., 3, 3] = 1.0
    return out


def wrap_degrees(angle: ArrayLike) -> NDArray[np.float64]:
    """The same angle in [-180, 180)."""
    return np.asarray((np.asarray(angle, dtype=np.float64) + 180.0) % 360.0 - 180.0)


def rotation_angle(a_from_b: ArrayLike) -> NDArray[np.float64]:
    """Angle (...) in degrees, 0 to 180, by which the rotation part turns."""
    r = as_transforms(a_from_b)[..., :3, :3]
    axis = np.stack([r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], axis=-1)
    # arctan2 keeps the digits near 0 and 180 degrees that arccos loses.
    cosine = np.trace(r, axis1=-2, axis2=-1) - 1.0
    return np.asarray(np.degrees(np.arctan2(np.linalg.norm(axis, axis=-1), cosine)))


def convert_camera(world_from_cam: ArrayLike, source: CameraAxes, target: CameraAxes = "opencv") -> Array:
    """The same camera, with its axes named as ``target`` does instead of as ``source`` does. The world stays."""
    for name in (source, target):
        if name not in CAMERA_AXES:
            raise ValueError(f"unknown camera axes {name!r}, expected one of {', '.join(get_args(CameraAxes))}")
    source_from_target = CAMERA_AXES[source].T @ CAMERA_AXES[target]
    return as_transforms(world_from_cam) @ rigid(source_from_target)


def as_transforms(value: ArrayLike) -> Array:
    """The value as float64 (..., 4, 4); ValueError for another shape."""
    matrix = np.asarray(value, dtype=np.float64)
    if matrix.shape[-2:] != (4, 4):
        raise ValueError(f"a transform must be (..., 4, 4), got {matrix.shape}")
    return matrix


def _heading_xz(matrix: Array) -> tuple[Array, Array]:
    """x and z (...) of the unit horizontal viewing direction; in a vertical view, of the picture's top or bottom."""
    x, z = matrix[..., 0, 2], matrix[..., 2, 2]
    length = np.hypot(x, z)
    steep = length < _STEEP
    if steep.any():
        sign = np.sign(matrix[..., 1, 2])
        x = np.where(steep, sign * matrix[..., 0, 1], x)
        z = np.where(steep, sign * matrix[..., 2, 1], z)
        length = np.hypot(x, z)
    return x / length, z / length


def _cross(a: Array, b: Array) -> Array:
    """Cross product of two single vectors; np.cross spends 25 microseconds on the general case."""
    ax, ay, az = a.tolist()
    bx, by, bz = b.tolist()
    return np.array([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx])
