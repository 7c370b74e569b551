"""Point clouds without pictures: PLY files, and rows of six 32-bit floats x y z r g b as detection data sets have them.

Such a memory has no cameras: questions about views have no answer in it, and nothing says whether lengths are metres
(``placecell scale`` does). Does not know where a cloud came from.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from placecell.errors import UserError
from placecell.geometry.cloud import Cloud
from placecell.memory.interchange.ply import read_ply
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import Scale
from placecell.progress import OnProgress, silent

SUFFIXES = (".ply", ".bin")
_ROW = 6
_COARSE = 1e-5  # of the extent; float32 is finer unless the origin is far away


class Clouds:
    """The reconstructor of files that are nothing but points."""

    name = "cloud"

    def reconstruct(
        self,
        sources: Sequence[Path],
        *,
        frames: int | None = None,
        strict: bool = False,
        progress: OnProgress = silent,
    ) -> Reconstruction:
        """As ``ports.Reconstructor``; one file, without frames, so that nothing can be skipped."""
        if len(sources) != 1:
            raise UserError(f"{len(sources)} sources given, a point cloud is one file")
        source = sources[0]
        if frames is not None:
            raise UserError(f"{source} is a point cloud: it has no frames to choose from", hint="leave out --frames")
        cloud = read_cloud(source)
        if not len(cloud):
            raise UserError(f"{source} holds no points")
        return Reconstruction(
            frames=(),
            scale=Scale(),
            backend=self.name,
            settings={"layout": source.suffix.lower().removeprefix(".")},
            points=cloud,
            notes=tuple(_coarse(cloud)),
        )


def is_cloud(source: Path) -> bool:
    """Whether a source is a file that this module reads, by its suffix."""
    return source.suffix.lower() in SUFFIXES and source.is_file()


def read_cloud(path: Path) -> Cloud:
    """The points of a file, in its own frame and unit. UserError when it is not what its suffix says."""
    if path.suffix.lower() == ".ply":
        return read_ply(path)
    if path.suffix.lower() == ".bin":
        return _read_rows(path)
    raise UserError(f"{path} is no point cloud", hint=f"known: {', '.join(SUFFIXES)}")


def _read_rows(path: Path) -> Cloud:
    """Such a file has no header, so it is believed only when every row can be a point and every colour a colour."""
    size = path.stat().st_size
    wrong = UserError(
        f"{path} does not consist of rows of 32-bit x y z r g b",
        hint="give a PLY file, or for a COLMAP model the folder of its workspace",
    )
    if not size or size % (4 * _ROW):
        raise wrong
    rows = np.fromfile(path, "<f4").reshape(-1, _ROW)
    colors = rows[:, 3:]
    if not np.isfinite(rows).all() or colors.min() < 0 or colors.max() > 255:
        raise wrong
    if colors.max() <= 1:
        colors = colors * 255
    elif not np.array_equal(colors, np.rint(colors)):
        raise wrong
    return Cloud.of_points(rows[:, :3], np.rint(colors).astype(np.uint8))


def _coarse(cloud: Cloud) -> list[str]:
    """A note when the origin is so far away (map coordinates) that 32 bits round the points visibly."""
    farthest = np.abs(cloud.points).max()
    step, extent = float(np.spacing(farthest)), float(np.ptp(cloud.points, axis=0).max())
    if step <= _COARSE * extent:
        return []
    return [f"WARNING: coordinates up to {farthest:g} are kept to {step:g} only; shift the cloud nearer to its origin"]
