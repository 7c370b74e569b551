"""From a video with depth and cameras to a memory with time: what stays becomes the cloud, what moves becomes tracks.

Frames are handed in one at a time. Of each, only a small depth map and what its masks show is kept, and the full depth
of at most ``keyframes`` of them, so that the length of a video does not matter. Does not know files or models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.freespace import contradictions, spread_views
from placecell.geometry.transforms import Array, rotate
from placecell.media.frames import area_resize
from placecell.memory.build import BuildSettings, assemble
from placecell.memory.instances import from_labels
from placecell.memory.ports import FrameLabels, Labels, Proposal, Reconstruction
from placecell.memory.scene import DepthMap, Float32, Frame, SpatialMemory
from placecell.memory.track import Track
from placecell.memory.tracking.association import chains
from placecell.memory.tracking.settings import OURS, TrackSettings
from placecell.memory.tracking.sightings import Sighting, masks_of, sightings
from placecell.memory.tracking.tracks import track_of
from placecell.progress import OnProgress, Progress, silent

UNNAMED = "moving thing"
"""What something that moves is called when nobody named anything."""
_SMALL_WIDTH = 160


@dataclass(frozen=True)
class VideoSettings:
    """``keyframes``: at most this many frames keep their depth and make the cloud. ``movers``: look for things that
    move and that no mask names (always done when there are no masks at all)."""

    keyframes: int = 60
    movers: bool = False
    tracks: TrackSettings = OURS
    build: BuildSettings = field(default_factory=BuildSettings)


@dataclass(frozen=True, eq=False)
class _Small:
    """A frame's depth and colours on a coarse grid, and the intrinsics (fx, fy, cx, cy) and pose of that grid."""

    number: int
    z: Float32
    rgb: NDArray[np.uint8]
    intrinsics: Array
    recon_from_cam: Array
    step: int


class VideoBuilder:
    """Takes frames in order of time (``add``), then gives the memory (``finish``)."""

    def __init__(self, frames: int, settings: VideoSettings | None = None) -> None:
        """``frames``: how many will come, to spread the keyframes."""
        self.settings = settings or VideoSettings()
        self._every = max(1, -(-frames // self.settings.keyframes))
        self._frames: list[Frame] = []
        self._small: list[_Small] = []
        self._found: list[Sighting] = []
        self._masked: dict[int, list[Proposal]] = {}
        self._named = False

    def add(self, frame: Frame, proposals: Sequence[Proposal] = ()) -> None:
        """Take in one frame, in the reconstruction's frame of reference, with its time.

        UserError when it has no time, or one that is not after the last frame's.
        """
        if frame.time_s is None or (self._frames and frame.time_s <= (self._frames[-1].time_s or 0.0)):
            raise UserError(f"the frames of a video need times that ascend; {frame.name} has {frame.time_s}")
        keep = len(self._frames) % self._every == 0
        self._frames.append(frame if keep else replace(frame, depth=None))
        if frame.depth is None:
            return
        rgb = frame.rgb
        decoded = replace(frame, read_rgb=lambda: rgb)  # once for all that looks at it now
        self._small.append(_smaller(decoded, frame.depth))
        self._named |= bool(proposals)
        self._found += sightings(decoded, proposals, frame.time_s, self.settings.tracks)
        if keep:
            self._masked[frame.number] = list(proposals)

    def finish(
        self,
        reconstruction: Reconstruction,
        *,
        fronts: Mapping[int, Array] | None = None,
        sources: tuple[str, ...] = (),
        progress: OnProgress = silent,
    ) -> SpatialMemory:
        """The memory. ``reconstruction`` states everything but frames; its labels are taken as handed in already.

        ``fronts``: by identity of a mask, (3,) where that thing's front points when it is first seen, recon frame.
        """
        progress(Progress("telling what moves", 1, 2, ""))
        moving = self._moving()
        if not self._named or self.settings.movers:
            self._found += self._unnamed(moving)
        at_rest = tuple(self._without_movers(f, moving) for f in self._frames)
        plain = replace(reconstruction, frames=at_rest, labels=None)
        memory = assemble(plain, settings=self.settings.build, sources=sources, progress=progress)
        world_from_recon = memory.alignment.world_from_recon
        tracks, notes = self.tracks(world_from_recon, reconstruction.depth_sd, fronts or {})
        share = float(moving.mean()) if moving.size else 0.0
        notes += [f"{share:.1%} of the depth shows something that was not always there; it is not in the cloud"]
        frames = tuple(_with_depth(new, old) for new, old in zip(memory.frames, self._frames, strict=True))
        things = from_labels(frames, self._resting(tracks), depth_sd=reconstruction.depth_sd)
        return replace(
            memory,
            frames=frames,
            provenance=replace(memory.provenance, notes=(*memory.provenance.notes, *notes, *things.notes)),
            instances=things.instances,
            vocabulary=memory.vocabulary | ({t.name for t in tracks} - {UNNAMED}),
            dynamic=True,
            tracks=tracks,
        )

    def _resting(self, tracks: Sequence[Track]) -> Labels:
        """Label images, by track, of the named things that keep their place, in the frames with depth."""
        names = {t.id: t.name for t in tracks if t.name != UNNAMED and _rests(t)}
        owner = {(int(n), tuple(box)): t.id for t in tracks if t.id in names
                 for n, box in zip(t.frames, t.bbox.tolist(), strict=True)}  # fmt: skip
        labels: dict[int, FrameLabels] = {}
        for frame in self._frames:
            ids = np.zeros((frame.height, frame.width), np.int32)
            for p in self._masked.get(frame.number, ()):
                left, top, right, bottom = p.bbox
                ids[top:bottom, left:right][p.mask] = owner.get((frame.number, p.bbox), 0)
            if ids.any():
                labels[frame.number] = FrameLabels(ids)
        return Labels("instance", names, labels)

    def _moving(self) -> NDArray[np.bool_]:
        """(N, h, w): where the small depth maps show something that was not always there."""
        if len(self._small) < 2:
            return np.zeros((len(self._small), 1, 1), bool)
        s = self.settings.tracks
        z = np.stack([m.z for m in self._small])
        others = spread_views(len(z), s.compared_views)
        K, poses = np.stack([m.intrinsics for m in self._small]), np.stack([m.recon_from_cam for m in self._small])
        through, same = contradictions(z, K, poses, others, 0.05)
        share = through / np.maximum(through + same, 1)
        raw = (through >= s.moving_views) & (share >= s.moving_share)
        return np.stack([ndimage.binary_dilation(ndimage.binary_opening(m, np.ones((3, 3), bool))) for m in raw])

    def _unnamed(self, moving: NDArray[np.bool_]) -> list[Sighting]:
        """Sightings of connected moving regions that belong to one depth."""
        found: list[Sighting] = []
        least = self.settings.tracks.moving_pixels
        times = {f.number: f for f in self._frames}
        for small, mask in zip(self._small, moving, strict=True):
            layers, _ = ndimage.label(mask & (small.z > 0))
            frame = times[small.number]
            proposals = []
            for part, where in enumerate(ndimage.find_objects(layers), 1):
                own = layers[where] == part
                if own.sum() >= least * mask.size:
                    proposals.append(Proposal(small.number, UNNAMED, own, (where[1].start, where[0].start)))
            seen = sightings(_small_frame(frame, small), proposals, frame.time_s or 0.0, self.settings.tracks)
            found += [_enlarged(s, small.step) for s in seen]
        return found

    def _without_movers(self, frame: Frame, moving: NDArray[np.bool_]) -> Frame:
        """The frame with the depth of what moves, or is named, unknown: the cloud is made of the rest.

        What is named but rests is in the way of nothing, yet no one knows before the tracks are made; it keeps its
        pixels where they do not contradict other views.
        """
        if frame.depth is None:
            return frame
        index = next(i for i, m in enumerate(self._small) if m.number == frame.number)
        h, w = frame.depth.z.shape
        step = self._small[index].step
        mask = np.kron(moving[index], np.ones((step, step), bool))
        full = np.zeros((h, w), bool)
        full[: mask.shape[0], : mask.shape[1]] = mask[:h, :w]
        return replace(frame, depth=replace(frame.depth, z=np.where(full, np.float32(0), frame.depth.z)))

    def tracks(
        self, world_from_recon: Array, depth_sd: float, fronts: Mapping[int, Array]
    ) -> tuple[tuple[Track, ...], list[str]]:
        """The tracks of what the masks showed so far, and notes on what is none."""
        settings = self.settings.tracks
        times = {f.number: f.time_s for f in self._frames if f.time_s is not None}
        all_chains = chains([s.moved(world_from_recon) for s in self._found], settings)
        least = settings.least_views if len(times) >= 4 * settings.least_views else 1
        kept = [c for c in all_chains if len(c) >= least]
        dropped = len(all_chains) - len(kept)
        notes = [f"{dropped} things seen in fewer than {least} frames are no tracks"] if dropped else []
        taken: set[int] = set()
        made = []
        for chain in kept:
            identity = chain[0].identity
            id = identity if identity is not None and identity not in taken else _free(taken, kept)
            taken.add(id)
            front = None if identity is None or identity not in fronts else rotate(world_from_recon, fronts[identity])
            made.append(track_of(id, chain, times, settings, depth_sd=depth_sd, front=front))
        return tuple(sorted(made, key=lambda t: t.id)), notes


def assemble_video(
    reconstruction: Reconstruction,
    *,
    proposals: Mapping[int, Sequence[Proposal]] | None = None,
    fronts: Mapping[int, Array] | None = None,
    settings: VideoSettings | None = None,
    sources: tuple[str, ...] = (),
    progress: OnProgress = silent,
) -> SpatialMemory:
    """The memory with time of a reconstruction that is all there, with the masks of its labels.

    ``proposals``: masks by frame number instead of the labels. ``fronts`` as in ``VideoBuilder.finish``.
    """
    builder = _fed(reconstruction, proposals, settings)
    return builder.finish(reconstruction, fronts=fronts, sources=sources, progress=progress)


def tracks_in(
    reconstruction: Reconstruction,
    *,
    proposals: Mapping[int, Sequence[Proposal]] | None = None,
    fronts: Mapping[int, Array] | None = None,
    settings: VideoSettings | None = None,
) -> tuple[Track, ...]:
    """Only the tracks, in the reconstruction's own frame, which must be upright; faster than ``assemble_video``."""
    builder = _fed(reconstruction, proposals, settings)
    return builder.tracks(np.eye(4), reconstruction.depth_sd, fronts or {})[0]


def _fed(
    reconstruction: Reconstruction,
    proposals: Mapping[int, Sequence[Proposal]] | None,
    settings: VideoSettings | None,
) -> VideoBuilder:
    builder = VideoBuilder(len(reconstruction.frames), settings)
    for frame in reconstruction.frames:
        if proposals is not None:
            masks = list(proposals.get(frame.number, ()))
        else:
            masks = [] if reconstruction.labels is None else masks_of(reconstruction.labels, frame)
        builder.add(frame, masks)
    return builder


def _smaller(frame: Frame, depth: DepthMap) -> _Small:
    """Every few pixels' depth, the mean colours around them, and the camera that goes with them."""
    step = max(1, depth.camera.width // _SMALL_WIDTH)
    first = step // 2
    z = np.ascontiguousarray(depth.z[first::step, first::step])
    (fx, _, cx), (_, fy, cy), _ = depth.camera.K.tolist()
    shift = first + 0.5
    intrinsics = np.array([fx / step, fy / step, (cx - shift) / step + 0.5, (cy - shift) / step + 0.5])
    rgb = area_resize(frame.rgb, (z.shape[1], z.shape[0]))
    return _Small(frame.number, z, rgb, intrinsics, depth.camera.world_from_cam, step)


def _small_frame(frame: Frame, small: _Small) -> Frame:
    """The frame at the size of its coarse grid, with colours and depth in memory."""
    h, w = small.z.shape
    fx, fy, cx, cy = small.intrinsics.tolist()
    camera = Camera(np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]]), w, h, small.recon_from_cam)
    return replace(frame, width=w, height=h, camera=camera, depth=DepthMap(small.z, camera), read_rgb=lambda: small.rgb)


def _enlarged(s: Sighting, step: int) -> Sighting:
    """A sighting on the coarse grid, counted in the frame's own pixels."""
    left, top, right, bottom = s.bbox
    return replace(s, pixels=s.pixels * step**2, bbox=(left * step, top * step, right * step, bottom * step))


def _with_depth(new: Frame, old: Frame) -> Frame:
    """The assembled frame with all of its depth again, moving parts too."""
    if old.depth is None or new.depth is None:
        return new
    return replace(new, depth=replace(old.depth, camera=new.depth.camera))


def _free(taken: set[int], kept: Sequence[Sequence[Sighting]]) -> int:
    """The smallest id that no track has and no mask states."""
    stated = {c[0].identity for c in kept}
    return next(i for i in count(1) if i not in taken and i not in stated)


def _rests(track: Track) -> bool:
    """Whether it keeps its place, as far as noise and drift let one tell."""
    low, high = np.percentile(track.centres, (5, 95), axis=0)
    noise = 4.5 * float(np.median(track.centre_sd)) + track.drift
    return float(np.linalg.norm(high - low)) <= max(noise, 0.1 * track.size)
