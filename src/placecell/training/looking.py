"""The profiles that look: ``explore`` with its free choice of views, and ``canonical``, the paper's three.

Both are the strategy ``explore``'s own gallery, schemas and prompts, so that a policy meets in training what it meets
when it is asked: ``explore`` the native tool ``view``, ``canonical`` the published checkpoints' tool and angles
(Think3D 3.4: left (-45, 0), right (45, 0), top (0, 60)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from placecell.agents.exploring import published
from placecell.agents.exploring.asking import Look, read_look, view_schema
from placecell.agents.exploring.calls import Called
from placecell.agents.exploring.gallery import Gallery, Refused
from placecell.agents.exploring.prompts import instructions
from placecell.agents.exploring.settings import Exploration
from placecell.training.profiles import Episode, Schema, Told, schema
from placecell.training.trajectories import Seen

VIEW = "view"
"""The tool of ``explore``; that of ``canonical`` is ``published.tool_schema``'s."""


def explore(episode: Episode) -> Looking:
    """``view(camera, azimuth, elevation, mode)`` in placecell's convention."""
    settings = _settings(episode)
    tool = schema(
        VIEW,
        "Look at the reconstructed place from a virtual camera. Gives a render with its exact camera.",
        view_schema(episode.memory, settings),
    )
    return Looking(episode, settings, tool, instructions(settings), read_look)


def canonical(episode: Episode) -> Looking:
    """The published tool, restricted to the three canonical views, in the published convention of angles."""
    settings = _settings(episode, profile="think3d", canonical=True)
    tool = schema(**published.tool_schema(settings))
    return Looking(episode, settings, tool, published.system_prompt(settings), published.read_published)


class Looking:
    """One tool that makes views; what was seen already or cannot be seen is refused with the reason."""

    def __init__(
        self,
        episode: Episode,
        settings: Exploration,
        tool: Schema,
        prompt: str,
        read: Callable[..., Look | str],
    ) -> None:
        photos = frozenset(episode.photos.shown)
        self.gallery = Gallery(episode.memory, settings, None, episode.limits.renders, photos, render=episode.render)
        self._tool = tool
        self._prompt = prompt
        self._read = read

    def instructions(self) -> str:
        return self._prompt

    def schemas(self) -> tuple[Schema, ...]:
        return (self._tool,)

    def call(self, call: Called, turn: int) -> Told:
        """A render with its caption, or why there is none."""
        name = self._tool["function"]["name"]
        if call.name != name:
            return Told(f"There is no tool {call.name!r}; use {name}.", "other", ok=False)
        got = self.gallery.ask(call.arguments, turn, self._read)
        if isinstance(got, Refused):
            return Told(f"Not made: {got.why}.", "view", ok=False)
        seen = Seen(got.picture.rgb, got.caption)
        return Told(f"View {got.number} ({got.look.words()}).", "view", ok=True, pictures=(seen,))


def _settings(episode: Episode, **more: Any) -> Exploration:
    limits = episode.limits
    shaped: Mapping[str, Any] = {"rounds": limits.turns, "views": limits.looks, "size": limits.side, "legend": False}
    return Exploration(**shaped, **more)
