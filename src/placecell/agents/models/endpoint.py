"""A provider's model with the HTTP connections it uses: opened when first needed, closed when nobody uses it.

Knows how each provider is constructed and what connections are allowed. Knows when the server wants to be left alone.
Does not retry, count or record (``channel``).
"""

from __future__ import annotations

import asyncio
import os
import ssl
import time
from collections.abc import Callable
from functools import cache
from types import TracebackType
from typing import Any, Self

import httpx2
from pydantic_ai.exceptions import ModelRateLimitError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from placecell.agents.models.failures import OfflineRefused
from placecell.agents.models.names import ModelName, is_loopback
from placecell.agents.models.settings import Settings
from placecell.errors import BackendUnavailable

LONGEST_WAIT = 60.0
"""Seconds; a server that asks for a longer pause is taken to be unavailable."""
_CONNECT_SECONDS = 10.0
_KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "anthropic": ("ANTHROPIC_API_KEY",),
}


class Endpoint(WrapperModel):
    """A model whose connections live as long as somebody is inside ``async with``."""

    def __init__(self, name: ModelName, settings: Settings) -> None:
        """Raises BackendUnavailable when a cloud provider's key is missing."""
        self._construct = _constructor(name, settings)
        self._local = name.local
        self._encrypted = name.base_url is None or name.base_url.startswith("https:")
        self._offline = settings.offline
        self._timeout = settings.timeout
        self._users = 0
        self._not_before = 0.0
        self._client = self._open()
        super().__init__(self._construct(self._client))

    async def __aenter__(self) -> Self:
        self._users += 1
        if self._client.is_closed:
            self._client = self._open()
            self.wrapped = self._construct(self._client)
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, exc_val: BaseException | None, exc_tb: TracebackType | None
    ) -> None:
        self._users -= 1
        if self._users == 0:
            await self._client.aclose()

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """As the provider's; while the server has asked anybody to wait, nobody else knocks."""
        await asyncio.sleep(max(0.0, self._not_before - time.monotonic()))
        try:
            return await self.wrapped.request(messages, model_settings, model_request_parameters)
        except ModelRateLimitError as error:
            asked = min(error.retry_after or 0.0, LONGEST_WAIT)
            self._not_before = max(self._not_before, time.monotonic() + asked)
            raise

    def _open(self) -> httpx2.AsyncClient:
        async def guard(request: httpx2.Request) -> None:
            if (self._offline or self._local) and not is_loopback(str(request.url)):
                raise OfflineRefused(f"{request.url.host} is not this machine")

        return httpx2.AsyncClient(
            timeout=httpx2.Timeout(self._timeout, connect=min(_CONNECT_SECONDS, self._timeout)),
            # A proxy would carry the pictures elsewhere, and so could a redirect; the guard sees every hop.
            trust_env=not self._local,
            verify=_trusted() if self._encrypted else False,
            event_hooks={"request": [guard]},
        )


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates to trust; reading them takes a while, so once."""
    return httpx2.create_ssl_context()


def _constructor(name: ModelName, settings: Settings) -> Callable[[httpx2.AsyncClient], Model[Any]]:
    """What makes the provider's model around an HTTP client."""
    if name.base_url is None:
        key = settings.api_key or next((os.environ[k] for k in _KEYS[name.provider] if os.environ.get(k)), None)
        if key is None:
            keys = " or ".join(_KEYS[name.provider])
            raise BackendUnavailable(f"{name} needs a key", hint=f"set {keys} in the environment")
    else:
        # A provider's key is never sent to somebody else's server.
        key = settings.api_key or "none"
    match name.provider:
        case "google":
            from pydantic_ai.models.google import GoogleModel
            from pydantic_ai.providers.google import GoogleProvider

            return lambda http: GoogleModel(
                name.model, provider=GoogleProvider(api_key=key, base_url=name.base_url, http_client=http)
            )
        case "anthropic":
            from pydantic_ai.models.anthropic import AnthropicModel
            from pydantic_ai.providers.anthropic import AnthropicProvider

            return lambda http: AnthropicModel(
                name.model, provider=AnthropicProvider(api_key=key, base_url=name.base_url, http_client=http)
            )
    return _openai(name, key)


def _openai(name: ModelName, key: str) -> Callable[[httpx2.AsyncClient], Model[Any]]:
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    if name.base_url is None:
        official = "https://api.openai.com/v1"
        return lambda http: OpenAIChatModel(
            name.model, provider=OpenAIProvider(base_url=official, api_key=key, http_client=http)
        )
    url = name.base_url
    return lambda http: OpenAIChatModel(
        name.model, provider=OpenAICompatibleProvider("openai-compatible", base_url=url, api_key=key, http_client=http)
    )
