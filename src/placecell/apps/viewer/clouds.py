"""The cloud in one browser: the cubes worth drawing from its camera are sent, the others hidden or forgotten.

Every browser has its own camera and therefore its own choice. Cubes that were sent stay there hidden, for coming back,
until they hold as many points as three budgets.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from viser import CameraHandle, ClientHandle, PointCloudHandle

from placecell.apps.viewer.detail import Detail, chosen
from placecell.engine.surfaces import Surface
from placecell.geometry.camera import Camera
from placecell.geometry.transforms import from_quat_wxyz

_KEPT = 3
"""Points a browser holds, drawn or hidden, in budgets."""
_COVER = 1.5
"""Size of the finest points in spacings: they are the median, and wider gaps should close too."""


def camera_of(handle: CameraHandle) -> Camera:
    """The browser's camera as ours; viser's axes are OpenCV's too."""
    height, width = handle.image_height, handle.image_width
    focal = height / 2 / np.tan(handle.fov / 2)
    K = np.array([[focal, 0, width / 2], [0, focal, height / 2], [0, 0, 1]])
    return Camera(K, width, height, from_quat_wxyz(handle.wxyz, handle.position))


class CloudView:
    """What one browser shows of the cloud."""

    def __init__(
        self, client: ClientHandle, surface: Surface, detail: Detail, budget: int, roots: Callable[[], Sequence[int]]
    ) -> None:
        """``roots``: the parts of ``detail`` to show at the moment; ``budget``: points drawn at most."""
        self._client = client
        self._surface = surface
        self._detail = detail
        self._budget = budget
        self._roots = roots
        self._sent: dict[int, PointCloudHandle] = {}  # the longest hidden first
        self._working = threading.Lock()
        self._stale = threading.Event()
        self._closed = False
        self.drawn = 0
        client.camera.on_update(lambda _: self.refresh())

    def refresh(self) -> None:
        """Show what is worth showing now. Calls that come while it works are answered together at its end."""
        self._stale.set()
        while self._stale.is_set() and not self._closed and self._working.acquire(blocking=False):
            try:
                self._stale.clear()
                self._show(chosen(self._detail, camera_of(self._client.camera), self._budget, self._roots()))
            finally:
                self._working.release()

    def close(self) -> None:
        """The browser is gone: send nothing more. Returns when nothing is being sent."""
        self._closed = True
        with self._working:
            pass

    def _show(self, wanted: Sequence[int]) -> None:
        drawn = set(wanted)
        self.drawn = sum(len(self._detail.cubes[number].points) for number in wanted)
        with self._client.atomic():
            for number in wanted:
                handle = self._sent.pop(number, None) or self._send(number)
                handle.visible = True
                self._sent[number] = handle
            held = sum(len(self._detail.cubes[number].points) for number in self._sent)
            for number in [n for n in self._sent if n not in drawn]:
                self._sent[number].visible = False
                if held > _KEPT * self._budget:
                    held -= len(self._detail.cubes[number].points)
                    self._sent.pop(number).remove()

    def _send(self, number: int) -> PointCloudHandle:
        cube = self._detail.cubes[number]
        # About its own centre a cube's points lose nothing visible as 16-bit numbers: a cell has 32 steps.
        return self._client.scene.add_point_cloud(
            f"/cloud/{number}",
            points=self._surface.points[cube.points] - cube.centre.astype(np.float32),
            colors=self._surface.colors[cube.points],
            position=cube.centre,
            point_size=max(cube.spacing, _COVER * self._surface.spacing),
            point_shading="flat",
            precision="float16",
        )
