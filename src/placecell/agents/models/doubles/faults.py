"""Models that are slow, flaky, slip, refuse, or talk nonsense. Each does the same whenever it gets the same request."""

from __future__ import annotations

import asyncio
import hashlib
import re
import threading
from collections import Counter
from dataclasses import replace
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from placecell.agents.models.doubles.hearing import Heard
from placecell.agents.models.doubles.scripted import http_error, said
from placecell.agents.models.doubles.speaking import double

# None of them names an option, a number or a yes: whatever is asked, there is no answer in it.
_NONSENSE = (
    "Colourless green ideas sleep furiously beneath the tablecloth of yesterday.",
    '{"reference": {"kind": "moon"}, "comparison": {"function": "vibes"',
    "```python\ndef plan(images):\n    import os\n    return os.system\n```",
    "<html><body><h1>Bad Gateway</h1></body></html>",
    "\u202e\ufffd\ufffd ¿¿ ∅∅ \u0000 ༼ つ ◕_◕ ༽つ",
    "Let me think. Let me think about thinking. " * 40,
    '{"comparison": {"function": "distance", "entities": ["flogiston", "aether"], "form": "number"}}',
    "<think>The question is about",
    "[[[[[[[[[[[[[[[[[[[[",
    "def plan(images):\n    memory = build_static_memory(images)\n    return [memory.teleport()]",
)


_LAST_NAME = re.compile(r"([A-Za-z_]\w*)(\W*?\n```)")
"""The last name in a fenced block."""


class Slow(WrapperModel):
    """Another model, after a while."""

    def __init__(self, wrapped: Model[Any], seconds: float) -> None:
        super().__init__(wrapped)
        self.seconds = seconds

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        await asyncio.sleep(self.seconds)
        return await self.wrapped.request(messages, model_settings, model_request_parameters)


class Flaky(WrapperModel):
    """Another model behind a server that turns every request away ``times`` times before it answers it."""

    def __init__(self, wrapped: Model[Any], times: int = 1, status: int = 503) -> None:
        super().__init__(wrapped)
        self.times = times
        self.status = status
        self._seen: Counter[str] = Counter()
        self._lock = threading.Lock()

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        key = digest(messages)
        with self._lock:
            self._seen[key] += 1
            turned_away = self._seen[key] <= self.times
        if turned_away:
            raise http_error(self.status)
        return await self.wrapped.request(messages, model_settings, model_request_parameters)


class Slipping(WrapperModel):
    """Another model that gets every cell wrong at first: the last name in it is one that was never bound."""

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        reply = await self.wrapped.request(messages, model_settings, model_request_parameters)
        if "was not accepted" in Heard.of(messages).text:
            return reply
        spoilt = _LAST_NAME.sub(r"never_bound\2", reply.text or "", count=1)
        return replace(reply, parts=[TextPart(spoilt)]) if reply.text else reply


def refusing() -> FunctionModel:
    """A model that declines everything."""

    def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse([], finish_reason="content_filter", provider_details={"refusal": "I'd rather not."})

    return double(speak, "refusing")


def garbage() -> FunctionModel:
    """A model that talks nonsense: prose, broken JSON, forbidden code, mark-up, reasoning without an end."""

    def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard = Heard.of(messages)
        picked = int(hashlib.sha256(heard.text.encode()).hexdigest(), 16) + heard.replies
        return said(_NONSENSE[picked % len(_NONSENSE)])

    return double(speak, "garbage")


def digest(messages: list[ModelMessage]) -> str:
    """What identifies a request, times and ids left out."""
    heard = Heard.of(messages)
    told = f"{heard.instructions}\n{heard.text}\n{heard.pictures} {heard.replies}"
    return hashlib.sha256(told.encode()).hexdigest()
