"""The viewer's server: who may connect, and the panel, stage and clouds put together.

viser serves whoever connects, and its client can ask for a public address. Here it listens to this machine only, a web
page of another origin is turned away (it could read the photos, and rename objects), and nothing leaves the machine.
"""

from __future__ import annotations

import contextlib
import io
import logging
import threading
from dataclasses import dataclass
from urllib.parse import urlsplit

import numpy as np
import viser
from numpy.typing import NDArray
from viser import ClientHandle, ViserServer
from viser._messages import ShareUrlRequest

from placecell.agents.log import Log
from placecell.apps.viewer.board import Board
from placecell.apps.viewer.clouds import CloudView
from placecell.apps.viewer.detail import Detail, detail_of, joined
from placecell.apps.viewer.looking import Looking
from placecell.apps.viewer.questions import Asking, Replay
from placecell.apps.viewer.session import Session
from placecell.apps.viewer.stage import Stage
from placecell.backends.remote.server import is_loopback
from placecell.engine.derived import derived
from placecell.engine.surfaces import Surface, surface_of
from placecell.geometry.transforms import WORLD_UP
from placecell.memory.scene import SpatialMemory

HOST = "127.0.0.1"
_ELSEWHERE = 1008  # the WebSocket code for a policy violation


@dataclass(frozen=True, eq=False)
class _Parts:
    """The cloud in detail, ``below`` the ceiling and with it: the roots to draw and the surface to click on."""

    detail: Detail
    below: tuple[tuple[int, ...], Surface]
    whole: tuple[tuple[int, ...], Surface]


class Viewer:
    """A running viewer; ``url`` is where."""

    def __init__(self, session: Session, *, port: int = 0, log: Log | None = None, budget: int = 1_000_000) -> None:
        """``port`` 0 takes a free one, a taken one the next free. ``budget``: points drawn at most at a time."""
        self._parts = _parts(session.memory)
        self._ceiling = False
        self._clouds: dict[int, CloudView] = {}
        self._budget = budget
        with contextlib.redirect_stdout(io.StringIO()):  # it announces itself
            self._server = ViserServer(host=HOST, port=port, label="placecell", verbose=False)
        _keep_to_this_machine(self._server)
        stage = Stage(self._server.scene, session.memory)
        self._board = Board(self._server, session, stage, self._parts.below[1])
        self._compose(log)
        _look_at_all(self._server, session.memory)
        threading.Thread(target=stage.photos, daemon=True, name="photos").start()
        self._server.on_client_disconnect(self._gone)
        self._server.on_client_connect(self._connected)

    @property
    def url(self) -> str:
        """The address to open in a browser."""
        return f"http://{HOST}:{self._server.get_port()}"

    @property
    def session(self) -> Session:
        """The memory as it is now."""
        return self._board.session

    def visible_points(self) -> NDArray[np.float32]:
        """The points (N, 3) of the cloud that are not cut away: what can be clicked."""
        return self._board.surface.points

    @property
    def drawn(self) -> int:
        """Points of the cloud drawn in all browsers together."""
        return sum(cloud.drawn for cloud in list(self._clouds.values()))

    def stop(self) -> None:
        """Close every connection and the port."""
        self._replay.pause()
        for cloud in list(self._clouds.values()):  # browsers come and go in other threads
            cloud.close()
        with contextlib.redirect_stdout(io.StringIO()):
            self._server.stop()

    def wait(self) -> None:
        """Serve until interrupted."""
        threading.Event().wait()

    def _compose(self, log: Log | None) -> None:
        gui = self._server.gui
        gui.configure_theme(show_logo=False, show_share_button=False)
        tabs = gui.add_tab_group()
        hides_ceiling = self._parts.below[0] != self._parts.whole[0]
        with tabs.add_tab("Look"):
            Looking(self._board, self._show_ceiling if hides_ceiling else None)
        with tabs.add_tab("Ask"):
            Asking(self._board, lambda log: self._replay.open(log))
        with tabs.add_tab("Replay"):
            self._replay = Replay(self._board, log)
        self._board.draw()

    def _show_ceiling(self, shown: bool) -> None:
        self._ceiling = shown
        self._board.surface = self._shown[1]
        for cloud in list(self._clouds.values()):
            cloud.refresh()

    @property
    def _shown(self) -> tuple[tuple[int, ...], Surface]:
        return self._parts.whole if self._ceiling else self._parts.below

    def _connected(self, client: ClientHandle) -> None:
        cloud = CloudView(client, self._parts.whole[1], self._parts.detail, self._budget, lambda: self._shown[0])
        self._clouds[client.client_id] = cloud
        cloud.refresh()

    def _gone(self, client: ClientHandle) -> None:
        cloud = self._clouds.pop(client.client_id, None)
        if cloud is not None:
            cloud.close()


def _parts(memory: SpatialMemory) -> _Parts:
    surface, cut = surface_of(memory), derived(memory).cut_height
    if surface.boxes or cut is None or not (surface.points[:, 1] >= cut).any():
        detail = detail_of(surface.points, surface.spacing)
        return _Parts(detail, (detail.roots, surface), (detail.roots, surface))
    high = surface.points[:, 1] >= cut
    low_part, high_part = (
        detail_of(surface.points, surface.spacing, np.flatnonzero(side).astype(np.int32)) for side in (~high, high)
    )
    detail = joined(low_part, high_part)
    return _Parts(detail, (low_part.roots, surface.select(~high)), (detail.roots, surface))


def _look_at_all(server: ViserServer, memory: SpatialMemory) -> None:
    """Begin above a corner of the scene."""
    extent = derived(memory).extent
    if extent is None:
        return
    middle, size = (extent.low + extent.high) / 2, float(np.linalg.norm(extent.size)) or 1.0
    server.initial_camera.position = middle + size * np.array([0.36, 0.55, 0.5])
    server.initial_camera.look_at = middle
    server.initial_camera.up = WORLD_UP
    server.initial_camera.near = size / 1000
    server.initial_camera.far = size * 20


def _keep_to_this_machine(server: ViserServer) -> None:
    """Turn pages of other origins away, and take out the tunnel to a public address."""
    connections = server._websock_server
    connections.unregister_handler(ShareUrlRequest)
    # Browsers open connections in advance and close them unused, which it would report as an error each time.
    logging.getLogger("websockets.server").addFilter(lambda line: line.getMessage() != "opening handshake failed")

    async def check(client: viser.infra.WebsockClientConnection) -> None:
        connection = connections._live_connections[client.client_id]
        headers = connection.request.headers if connection.request is not None else {}
        if not allowed(headers.get("Origin"), headers.get("Host", "")):
            await connection.close(_ELSEWHERE, "this page may not look into the viewer")

    connections.on_client_connect(check)
    connections.disconnect_all_clients()  # whoever was faster comes again through the check


def allowed(origin: str | None, host: str) -> bool:
    """Whether a browser's page of ``origin`` may connect to the server it calls ``host``.

    It must come from this server itself, called by a name of this machine: a page elsewhere has another origin, and one
    that pointed its own name here (DNS rebinding) another name. Programs that are no browser send no origin.
    """
    if not is_loopback(urlsplit(f"//{host}").hostname or ""):
        return False
    return origin is None or urlsplit(origin).netloc == host
