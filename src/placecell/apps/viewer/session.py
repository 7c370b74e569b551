"""What a person does to a memory in the viewer: correct its objects, ask about it, save it.

Knows the memory and its file. Does not know how anything is shown. Not safe to use from two threads at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from placecell.agents.answer import Answer
from placecell.agents.answering import How
from placecell.agents.log import Log
from placecell.agents.pipeline import Asker
from placecell.errors import UserError
from placecell.memory import corrections, storage
from placecell.memory.scene import SpatialMemory


@dataclass
class Session:
    """``memory`` is the present version, ``target`` the file it is saved to, if any, ``how`` questions are answered."""

    memory: SpatialMemory
    target: Path | None = None
    how: How = field(default_factory=How)

    def __post_init__(self) -> None:
        self._opened = self._saved = self.memory
        self._digest = self._on_disk()
        self._asker: Asker | None = None

    @property
    def unsaved(self) -> int:
        """How many changes the file does not have."""
        return self.memory.version - self._saved.version

    @property
    def can_undo(self) -> bool:
        """Whether a change made here still stands. What was changed before is left to ``placecell objects --undo``."""
        edits = self.memory.edits[len(self._opened.edits) :]
        return sum(1 if edit.undoes is None else -1 for edit in edits) > 0

    def rename(self, id_: int, name: str) -> None:
        """Give one object another name. UserError when it has it already, or the name is no name."""
        self.memory = corrections.rename(self.memory, id_, name)

    def merge(self, ids: Sequence[int]) -> int:
        """Make objects one; returns the new object's id. UserError for fewer than two."""
        self.memory = corrections.merge(self.memory, list(ids))
        return self.memory.edits[-1].made[0]

    def remove(self, ids: Sequence[int]) -> None:
        """Take objects out."""
        changed = self.memory
        for id_ in ids:
            changed = corrections.remove(changed, id_)
        self.memory = changed

    def undo(self) -> None:
        """Take the last change of this session back. UserError when there is none."""
        if not self.can_undo:
            raise UserError("nothing was changed here that could be taken back")
        self.memory = corrections.undo(self.memory)

    def save(self) -> Path:
        """Write the memory to its file.

        Raises:
            UserError: there is no file for it, or it was changed by another since it was opened.
        """
        if self.target is None:
            raise UserError("this memory has no file yet", hint="open the viewer with -o NAME.pcell")
        if self._on_disk() != self._digest:
            raise UserError(
                f"{self.target} was changed since the viewer opened it", hint="open the viewer with -o ANOTHER.pcell"
            )
        storage.save(self.memory, self.target, overwrite=True)
        self._saved, self._digest = self.memory, self._on_disk()
        return self.target

    def ask(self, question: str, options: Sequence[str] = ()) -> tuple[Answer, Log]:
        """An answer and the log of how it was found.

        Raises:
            UserError: no question, or an unknown strategy or model.
            BackendUnavailable: the model needs an extra or a key.
        """
        if not question.strip():
            raise UserError("there is no question", hint='for example: "How far is the lamp from the bed?"')
        if self._asker is None or self._asker.memory is not self.memory:
            self._asker = Asker(self.memory, self.how)
        log = Log()
        return self._asker.ask(question.strip(), list(options) or None, log=log), log

    def _on_disk(self) -> str | None:
        return storage.content_digest(self.target) if self.target is not None and self.target.exists() else None
