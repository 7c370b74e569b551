"""What a capture with known cameras states about itself, the same for every layout on disk.

A layout reader (one file each beside this one) fills in a ``Capture``; it opens small text files only. ``reading``
turns a capture into a reconstruction. Nothing here is invented: what a layout does not state is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from placecell.backends.posed.depth import DepthCoding
from placecell.errors import UserError
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import Array, from_quat_wxyz, is_rigid, nearest_rotation, rigid
from placecell.media.names import natural_key
from placecell.media.sources import Skipped
from placecell.memory.scene import Scale

PHOTO_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".ppm", ".bmp", ".tif", ".tiff")
DEPTH_SUFFIXES = (".png", ".pgm", ".exr", ".tif", ".tiff", ".npy")
SENSOR = Scale("metric", "sensor", 0.01)
MILLIMETRES = 0.001


@dataclass(frozen=True)
class Lens:
    """A camera model by COLMAP's name and parameters, for pictures of ``width`` x ``height`` stored pixels."""

    model: str
    width: int
    height: int
    params: tuple[float, ...]

    @classmethod
    def pinhole(cls, K: ArrayLike, width: int = 0, height: int = 0, *, first_pixel: float = 0.0) -> Lens:
        """From a 3x3 matrix in pixels whose maker has the centre of the top-left pixel at ``first_pixel``.

        That is 0 for OpenCV, Open3D and ARKit (all depth captures here) and 0.5 for COLMAP, nerfstudio and us.
        """
        k, shift = np.asarray(K, dtype=np.float64), 0.5 - first_pixel
        return cls("PINHOLE", width, height, (k[0, 0], k[1, 1], k[0, 2] + shift, k[1, 2] + shift))

    @classmethod
    def of_angle(cls, angle_x: float) -> Lens:
        """Centred square pixels, ``angle_x`` radians from the left to the right edge of a photo of any size."""
        return cls(_ANGLE, 0, 0, (angle_x,))

    def fitted(self, width: int, height: int) -> Lens:
        """The lens for pictures of this size: the same one, or scaled. ValueError when they have another shape."""
        if self.model == _ANGLE:
            f = 0.5 * width / math.tan(self.params[0] / 2)
            return Lens("PINHOLE", width, height, (f, f, width / 2, height / 2))
        if self.width == 0:
            return replace(self, width=width, height=height)
        sx, sy = width / self.width, height / self.height
        if min(abs(height - self.height * sx), abs(width - self.width * sy)) > _ROUNDING:
            raise ValueError(f"the intrinsics are for {self.width} x {self.height}, the picture is {width} x {height}")
        scales = (math.sqrt(sx * sy), sx, sy) if self.model in _ONE_FOCAL else (sx, sy, sx, sy)
        params = [p * s for p, s in zip(self.params, scales, strict=False)] + list(self.params[len(scales) :])
        return Lens(self.model, width, height, tuple(params))


_ANGLE = "FIELD_OF_VIEW"  # no COLMAP model: becomes PINHOLE when the photo's size is known
_ROUNDING = 1.5  # pixels by which a resized side may be off its exact length
_ONE_FOCAL = ("SIMPLE_PINHOLE", "SIMPLE_RADIAL", "RADIAL", "SIMPLE_RADIAL_FISHEYE", "RADIAL_FISHEYE")


@dataclass(frozen=True, eq=False)
class Shot:
    """One photo. ``recon_from_cam`` has OpenCV axes and belongs to the stored pixels, as ``lens`` does.

    ``lens.width`` 0 means: for whatever size the photo has. ``depth_lens`` None: the photo's, scaled to the depth.
    """

    name: str
    photo: Path
    recon_from_cam: Array | None = None
    lens: Lens | None = None
    depth: Path | None = None
    depth_lens: Lens | None = None
    label: Path | None = None
    time_s: float | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Capture:
    """``up``: the recon frame's up where the layout defines one. ``coding``: the layout's; the values are checked too.

    ``label_names``: names the capture has for the ids of its own label images.
    """

    layout: str
    folder: Path
    shots: tuple[Shot, ...]
    scale: Scale
    coding: DepthCoding | None = None
    up: Array | None = None
    points: Cloud | None = None
    label_names: Mapping[int, str] = field(default_factory=dict)
    depth_sd: float = 0.01
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Layout:
    """A way to lay out a capture on disk. ``found`` looks at names only, quickly; ``read`` may raise UserError."""

    name: str
    what: str
    found: Callable[[Path], bool]
    read: Callable[[Path], Capture]


def read_text(path: Path) -> str:
    """The content of a text file. UserError names the file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read ({error})") from None


def read_numbers(path: Path, shape: tuple[int, ...]) -> Array:
    """A text file of numbers, in any spacing, commas allowed, as an array. UserError names the file."""
    return parse_numbers(read_text(path), shape, str(path))


def parse_numbers(text: str, shape: tuple[int, ...], where: str) -> Array:
    """As `read_numbers`, of text."""
    try:
        values = np.array(text.replace(",", " ").split(), dtype=np.float64)
    except ValueError:
        raise UserError(f"{where} holds something that is no number") from None
    if values.size != np.prod(shape):
        raise UserError(f"{where} has {values.size} numbers, expected {' x '.join(map(str, shape))}")
    return values.reshape(shape)


def pose_of(matrix: ArrayLike, where: str) -> Array | None:
    """A rigid (4, 4) pose from a file's matrix with rounding cleaned, or None where it says "no pose" (inf, NaN).

    UserError for a matrix that is no pose: scaled, mirrored or with another last row.
    """
    m = np.asarray(matrix, dtype=np.float64)
    if m.shape == (3, 4):
        m = np.vstack([m, [0, 0, 0, 1]])
    if not np.isfinite(m).all():
        return None
    cleaned = rigid(nearest_rotation(m[:3, :3]), m[:3, 3])
    if not is_rigid(m, tolerance=1e-2):
        determinant = float(np.linalg.det(m[:3, :3]))
        kind = "mirrored" if determinant < 0 else f"scaled by {np.cbrt(determinant):.3g}"
        what = kind if np.allclose(m[3], [0, 0, 0, 1]) and abs(determinant) > 1e-9 else "no rigid motion"
        raise UserError(
            f"the pose in {where} is {what}", hint="a pose is a rotation and a translation, last row 0 0 0 1"
        )
    return cleaned


def pose_of_quat(quat_xyzw: ArrayLike, translation: ArrayLike) -> Array | None:
    """The (4, 4) pose of a quaternion, scalar last, and a translation; None where they say "no pose" (inf, NaN, 0)."""
    quat = np.asarray(quat_xyzw, dtype=np.float64)
    if not (np.isfinite(quat).all() and np.isfinite(translation).all() and quat.any()):
        return None
    return from_quat_wxyz(np.roll(quat, 1), translation)


def read_K(path: Path) -> Array:
    """(3, 3) intrinsics from a text file of 9 or 16 numbers (the upper left of 4x4), or of 4 (fx fy cx cy)."""
    text = read_text(path)
    count = len(text.replace(",", " ").split())
    if count == 4:
        fx, fy, cx, cy = parse_numbers(text, (4,), str(path)).tolist()
        k = np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]])
    else:
        side = 4 if count == 16 else 3
        k = parse_numbers(text, (side, side), str(path))[:3, :3]
    if not (k[0, 0] > 0 and k[1, 1] > 0 and abs(k[2, 2] - 1) < 1e-6):
        raise UserError(f"{path} is no intrinsic matrix", hint="rows: fx 0 cx, 0 fy cy, 0 0 1, in pixels")
    return k


def stated_coding(folder: Path, default: float, reason: str) -> DepthCoding:
    """The layout's depth step, unless a file ``depth-scale.txt`` (steps a metre, one number) states another."""
    stated = folder / "depth-scale.txt"
    if stated.is_file():
        steps = float(read_numbers(stated, (1,))[0])
        if not steps > 0:
            raise UserError(f"{stated} says {steps:g} steps a metre", hint="write for example 1000 for millimetres")
        return DepthCoding(1 / steps, reason=f"stated in {stated.name}", stated=True)
    return DepthCoding(default, reason=reason)


def files_in(folder: Path, suffixes: tuple[str, ...]) -> list[Path]:
    """The files of a folder with one of the suffixes, in natural order."""
    return sorted((p for p in folder.iterdir() if p.suffix.lower() in suffixes), key=natural_key)


def with_suffix(stem: Path, suffixes: tuple[str, ...]) -> Path | None:
    """The file ``stem`` with the first of the suffixes that exists, in lower or upper case."""
    for suffix in suffixes:
        for spelled in (suffix, suffix.upper()):
            path = stem.with_name(stem.name + spelled)
            if path.is_file():
                return path
    return None
