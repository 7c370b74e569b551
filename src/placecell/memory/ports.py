"""What a reconstructor and a segmenter promise, and the values they hand over.

A ``Reconstruction`` is in its own *recon* frame (OpenCV cameras, any orientation, any scale); ``memory.build`` turns it
upright, fuses it and names its objects. Adapters convert a model's conventions into this record and into nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from placecell.geometry.boxes import OrientedBox
from placecell.geometry.cloud import Cloud
from placecell.media.sampling import Sampling
from placecell.media.sources import Skipped
from placecell.memory.scene import Frame, Scale
from placecell.progress import OnProgress


@dataclass(frozen=True, eq=False)
class FrameLabels:
    """Label ids of one frame, (h, w) integers, 0 = none. ``h, w`` may differ from the picture's by a pure resize."""

    ids: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Labels:
    """Label images by frame number. ``kind`` "instance": one id is one object; "class": one id is a category.

    ``names`` maps ids to object names; an id without a name is an error of the reader, never dropped silently.
    """

    kind: Literal["instance", "class"]
    names: Mapping[int, str]
    frames: Mapping[int, FrameLabels]


@dataclass(frozen=True, eq=False)
class NamedBox:
    """An object known only as a box in the recon frame."""

    name: str
    box: OrientedBox
    front: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class Reconstruction:
    """Everything a reconstructor found, in the recon frame.

    ``points``: sparse points with colours, used where frames have no depth. ``up``: the recon frame's up direction when
    the source defines one (gravity-aligned captures), else None and the geometry decides.
    """

    frames: tuple[Frame, ...]
    scale: Scale
    backend: str
    settings: Mapping[str, object] = field(default_factory=dict)
    points: Cloud | None = None
    up: NDArray[np.float64] | None = None
    labels: Labels | None = None
    boxes: tuple[NamedBox, ...] = ()
    vocabulary: frozenset[str] = frozenset()
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    licences: tuple[str, ...] = ()
    depth_sd: float = 0.01
    """Relative standard deviation of a depth reading, for the uncertainty of measures (sensor default 1 %)."""


class Reconstructor(Protocol):
    """One way from sources to a reconstruction."""

    name: str

    def reconstruct(
        self, sources: Sequence[Path], *, frames: int | None, strict: bool, progress: OnProgress
    ) -> Reconstruction:
        """UserError for input that cannot be used, BackendUnavailable when something optional is missing."""
        ...


@runtime_checkable
class PictureReconstructor(Reconstructor, Protocol):
    """One that takes plain photos or a video: it can be told how to choose frames, and given labels of the photos."""

    def reconstruct_pictures(
        self,
        sources: Sequence[Path],
        *,
        frames: int | None,
        sampling: Sampling,
        labels: Path | None,
        strict: bool,
        progress: OnProgress,
    ) -> Reconstruction:
        """As ``reconstruct``; ``labels``: a folder of label images, or a boxes file."""
        ...


@dataclass(frozen=True, eq=False)
class Proposal:
    """One mask a segmenter proposes for a phrase in one frame.

    ``mask`` (h, w) bool is cut to its bounding box; ``corner`` (left, top): where it starts in the frame's pixels.
    ``score`` in 0..1. ``identity``: of a thing followed through a video, the same in every frame; None: not followed.
    """

    frame: int
    phrase: str
    mask: NDArray[np.bool_]
    corner: tuple[int, int]
    score: float = 1.0
    identity: int | None = None

    @property
    def bbox(self) -> tuple[int, int, int, int]:
        """(left, top, right, bottom), right and bottom exclusive."""
        left, top = self.corner
        return left, top, left + self.mask.shape[1], top + self.mask.shape[0]


class Segmenter(Protocol):
    """One way to find the pixels of named things in pictures.

    ``settings`` is everything that shapes the result besides the picture and the phrase (checkpoint, revision,
    thresholds): masks are cached by it.
    """

    @property
    def name(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, object]: ...

    def segment(self, frames: Sequence[Frame], phrases: Sequence[str]) -> Iterator[list[Proposal]]:
        """For each frame, in order, the proposals for all phrases (an empty list: nothing found)."""
        ...


@runtime_checkable
class Tracker(Protocol):
    """One way to follow named things through a video: as a ``Segmenter``, with an ``identity`` in every proposal."""

    @property
    def name(self) -> str: ...

    @property
    def settings(self) -> Mapping[str, object]: ...

    def track(self, frames: Iterable[Frame], phrases: Sequence[str]) -> Iterator[list[Proposal]]:
        """For each frame, in order of time, the proposals for all phrases. An identity has one phrase.

        It may take some frames more before it tells of one, and keeps none for longer than it needs to.
        """
        ...
