"""The model that was given to inspect-ai, as one our strategies can use: its calls, costs and retries are inspect-ai's.

Knows both packages' messages. Calls are made in inspect-ai's event loop, from the thread in which a sample is answered.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentText,
    GenerateConfig,
    ModelOutput,
    get_model,
)
from inspect_ai.tool import ToolCall, ToolInfo, ToolParams
from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

NAME = "inspect"
LOOP: ContextVar[asyncio.AbstractEventLoop] = ContextVar("inspect_loop")
"""inspect-ai's event loop; set in the context of each sample, which goes along to the thread that answers it."""
_FINISH = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}


def active_model() -> FunctionModel:
    """The model of --model, looked up when it is called."""
    return FunctionModel(_answer, model_name=NAME)


async def _answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    model = get_model()
    settings = info.model_settings or {}
    config = GenerateConfig(
        temperature=settings.get("temperature"), max_tokens=settings.get("max_tokens"), seed=settings.get("seed")
    )
    tools = [
        ToolInfo(
            name=tool.name,
            description=tool.description or "",
            parameters=ToolParams.model_validate(tool.parameters_json_schema),
        )
        for tool in (*info.function_tools, *info.output_tools)
    ]
    asked = list(messages_of(messages, info.instructions))
    # Our calls run in a loop of their own; inspect-ai's clients and limits belong to the loop of its samples.
    work = asyncio.run_coroutine_threadsafe(model.generate(asked, tools=tools, config=config), LOOP.get())
    return response_of(await asyncio.wrap_future(work))


def messages_of(history: Sequence[ModelMessage], instructions: str | None) -> Iterator[ChatMessage]:
    """A conversation for inspect-ai, its standing instructions first."""
    if instructions:
        yield ChatMessageSystem(content=instructions)
    for message in history:
        if isinstance(message, ModelResponse):
            yield _said(message)
        else:
            for part in message.parts:
                yield _asked(part)


def _said(message: ModelResponse) -> ChatMessage:
    text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
    calls = [
        ToolCall(part.tool_call_id, part.tool_name, part.args_as_dict())
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    return ChatMessageAssistant(content=text, tool_calls=calls or None)


def _asked(part: Any) -> ChatMessage:
    match part:
        case SystemPromptPart():
            return ChatMessageSystem(content=part.content)
        case UserPromptPart():
            return ChatMessageUser(content=_content([part.content] if isinstance(part.content, str) else part.content))
        case ToolReturnPart():
            content = _content([part.model_response_str(), *part.files])
            return ChatMessageTool(content=content, function=part.tool_name, tool_call_id=part.tool_call_id)
        case _:  # feedback on a reply that was not accepted
            text = part.model_response() if hasattr(part, "model_response") else str(getattr(part, "content", part))
            return ChatMessageUser(content=text)


def _content(parts: Sequence[Any]) -> list[Content]:
    content: list[Content] = []
    for part in parts:
        if isinstance(part, BinaryContent):
            data = base64.b64encode(part.data).decode("ascii")
            content.append(ContentImage(image=f"data:{part.media_type};base64,{data}"))
        else:
            content.append(ContentText(text=part if isinstance(part, str) else str(getattr(part, "content", part))))
    return content


def response_of(output: ModelOutput) -> ModelResponse:
    """A reply of inspect-ai's model, with its tokens."""
    choice = output.choices[0]
    parts: list[ModelResponsePart] = [TextPart(choice.message.text)] if choice.message.text else []
    parts += [ToolCallPart(call.function, call.arguments, call.id) for call in choice.message.tool_calls or ()]
    used = output.usage
    return ModelResponse(
        parts,
        usage=RequestUsage(input_tokens=used.input_tokens, output_tokens=used.output_tokens)
        if used
        else RequestUsage(),
        model_name=output.model,
        finish_reason=_FINISH.get(choice.stop_reason, "stop"),  # type: ignore[arg-type]
    )
