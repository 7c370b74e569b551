"""What every double has: a name, and usage that budgets and tables can be tried with.

Knows pydantic-ai's function model, whose own estimate takes each byte of a picture for a token.
Does not know what is said.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from placecell.agents.models.doubles.hearing import Heard

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_PICTURE = 258
"""What Gemini counts for a picture of up to 384 x 384 pixels; others count about as much."""


def double(speak: Callable[[list[ModelMessage], AgentInfo], ModelResponse], name: str) -> FunctionModel:
    """A model that replies with what ``speak`` makes of a request, with usage as a provider would count it."""

    async def counted(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        reply = speak(messages, info)
        return replace(reply, usage=_usage(messages, reply))

    return FunctionModel(counted, model_name=name)


def _usage(messages: Sequence[ModelMessage], reply: ModelResponse) -> RequestUsage:
    heard = Heard.of(messages)
    before = [m for m in messages if isinstance(m, ModelResponse)]
    heard_tokens = _tokens(heard.instructions + heard.text) + sum(map(_reply_tokens, before))
    return RequestUsage(
        input_tokens=heard_tokens + TOKENS_PER_PICTURE * heard.pictures, output_tokens=_reply_tokens(reply)
    )


def _reply_tokens(reply: ModelResponse) -> int:
    calls = "".join(call.tool_name + call.args_as_json_str() for call in reply.tool_calls)
    return _tokens((reply.text or "") + calls)


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)
