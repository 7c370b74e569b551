"""What one model's adapter states: its input, how it is loaded and asked, and what its answer means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.backends.feedforward.runtime import Device, Loaded
from placecell.backends.feedforward.settings import CleaningSettings, InputRule
from placecell.memory.scene import DepthMap

Images = NDArray[np.uint8]
Focals = Sequence[float | None]


@dataclass(frozen=True)
class Adapter:
    """One feed-forward model. ``name`` is its row in the table of backends, which knows its weights and licences.

    ``load``: (folder of the weights, device) -> the network. ``views``: (network, images (N, h, w, 3) RGB, the focal
    lengths in their pixels that are stated, device) -> a depth map with its camera for each image, in one frame.
    ``metric_error``: relative standard deviation of its metres; None: its scale is relative.
    ``depth_sd``: relative standard deviation of a depth reading. Both are assumed, see docs/models.md.
    ``one_picture``: it has no cameras, so it takes one picture, and needs its focal length.
    """

    name: str
    rule: InputRule
    load: Callable[[Path, Device], Loaded]
    views: Callable[[Any, Images, Focals, Device], tuple[DepthMap, ...]]
    cleaning: CleaningSettings
    metric_error: float | None = None
    depth_sd: float = 0.05
    one_picture: bool = False
