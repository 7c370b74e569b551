"""What can happen while a question is answered: one frozen record a kind, the lines of a log.

Knows the fields and their JSON. Does not know who writes them, where they are kept (``log``) or how they are shown
(``trace_page``). Pictures are named by the SHA-256 of their encoded bytes; the bytes are the log's.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from placecell.agents.answer import Answer, Finding, Stage
from placecell.agents.quoting import writable
from placecell.language.decomposition import Decomposition

Words = Annotated[str, BeforeValidator(lambda text: writable(text) if isinstance(text, str) else text)]
"""Text from outside: a person, a model, a tool."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class PictureRef(_Record):
    """A picture by the digest of its encoded bytes, as it was sent or shown.

    ``camera`` is the exact camera for JSON: width, height, K, world_from_cam (OpenCV axes), or ``units_per_pixel`` for
    a top view; empty when there is none. ``image`` is the photo's number, None for a render.
    """

    digest: str
    media_type: str
    bytes: int
    width: int
    height: int
    caption: str = ""
    image: int | None = None
    camera: dict[str, Any] = Field(default_factory=dict)


class TextPart(_Record):
    part: Literal["text"] = "text"
    text: Words


class PicturePart(_Record):
    part: Literal["picture"] = "picture"
    picture: PictureRef


class CallPart(_Record):
    """A tool the model wants called; ``arguments`` as it wrote them, a JSON text even where it is malformed."""

    part: Literal["call"] = "call"
    name: Words
    arguments: Words
    id: str = ""


class ResultPart(_Record):
    """What a tool gave back to the model."""

    part: Literal["result"] = "result"
    name: Words
    text: Words
    id: str = ""


Part = Annotated[TextPart | PicturePart | CallPart | ResultPart, Field(discriminator="part")]


class Message(_Record):
    """One turn of a conversation, its parts in the order the model sees them."""

    role: Literal["system", "user", "assistant", "tool"]
    parts: tuple[Part, ...]


class Tokens(_Record):
    """What a reply cost. ``usd`` is None where the price is not known; a cached reply costs nothing."""

    input: int = 0
    output: int = 0
    usd: float | None = None


class LogEvent(_Record):
    """``n`` counts the events of a log from 1, ``question`` its questions, ``at`` is seconds since its start.

    The log fills all three in.
    """

    n: int = 0
    question: int = 0
    at: float = 0.0


class QuestionEvent(LogEvent):
    """A question was put.

    ``limits`` hold for it, ``settings`` are the strategy's own, ``use`` says how the model was used. ``memory`` tells
    what it was put to, ``overview`` shows it from above with its cameras.
    """

    kind: Literal["question"] = "question"
    text: Words
    options: tuple[Words, ...] = ()
    strategy: str
    model: str
    limits: dict[str, Any] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)
    use: dict[str, Any] = Field(default_factory=dict)
    memory: dict[str, Any] = Field(default_factory=dict)
    overview: PictureRef | None = None
    versions: dict[str, str] = Field(default_factory=dict)


class DecompositionEvent(LogEvent):
    """A question was taken apart by ``author``."""

    kind: Literal["decomposition"] = "decomposition"
    author: str
    family: str | None
    decomposition: Decomposition


class RequestEvent(LogEvent):
    """What is about to be sent to a model, written before it is sent.

    ``call`` counts the requests of a question from 1 and is the reply's too. ``role`` says what for ("planner"),
    ``system`` whose model it is ("openai").
    ``settings`` are all that shape the reply (temperature, most tokens), ``output`` is the JSON schema asked for,
    ``dropped`` one sentence for everything that was left out to fit.
    """

    kind: Literal["request"] = "request"
    call: int
    role: str
    model: str
    system: str = ""
    messages: tuple[Message, ...]
    tools: tuple[dict[str, Any], ...] = ()
    output: dict[str, Any] | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    dropped: tuple[str, ...] = ()

    @property
    def pictures(self) -> tuple[PictureRef, ...]:
        """Every picture of the messages, in order."""
        return tuple(p.picture for m in self.messages for p in m.parts if isinstance(p, PicturePart))

    def own(self) -> RequestEvent:
        """The request without system messages after its first one: pydantic-ai adds some of its own, by provider."""
        first = next((m for m in self.messages if m.role == "system"), None)
        kept = tuple(m for m in self.messages if m.role != "system" or m is first)
        return self.model_copy(update={"messages": kept})

    def shaping(self) -> dict[str, Any]:
        """All that shapes the reply, pictures by digest. Ids of tool calls, which providers make up, are left out."""
        shaping = self.model_dump(mode="json", include={"messages", "tools", "output", "settings"})
        for part in (p for m in shaping["messages"] for p in m["parts"]):
            part.pop("id", None)
            if part["part"] == "picture":
                part["picture"] = part["picture"]["digest"]
        return shaping

    def fingerprint(self) -> str:
        """SHA-256 of all that shapes the reply. Two requests with the same one may have the same reply."""
        text = json.dumps(self.shaping(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)
        return hashlib.sha256(text.encode("ascii")).hexdigest()


class ReplyEvent(LogEvent):
    """What came back, ``parts`` as the model wrote them. ``finish`` is "stop", "length", "tool_call", "refused", ..."""

    kind: Literal["reply"] = "reply"
    call: int
    parts: tuple[Part, ...] = ()
    finish: str | None = None
    usage: Tokens = Tokens()
    seconds: float = 0.0
    cached: bool = False
    model: str = ""

    @property
    def text(self) -> str:
        """The text parts, joined."""
        return "".join(p.text for p in self.parts if isinstance(p, TextPart))

    @property
    def calls(self) -> tuple[CallPart, ...]:
        """The tools it wants called."""
        return tuple(p for p in self.parts if isinstance(p, CallPart))


class ProgramEvent(LogEvent):
    """A program, or a cell of one that is written step by step, was checked; ``attempt`` counts from 1.

    The diagnostics' lines are those of ``text``.
    """

    kind: Literal["program"] = "program"
    what: Literal["program", "cell"] = "program"
    attempt: int = 1
    author: str
    text: Words
    diagnostics: tuple[Finding, ...] = ()
    accepted: bool
    repaired: bool = False


class ValueRow(_Record):
    """A value in words and what it rests on."""

    words: str
    rests_on: str = ""


class StepRow(_Record):
    """One operation that was carried out. ``eye`` is the viewpoint after it: world_from_cam, four rows."""

    number: int
    line: int
    target: str | None
    operation: str
    arguments: str
    result: str
    rests_on: str = ""
    viewpoint: str = ""
    eye: tuple[tuple[float, float, float, float], ...] | None = None
    milliseconds: float = 0.0


class RunEvent(LogEvent):
    """A program, or one operation called as a tool, was carried out; ``values`` are what it returned."""

    kind: Literal["run"] = "run"
    values: tuple[ValueRow, ...] = ()
    steps: tuple[StepRow, ...] = ()
    pictures: tuple[PictureRef, ...] = ()
    operations: int = 0
    seconds: float = 0.0


class ViewEvent(LogEvent):
    """A view was asked for: shown as ``picture``, or ``refused`` with a reason (such as having been shown already)."""

    kind: Literal["view"] = "view"
    round: int | None = None
    asked: dict[str, Any] = Field(default_factory=dict)
    picture: PictureRef | None = None
    refused: str | None = None


class NoteEvent(LogEvent):
    """Something a reader should know: a fallback that was taken, an agreement, a score of a candidate.

    A ``headline`` is also shown beside the answer in a list of questions ("right").
    """

    kind: Literal["note"] = "note"
    text: Words
    facts: dict[str, Any] = Field(default_factory=dict)
    headline: bool = False


class FailureEvent(LogEvent):
    """Something went wrong at ``stage``. ``call`` is the request it happened to; ``final`` ends the question."""

    kind: Literal["failure"] = "failure"
    stage: Stage
    reason: Words
    call: int | None = None
    final: bool = False


class BudgetEvent(LogEvent):
    """A limit was reached; ``limit`` names it ("calls", "tokens", "pictures", "seconds", "usd")."""

    kind: Literal["budget"] = "budget"
    limit: str
    allowed: float
    used: dict[str, float] = Field(default_factory=dict)


class AnswerEvent(LogEvent):
    """The answer, or that there is none and why. The last event of a question."""

    kind: Literal["answer"] = "answer"
    answer: Answer


Event = Annotated[
    QuestionEvent
    | DecompositionEvent
    | RequestEvent
    | ReplyEvent
    | ProgramEvent
    | RunEvent
    | ViewEvent
    | NoteEvent
    | FailureEvent
    | BudgetEvent
    | AnswerEvent,
    Field(discriminator="kind"),
]
