"""How questions are to be answered, settled once: strategy, model, limits, pictures.

Opens what is named and makes the tasks. Does not know how an answer is found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from placecell.agents.author import Asked
from placecell.agents.log import Log, Unread
from placecell.agents.models.budget import Account, Limits
from placecell.agents.models.names import parse
from placecell.agents.models.open import open_model
from placecell.agents.models.settings import Settings
from placecell.agents.strategy import WITHOUT_A_MODEL, Strategy, Task, Value, Who, open_strategy
from placecell.engine.context import Budget
from placecell.errors import UserError
from placecell.language.plan import MemoryFacts
from placecell.memory.scene import SpatialMemory
from placecell.memory.selection import SHOWN, representative_frames

if TYPE_CHECKING:
    from pydantic_ai.models import Model

_NAMED_IMAGE = re.compile(r"\b(?:images?|photos?|pictures?|frames?|views?)\s+#?(\d{1,6})\b", re.IGNORECASE)


@dataclass(frozen=True)
class How:
    """How to answer.

    ``model`` is "rules" (no model), a model's name (``models.names``), or "auto": rules first, and the model of
    PLACECELL_MODEL, or of "auto:NAME", where they are not enough. ``images`` is the most photos shown to a model.
    ``options`` are the strategy's own, ``budget`` limits the run of a program.
    """

    strategy: str = "program"
    model: str = "rules"
    limits: Limits = field(default_factory=Limits)
    settings: Settings = field(default_factory=Settings.of_environment)
    images: int = SHOWN
    options: Mapping[str, Value] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)


class Ready:
    """A strategy and a model, opened and ready for any number of questions, from any number of threads."""

    def __init__(self, how: How, model: Model[Any] | None = None) -> None:
        """Open what ``how`` names; ``model`` is used in place of a name.

        Raises:
            UserError: an unknown strategy or model, or a strategy that needs a model and has none.
            BackendUnavailable: an extra or a key is missing.
        """
        self.strategy: Strategy = open_strategy(how.strategy)
        self.author, name = _who(how.model, given=model is not None)
        self.settings = how.settings
        self.model = model
        if self.author == "rules" and how.strategy not in WITHOUT_A_MODEL:
            raise UserError(f"the strategy {how.strategy!r} needs a model", hint="name one with --model")
        if name is not None and model is None:
            found = parse(name, how.settings.base_url)
            if how.settings.structured is None and not found.double and found.base_url is None:
                self.settings = replace(how.settings, structured="tool")
            self.model = open_model(name, self.settings)
        self.how = how

    def task(self, memory: SpatialMemory, facts: MemoryFacts, asked: Asked, log: Log | None) -> Task:
        """One question as a task; with a ``log`` somebody will look at how it was answered."""
        kept = log if log is not None else Unread()
        channel = None
        if self.model is not None:
            from placecell.agents.models.channel import Channel

            channel = Channel(self.model, self.settings, Account(self.how.limits), kept)
        return Task(
            asked=asked,
            memory=memory,
            facts=facts,
            images=_images(memory, asked, self.how.images) if channel is not None else (),
            channel=channel,
            author=self.author,
            log=kept,
            budget=self.how.budget,
            options=self.how.options,
            trace=log is not None,
        )


def _who(model: str, *, given: bool) -> tuple[Who, str | None]:
    """Who answers, and the model's name if it takes one."""
    if model == "auto" or model.startswith("auto:"):
        name = model.partition(":")[2] or os.environ.get("PLACECELL_MODEL", "")
        if not name and not given:
            raise UserError('"auto" needs a model', hint="set PLACECELL_MODEL, or write auto:NAME")
        return "auto", name
    if model == "rules" and not given:
        return "rules", None
    return "vlm", model


def _images(memory: SpatialMemory, asked: Asked, most: int) -> tuple[int, ...]:
    """The photos to show: those the question names, and the few that show most of the place."""
    if not memory.frames or most < 1:
        return ()
    there = {frame.number for frame in memory.frames}
    said = " ".join([asked.question, *asked.options])
    named = [n for n in dict.fromkeys(int(m) for m in _NAMED_IMAGE.findall(said)) if n in there]
    return representative_frames(memory, most, include=named[:most])
