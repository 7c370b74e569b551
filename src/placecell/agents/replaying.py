"""A recorded run once more, without its model: same memory, same replies, and therefore the same answer.

Knows how a log says what was asked and how. What differs then is a change of the memory, or of placecell.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from placecell.agents import trace_diff
from placecell.agents.answer import Answer
from placecell.agents.events import AnswerEvent, QuestionEvent, RequestEvent
from placecell.agents.log import Log
from placecell.agents.models.budget import Limits
from placecell.agents.models.settings import Settings
from placecell.agents.pipeline import Asker, How
from placecell.errors import BackendUnavailable, UserError
from placecell.memory.scene import SpatialMemory

if TYPE_CHECKING:
    from pydantic_ai.models import Model


@dataclass(frozen=True)
class Replayed:
    """A question answered again. ``recorded`` is None when the recorded run had ended before its answer."""

    number: int
    recorded: Answer | None
    again: Answer

    @property
    def difference(self) -> tuple[str, str, str] | None:
        """Field, recorded value and value now where they part first; None when the answers are the same."""
        if self.recorded is None:
            return "answer", "unfinished", "finished"
        return trace_diff.first_difference(trace_diff.outcome(self.recorded), trace_diff.outcome(self.again))


def replay(recorded: Log, memory: SpatialMemory, *, log: Log | None = None) -> Iterator[Replayed]:
    """Answer every question of a log again, with the recorded replies; ``log`` records this run.

    Raises:
        UserError: a request arises that was not recorded; the message says what differs.
        BackendUnavailable: a model was recorded, and the extra [vlm] is not installed.
    """
    kept = log if log is not None else Log()  # a run that is watched makes pictures, too
    for number in sorted({event.question for event in recorded.events} - {0}):
        part = recorded.only(number)
        asked = next(iter(part.of(QuestionEvent)), None)
        if asked is None:
            raise UserError(f"question {number} of the log has no beginning")
        answers = part.of(AnswerEvent)
        recorded_model = asked.model != "rules"
        asker = Asker(memory, _how(asked), model=_model(part) if recorded_model else None)
        again = asker.ask(asked.text, asked.options, log=kept)
        yield Replayed(number, answers[-1].answer if answers else None, again)


def _how(asked: QuestionEvent) -> How:
    options = dict(asked.settings)
    images = int(options.pop("images"))
    settings = Settings(**asked.use)
    limits = Limits(**asked.limits)
    return How(asked.strategy, asked.model, limits, settings, images=images, options=options)


def _model(part: Log) -> Model[Any]:
    try:
        from placecell.agents.models.doubles.recorded import Recorded
    except ImportError:
        raise BackendUnavailable("replaying a model needs pydantic-ai", hint="pip install 'placecell[vlm]'") from None
    first = next(iter(part.of(RequestEvent)), None)
    return Recorded(part, system=first.system) if first is not None else Recorded(part)
