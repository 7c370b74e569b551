"""One video file -> the frames to keep, upright, each with its own time and its own number in the video.

Sampling never renumbers: a frame's ``video_frame`` is its place in the whole video, counted from 1. Decoding itself is
in ``decoding``, the choice of frames in ``sampling``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from placecell.errors import UserError
from placecell.media.decoding import (
    HDR_TRANSFERS,
    Timeline,
    decode_frames,
    open_video,
    picture,
    read_timeline,
)
from placecell.media.frames import MediaError, MediaFrame, UInt8, area_resize, size_within
from placecell.media.limits import check_size
from placecell.media.names import printable
from placecell.media.sampling import Sampling, at_rate, choose, uniform
from placecell.media.sources import Skipped
from placecell.progress import OnProgress, Progress, silent

DEFAULT_FRAMES = 64


@dataclass(frozen=True, eq=False)
class VideoInfo:
    """What is known of a video after reading its packets and decoding one frame.

    ``width`` and ``height`` are upright, with square pixels; ``pixel_aspect`` is the width of a stored pixel over its
    height.
    """

    path: Path
    name: str
    width: int
    height: int
    pixel_aspect: float
    timeline: Timeline
    notes: tuple[str, ...] = ()

    @property
    def frames(self) -> int:
        return len(self.timeline)


@dataclass(frozen=True, eq=False)
class VideoSample:
    """Frames kept of a video, what was left out and why, and what a person should know."""

    info: VideoInfo
    frames: tuple[MediaFrame, ...]
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]


def probe(path: Path, *, name: str | None = None) -> VideoInfo:
    """Read a video's frame times and first pictures. MediaError (a UserError) when it is no usable video."""
    shown = printable(path.name) if name is None else name
    with open_video(path, shown) as (_, stream):
        aspect = float(stream.sample_aspect_ratio or 1) or 1.0
        size = (stream.codec_context.width, stream.codec_context.height)
    check_size(shown, *size)
    timeline = read_timeline(path, shown)
    for _, first in decode_frames(path, shown, timeline, range(len(timeline))):
        if not isinstance(first, str):
            break
    else:
        raise MediaError(shown, "none of its frames can be decoded")
    upright = picture(first, aspect)
    notes = list(timeline.notes)
    if first.color_trc in HDR_TRANSFERS:
        notes.append("high dynamic range, converted without tone mapping: colours look flat")
    if first.interlaced_frame:
        notes.append("interlaced: each picture mixes two moments")
    return VideoInfo(
        path=path,
        name=shown,
        width=upright.shape[1],
        height=upright.shape[0],
        pixel_aspect=aspect,
        timeline=timeline,
        notes=tuple(notes),
    )


def iter_frames(
    info: VideoInfo, indices: Iterable[int], *, longest_side: int | None = None
) -> Iterator[MediaFrame | Skipped]:
    """Decode the frames at these places (from 0, in time order), one at a time."""
    for index, decoded in decode_frames(info.path, info.name, info.timeline, indices):
        time_s = float(info.timeline.times_s[index])
        name = f"{info.name}@{time_s:.3f}s"
        if isinstance(decoded, str):
            yield Skipped(name, decoded)
            continue
        rgb = picture(decoded, info.pixel_aspect)
        original = (rgb.shape[1], rgb.shape[0])
        size = original if longest_side is None else size_within(*original, longest_side)
        yield MediaFrame(
            name=name,
            digest=_digest(rgb),
            rgb=area_resize(rgb, size),
            original_size=original,
            time_s=time_s,
            video_frame=index + 1,
        )


def sample_video(
    path: Path,
    *,
    frames: int = DEFAULT_FRAMES,
    fps: float | None = None,
    sampling: Sampling = "uniform",
    longest_side: int | None = None,
    name: str | None = None,
    strict: bool = False,
    on_progress: OnProgress = silent,
) -> VideoSample:
    """At most ``frames`` frames: evenly in time, "coverage" (most different) or "sharpest" (near each even slot).

    ``fps`` takes that many a second instead (still at most ``frames``, thinned evenly). A frame that cannot be decoded
    is skipped by name, or is a UserError under ``strict``. Asking for more frames than there are gives all of them.
    """
    info = probe(path, name=name)
    indices, skipped, notes = _choose(info, frames, fps, sampling)
    kept: list[MediaFrame] = []
    for done, item in enumerate(iter_frames(info, indices, longest_side=longest_side), start=1):
        if isinstance(item, MediaFrame):
            kept.append(item)
        else:
            skipped.append(item)
        if strict and skipped:
            raise UserError(f"{skipped[0].name}: {skipped[0].reason}", hint="repair the video, or leave out --strict")
        on_progress(Progress("reading video", done, len(indices), item.name))
    if not kept:
        raise MediaError(info.name, "none of the chosen frames can be decoded")
    return VideoSample(info, tuple(kept), tuple(skipped), (*info.notes, *notes))


def _choose(
    info: VideoInfo, frames: int, fps: float | None, sampling: Sampling
) -> tuple[list[int], list[Skipped], list[str]]:
    """Places of the frames to keep, what could not be looked at while choosing, and notes."""
    times, end = info.timeline.times_s, info.timeline.end_s
    if frames < 1:
        raise UserError(f"{frames} frames cannot be sampled", hint="ask for at least 1")
    if fps is not None:
        if sampling != "uniform":
            raise UserError(f"a frame rate leaves nothing to choose for {sampling!r} sampling", hint="give one of them")
        at = at_rate(times, end, fps)
        if len(at) <= frames:
            return at, [], []
        thinned = [at[i] for i in uniform(times[at], end, frames)]
        return thinned, [], [f"{fps:g} frames a second are {len(at)}, thinned to {frames}"]
    unreadable: list[str] = []

    def look(chosen: Sequence[int], longest_side: int) -> Iterator[tuple[int, UInt8]]:
        for index, decoded in decode_frames(info.path, info.name, info.timeline, chosen):
            if isinstance(decoded, str):
                unreadable.append(f"{times[index]:.3f} s: {decoded}")
            else:
                yield index, picture(decoded, info.pixel_aspect, longest_side)

    indices = choose(times, end, frames, sampling, look)
    skipped = [Skipped(info.name, f"{len(unreadable)} frames, the first at {unreadable[0]}")] if unreadable else []
    notes = [f"asked for {frames} frames, the video has {info.frames}: all are used"] if frames > info.frames else []
    return indices, skipped, notes


def _digest(rgb: UInt8) -> str:
    """SHA-256 of the pixels, with their shape."""
    content = hashlib.sha256(f"{rgb.shape[1]}x{rgb.shape[0]} RGB8 ".encode())
    content.update(np.ascontiguousarray(rgb).data)
    return content.hexdigest()
