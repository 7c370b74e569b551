"""The views a model has asked for: which are made, which are refused and why, and what is said beside each.

Every view keeps its exact camera and caption, and is written to the log whether it was made or not. Knows angles,
duplicates and the number of pictures that fit. Does not know how a model asks (``tools``, ``published``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from placecell.agents.events import ViewEvent
from placecell.agents.exploring.asking import Look, read_look
from placecell.agents.exploring.settings import Exploration
from placecell.agents.log import Log
from placecell.agents.models.pictures import Shown
from placecell.agents.recording import keep_picture
from placecell.engine.evidence import joined
from placecell.engine.interpreter import RunResult, RunStats
from placecell.engine.legend import ego_legend, overview_legend
from placecell.engine.renders import Mode, Profile, render_view
from placecell.engine.values import Picture
from placecell.geometry.transforms import wrap_degrees
from placecell.memory.scene import SpatialMemory

__all__ = ["Gallery", "Refused", "Renderer", "View"]

_SAME = 7.5
"""Degrees; views of one camera that differ by less than this in both angles show the same."""
_FURTHER = 30


class Renderer(Protocol):
    """Makes a view: ``engine.renders.render_view``, or what gives the same picture faster."""

    def __call__(
        self,
        memory: SpatialMemory,
        /,
        *,
        anchor: int | None,
        azimuth: float,
        elevation: float,
        mode: Mode,
        size: int,
        profile: Profile,
    ) -> Picture: ...


@dataclass(frozen=True, eq=False)
class View:
    """A view that was made: ``number`` counts them from 1, ``round`` is the reply that asked for it."""

    number: int
    round: int
    look: Look
    picture: Picture
    legend: str = ""

    @property
    def caption(self) -> str:
        """What is shown, from where, and which known objects are in it."""
        return "\n".join(part for part in (f"View {self.number}. {self.picture.caption}.", self.legend) if part)

    def shown(self) -> Shown:
        """The view as a picture for a model."""
        return Shown(self.picture.rgb, self.caption, camera=self.picture.sidecar)


@dataclass(frozen=True)
class Refused:
    """A view that was not made, and what to do instead."""

    why: str


@dataclass
class Gallery:
    """The views of one exploration. ``room`` is how many pictures still fit; ``photos`` those shown from the start;
    ``render`` makes the pictures. ``log``: where views are recorded, None for nowhere.
    """

    memory: SpatialMemory
    settings: Exploration
    log: Log | None
    room: int
    photos: frozenset[int] = frozenset()
    render: Renderer = render_view
    views: list[View] = field(default_factory=list)
    refused: int = 0
    reconstructed: bool = False

    @property
    def first_camera(self) -> int | None:
        """The anchor when none is chosen: the first image that has a place."""
        return next((f.number for f in self.memory.posed_frames), None)

    def ask(
        self, arguments: Mapping[str, Any], turn: int, read: Callable[..., Look | str] = read_look
    ) -> View | Refused:
        """Make a view from a model's arguments, or say why not; ``turn`` counts the replies that look from 1."""
        look = read(arguments, self.memory, self.settings, self.first_camera)
        why = look if isinstance(look, str) else self._objection(look)
        if why is None and not isinstance(look, str):
            self.reconstructed = True
            return self._made(look, turn)
        self.refused += 1
        asked = dict(arguments) if isinstance(look, str) else look.record()
        if self.log is not None:
            self.log.add(ViewEvent(round=turn, asked=_plain(asked), refused=why))
        return Refused(why or "")

    def result(self) -> RunResult:
        """The exploration as a run: its views are the pictures and, together, the evidence."""
        pictures = {f"view_{v.number}": v.picture for v in self.views}
        stats = RunStats(operations=len(self.views), pictures=len(self.views))
        return RunResult(tuple(pictures.values()), pictures, (), stats, self.memory)

    def statistics(self) -> dict[str, Any]:
        """What was looked at, for the log: the material of the paper's figures on exploration."""
        return {
            "profile": self.settings.profile,
            "reconstructed": self.reconstructed,
            "rounds": max((v.round for v in self.views), default=0),
            "views": len(self.views),
            "refused": self.refused,
            "looks": [{"round": v.round, **v.look.record()} for v in self.views],
            "images": list(joined(*(v.picture.evidence for v in self.views)).frames) if self.views else [],
        }

    def _objection(self, look: Look) -> str | None:
        if self.room <= 0:
            return "no further picture fits into the budget of this question; answer from what you have seen"
        if (
            look.mode == "ego"
            and look.camera in self.photos
            and _close(look.azimuth, 0)
            and abs(look.elevation) < _SAME
        ):
            return (
                f"without a turn this is image {look.camera} itself, which you see already; "
                f"turn by {_FURTHER} degrees or more, or look from outside"
            )
        seen = next((v for v in self.views if _same(v.look, look)), None)
        if seen is not None:
            return (
                f"view {seen.number} shows this already ({seen.look.words()}); look at it again, or ask for one that "
                f"differs by {_FURTHER} degrees or more, from another image or in the other mode"
            )
        return None

    def _made(self, look: Look, turn: int) -> View:
        s = self.settings
        picture = self.render(
            self.memory,
            anchor=look.camera,
            azimuth=look.azimuth,
            elevation=look.elevation,
            mode=look.mode,
            size=s.size,
            profile=s.profile,
        )
        view = View(len(self.views) + 1, turn, look, picture, self._legend(picture, look))
        if self.log is not None:
            sidecar = picture.sidecar | {"caption": view.caption}
            ref = keep_picture(self.log, replace(picture, caption=view.caption, sidecar=sidecar))
            self.log.add(ViewEvent(round=turn, asked=look.record(), picture=ref))
        self.views.append(view)
        self.room -= 1
        return view

    def _legend(self, picture: Picture, look: Look) -> str:
        if not self.settings.legend:
            return ""
        if look.mode == "ego":
            return ego_legend(self.memory, picture)
        anchor = look.camera or self.first_camera
        return overview_legend(self.memory, picture, anchor) if anchor is not None else ""


def _same(a: Look, b: Look) -> bool:
    turned = _close(a.azimuth, b.azimuth) and abs(a.elevation - b.elevation) < _SAME
    return (a.mode, a.camera) == (b.mode, b.camera) and turned


def _close(a: float, b: float) -> bool:
    return abs(float(wrap_degrees(a - b))) < _SAME


def _plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments a model made up, as far as they can be written down."""
    return {str(k): v if isinstance(v, bool | int | float | str) or v is None else str(v) for k, v in arguments.items()}
