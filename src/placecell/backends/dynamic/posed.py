"""An RGB-D capture with poses as a video: its frames are decoded a few at a time and handed to the builder of memory.

Knows posed captures of any layout and their label images. The length of a capture does not matter: no more than a few
decoded frames exist at any time, besides what the builder keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from placecell.backends.dynamic.masks import Masks
from placecell.backends.posed.capture import Capture
from placecell.backends.posed.labels import Labeller, open_labels, own_labels
from placecell.backends.posed.layouts import Place
from placecell.backends.posed.reading import Given, OpenShot, frame_of, open_in_order, settled_coding
from placecell.errors import UserError
from placecell.media.sources import Skipped
from placecell.memory.ports import Proposal, Reconstruction
from placecell.memory.scene import Frame, SpatialMemory
from placecell.memory.tracking.sightings import masks_of
from placecell.memory.video import VideoBuilder, VideoSettings
from placecell.progress import OnProgress, Progress

FPS = 30.0
"""Frames a second where a capture states no times, as RGB-D cameras deliver them; a note says so."""
_AT_ONCE = 8
_PROBED = 8


def build_posed(
    place: Place,
    *,
    frames: int | None,
    fps: float | None,
    labels: Path | None,
    masks: Masks | None,
    strict: bool,
    settings: VideoSettings,
    progress: OnProgress,
) -> SpatialMemory:
    """The memory of a capture with depth and poses, of all its frames or of ``frames`` spread evenly.

    ``fps``: its frames a second where it states no times. ``masks``: what else finds things in a frame.

    Raises:
        UserError: files are missing or wrong, or it has no depth.
    """
    capture = place.read()
    placed = [i for i, s in enumerate(capture.shots) if s.recon_from_cam is not None and s.lens is not None]
    chosen = _evenly(placed, frames)
    if not any(capture.shots[i].depth for i in chosen):
        raise UserError(f"{place.folder} has no depth; a memory with time needs it, or a video file")
    times, notes = _times(capture, chosen, fps)
    coding = settled_coding(capture, chosen[:: max(1, len(chosen) // _PROBED)])
    labeller = _labeller(labels, capture)
    builder = VideoBuilder(len(chosen), settings)
    skipped: list[Skipped] = list(capture.skipped)
    vocabulary: set[str] = set()
    labelled: dict[int, list[Proposal]] = {}

    def read() -> Iterator[Frame]:
        for shot, given in _shots(capture, chosen, labeller, strict, skipped):
            frame = replace(frame_of(shot, coding), time_s=times[shot.number - 1])
            labelled[frame.number] = [] if given.labels is None else masks_of(given.labels, frame)
            vocabulary.update(given.vocabulary)
            yield frame

    for done, (frame, found) in enumerate(masks.found_in(read()) if masks else ((f, ()) for f in read()), 1):
        builder.add(frame, [*labelled.pop(frame.number), *found])
        progress(Progress("reading the video", done, len(chosen), frame.name))
    if labels is not None and not vocabulary:
        raise UserError(f"{labels} labels no photo of the capture", hint="label images are named as the photos")
    used = {"layout": capture.layout, "frames": len(chosen), "depth_coding": coding.text if coding else None}
    stated = replace(_stated(capture, notes), settings=used, vocabulary=frozenset(vocabulary), skipped=tuple(skipped))
    memory = builder.finish(stated, sources=(place.folder.name,), progress=progress)
    return memory if masks is None else masks.recorded(memory)


def _stated(capture: Capture, notes: Sequence[str]) -> Reconstruction:
    """What holds for all frames."""
    return Reconstruction(
        frames=(),
        scale=capture.scale,
        backend="posed",
        up=capture.up,
        notes=(f"read as a video of a {capture.layout} capture with depth and poses", *capture.notes, *notes),
        depth_sd=capture.depth_sd,
    )


def _shots(
    capture: Capture, chosen: Sequence[int], labeller: Labeller, strict: bool, skipped: list[Skipped]
) -> Iterator[tuple[OpenShot, Given]]:
    """Decoded shots in order, with their labels; what is damaged is added to ``skipped``, or an error."""
    for start in range(0, len(chosen), _AT_ONCE):
        opened: list[OpenShot] = []
        for shot, damaged in open_in_order(capture, chosen[start : start + _AT_ONCE], strict=strict):
            skipped += damaged
            opened += [shot] if shot is not None and shot.way is not None else []
        given = labeller(opened) or Given()
        for shot in opened:
            yield shot, given


def _labeller(labels: Path | None, capture: Capture) -> Labeller:
    if labels is None:
        return lambda shots: own_labels(shots, capture.label_names)
    read = open_labels(labels)
    boxes = read([])
    if boxes is not None:
        raise UserError(f"{labels} holds boxes, which say nothing about time", hint="give label images or masks")
    return read


def _evenly(placed: Sequence[int], most: int | None) -> list[int]:
    if most is None or len(placed) <= most:
        return list(placed)
    return [placed[round(k * (len(placed) - 1) / max(1, most - 1))] for k in range(most)]


def _times(capture: Capture, chosen: Sequence[int], fps: float | None) -> tuple[dict[int, float], list[str]]:
    """Seconds of each chosen shot from the first, by index; stated ones, or by the rate of the frames."""
    stated = [capture.shots[i].time_s for i in chosen]
    if fps is None and all(t is not None for t in stated):
        first = stated[0] or 0.0
        return {i: float(t or 0.0) - first for i, t in zip(chosen, stated, strict=True)}, []
    rate = fps or FPS
    why = "" if fps else " because the capture states no times; --fps sets another rate"
    return {i: (i - chosen[0]) / rate for i in chosen}, [f"times are {rate:g} frames a second{why}"]
