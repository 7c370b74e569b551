"""Videos without depth, "2.5D": the camera's turns from what most of the picture does, movers by direction and size.

Knows: a video file, with poses beside it (NAME.poses.txt, NAME.K.txt) or without. A mover's direction comes from where
it is in the picture and how the camera is turned; its distance only from how large it looks, in units of the distance
at which it was first seen. What moves is told by masks, else by optical flow that the camera's motion does not explain.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy import ndimage

from placecell.backends.dynamic.masks import Masks
from placecell.backends.posed.capture import parse_numbers, pose_of, read_K, read_text
from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud
from placecell.geometry.imagemotion import PictureMotion, other_motion, picture_motion
from placecell.geometry.transforms import Array, compose, rigid
from placecell.geometry.upright import estimate_upright
from placecell.media.frames import MediaFrame, area_resize
from placecell.media.video import VideoInfo, iter_frames, probe
from placecell.memory.pictures import StoredPicture
from placecell.memory.ports import Proposal
from placecell.memory.scene import Alignment, DepthMap, Frame, Provenance, Scale, SpatialMemory
from placecell.memory.track import Track
from placecell.memory.tracking.association import chains
from placecell.memory.tracking.sightings import Sighting, sightings
from placecell.memory.tracking.tracks import track_of
from placecell.memory.video import UNNAMED, VideoSettings
from placecell.progress import OnProgress, Progress

FRAMES = 250
"""Without a wish, a longer video is thinned to this many frames."""
FOV_X = 60.0
"""Degrees across the picture where nothing states the lens."""
_SIDE, _WORK = 640, 320
_JPEG = 95
_POSES, _K = ".poses.txt", ".K.txt"
_LEAST_FLOW, _NOISES = 0.7, 6.0
"""A region moves when its flow is at least so many pixels, and so many times the flow's usual noise."""
_UPRIGHT = np.diag([1.0, -1.0, -1.0, 1.0])  # world y up, the first camera looks along -z


def has_poses(path: Path) -> bool:
    """Whether a video file has its poses and K beside it."""
    return path.with_suffix(_POSES).is_file() and path.with_suffix(_K).is_file()


def build_flat(
    path: Path,
    *,
    frames: int | None,
    masks: Masks | None,
    settings: VideoSettings,
    progress: OnProgress,
) -> SpatialMemory:
    """The memory of a video file: cameras and tracks, no depth and no cloud.

    UserError when it cannot be decoded, or the poses beside it are not one for each frame.
    """
    info = probe(path)
    K, notes = _lens(path, info)
    poses = _stated_poses(path, info.frames)
    most = frames or FRAMES
    indices = sorted({round(k * (info.frames - 1) / max(1, most - 1)) for k in range(min(most, info.frames))})
    if len(indices) < info.frames:
        notes.append(f"{len(indices)} of {info.frames} frames used, evenly; numbers are those of the video")
    reader = _Reader(info, K, poses, notes)
    made: list[Frame] = []
    found: list[Sighting] = []
    read = reader.frames(indices)
    for done, (frame, shown) in enumerate(masks.found_in(read) if masks else ((f, ()) for f in read), 1):
        made.append(frame)
        if not masks:
            shown = reader.moving(frame)
        found += sightings(_on_sphere(frame), shown, frame.time_s or 0.0, settings.tracks)
        progress(Progress("reading the video", done, len(indices), frame.name))
    if not made:
        raise UserError(f"no frame of {path.name} can be decoded")
    memory = _assembled(path, made, found, poses is not None, settings, notes)
    return memory if masks is None else masks.recorded(memory)


class _Reader:
    """Reads frames in order, each with the camera that the pictures so far, or stated ``poses``, give it.

    What cannot be decoded is added to ``notes``.
    """

    def __init__(self, info: VideoInfo, K: Array, poses: Array | None, notes: list[str]) -> None:
        self._info, self._K, self._poses, self._notes = info, K, poses, notes
        self._before: NDArray[np.uint8] | None = None
        self._now: NDArray[np.uint8] | None = None
        self._motion: PictureMotion | None = None

    def frames(self, indices: Sequence[int]) -> Iterator[Frame]:
        """The frames at these places of the video."""
        pose, distance = np.eye(4), 1.0
        for item in iter_frames(self._info, indices, longest_side=_SIDE):
            if not isinstance(item, MediaFrame):
                self._notes.append(f"{item.name}: {item.reason}")
                continue
            self._before, self._now = self._now, _grey(item)
            if self._before is not None:
                self._motion = picture_motion(self._before, self._now, _at_size(self._K, self._info, self._now))
                ahead = distance * self._motion.ahead
                first_from_second = self._motion.first_from_second
                pose = compose(pose, rigid(first_from_second, first_from_second @ [0.0, 0.0, ahead]))
                distance = max(distance - ahead, 0.05)
            stated = pose if self._poses is None else self._poses[(item.video_frame or 1) - 1]
            yield _frame(item, self._K, self._info, stated)

    def moving(self, frame: Frame) -> list[Proposal]:
        """What moves in the frame read last, by optical flow."""
        if self._before is None or self._now is None or self._motion is None:
            return []
        return _moving(frame, self._before, self._now, self._motion)


def _assembled(
    path: Path, made: list[Frame], found: list[Sighting], posed: bool, settings: VideoSettings, notes: list[str]
) -> SpatialMemory:
    cameras = np.array([f.camera.world_from_cam for f in made if f.camera is not None])
    world, method = _UPRIGHT, "the first frame is taken to be level"
    if posed:
        upright = estimate_upright(np.zeros((0, 3)), cameras, None)
        world, method = upright.world_from_recon, "cameras"
    frames = tuple(
        replace(f, camera=f.camera.posed(compose(world, f.camera.world_from_cam))) for f in made if f.camera is not None
    )
    times = {f.number: f.time_s for f in frames if f.time_s is not None}
    kept = [
        c for c in chains([s.moved(world) for s in found], settings.tracks) if len(c) >= settings.tracks.least_views
    ]
    tracks = tuple(_by_size(track_of(n, c, times, settings.tracks), c) for n, c in enumerate(kept, 1))
    how = "poses beside the video" if posed else "the camera's turns are those of most of the picture"
    return SpatialMemory(
        frames=frames,
        cloud=Cloud.empty(),
        scale=Scale("relative"),
        alignment=Alignment(np.asarray(world), method, confident=posed),
        provenance=Provenance(
            backend="flat",
            placecell=metadata.version("placecell"),
            settings={"frames": len(frames)},
            sources=(path.name,),
            notes=(f"2.5D, without depth: {how}; distances of movers by their size in the picture", *notes),
        ),
        vocabulary=frozenset({t.name for t in tracks} - {UNNAMED}),
        dynamic=True,
        tracks=tracks,
    )


def _by_size(track: Track, chain: Sequence[Sighting]) -> Track:
    """The track with distances by size: as far away again as it looks smaller, from 1 where it was first seen."""
    at = np.array([s.time_s for s in chain])
    looks = np.array([np.sqrt(s.pixels) for s in chain])
    size = np.exp(np.interp(track.times_s, at, ndimage.gaussian_filter1d(np.log(looks), 1.5, mode="nearest")))
    away = size[0] / size
    eye = np.stack([np.interp(track.times_s, at, np.array([s.camera[k] for s in chain])) for k in range(3)], axis=-1)
    spread = np.std(np.log(looks) - ndimage.gaussian_filter1d(np.log(looks), 1.5, mode="nearest"))
    centres = eye + (track.centres - eye) * away[:, None]
    sd = np.hypot(track.centre_sd, float(spread))
    return replace(track, centres=centres, centre_sd=sd, depth_from="size", drift=track.drift + 0.02)


def _moving(frame: Frame, before: NDArray[np.uint8], now: NDArray[np.uint8], motion: PictureMotion) -> list[Proposal]:
    """Connected regions whose optical flow the background's motion does not explain."""
    if motion.share < 0.3:
        return []
    flow, noise = other_motion(before, now, motion.second_from_first)
    fast = np.linalg.norm(flow, axis=-1) > max(_LEAST_FLOW, _NOISES * noise)
    mask = ndimage.binary_closing(ndimage.binary_opening(fast, np.ones((3, 3), bool)), np.ones((5, 5), bool))
    parts, _ = ndimage.label(mask)
    scale = frame.width / now.shape[1]
    found = []
    for part, where in enumerate(ndimage.find_objects(parts), 1):
        own = parts[where] == part
        if own.sum() < 0.002 * mask.size:
            continue
        tall, wide = round(own.shape[0] * scale), round(own.shape[1] * scale)
        rows = (np.arange(tall) / scale).astype(int).clip(max=own.shape[0] - 1)
        columns = (np.arange(wide) / scale).astype(int).clip(max=own.shape[1] - 1)
        left = min(round(where[1].start * scale), frame.width - wide)
        top = min(round(where[0].start * scale), frame.height - tall)
        found.append(Proposal(frame.number, UNNAMED, own[rows[:, None], columns], (left, top)))
    return found


def _on_sphere(frame: Frame) -> Frame:
    """The frame with everything at a distance of 1 along the axis, so that masks have directions."""
    if frame.camera is None:
        return frame
    flat = np.ones((frame.height, frame.width), np.float32)
    return replace(frame, depth=DepthMap(flat, frame.camera))


def _frame(item: MediaFrame, K: Array, info: VideoInfo, pose: Array) -> Frame:
    h, w = item.rgb.shape[:2]
    data = io.BytesIO()
    Image.fromarray(item.rgb).save(data, "JPEG", quality=_JPEG)
    camera = Camera(K, info.width, info.height, pose).resized(w, h)
    number = item.video_frame or 1
    picture = StoredPicture(memoryview(data.getvalue()), item.name, w, h)
    return Frame(number, item.name, item.digest, w, h, picture, camera, time_s=item.time_s)


def _grey(item: MediaFrame) -> NDArray[np.uint8]:
    import cv2

    h, w = item.rgb.shape[:2]
    scale = min(1.0, _WORK / max(h, w))
    small = area_resize(item.rgb, (max(1, round(w * scale)), max(1, round(h * scale))))
    return np.asarray(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), np.uint8)


def _at_size(K: Array, info: VideoInfo, grey: NDArray[np.uint8]) -> Array:
    return Camera(K, info.width, info.height, np.eye(4)).resized(grey.shape[1], grey.shape[0]).K


def _lens(path: Path, info: VideoInfo) -> tuple[Array, list[str]]:
    stated = path.with_suffix(_K)
    if stated.is_file():
        return read_K(stated) + np.array([[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]]), []  # its first pixel centre is 0
    K = Camera.from_fov(FOV_X, info.width, info.height).K
    return K, [f"nothing states the lens; {FOV_X:g} degrees across are assumed ({stated.name} would state K)"]


def _stated_poses(path: Path, frames: int) -> Array | None:
    """(N, 4, 4) of ``NAME.poses.txt``: one row-major camera-to-world matrix a line, OpenCV axes; None without one."""
    if not has_poses(path):
        return None
    file = path.with_suffix(_POSES)
    lines = [line for line in read_text(file).splitlines() if line.strip()]
    if len(lines) != frames:
        raise UserError(f"{file} has {len(lines)} poses, the video {frames} frames", hint="one 4 x 4 matrix a line")
    made = []
    for number, line in enumerate(lines, 1):
        where = f"{file}, line {number}"
        pose = pose_of(parse_numbers(line, (4, 4), where), where)
        if pose is None:
            raise UserError(f"{where} has numbers that are not finite")
        made.append(pose)
    return np.array(made)
