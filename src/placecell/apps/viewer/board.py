"""What the parts of the panel share: the memory, the scene, what stands out, and one thing at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from viser import ClientHandle, GuiButtonHandle, ViserServer

from placecell.apps.viewer.session import Session
from placecell.apps.viewer.stage import Stage
from placecell.engine.surfaces import Surface
from placecell.errors import PlacecellError
from placecell.geometry.transforms import WORLD_UP

Array = NDArray[np.float64]
PHOTO = 480
"""Pixels of the longer side of a picture in the panel."""

_UPRIGHT = 0.999


class Board:
    """``surface`` is what of the cloud is visible. ``selected`` and ``evidence`` objects and images stand out."""

    def __init__(self, server: ViserServer, session: Session, stage: Stage, surface: Surface) -> None:
        self.server, self.session, self.stage, self.surface = server, session, stage, surface
        self.selected: tuple[int, ...] = ()
        self.image: int | None = None
        self.evidence: tuple[int, ...] = ()
        self.evidence_images: tuple[int, ...] = ()
        self._lock = threading.RLock()

    def draw(self) -> None:
        """Everything that depends on the memory's version or on what stands out."""
        with self.server.atomic():
            self.stage.draw_objects(self.session.memory, self.selected, self.evidence)
            self.stage.draw_cameras(self.evidence_images, self.image)

    def do(self, client: ClientHandle | None, action: Callable[[], None]) -> None:
        """Carry an action out when the one before is done; what a person can put right is said in their browser."""
        try:
            with self._lock:
                action()
        except PlacecellError as error:
            if client is not None:
                client.add_notification(str(error), error.hint or "", color="orange", auto_close_seconds=15)

    def button(self, label: str, action: Callable[[ClientHandle | None], None]) -> GuiButtonHandle:
        """A button that does ``action`` with the browser it was pressed in."""
        button = self.server.gui.add_button(label)
        button.on_click(lambda event: self.do(event.client, lambda: action(event.client)))
        return button

    def fly(self, eye: Array) -> None:
        """Bring every browser's camera to a pose (4, 4). The horizon stays level, so that one can go on orbiting."""
        position, ahead = eye[:3, 3], eye[:3, 2]
        if abs(float(ahead @ WORLD_UP)) > _UPRIGHT:  # straight down: what is up in the picture is kept
            ahead = ahead - 0.05 * eye[:3, 1]
        for client in self.server.get_clients().values():
            with client.atomic():
                client.camera.up_direction = WORLD_UP
                client.camera.position = position
                client.camera.look_at = position + 2 * self.stage.depth * ahead
