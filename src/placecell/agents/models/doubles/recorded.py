"""The model of a recorded run: it answers every request as the log says it was answered, and nothing else.

Knows a log. Requests are recognised by all that we said (``RequestEvent.own``), not by their order, so conversations
held in several threads replay too. A request that was never recorded is an error that says what differs.
"""

from __future__ import annotations

import threading
from collections import defaultdict, deque
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ToolCallPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.profiles import ModelProfile
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from placecell.agents import events
from placecell.agents.log import Log
from placecell.agents.models import wire
from placecell.agents.models.failures import CallFailed, Failure, FailureKind
from placecell.agents.trace_diff import first_difference
from placecell.errors import UserError

_FINISHES = ("stop", "length", "content_filter", "tool_call", "error")


class Recorded(Model[Any]):
    """Replies of one log, each given once for its own request; ``system`` is that of the model that was recorded."""

    def __init__(self, log: Log, *, system: str = "recorded", model_name: str | None = None) -> None:
        profile = ModelProfile(supports_json_schema_output=True, supports_json_object_output=True)
        super().__init__(profile=profile)
        requests = log.of(events.RequestEvent)
        self._requests = requests
        self._system = system
        self._name = model_name or (requests[0].model if requests else "nothing recorded")
        self._replies = {(r.question, r.call): r for r in log.of(events.ReplyEvent)}
        self._failures = {(f.question, f.call): f for f in log.of(events.FailureEvent) if f.stage == "model"}
        self._waiting: dict[str, deque[events.RequestEvent]] = defaultdict(deque)
        self._lock = threading.Lock()
        for request in requests:
            self._waiting[request.own().fingerprint()].append(request)

    @classmethod
    def of_file(cls, path: Path) -> Recorded:
        """The model of a log file. UserError when it is no log."""
        return cls(Log.read(path))

    @property
    def model_name(self) -> str:
        return self._name

    @property
    def system(self) -> str:
        return self._system

    @property
    def base_url(self) -> str | None:
        return None

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The recorded reply; CallFailed where that call had failed.

        Raises:
            UserError: the request was not recorded, or more often than it was; the message says what differs.
        """
        asked = events.RequestEvent(
            call=0,
            role="",
            model=self._name,
            messages=wire.messages(messages, {}),
            tools=wire.tools(model_request_parameters),
            output=wire.output_schema(model_request_parameters),
            settings=dict(model_settings or {}),
        )
        recorded = self._next(asked)
        key = (recorded.question, recorded.call)
        reply, failed = self._replies.get(key), self._failures.get(key)
        if reply is None:
            raise CallFailed(_failure(failed, recorded.call))
        return _response(reply, failed)

    def _next(self, asked: events.RequestEvent) -> events.RequestEvent:
        with self._lock:
            waiting = self._waiting.get(asked.own().fingerprint())
            if waiting:
                return waiting.popleft()
            nearest = next((q[0] for q in self._waiting.values() if q), None)
        if nearest is None:
            raise UserError("the recorded run has no further request", hint="it was made with other settings or memory")
        place, now, then = first_difference(asked.own().shaping(), nearest.own().shaping()) or ("", "", "")
        raise UserError(
            f"this request was not recorded; it differs from call {nearest.call} of question {nearest.question} "
            f"at {place}: now {now}, recorded {then}",
            hint="replay with the same memory, question, options, strategy and placecell version",
        )


def _response(reply: events.ReplyEvent, failed: events.FailureEvent | None) -> ModelResponse:
    parts: list[ModelResponsePart] = []
    for part in reply.parts:
        if isinstance(part, events.TextPart):
            parts.append(TextPart(part.text))
        elif isinstance(part, events.CallPart):
            parts.append(ToolCallPart(part.name, part.arguments, part.id))
    details = None
    if reply.finish == "content_filter" and failed is not None:
        details = {"refusal": _failure(failed, reply.call).detail}
    return ModelResponse(
        parts,
        usage=RequestUsage(input_tokens=reply.usage.input, output_tokens=reply.usage.output),
        model_name=reply.model or None,
        finish_reason=reply.finish if reply.finish in _FINISHES else None,  # type: ignore[arg-type]
        provider_details=details,
    )


def _failure(event: events.FailureEvent | None, call: int) -> Failure:
    """The failure as it was, from "kind: detail"."""
    if event is None:
        return Failure("unreachable", "the recorded run ended before this reply came", call=call)
    kind, _, detail = event.reason.partition(": ")
    known: tuple[FailureKind, ...] = FailureKind.__args__  # type: ignore[attr-defined]
    found = next((k for k in known if k == kind), None)
    return Failure(found, detail, call=call) if found else Failure("malformed", event.reason, call=call)
