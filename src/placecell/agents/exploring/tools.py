"""The tools of an exploration for models that call tools: ``reconstruct`` and ``view``.

They are offered while there are rounds left; the request after the last round has none, so that only an answer is left
to give. A round is one reply that looks, however many views it asks for. The views themselves are ``gallery``'s.
"""

from __future__ import annotations

from typing import Any

from pydantic_ai import RunContext, Tool, ToolReturn
from pydantic_ai.tools import ToolDefinition

from placecell.agents.exploring.asking import view_schema
from placecell.agents.exploring.gallery import Gallery, Refused
from placecell.agents.models.failures import Failure
from placecell.agents.talk import Talk
from placecell.engine.facts import facts_of

__all__ = ["Explorer"]

_OVERHEAD = 2
"""Replies beyond the rounds that may use tools: one to reconstruct, one that is refused."""


class Explorer:
    """Counts the rounds of one exploration and carries its calls out."""

    def __init__(self, talk: Talk, gallery: Gallery) -> None:
        self.talk = talk
        self.gallery = gallery
        self._replies: list[int] = []
        self._looks = 0

    @property
    def rounds_left(self) -> int:
        return self.gallery.settings.rounds - len(self._replies)

    def tools(self) -> list[Tool[Any]]:
        """The tools; none when no round is allowed."""
        view = Tool.from_schema(
            self._view,
            name="view",
            description="Look at the reconstructed place from a virtual camera. Gives a render with its exact camera.",
            json_schema=view_schema(self.gallery.memory, self.gallery.settings),
            takes_ctx=True,
            sequential=True,
        )
        nothing: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
        reconstruct = Tool.from_schema(
            self._reconstruct,
            name="reconstruct",
            description="Reconstruct the place in 3D from the photos: where each was taken, and how large it is. "
            "Not needed when the photos answer the question.",
            json_schema=nothing,
            sequential=True,
        )
        for tool in (view, reconstruct):
            tool.prepare = self._while_rounds_are_left
        return [reconstruct, view]

    def _while_rounds_are_left(self, context: RunContext[Any], definition: ToolDefinition) -> ToolDefinition | None:
        allowed = self.gallery.settings.rounds
        if self.rounds_left <= 0 or context.run_step > allowed + _OVERHEAD:
            return None
        return None if definition.name == "reconstruct" and self.gallery.reconstructed else definition

    def _reconstruct(self, **_: Any) -> str:
        memory = self.gallery.memory
        self.gallery.reconstructed = True
        placed = [f.number for f in memory.posed_frames]
        lost = [f.number for f in memory.frames if f.camera is None]
        if not placed:
            return "The place could not be reconstructed: no photo has a known position. Answer from the photos."
        facts = facts_of(memory)
        parts = [
            f"Reconstructed: {len(placed)} cameras, {len(memory.cloud)} points, lengths in "
            + ("metres" if memory.unit == "m" else "units of unknown size"),
            f"Images with a position: {', '.join(map(str, placed))}" if len(placed) < 60 else f"{facts.images_text}",
        ]
        if lost:
            parts.append(f"Without a position: {', '.join(map(str, lost))}")
        return ". ".join([*parts, self._rest()])

    def _view(self, context: RunContext[Any], **arguments: Any) -> ToolReturn[str] | str:
        if context.run_step not in self._replies:
            if self.rounds_left <= 0:
                return self._rest()
            self._replies.append(context.run_step)
            self._looks = 0
        self._looks += 1
        most = self.gallery.settings.views
        if self._looks > most:
            return f"Not made: at most {most} views in one reply. {self._rest()}"
        got = self.gallery.ask(arguments, len(self._replies))
        if isinstance(got, Refused):
            return f"Not made: {got.why}. {self._rest()}"
        shown = self.talk.encoded(got.shown(), history=context.messages)
        if isinstance(shown, Failure):
            return f"View {got.number} was made but cannot be shown: {shown}. {self._rest()}"
        return ToolReturn(f"View {got.number} follows ({got.look.words()}). {self._rest()}", content=shown)

    def _rest(self) -> str:
        left = self.rounds_left
        if left <= 0:
            return "That was the last round: answer now, from what you have seen."
        return f"{left} more {'round' if left == 1 else 'rounds'} to look, or answer."
