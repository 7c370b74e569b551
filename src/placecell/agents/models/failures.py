"""Why there is no usable reply, as what it is. Nothing here is an exception to whoever asks; see ``talk``.

Knows the kinds of failure, which of them may pass by waiting, and how pydantic-ai's errors and replies map to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic_ai import exceptions as errors
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart

from placecell.agents.answer import Stage

FailureKind = Literal[
    "unreachable",  # no connection, or it dropped, and trying again did not help
    "timeout",  # no reply in the time allowed for one
    "rate limited",  # 429, and waiting did not help
    "server error",  # 5xx, and trying again did not help
    "unauthorised",  # 401, 403: the key is not accepted
    "rejected",  # 400, 404, 422: the server does not take this request
    "too large",  # 413, or known to exceed what the provider takes
    "quota",  # 402, or the account's quota is used up
    "offline",  # the address is beyond this machine and that is not allowed
    "refused",  # the model, or a filter in front of it, declines
    "cut off",  # the reply reached its longest length
    "empty",  # a reply without text or tool call
    "malformed",  # not what was asked for, after every attempt
    "budget",  # a limit of the question was reached
]


@dataclass(frozen=True)
class Failure:
    """Why a model gave nothing usable. ``detail`` is one line, ``text`` what it did say, if anything.

    ``call`` is the number of the request in the question's log.
    """

    kind: FailureKind
    detail: str
    text: str = ""
    call: int | None = None

    @property
    def stage(self) -> Stage:
        """What gave nothing usable, for the log: the model, or a limit."""
        return "budget" if self.kind == "budget" else "model"

    def stuck(self, at: Stage) -> Stage:
        """Where the question got stuck: where the reply was wanted when one came, else for want of a reply."""
        return self.stage if self.transport or self.kind == "budget" else at

    @property
    def transport(self) -> bool:
        """Whether it says nothing about the model's ability: the question may be asked again later."""
        return self.kind not in ("refused", "cut off", "empty", "malformed", "budget")

    @property
    def passing(self) -> bool:
        """Whether the same request may be answered another day: it failed for the server, the way to it, or a key."""
        return self.transport and self.kind not in ("rejected", "too large")

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}"


class CallFailed(Exception):
    """Carries a failure out of a request; ``talk`` turns it into a value."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


class OfflineRefused(Exception):
    """An address beyond this machine was about to be connected to while that is not allowed."""


def may_pass(error: errors.ModelAPIError) -> bool:
    """Whether the same request may succeed after a wait: 429, 5xx, or a connection that failed or dropped."""
    if isinstance(error, errors.ModelTimeoutError):
        return False
    passing = (
        errors.ModelRateLimitError,
        errors.ModelUnavailableError,
        errors.ModelServerError,
        errors.ModelConnectionError,
    )
    return isinstance(error, passing)


def of_error(error: errors.AgentRunError) -> Failure:
    """What an error of a provider is."""
    # A redirect, which is not followed, has its status only in the client's own error.
    status = getattr(error if isinstance(error, errors.ModelHTTPError) else error.__cause__, "status_code", None)
    said = f"HTTP {status}: {_said(error)}" if isinstance(error, errors.ModelHTTPError) else _one_line(str(error))
    kind: FailureKind
    match error:
        case errors.ModelTimeoutError():
            kind = "timeout"
        case errors.ModelConnectionError():
            kind = "unreachable"
        case errors.ModelRateLimitError():
            kind = "rate limited"
        case errors.ModelQuotaExceededError():
            kind = "quota"
        case errors.ModelContextWindowExceededError():
            kind = "too large"
        case errors.ModelAuthenticationError():
            kind = "unauthorised"
        case errors.ModelUnavailableError() | errors.ModelServerError():
            kind = "server error"
        case errors.ContentFilterError():
            kind = "refused"
        case errors.OutputTokenLimitExceeded():
            kind = "cut off"
        case errors.ModelAPIError():
            # Without a status the server did reply, but with a body that is no JSON.
            kind = "malformed" if status is None else "too large" if status == 413 else "rejected"
        case _:
            kind = "malformed"
    return Failure(kind, said)


def of_reply(reply: ModelResponse, max_tokens: int) -> Failure | None:
    """What is wrong with a reply before anybody reads it; None when it is complete."""
    text = "".join(p.content for p in reply.parts if isinstance(p, TextPart))
    if reply.finish_reason == "content_filter":
        refusal = (reply.provider_details or {}).get("refusal")
        return Failure("refused", _one_line(str(refusal or text or "the provider's filter stopped the reply")), text)
    if reply.finish_reason == "length":
        return Failure("cut off", f"the reply reached its limit of {max_tokens} tokens", text)
    if not text.strip() and not any(isinstance(p, ToolCallPart) for p in reply.parts):
        return Failure("empty", "the reply holds no text")
    return None


def _said(error: errors.ModelHTTPError) -> str:
    """The server's own message, one line."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        body = inner.get("message", inner) if isinstance(inner, dict) else inner
    return _one_line(str(body)) if body else "no further words"


def _one_line(text: str, longest: int = 300) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else line[: longest - 3] + "..."
