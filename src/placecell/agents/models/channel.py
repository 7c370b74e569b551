"""Every request of a question to its model goes through here: budget, log, cache, waiting, and what a reply is worth.

A pydantic-ai model around another one, so that agents, tools and repeated attempts at typed output are all counted.
Does not know what is talked about (``talk``).
"""

from __future__ import annotations

import asyncio
import random
import time
from contextvars import ContextVar
from dataclasses import replace

from pydantic_ai.exceptions import AgentRunError, ModelAPIError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from placecell.agents.events import BudgetEvent, FailureEvent, NoteEvent, PictureRef, ReplyEvent, RequestEvent, Tokens
from placecell.agents.log import Log
from placecell.agents.models import wire
from placecell.agents.models.budget import Account
from placecell.agents.models.cache import Replies
from placecell.agents.models.endpoint import LONGEST_WAIT
from placecell.agents.models.failures import CallFailed, Failure, OfflineRefused, may_pass, of_error, of_reply
from placecell.agents.models.names import is_loopback
from placecell.agents.models.pictures import ANY_SERVER, ROOMS, Room
from placecell.agents.models.settings import Settings
from placecell.agents.redaction import redactor
from placecell.errors import UserError

ROLE: ContextVar[str] = ContextVar("role", default="")
"""What the conversation that sends a request is for; several may share a channel at once."""


class Channel(WrapperModel):
    """A model under the limits of one question, with everything said written to its log."""

    def __init__(self, model: Model, settings: Settings, account: Account, log: Log) -> None:
        """Raises UserError when money is limited and the model's price is not known."""
        super().__init__(model)
        self.use = settings
        self.account = account
        self.log = log
        self.refs: dict[bytes, PictureRef] = {}
        self.cache = Replies(settings.cache) if settings.cache is not None else None
        self.steered = wire.takes_temperature(model)
        self.repeatable = self.steered and settings.temperature == 0
        self.room = replace(_room(model), side=settings.picture_side or _room(model).side)
        if account.limits.usd is not None and not wire.has_price(model) and not self.free:
            raise UserError(
                f"no price is known for {model.model_name}, so a limit on money cannot be kept",
                hint="limit calls or tokens instead",
            )

    @property
    def free(self) -> bool:
        """Whether nobody charges for it: a server of this machine, or a double."""
        return self.wrapped.base_url is None or is_loopback(self.wrapped.base_url)

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """One request and its reply; CallFailed when there is none that can be read."""
        settings = self._shaping(model_settings)
        sent = wire.messages(messages, self.refs)
        call = self._opened({p.digest for p in wire.pictures(sent)})
        asked = RequestEvent(
            call=call,
            role=ROLE.get(),
            model=self.wrapped.model_name,
            system=self.wrapped.system,
            messages=sent,
            tools=wire.tools(model_request_parameters),
            output=wire.output_schema(model_request_parameters),
            settings=dict(settings),
        )
        self.log.add(asked)
        self._fits(asked)
        started = time.perf_counter()
        cache = self.cache if self.repeatable else None
        key = f"{self.wrapped.model_id} {self.wrapped.base_url} {asked.fingerprint()}" if cache else ""
        reply = cache.find(key) if cache else None
        cached = reply is not None
        if reply is None:
            reply = await self._attempts(messages, settings, model_request_parameters, call)
        usd = 0.0 if cached or self.free else wire.price(reply)
        self._received(reply, call, time.perf_counter() - started, usd, cached)
        failure = of_reply(reply, settings.get("max_tokens", 0))
        if failure is not None:
            raise self._failed(replace(failure, call=call))
        if cache and not cached:
            cache.keep(key, reply)
        return reply

    def _shaping(self, given: ModelSettings | None) -> ModelSettings:
        """What shapes the reply; the longest reply shrinks with the tokens that are left."""
        left = self.account.tokens_left
        most = self.use.max_tokens if left is None else max(1, min(self.use.max_tokens, left))
        own = ModelSettings(max_tokens=most, max_retries=0)
        if self.steered:
            own["temperature"] = self.use.temperature
        if self.use.seed is not None:
            own["seed"] = self.use.seed
        return {**own, **(given or {})}

    def _opened(self, pictures: set[str]) -> int:
        opened = self.account.open_call(pictures)
        if isinstance(opened, int):
            return opened
        allowed = getattr(self.account.limits, opened)
        used = {name: self.account.used(name) for name in ("calls", "tokens", "pictures", "seconds", "usd")}
        self.log.add(BudgetEvent(limit=opened, allowed=allowed, used=used))
        raise self._failed(Failure("budget", f"the limit of {allowed:g} {opened} is used up"))

    def _fits(self, asked: RequestEvent) -> None:
        """Refuse what the provider is known to refuse, before sending it."""
        pictures = asked.pictures
        heavy = sum(p.bytes for p in pictures) * 4 // 3
        if heavy > self.room.request_bytes:
            detail = f"{heavy / 1e6:.1f} MB of pictures, the provider takes {self.room.request_bytes / 1e6:.0f}"
            raise self._failed(Failure("too large", detail, call=asked.call))
        if self.room.pictures is not None and len(pictures) > self.room.pictures:
            detail = f"{len(pictures)} pictures, the provider takes {self.room.pictures}"
            raise self._failed(Failure("too large", detail, call=asked.call))

    async def _attempts(
        self, messages: list[ModelMessage], settings: ModelSettings, parameters: ModelRequestParameters, call: int
    ) -> ModelResponse:
        for attempt in range(self.use.retries + 1):
            left = self.account.seconds_left
            try:
                async with asyncio.timeout(max(0.0, min(self.use.timeout, left))):
                    return await self.wrapped.request(messages, settings, parameters)
            except TimeoutError:
                raise self._failed(self._late(left, call)) from None
            except CallFailed as failed:  # a double that plays a failure
                raise self._failed(replace(failed.failure, call=call)) from None
            except ModelAPIError as error:
                refused = _refused_offline(error)
                failure = replace(refused or of_error(error), call=call)
                pause = self._pause(error, attempt)
                if refused or not may_pass(error) or attempt == self.use.retries or pause > min(LONGEST_WAIT, left):
                    raise self._failed(failure) from None
            except OfflineRefused as error:
                raise self._failed(Failure("offline", str(error), call=call)) from None
            except AgentRunError as error:
                raise self._failed(replace(of_error(error), call=call)) from None
            except IndexError:
                # pydantic-ai 2.68 takes the first choice of a reply without looking whether there is one.
                raise self._failed(Failure("empty", "the reply holds no choice", call=call)) from None
            self.account.retry()
            facts = {"call": call, "attempt": attempt + 1, "wait": round(pause, 3)}
            self.log.add(NoteEvent(text=f"trying again: {failure}", facts=facts))
            await asyncio.sleep(pause)
        raise AssertionError("unreachable: the last attempt returns or fails")

    def _late(self, left: float, call: int) -> Failure:
        if left < self.use.timeout:
            return Failure("budget", f"the limit of {self.account.limits.seconds:g} seconds is used up", call=call)
        return Failure("timeout", f"no reply within {self.use.timeout:g} seconds", call=call)

    def _pause(self, error: ModelAPIError, attempt: int) -> float:
        """Seconds until the next attempt: what the server asks for, else doubling, spread so that threads part."""
        if error.retry_after is not None:
            return max(0.0, error.retry_after)
        return self.use.backoff * 2.0**attempt * random.uniform(0.75, 1.25)

    def _received(self, reply: ModelResponse, call: int, seconds: float, usd: float | None, cached: bool) -> None:
        used = Tokens(
            input=0 if cached else reply.usage.input_tokens, output=0 if cached else reply.usage.output_tokens, usd=usd
        )
        self.account.close_call(input_tokens=used.input, output_tokens=used.output, usd=usd, cached=cached)
        self.log.add(
            ReplyEvent(
                call=call,
                parts=wire.reply_parts(reply),
                finish=reply.finish_reason,
                usage=used,
                seconds=round(seconds, 6),
                cached=cached,
                model=reply.model_name or "",
            )
        )

    def _failed(self, failure: Failure) -> CallFailed:
        """The failure written down, ready to be raised; servers quote keys in their errors, which are taken out."""
        clean = redactor()
        failure = replace(failure, detail=clean(failure.detail), text=clean(failure.text))
        if self.use.api_key:
            failure = replace(failure, detail=failure.detail.replace(self.use.api_key, "[key removed]"))
        self.log.add(FailureEvent(stage=failure.stage, reason=str(failure), call=failure.call))
        if failure.passing:
            self.account.lose_call()
        return CallFailed(failure)


def _room(model: Model) -> Room:
    """What the provider takes. Another server may have its own, smaller limits, and will say so."""
    return ROOMS.get(model.system, ANY_SERVER)


def _refused_offline(error: BaseException) -> Failure | None:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OfflineRefused):
            return Failure("offline", str(cause))
        cause = cause.__cause__ or cause.__context__
    return None
