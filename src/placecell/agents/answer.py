"""The answer to a question: what a person, a script and a benchmark read. Given also when nothing could be said.

Knows the fields and their JSON; does not know how an answer is found (``pipeline``) or worded (``answers``).
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from placecell.language.decomposition import Decomposition
from placecell.language.diagnostics import Diagnostic

Stage = Literal["decomposition", "plan", "grounding", "memory", "execution", "answer", "model", "budget"]
"""Where a question got stuck: not understood, no program, an object not found, content the memory lacks, degenerate
geometry, values or a reply that hold no answer, a model that did not reply, a budget that was used up."""

Method = Literal["geometry", "vlm", "both"]


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Finding(_Record):
    """A diagnostic of the checker as it stands in an answer; lines and columns count from 1, the end is exclusive."""

    code: str
    category: str
    severity: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    hint: str = ""

    @classmethod
    def of(cls, found: Diagnostic) -> Finding:
        """The record of a diagnostic."""
        return cls(**{name: value for name, value in found.record().items() if name in cls.model_fields})


class Grounds(_Record):
    """What the answer was computed from: image numbers, instance ids, and remarks such as "one view only"."""

    images: tuple[int, ...] = ()
    instances: tuple[int, ...] = ()
    remarks: tuple[str, ...] = ()


class Attempt(_Record):
    """One program a model wrote for the question.

    ``accepted`` as it was written, ``repaired``: accepted once the checker's own repairs, named in ``repairs``, were
    made. ``codes`` are the errors it was written with. pass@k counts the first k attempts.
    """

    program: str
    accepted: bool
    repaired: bool = False
    codes: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()


class Usage(_Record):
    """What answering took. What concerns a model is 0 for rules; ``tokens`` is input and output together.

    ``pictures`` were rendered, ``pictures_sent`` went to a model, each counted once. ``usd`` is None when the
    price of a call is not known. ``lost_calls`` got no reply because of the server, the way to it, or a key: asked
    again another day, the question may be answered.
    """

    operations: int = 0
    pictures: int = 0
    calls: int = 0
    lost_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    tokens: int = 0
    pictures_sent: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0


class Answer(_Record):
    """One question answered, or not answered with the reason.

    ``answer`` is the text to show: the option's own text, or the value in words. ``value`` is the number in ``unit``,
    or the word a choice rests on ("left"). ``interval`` (low, high) holds the value with 95 % probability by the
    memory's own noise. ``confidence`` is the probability, 0 to 1, that the answer is right if the memory is.
    ``abstained`` answers have a ``reason`` and a ``stage``; a forced choice that is too close to call is answered with
    low confidence and a note.
    """

    question: str
    answer: str | None = None
    letter: str | None = None
    value: bool | int | float | str | None = None
    unit: str | None = None
    interval: tuple[float, float] | None = None
    confidence: float = Field(default=0.0, ge=0.0, le=1.0)
    method: Method | None = None
    abstained: bool = False
    reason: str | None = None
    stage: Stage | None = None
    notes: tuple[str, ...] = ()
    family: str | None = None
    decomposition: Decomposition | None = None
    program: str | None = None
    diagnostics: tuple[Finding, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    values: dict[str, str] = Field(default_factory=dict)
    evidence: Grounds = Grounds()
    usage: Usage = Usage()
    versions: dict[str, str] = Field(default_factory=dict)
    trace: str | None = None

    @property
    def between(self) -> tuple[float, float] | None:
        """``interval`` as it is shown: None when it has no width, as where nothing states an error."""
        return self.interval if self.interval and self.interval[0] < self.interval[1] else None

    def record(self) -> dict[str, Any]:
        """The JSON object of ``placecell ask --json``."""
        return self.model_dump(mode="json")
