"""One model over all pictures: in one pass where they fit, else in windows that are joined.

Knows an ``Adapter``, pictures and where each lies on the canvas. Does not know files of weights or what is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.backends.feedforward.adapter import Adapter
from placecell.backends.feedforward.runtime import Device, OutOfMemory
from placecell.backends.feedforward.settings import RunSettings
from placecell.backends.feedforward.sizing import Canvas
from placecell.backends.feedforward.windows import Joint, Window, join, windows_of
from placecell.backends.sfm.pictures import Picture
from placecell.memory.scene import DepthMap
from placecell.progress import OnProgress, Progress


@dataclass(frozen=True, eq=False)
class Run:
    """A loaded network and what it is asked about."""

    adapter: Adapter
    network: Any
    device: Device
    pictures: Sequence[Picture]
    canvas: Canvas
    settings: RunSettings
    progress: OnProgress

    def views(self) -> tuple[list[DepthMap], tuple[Joint, ...], int]:
        """A view of each picture in one frame, how windows were joined, and the pictures in a window.

        UserError when windows do not fit together; OutOfMemory when even the smallest does not fit the device.
        """
        wanted = self.settings.window_cpu if self.device.kind == "cpu" else self.settings.window
        size = min(wanted, len(self.pictures))
        while True:
            try:
                return (*self._in_windows(size), size)
            except OutOfMemory:
                if size // 2 < self.settings.least_window:
                    raise
                size //= 2

    def _in_windows(self, size: int) -> tuple[list[DepthMap], tuple[Joint, ...]]:
        done: dict[int, DepthMap] = {}
        joints: tuple[Joint, ...] = ()
        for window in windows_of(len(self.pictures), size, min(self.settings.overlap, size // 2)):
            self.progress(Progress("reconstructing", len(done), len(self.pictures)))
            views = self._pass(window)
            if done:
                done, joint = join(done, window, views, self.settings)
                joints += (joint,)
            else:
                done = dict(zip(window, views, strict=True))
        self.progress(Progress("reconstructing", len(done), len(self.pictures)))
        return [done[i] for i in range(len(self.pictures))], joints

    def _pass(self, window: Window) -> tuple[DepthMap, ...]:
        pictures = [self.pictures[i] for i in window]
        part = Canvas(self.canvas.size, tuple(self.canvas.placements[i] for i in window))
        focals = [
            None if picture.focal is None else picture.focal * place.width / picture.work_size[0]
            for picture, place in zip(pictures, part.placements, strict=True)
        ]
        images = part.paint([_work_copy(picture) for picture in pictures])
        return self.adapter.views(self.network, images, focals, self.device)


def _work_copy(picture: Picture) -> Callable[[], NDArray[np.uint8]]:
    def read() -> NDArray[np.uint8]:
        from PIL import Image

        with Image.open(picture.file) as image:
            return np.asarray(image)

    return read
