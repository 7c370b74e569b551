"""The reconstructor for captures whose cameras are known: everything given is checked and left as it is.

Where no depth is given, it is measured between the pictures (``sfm.known``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from placecell.backends.posed.labels import own_labels, read_labels
from placecell.backends.posed.layouts import LAYOUTS, Place, find_capture
from placecell.backends.posed.reading import open_shots, reconstruct
from placecell.backends.sfm.settings import SfmSettings
from placecell.errors import UserError
from placecell.media.sampling import Sampling
from placecell.memory.ports import Reconstruction
from placecell.progress import OnProgress, silent


class Posed:
    """Captures with poses, with or without depth, in any of the layouts of ``layouts.LAYOUTS``."""

    name = "posed"

    def reconstruct(
        self,
        sources: Sequence[Path],
        *,
        frames: int | None = None,
        strict: bool = False,
        progress: OnProgress = silent,
    ) -> Reconstruction:
        """As ``ports.Reconstructor``; one folder, or a file of it that names the layout."""
        if len(sources) != 1:
            raise UserError(f"{len(sources)} sources given, a posed capture is one folder")
        made = read_capture(need_capture(sources[0]), frames=frames, strict=strict, progress=progress)
        return with_measured_depth(made, progress)


def need_capture(source: Path) -> Place:
    """The capture at ``source``. UserError when there is none, with the layouts that are known."""
    place = find_capture(source if source.is_dir() else source.parent)
    if place is None:
        known = "; ".join(layout.what for layout in LAYOUTS)
        raise UserError(f"{source} holds no capture with poses", hint=f"known layouts: {known}")
    return place


def read_capture(
    place: Place,
    *,
    frames: int | None = None,
    sampling: Sampling = "uniform",
    labels: Path | None = None,
    strict: bool = False,
    progress: OnProgress = silent,
) -> Reconstruction:
    """Read a capture completely; ``labels`` as ``labels.read_labels`` takes them, else the capture's own, if any.

    UserError: a file that the layout needs is missing, or what the files say does not fit together.
    """
    capture = place.read()
    if strict and capture.skipped:
        first = capture.skipped[0]
        raise UserError(f"{first.name}: {first.reason}", hint="repair it, or leave out --strict")
    shots, skipped, notes = open_shots(capture, frames=frames, sampling=sampling, strict=strict, progress=progress)
    given = own_labels(shots, capture.label_names) if labels is None else read_labels(labels, shots)
    return reconstruct(capture, shots, given, skipped, notes)


def with_measured_depth(made: Reconstruction, progress: OnProgress = silent) -> Reconstruction:
    """Of a capture without any depth: with depth measured between its pictures under the given poses."""
    if any(frame.depth is not None for frame in made.frames):
        return made
    from placecell.backends.sfm.known import depth_from_poses

    settings = SfmSettings()
    found = depth_from_poses(made.frames, settings, progress)
    return replace(
        made,
        frames=found.frames,
        settings={**made.settings, "sweep": asdict(settings)},
        notes=(*made.notes, *found.notes),
        depth_sd=made.depth_sd if found.depth_sd is None else max(made.depth_sd, found.depth_sd),
    )
