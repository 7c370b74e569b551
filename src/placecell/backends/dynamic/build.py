"""Which way a memory with time is made of the sources: an RGB-D capture, a model's depth, or 2.5D."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from placecell.backends.dynamic.flat import build_flat
from placecell.backends.dynamic.masks import open_masks
from placecell.backends.dynamic.posed import build_posed
from placecell.backends.posed.layouts import find_capture
from placecell.errors import UserError
from placecell.media.sources import is_video
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import SpatialMemory
from placecell.memory.video import VideoSettings, assemble_video
from placecell.progress import OnProgress, silent

FLAT = "flat"
"""The reconstructor's name for 2.5D."""


def build_dynamic(  # noqa: PLR0913 - one name for each wish
    sources: Sequence[Path],
    *,
    reconstruct: Callable[[], Reconstruction] | None = None,
    frames: int | None = None,
    fps: float | None = None,
    labels: Path | None = None,
    objects: Sequence[str] = (),
    segmenter: str = "auto",
    strict: bool = False,
    settings: VideoSettings | None = None,
    progress: OnProgress = silent,
) -> SpatialMemory:
    """The memory with time of one capture or one video.

    ``reconstruct``: a model's cameras and depth of the video; without it a capture is read as it is, and a video
    becomes 2.5D. ``labels``: label images by frame of a capture. ``objects``: names to follow with the ``segmenter``.

    Raises:
        UserError: the sources are several, no video, or lack depth and poses.
    """
    if len(sources) != 1:
        raise UserError(f"{len(sources)} sources given; a memory with time is made of one capture or one video")
    source, settings = sources[0], settings or VideoSettings()
    masks = open_masks(objects, segmenter) if objects else None
    if source.is_dir():
        place = find_capture(source)
        if place is None:
            raise UserError(f"{source} holds no capture with poses", hint="give a video file, or an RGB-D capture")
        return build_posed(
            place,
            frames=frames,
            fps=fps,
            labels=labels,
            masks=masks,
            strict=strict,
            settings=settings,
            progress=progress,
        )
    if not is_video(source):
        raise UserError(f"{source} is no video", hint="a memory with time is made of a video or an RGB-D capture")
    if labels is not None:
        raise UserError("label images are read for captures, not for a video file", hint="name things with --objects")
    if reconstruct is None:
        return build_flat(source, frames=frames, masks=masks, settings=settings, progress=progress)
    made = reconstruct()
    proposals = None if masks is None else {f.number: found for f, found in masks.found_in(made.frames)}
    memory = assemble_video(made, proposals=proposals, settings=settings, sources=(source.name,), progress=progress)
    return memory if masks is None else masks.recorded(memory)
