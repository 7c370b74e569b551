"""The reconstructor around any feed-forward model: pictures in, its views out, cleaned, each on its own picture.

Knows an ``Adapter`` and pictures. Does not know conventions (``convert``), nor how networks run (``running``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from placecell.backends.feedforward.adapter import Adapter
from placecell.backends.feedforward.cleaning import cleaned
from placecell.backends.feedforward.record import frames_of, label_shots, licence_warnings, notes_on
from placecell.backends.feedforward.running import Run
from placecell.backends.feedforward.runtime import Device, Loaded, apart_from_our_output, some
from placecell.backends.feedforward.settings import RunSettings
from placecell.backends.feedforward.sizing import Canvas, canvas_for
from placecell.backends.feedforward.windows import describe
from placecell.backends.posed.labels import read_labels
from placecell.backends.posed.reading import Given
from placecell.backends.sfm.pictures import Picture, read_pictures
from placecell.backends.sfm.settings import SfmSettings
from placecell.backends.table import find_backend
from placecell.backends.weights import fingerprint
from placecell.errors import UserError
from placecell.media.sampling import Sampling
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import DepthMap, Scale
from placecell.progress import OnProgress, Progress, silent

_WORK_SIDE = 1200  # of the copies that are scaled to the model's input, which is at most half of it


@dataclass(frozen=True)
class FeedForward:
    """Plain photos, or one video, by one model."""

    adapter: Adapter
    settings: RunSettings = field(default_factory=RunSettings)

    @property
    def name(self) -> str:
        """The model's row in the table of backends."""
        return self.adapter.name

    def reconstruct(
        self,
        sources: Sequence[Path],
        *,
        frames: int | None = None,
        strict: bool = False,
        progress: OnProgress = silent,
    ) -> Reconstruction:
        """As ``ports.Reconstructor``."""
        return self.reconstruct_pictures(sources, frames=frames, strict=strict, progress=progress)

    def reconstruct_pictures(
        self,
        sources: Sequence[Path],
        *,
        frames: int | None = None,
        sampling: Sampling = "uniform",
        labels: Path | None = None,
        strict: bool = False,
        progress: OnProgress = silent,
    ) -> Reconstruction:
        """As ``ports.PictureReconstructor``.

        Raises:
            UserError: the pictures cannot be read, or the checkpoint does not fit the model's package.
            BackendUnavailable: the weights are not on this machine.
        """
        adapter, row = self.adapter, find_backend(self.name)
        weights = row.weights[0].folder()
        with tempfile.TemporaryDirectory(prefix="placecell-pictures-") as scratch:
            read = read_pictures(
                sources,
                Path(scratch),
                frames=frames,
                sampling=sampling,
                strict=strict,
                settings=self._reading(),
                progress=progress,
            )
            _check_count(adapter, read.pictures)
            canvas = canvas_for([p.frame_size for p in read.pictures], adapter.rule)
            device = Device.best()
            progress(Progress("loading the model", 0, None, self.name))
            with apart_from_our_output():
                loaded = adapter.load(weights, device)
                run = Run(adapter, loaded.network, device, read.pictures, canvas, self.settings, progress)
                seen, joints, window = run.views()
        views = cleaned([_cut(view, canvas, i) for i, view in enumerate(seen)], adapter.cleaning)
        given = Given() if labels is None else read_labels(labels, label_shots(read.pictures))
        return Reconstruction(
            frames=frames_of(read.pictures, views),
            scale=_scale(adapter),
            backend=self.name,
            settings=self._used(weights, device, canvas) | {"window": window},
            labels=given.labels,
            boxes=given.boxes,
            vocabulary=given.vocabulary,
            skipped=read.skipped,
            notes=(
                *licence_warnings(row),
                *read.notes,
                *given.notes,
                f"{self.name} saw {len(views)} pictures of {canvas.size[0]} x {canvas.size[1]} pixels",
                *_unused(loaded),
                *describe(joints, window),
                *notes_on(read.pictures, views, adapter),
            ),
            licences=row.licences,
            depth_sd=adapter.depth_sd,
        )

    def _used(self, weights: Path, device: Device, canvas: Canvas) -> dict[str, object]:
        """What shaped the result, beside the window that fitted into memory."""
        return {
            "weights": fingerprint(weights),
            "device": asdict(device),
            "input_size": list(canvas.size),
            "input_rule": asdict(self.adapter.rule),
            "cleaning": asdict(self.adapter.cleaning),
            **asdict(self.settings),
        }

    def _reading(self) -> SfmSettings:
        most, side = self.settings.frames, self.settings.frame_side
        return SfmSettings(video_frames=most, photos=most, frame_side=side, work_side=_WORK_SIDE)


def _unused(loaded: Loaded) -> list[str]:
    names = loaded.unused
    return [f"weights of the checkpoint that the model has no use for: {some(names)}"] if names else []


def _check_count(adapter: Adapter, pictures: Sequence[Picture]) -> None:
    """UserError for several pictures, or one of unknown focal length, where a model sees one and no camera."""
    if not adapter.one_picture:
        return
    if len(pictures) > 1:
        raise UserError(
            f"{adapter.name} measures each picture alone and knows no cameras, so it takes one, not {len(pictures)}",
            hint="give one photo, or use another --reconstructor",
        )
    if pictures[0].focal is None:
        raise UserError(
            f"{adapter.name} needs a focal length, which {pictures[0].name} does not state",
            hint="put its K into K.txt beside the photo, or use another --reconstructor",
        )


def _cut(view: DepthMap, canvas: Canvas, index: int) -> DepthMap:
    """The part of a view that its picture covers."""
    place = canvas.placements[index]
    sure = None if view.confidence is None else view.confidence[place.window]
    return replace(view, z=view.z[place.window], camera=place.cropped(view.camera), confidence=sure)


def _scale(adapter: Adapter) -> Scale:
    return Scale("relative") if adapter.metric_error is None else Scale("metric", "model", adapter.metric_error)
