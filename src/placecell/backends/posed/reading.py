"""From a capture to a reconstruction: every photo and depth file is decoded once, checked, and given its camera.

A damaged photo or depth file is named and left out, or an error under ``strict``. Numbers stay those of the whole
capture when only some frames are taken. Knows no layout.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.backends.posed.capture import Capture, Lens, Shot
from placecell.backends.posed.depth import DepthCoding, NoDepth, decode, looks_rotated, read_raw
from placecell.backends.posed.pixels import PixelWay, pixel_way
from placecell.errors import UserError
from placecell.media.frames import MediaError, MediaFrame
from placecell.media.photos import read_photo
from placecell.media.sampling import Sampling, choose
from placecell.media.sources import Skipped
from placecell.memory.consistency import CrossCheck
from placecell.memory.pictures import ComputedPicture, PhotoPicture
from placecell.memory.ports import FrameLabels, Labels, NamedBox, Reconstruction
from placecell.memory.scene import DepthMap, Frame
from placecell.progress import OnProgress, Progress, silent

MOST_FRAMES = 300
"""Without a wish for a number of frames, a longer capture is thinned to this many, evenly."""
_THREADS = 2
_SQUARE, _OFF_CENTRE = (0.9, 1.1), 0.2
_ROTATED_UNITS = (1 / 1000, 1 / 10000)


@dataclass(frozen=True, eq=False)
class Given:
    """What the user adds to a capture: label images or boxes, read by ``labels``."""

    labels: Labels | None = None
    boxes: tuple[NamedBox, ...] = ()
    vocabulary: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class OpenShot:
    """A shot whose files were decoded: the photo's facts, the way of its pixels, and its stored depth values."""

    number: int
    shot: Shot
    digest: str
    stored_size: tuple[int, int]
    way: PixelWay | None
    depth: NDArray[Any] | None
    notes: tuple[str, ...]

    @property
    def size(self) -> tuple[int, int]:
        """(width, height) of the frame."""
        turned = self.way is not None and self.way.turns % 2
        return self.stored_size[::-1] if turned else self.stored_size


def open_shots(
    capture: Capture,
    *,
    frames: int | None,
    sampling: Sampling = "uniform",
    strict: bool = False,
    progress: OnProgress = silent,
) -> tuple[list[OpenShot], list[Skipped], list[str]]:
    """Decode the chosen shots: those that can be used, what is left out, and notes on the choice."""
    chosen, notes = _choose(capture, frames, sampling)
    opened: list[OpenShot] = []
    skipped: list[Skipped] = []
    for done, (shot, damaged) in enumerate(open_in_order(capture, chosen, strict=strict), 1):
        skipped += damaged
        opened += [shot] if shot else []
        progress(Progress("reading the capture", done, len(chosen), capture.shots[chosen[done - 1]].name))
    if not opened:
        first = f"{skipped[0].name}: {skipped[0].reason}" if skipped else "it names no photo"
        raise UserError(f"no photo of {capture.folder} can be used; {first}")
    return opened, skipped, notes


def open_in_order(
    capture: Capture, indices: Sequence[int], *, strict: bool = False
) -> Iterator[tuple[OpenShot | None, list[Skipped]]]:
    """Decode the shots with these indices (from 0), in order; None for one that cannot be used, with what is wrong.

    UserError under ``strict`` for the first damaged file.
    """
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="capture") as pool:
        for shot, damaged in pool.map(lambda i: _open(i + 1, capture.shots[i]), indices):
            if damaged and strict:
                raise UserError(f"{damaged[0].name}: {damaged[0].reason}", hint="repair it, or leave out --strict")
            yield shot, damaged


def settled_coding(capture: Capture, indices: Sequence[int]) -> DepthCoding | None:
    """How the depth images are coded, seen from a few shots."""
    return _settle(capture, [shot for shot, _ in open_in_order(capture, indices) if shot is not None])


def reconstruct(
    capture: Capture,
    opened: Sequence[OpenShot],
    given: Given,
    skipped: Sequence[Skipped] = (),
    notes: Sequence[str] = (),
) -> Reconstruction:
    """The reconstruction of opened shots, in the capture's own frame. UserError when no photo has a camera."""
    if not any(o.way is not None and o.shot.recon_from_cam is not None for o in opened):
        reasons = [note for o in opened for note in o.notes]
        raise UserError(f"no photo of {capture.folder} has a camera; {reasons[0] if reasons else 'no poses are given'}")
    coding = _settle(capture, opened)
    frames = tuple(frame_of(shot, coding) for shot in opened)
    with_depth = [frame for frame in frames if frame.depth is not None]
    notes = [*capture.notes, *notes, *given.notes, *_odd_lenses(frames)]
    settings: dict[str, object] = {"layout": capture.layout, "frames": len(frames)}
    if with_depth and coding:
        settings["depth_coding"] = coding.text
        notes.append(f"depth: {coding.text}")
        notes += _odd_depth(with_depth, capture.scale.metric)
    return Reconstruction(
        frames=frames,
        scale=capture.scale,
        backend="posed",
        settings=settings,
        points=capture.points,
        up=capture.up,
        labels=given.labels,
        boxes=given.boxes,
        vocabulary=given.vocabulary,
        skipped=(*capture.skipped, *skipped),
        notes=tuple(notes),
        depth_sd=capture.depth_sd,
    )


def _choose(capture: Capture, frames: int | None, sampling: Sampling) -> tuple[list[int], list[str]]:
    """Indices of the shots to take. Unplaced photos are only taken when all are."""
    placed = [i for i, shot in enumerate(capture.shots) if shot.recon_from_cam is not None and shot.lens is not None]
    limit = MOST_FRAMES if frames is None else frames
    if len(capture.shots) <= limit or not placed:
        return list(range(len(capture.shots)))[:limit], []

    def look(indices: Sequence[int], longest_side: int) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        for index in indices:
            photo = capture.shots[placed[index]].photo
            try:
                yield index, read_photo(photo, longest_side=longest_side).rgb
            except MediaError:  # said when the photo would be used
                continue

    order = np.arange(len(placed), dtype=np.float64)
    taken = [placed[i] for i in choose(order, float(len(placed)), limit, sampling, look)]
    asked = "" if frames is not None else " (ask for another number with --frames)"
    return taken, [f"{len(taken)} of {len(capture.shots)} photos used, {sampling}; numbers are those of all{asked}"]


def _open(number: int, shot: Shot) -> tuple[OpenShot | None, list[Skipped]]:
    try:
        stored = read_photo(shot.photo, name=shot.name, upright=False)
    except MediaError as error:
        return None, [Skipped(error.name, error.reason)]
    notes = [*shot.notes, *stored.notes]
    damaged: list[Skipped] = []
    way = _way(shot, stored, notes)
    depth = None
    if shot.depth is not None:
        try:
            depth = read_raw(shot.depth, shot.depth.name)
        except NoDepth:
            raise
        except UserError as error:
            damaged.append(Skipped(shot.depth.name, error.message))
            notes.append("its depth image is damaged")
    size = (stored.width, stored.height)
    if (way is None or way.read_upright) and _orientation(stored) in (5, 6, 7, 8):
        size = size[::-1]
    return OpenShot(number, shot, stored.digest, size, way, depth, tuple(notes)), damaged


def _way(shot: Shot, stored: MediaFrame, notes: list[str]) -> PixelWay | None:
    if shot.lens is None:
        return None
    try:
        way = pixel_way(shot.lens, (stored.width, stored.height), _orientation(stored))
    except ValueError as error:
        notes.append(f"not placed: {error}")
        return None
    notes += way.notes
    return way


def _orientation(stored: MediaFrame) -> int:
    return stored.facts.orientation if stored.facts else 1


def _settle(capture: Capture, opened: Sequence[OpenShot]) -> DepthCoding | None:
    """The layout's coding, unless the values show that they are bit-rotated; then the views decide on the step."""
    raws = [o.depth for o in opened if o.depth is not None]
    coding = capture.coding
    if not raws or coding is None:
        return coding
    few = raws[:: max(1, len(raws) // 4)]
    if coding.rotated or not looks_rotated(few):
        return coding
    if coding.stated:
        return replace(coding, rotated=True)
    options = [DepthCoding(unit, rotated=True) for unit in _ROTATED_UNITS]
    confirmed = [CrossCheck(_depth_maps(opened, option)).agreement().confirmed for option in options]
    best = int(np.argmax(confirmed))
    if confirmed[best] < 2 * confirmed[1 - best] + 0.02:
        raise UserError(
            f"the depth values of {capture.folder} are bit-rotated, and its views do not tell their step",
            hint="state it in depth-scale.txt: 1000 steps a metre (SUN3D, SUN RGB-D) or 10000 (APC)",
        )
    reason = f"found from the values; with 1/{1 / _ROTATED_UNITS[1 - best]:g} the views do not agree"
    return replace(options[best], reason=reason)


def _depth_maps(opened: Sequence[OpenShot], coding: DepthCoding) -> list[DepthMap]:
    maps = (_depth(o, coding) for o in opened)
    return [m for m in maps if m is not None]


def frame_of(o: OpenShot, coding: DepthCoding | None) -> Frame:
    """The frame of an opened shot, in the capture's own frame of reference."""
    pose, way = o.shot.recon_from_cam, o.way
    picture: Any = PhotoPicture(o.shot.photo, o.shot.name, o.digest, upright=way is None or way.read_upright)
    if way is not None and way.changes:
        picture = ComputedPicture(picture, lambda rgb: way.apply(rgb, smooth=True))
    notes = (*o.notes, "lens distortion removed") if way is not None and way.distorted else o.notes
    width, height = o.size
    return Frame(
        number=o.number,
        name=o.shot.name,
        digest=o.digest,
        width=width,
        height=height,
        read_rgb=picture,
        camera=None if way is None or pose is None else way.camera(pose),
        depth=None if coding is None else _depth(o, coding),
        time_s=o.shot.time_s,
        original_size=(width, height),
        notes=notes,
    )


def _depth(o: OpenShot, coding: DepthCoding) -> DepthMap | None:
    """The depth map in the frame's orientation. UserError when it has another shape than the intrinsics."""
    pose, way = o.shot.recon_from_cam, o.way
    if o.depth is None or way is None or pose is None:
        return None
    size = (o.depth.shape[1], o.depth.shape[0])
    lens: Lens = o.shot.depth_lens or way.lens
    try:
        lens = lens.fitted(*size)
    except ValueError:
        raise UserError(
            f"the depth of {o.shot.name} is {size[0]} x {size[1]}, another shape than {lens.width} x {lens.height}",
            hint="give the depth camera's own intrinsics, or depth registered to the photo",
        ) from None
    z = way.apply(decode(o.depth, coding), smooth=False)
    return DepthMap(z, way.camera(pose, lens))


def _odd_lenses(frames: Sequence[Frame]) -> list[str]:
    """A warning for intrinsics that belong to another picture: pixels that are not square, a centre far off."""
    for frame in frames:
        if frame.camera is not None:
            (fx, _, cx), (_, fy, cy), _ = frame.camera.K.tolist()
            off = max(abs(cx / frame.width - 0.5), abs(cy / frame.height - 0.5))
            if not _SQUARE[0] <= fx / fy <= _SQUARE[1]:
                return [f"WARNING: fx is {fx / fy:.2f} times fy in {frame.name}; are the intrinsics for this size?"]
            if off > _OFF_CENTRE:
                return [f"WARNING: the optical centre of {frame.name} is {off:.0%} of its size off the middle"]
    return []


def _odd_depth(frames: Sequence[Frame], metric: bool) -> list[str]:
    """A warning when the typical depth is no room's: a factor of 1000 between metres and millimetres shows here."""
    samples = [f.depth.z[::8, ::8] for f in frames if f.depth is not None]
    known = np.concatenate([s[s > 0] for s in samples])
    if len(known) == 0:
        return ["the depth images are empty: every pixel is unknown"]
    median = float(np.median(known))
    if metric and not 0.02 <= median <= 50:
        return [f"WARNING: the typical depth is {median:.3g} m, which is no room; is the depth scale right?"]
    return []


def frame_labels(o: OpenShot, ids: NDArray[np.int32]) -> FrameLabels:
    """A label image of the stored pixels as the frame has them. ValueError when it has another shape than the photo."""
    width, height = o.stored_size
    if ids.size == 0 or abs(ids.shape[1] / ids.shape[0] / (width / height) - 1) > 0.02:
        raise ValueError(f"{ids.shape[1]} x {ids.shape[0]} is another shape than the photo's {width} x {height}")
    return FrameLabels(ids if o.way is None else o.way.apply(ids, smooth=False))
