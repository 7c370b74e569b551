"""Tasks for strategies: a question about a memory, put to a model on a socket or to a function of the process."""

from __future__ import annotations

from placecell.agents.author import Asked
from placecell.agents.log import Log
from placecell.agents.models.budget import Account, Limits
from placecell.agents.models.channel import Channel
from placecell.agents.models.open import open_model
from placecell.agents.models.settings import Settings
from placecell.agents.strategy import Task
from placecell.engine.facts import facts_of

OPTIONS = ("A. sofa", "B. table", "C. chair")


def task(
    model, memory, question="What is to my right in image 1?", options=OPTIONS, *, limits=None, images=None, **how
):
    """A task for the model, a server's name or a pydantic-ai model; ``how`` are the strategy's options."""
    log = Log()
    use = Settings(timeout=30.0)
    opened = open_model(model, use) if isinstance(model, str) else model
    shown = tuple(f.number for f in memory.frames) if images is None else images
    channel = Channel(opened, use, Account(limits or Limits()), log)
    return Task(Asked(question, tuple(options)), memory, facts_of(memory), shown, channel, log=log, options=how)
