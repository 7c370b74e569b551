"""A model that says what a script says, in order, whatever it is asked.

A script is a JSON list. A string is a reply in words. An object is one of ``{"call": NAME, "arguments": {...}}``,
``{"cut off": TEXT}``, ``{"refuse": TEXT}``, or ``{"status": 429}`` for an error of the server.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelHTTPError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    ModelUnavailableError,
)
from pydantic_ai.messages import FinishReason, ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from placecell.agents.models.doubles.hearing import Heard
from placecell.agents.models.doubles.speaking import double
from placecell.errors import UserError

Line = str | Mapping[str, Any] | Callable[[Heard], str]
_CATEGORIES: Mapping[int, Any] = {
    401: ModelAuthenticationError,
    403: ModelAuthenticationError,
    429: ModelRateLimitError,
    503: ModelUnavailableError,
    529: ModelUnavailableError,
}
_KINDS = ("call", "cut off", "refuse", "status")


def scripted(*lines: Line) -> FunctionModel:
    """A model that plays these lines, one for each request; a function makes its line from what it hears.

    A request after the last line gets an empty reply. Thread-safe, though only one thread knows its line.
    """
    for number, line in enumerate(lines, 1):
        if isinstance(line, Mapping) and not set(line) & set(_KINDS):
            raise UserError(
                f"line {number} of the script says nothing", hint=f"give a text, or one of {', '.join(_KINDS)}"
            )
    waiting, lock = iter(lines), threading.Lock()

    def speak(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        with lock:
            line = next(waiting, "")
        return _spoken(line(Heard.of(messages)) if callable(line) else line)

    return double(speak, "scripted")


def script_of_file(path: Path) -> FunctionModel:
    """The model of a script file. UserError when it is none."""
    try:
        lines = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}", hint="name a script: scripted:FILE.json") from None
    except ValueError as error:
        raise UserError(f"{path}: not JSON ({error})") from None
    if not isinstance(lines, list) or not all(isinstance(line, (str, dict)) for line in lines):
        raise UserError(f"{path}: a script is a JSON list of texts and objects")
    return scripted(*cast("Sequence[Line]", lines))


def _spoken(line: str | Mapping[str, Any]) -> ModelResponse:
    if isinstance(line, str):
        return said(line)
    if "call" in line:
        return ModelResponse([ToolCallPart(line["call"], line.get("arguments", {}))], finish_reason="tool_call")
    if "cut off" in line:
        return said(line["cut off"], "length")
    if "refuse" in line:
        return ModelResponse([], finish_reason="content_filter", provider_details={"refusal": line["refuse"]})
    raise http_error(int(line["status"]))


def said(text: str, finish: FinishReason = "stop") -> ModelResponse:
    """A reply in words."""
    return ModelResponse([TextPart(text)], finish_reason=finish)


def http_error(status: int) -> ModelHTTPError:
    """A server's error as a provider's client raises it."""
    category = _CATEGORIES.get(status, ModelServerError if status >= 500 else ModelRequestRejectedError)
    return ModelHTTPError.for_category(category, status_code=status, model_name="scripted", body={"message": "played"})
