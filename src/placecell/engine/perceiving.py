"""Perception asked once: results are kept by the content they are about, and can be written down and given back.

The same question about the same pixels has the same answer for a whole session, and a session that is replayed takes
what was perceived from its log instead of asking a model again. What adds to the memory is kept in this process only:
memories are too large for a log, and segmenters keep their own masks. Knows ports and keys; what a port does is its
maker's matter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.engine.cells.context import Effects, Front
from placecell.engine.context import Judgement
from placecell.engine.values import Picture
from placecell.errors import BackendUnavailable, PlacecellError
from placecell.memory.scene import Frame, Instance, SpatialMemory

Perceived = Mapping[str, Any]
"""What ports gave, as JSON by key: ``{"gave": ...}``, or ``{"failed": why}``."""


class Remembered:
    """Ports that ask each thing once.

    ``perceived`` is known from the beginning, ``offered`` are ports by name that are there although nothing stands
    behind them: what was perceived through them before is all they know.
    """

    def __init__(self, effects: Effects, perceived: Perceived | None = None, offered: Collection[str] = ()) -> None:
        self._effects = effects
        self._known: dict[str, Any] = dict(perceived or {})
        self._offered = frozenset(offered)
        self._taken: dict[str, Any] = {}
        self._memories: dict[str, SpatialMemory] = {}

    @property
    def ports(self) -> tuple[str, ...]:
        """Names of the ports that are there."""
        there = (f.name for f in fields(Effects) if getattr(self._effects, f.name) is not None)
        return tuple(sorted(self._offered.union(there)))

    def effects(self) -> Effects:
        """The ports themselves."""
        there = self.ports
        return Effects(
            find=self._find if "find" in there else None,
            track=self._track if "track" in there else None,
            facing=self._facing if "facing" in there else None,
            judge=self._judge if "judge" in there else None,
            read_text=self._read_text if "read_text" in there else None,
        )

    def taken(self) -> Perceived:
        """What was asked for since the last call, asked anew or not, in order."""
        taken, self._taken = self._taken, {}
        return taken

    def _judge(self, question: str, pictures: tuple[Picture, ...], options: tuple[str, ...]) -> Judgement | None:
        shown = [digest_of(picture.rgb) for picture in pictures]
        port = self._effects.judge
        got = self._once("judge", [question, shown, options], lambda: _listed(_port(port)(question, pictures, options)))
        return None if got is None else Judgement(*got)

    def _facing(self, memory: SpatialMemory, instance: Instance) -> Front | None:
        def ask() -> list[Any] | None:
            front = _port(self._effects.facing)(memory, instance)
            return None if front is None else [front.direction.tolist(), front.confidence]

        about = [instance.id, instance.name, instance.centre.tolist(), [v.frame for v in instance.views]]
        got = self._once("facing", about, ask)
        return None if got is None else Front(np.array(got[0], float), got[1])

    def _read_text(self, frame: Frame) -> str:
        port = self._effects.read_text
        return str(self._once("read_text", [frame.number, frame.digest], lambda: _port(port)(frame)))

    def _find(self, memory: SpatialMemory, name: str, images: tuple[int, ...]) -> SpatialMemory:
        return self._grown(
            ["find", memory.version, name, images], lambda: _port(self._effects.find)(memory, name, images)
        )

    def _track(self, memory: SpatialMemory, name: str) -> SpatialMemory:
        return self._grown(["track", memory.version, name], lambda: _port(self._effects.track)(memory, name))

    def _once(self, port: str, about: object, ask: Callable[[], Any]) -> Any:
        key = f"{port} {_key(about)}"
        if key not in self._known:
            try:
                self._known[key] = {"gave": ask()}
            except PlacecellError as error:
                self._known[key] = {"failed": error.message}
        known = self._taken[key] = self._known[key]
        if "failed" in known:
            raise BackendUnavailable(str(known["failed"]))
        return known["gave"]

    def _grown(self, about: object, grow: Callable[[], SpatialMemory]) -> SpatialMemory:
        key = _key(about)
        if key not in self._memories:
            self._memories[key] = grow()
        return self._memories[key]


def _port(port: Callable[..., Any] | None) -> Callable[..., Any]:
    if port is None:
        raise BackendUnavailable("this was not perceived when the session was recorded")
    return port


def _listed(judgement: Judgement | None) -> list[Any] | None:
    return None if judgement is None else list(judgement)


def _key(about: object) -> str:
    return hashlib.sha256(json.dumps(about, ensure_ascii=True).encode("ascii")).hexdigest()


def digest_of(pixels: NDArray[np.uint8]) -> str:
    """SHA-256 of a picture's size and pixels."""
    return hashlib.sha256(repr(pixels.shape).encode() + pixels.tobytes()).hexdigest()
