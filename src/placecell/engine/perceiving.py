"""Perception asked once: results are kept by the content they are about, and can be written down and given back.

The same question about the same pixels has the same answer for a whole session, and a session that is replayed takes
what was perceived from its log instead of asking a model again. Of what adds to the memory, the things that came are
kept (``memory.growth``): their records with all else that was perceived, their points and tracks as arrays. Knows ports
and keys; what a port does is its maker's matter.
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
from placecell.memory.growth import Growth, grown, growth
from placecell.memory.scene import Frame, Instance, SpatialMemory

Perceived = Mapping[str, Any]
"""What ports gave, as JSON by key: ``{"gave": ...}``, or ``{"failed": why}``."""

Found = Mapping[str, Mapping[str, NDArray[Any]]]
"""Arrays of what was added to the memory, by the same keys and their names in the record."""


ADDING = ("find ", "track ")
"""How the keys of those ports begin that add to the memory."""


class Remembered:
    """Ports that ask each thing once.

    ``perceived`` and ``found`` are known from the beginning, ``offered`` are ports by name that are there although
    nothing stands behind them: what was perceived through them before is all they know.
    """

    def __init__(
        self,
        effects: Effects,
        perceived: Perceived | None = None,
        offered: Collection[str] = (),
        found: Found | None = None,
    ) -> None:
        self._effects = effects
        self._known: dict[str, Any] = dict(perceived or {})
        self._found = dict(found or {})
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

    @property
    def found(self) -> Found:
        """Arrays of all that was added to the memory."""
        return self._found

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
        port = self._effects.find
        return self._grown("find", memory, [name, images], lambda: _port(port)(memory, name, images))

    def _track(self, memory: SpatialMemory, name: str) -> SpatialMemory:
        port = self._effects.track
        return self._grown("track", memory, [name], lambda: _port(port)(memory, name))

    def _grown(
        self, port: str, memory: SpatialMemory, about: list[Any], grow: Callable[[], SpatialMemory]
    ) -> SpatialMemory:
        """The memory's next version: by the port, or by what is known of what it found."""
        about = [memory.version, *about]
        key = f"{port} {_key(about)}"

        def ask() -> Any:
            after = grow()
            new = growth(memory, after)
            if new is None:
                raise BackendUnavailable(f"{port} changed more of the memory than its objects and tracks")
            record, self._found[key] = new
            self._memories[key] = after
            return json.loads(record.model_dump_json())

        gave = self._once(port, about, ask)
        if key not in self._memories:
            try:
                self._memories[key] = grown(memory, Growth.model_validate(gave), self._found[key])
            except (KeyError, ValueError):
                raise BackendUnavailable("what was found then does not belong to this memory") from None
        return self._memories[key]

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
