"""Between pydantic-ai's messages and the log's: what was said, with pictures by digest.

Knows both forms. Does not send anything.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.usage import RequestUsage

from placecell.agents.events import CallPart, Message, Part, PicturePart, PictureRef, ResultPart
from placecell.agents.events import TextPart as SaidPart

Refs = Mapping[bytes, PictureRef]


def messages(history: Iterable[ModelMessage], refs: Refs) -> tuple[Message, ...]:
    """A conversation as it goes out; ``refs`` are the pictures' references by their bytes.

    Of the instructions that every request of a conversation carries, the latest go out, once.
    """
    turns = list(history)
    standing = next((m.instructions for m in reversed(turns) if isinstance(m, ModelRequest) and m.instructions), None)
    first = (Message(role="system", parts=(SaidPart(text=standing),)),) if standing else ()
    return (*first, *(m for turn in turns for m in _message(turn, refs)))


def pictures(sent: Iterable[Message]) -> Iterator[PictureRef]:
    """Every picture, in order."""
    return (p.picture for m in sent for p in m.parts if isinstance(p, PicturePart))


def reply_parts(reply: ModelResponse) -> tuple[Part, ...]:
    """What a model wrote: texts and the calls it wants made. Its hidden reasoning is left out."""
    parts: list[Part] = []
    for part in reply.parts:
        if isinstance(part, TextPart):
            parts.append(SaidPart(text=part.content))
        elif isinstance(part, ToolCallPart):
            parts.append(CallPart(name=part.tool_name, arguments=part.args_as_json_str(), id=part.tool_call_id))
    return tuple(parts)


def tools(parameters: ModelRequestParameters) -> tuple[dict[str, Any], ...]:
    """The tools offered, those for typed output among them."""
    offered = [*parameters.function_tools, *parameters.output_tools]
    return tuple(
        {"name": t.name, "description": t.description, "parameters": t.parameters_json_schema} for t in offered
    )


def output_schema(parameters: ModelRequestParameters) -> dict[str, Any] | None:
    """The JSON schema the reply must follow, when the server is to enforce it."""
    return parameters.output_object.json_schema if parameters.output_object else None


def price(reply: ModelResponse) -> float | None:
    """US dollars, None when the model is not in the price table that comes with pydantic-ai."""
    try:
        return float(reply.cost().total_price)
    except (LookupError, ValueError, AssertionError):
        return None


def has_price(model: Model) -> bool:
    """Whether the price table knows the model."""
    asked = ModelResponse(
        [], usage=RequestUsage(input_tokens=1), model_name=model.model_name, provider_name=model.system,
        provider_url=model.base_url,
    )  # fmt: skip
    return price(asked) is not None


def takes_temperature(model: Model) -> bool:
    """Whether the model can be told how freely to choose; one that reasons cannot, and each of its answers differs."""
    profile = model.profile
    reasons = profile.get("thinking_enabled_by_default", False) or profile.get("thinking_always_enabled", False)
    if profile.get("anthropic_disallows_sampling_settings", False):
        return False
    return not (reasons and profile.get("openai_supports_reasoning", False))


def _message(message: ModelMessage, refs: Refs) -> Iterator[Message]:
    if isinstance(message, ModelResponse):
        yield Message(role="assistant", parts=reply_parts(message))
        return
    if isinstance(message, ModelRequest):
        for part in message.parts:
            yield from _request_part(part, refs)


def _request_part(part: Any, refs: Refs) -> Iterator[Message]:
    match part:
        case SystemPromptPart():
            yield Message(role="system", parts=(SaidPart(text=part.content),))
        case UserPromptPart():
            content = [part.content] if isinstance(part.content, str) else part.content
            yield Message(role="user", parts=tuple(_content(c, refs) for c in content))
        case ToolReturnPart():
            said = ResultPart(name=part.tool_name, text=part.model_response_str(), id=part.tool_call_id)
            shown = tuple(_content(f, refs) for f in part.files)
            yield Message(role="tool", parts=(said, *shown))
        case _:  # feedback on a reply that was not accepted
            text = part.model_response() if hasattr(part, "model_response") else str(getattr(part, "content", part))
            yield Message(role="user", parts=(SaidPart(text=text),))


def _content(content: Any, refs: Refs) -> Part:
    if isinstance(content, BinaryContent):
        return PicturePart(picture=refs.get(content.data) or _unknown(content))
    return SaidPart(text=content if isinstance(content, str) else str(getattr(content, "content", content)))


def _unknown(content: BinaryContent) -> PictureRef:
    digest = hashlib.sha256(content.data).hexdigest()
    return PictureRef(digest=digest, media_type=content.media_type, bytes=len(content.data), width=0, height=0)
