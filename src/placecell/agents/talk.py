"""One conversation with a model: words and pictures in, text or a checked value out, or a ``Failure`` that says why.

>>> talk = Talk(channel, "You look at photos of one place.")
>>> said = talk.ask(as_data("question", question), Shown.of_frame(frame), output=Choice, check=is_offered)

Synchronous, and usable from any thread. Nothing is raised for what a model says or a server does. Knows conversations;
limits, the log, waiting and caching are the channel's.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Hashable, Sequence
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from pydantic_ai import Agent, ModelRetry, NativeOutput, TextOutput, Tool, ToolOutput
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import BinaryContent, ModelMessage, UserContent

from placecell.agents.events import FailureEvent
from placecell.agents.models import loop
from placecell.agents.models.channel import ROLE, Channel
from placecell.agents.models.failures import CallFailed, Failure
from placecell.agents.models.pictures import Shown, encode, prepare
from placecell.agents.quoting import as_data

__all__ = ["Failure", "Shown", "Talk"]

T = TypeVar("T")
Check = Callable[[T], str | None]
"""What is wrong with a value, in words for the model; None when it is accepted."""


class Talk:
    """A conversation. ``messages`` is its history, pydantic-ai's; it grows with every reply that was accepted."""

    def __init__(self, channel: Channel, instructions: str = "", *, role: str = "") -> None:
        """``role`` says in the log what the conversation is for ("planner")."""
        self.channel = channel
        self.instructions = instructions
        self.role = role
        self.messages: list[ModelMessage] = []

    def ask(
        self,
        *content: str | Shown,
        output: type[T] = str,  # type: ignore[assignment]
        check: Check[T] | None = None,
        attempts: int = 3,
        tools: Sequence[Tool[Any]] = (),
    ) -> T | Failure:
        """Say something, and get an answer of the type asked for.

        Args:
            content: texts and pictures, in the order the model sees them; a picture's caption goes before it.
            output: text, or a pydantic model to be filled in.
            check: what else must hold; what it returns goes back to the model, which may try again.
            attempts: replies asked for, the first included, until one is accepted.
            tools: what the model may call before it answers.

        Returns:
            The value, or why there is none; then the history is as it was before.
        """
        parts = self.encoded(*content)
        if isinstance(parts, Failure):
            self.channel.log.add(FailureEvent(stage=parts.stage, reason=str(parts)))
            return parts
        agent: Agent[None, T] = Agent(
            self.channel,
            output_type=cast("Any", _output_type(output, self.channel)),
            instructions=self._instructions(output),
            retries={"output": attempts - 1, "tools": attempts - 1},
            tools=tools,
            deps_type=type(None),
        )
        rejected: list[str] = []
        if check is not None:
            agent.output_validator(_validator(check, rejected))
        try:
            result = loop.run(self._run(agent, parts))
        except CallFailed as failed:
            return failed.failure
        except UnexpectedModelBehavior as error:
            why = rejected[-1] if rejected else str(error.__cause__ or error)
            failure = Failure("malformed", f"not usable after {attempts} attempts: {' '.join(why.split())[:300]}")
            self.channel.log.add(FailureEvent(stage=failure.stage, reason=str(failure)))
            return failure
        self.messages = result.all_messages()
        said: T = result.output
        return said

    async def _run(self, agent: Agent[None, T], parts: list[UserContent]) -> Any:
        ROLE.set(self.role)
        async with self.channel:
            return await agent.run(parts, message_history=self.messages, deps=None)

    def encoded(
        self, *content: str | Shown, history: Sequence[ModelMessage] | None = None
    ) -> list[UserContent] | Failure:
        """Texts and pictures as they are sent, each caption before its picture, kept in the log.

        Encoded to fit what is left of a request after the pictures already in ``history``, by default the
        conversation's own; a tool passes the messages of the run it is called in.
        """
        room = self.channel.room
        shown = [c for c in content if isinstance(c, Shown)]
        prepare(shown, room)
        pictures = len(shown)
        left = room.request_bytes - _bytes_of(self.messages if history is None else history) * 4 // 3
        parts: list[UserContent] = []
        for item in content:
            if isinstance(item, str):
                parts.append(item)
                continue
            encoded = encode(item, room, left // pictures)
            if encoded is None:
                return Failure(
                    "too large", f"{item.caption!r} does not fit into a request of {room.request_bytes} bytes"
                )
            left, pictures = left - len(encoded.data) * 4 // 3, pictures - 1
            self.channel.refs[encoded.data] = self.channel.log.picture(
                encoded, caption=item.caption, image=item.image, camera=item.camera
            )
            parts += [
                as_data("caption", item.caption),
                BinaryContent(data=encoded.data, media_type=encoded.media_type),
            ]
        return parts

    def _instructions(self, output: type[T]) -> str:
        if output is str or self.channel.use.structured in ("tool", "native"):
            return self.instructions
        form = "Reply with one JSON object that follows this schema, and nothing else:"
        return f"{self.instructions}\n\n{form}\n{_schema(cast('Hashable', output))}"


@cache
def _adapter(output: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast("Any", output))


@cache
def _schema(output: Hashable) -> str:
    return json.dumps(_adapter(output).json_schema(), separators=(",", ":"))


def _output_type(output: type[T], channel: Channel) -> Any:
    """How pydantic-ai is to get the value out of a reply."""
    if output is str:
        return str
    match channel.use.structured:
        case "tool":
            return ToolOutput(output)
        case "native":
            return NativeOutput(output)

    def read(text: str) -> T:
        try:
            return cast("T", _adapter(cast("Hashable", output)).validate_json(_json_of(text)))
        except ValidationError as error:
            raise ModelRetry(_told(error)) from None

    return TextOutput(read)


def _validator(check: Check[T], rejected: list[str]) -> Callable[[T], Awaitable[T]]:
    # Asynchronous, since pydantic-ai takes a thread for what is not; checks are quick.
    async def validate(value: T) -> T:
        problem = check(value)
        if problem is None:
            return value
        rejected.append(problem)
        raise ModelRetry(problem)

    return validate


def _json_of(text: str) -> str:
    """The last complete JSON object in a reply: after reasoning, inside fences, between sentences."""
    decoder = json.JSONDecoder()
    found, at = text, text.find("{")
    while at != -1:
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found = text[at:end]
        at = text.find("{", end)
    return found


def _told(error: ValidationError) -> str:
    """What does not fit, in a line each, without the model's own words."""
    lines = [f"{'.'.join(map(str, e['loc'])) or 'the reply'}: {e['msg']}" for e in error.errors()[:12]]
    return "\n".join(["The reply does not follow the schema:", *lines])


def _bytes_of(history: Sequence[ModelMessage]) -> int:
    """Bytes of the pictures in a conversation."""
    contents = (
        c
        for m in history
        for p in m.parts
        if not isinstance(getattr(p, "content", None), str)
        for c in (getattr(p, "content", None) or ())
    )
    return sum(len(c.data) for c in contents if isinstance(c, BinaryContent))
