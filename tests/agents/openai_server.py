"""A model server with the OpenAI dialect on a real socket, which plays a scenario and keeps what it was sent.

>>> with OpenAIServer(said("A"), status(429), said("B")) as server:
...     model = open_model(server.model, Settings())
"""

from __future__ import annotations

import base64
import io
import json
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from PIL import Image


@dataclass(frozen=True)
class Received:
    """One request as it arrived: its JSON, its headers, and when."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]
    path: str
    at: float

    @property
    def messages(self) -> list[Mapping[str, Any]]:
        return list(self.body["messages"])

    @property
    def parts(self) -> list[Mapping[str, Any]]:
        """Every part of every message in order, plain text as a text part."""
        parts: list[Mapping[str, Any]] = []
        for message in self.messages:
            content = message.get("content")
            parts += [{"type": "text", "text": content}] if isinstance(content, str) else content or []
        return parts

    @property
    def text(self) -> str:
        """All texts of all messages."""
        return "\n".join(p["text"] for p in self.parts if p["type"] == "text")

    @property
    def pictures(self) -> list[Image.Image]:
        """Every picture in order, decoded."""
        return [Image.open(io.BytesIO(data)) for _, data in self.encoded_pictures]

    @property
    def encoded_pictures(self) -> list[tuple[str, bytes]]:
        """(media type, bytes) of every picture in order."""
        found = []
        for part in self.parts:
            if part["type"] == "image_url":
                head, _, data = part["image_url"]["url"].partition(",")
                found.append((head.removeprefix("data:").removesuffix(";base64"), base64.b64decode(data)))
        return found


@dataclass(frozen=True)
class Play:
    """What the server does with one request: sends ``status``, ``headers`` and ``body`` after ``wait`` seconds.

    ``length`` is the Content-Length it claims when that is not the truth; ``drop`` closes the socket without a word.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: float = 0.0
    length: int | None = None
    drop: bool = False


def completion(message: Mapping[str, Any], *, finish: str = "stop", tokens: tuple[int, int] = (100, 10)) -> Play:
    """A complete reply around an assistant's message."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "played",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": None, **message}}
        ],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }
    return Play(json.dumps(body).encode())


def said(text: str, **more: Any) -> Play:
    """A reply in words."""
    return completion({"content": text}, **more)


def called(name: str, arguments: Mapping[str, Any] | str, *, id: str = "call_1") -> Play:
    """A reply that calls a tool; ``arguments`` as a string may be malformed."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": text}}
    return completion({"tool_calls": [call]}, finish="tool_calls")


def cut_off(text: str) -> Play:
    """A reply that reached its longest length."""
    return said(text, finish="length")


def refused(text: str = "I cannot help with that.") -> Play:
    """A refusal, the way the dialect marks it."""
    return completion({"refusal": text})


def no_choices() -> Play:
    """A well-formed reply without any choice."""
    return Play(
        json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": []}).encode()
    )


def status(code: int, message: str = "no", **headers: str) -> Play:
    """An error; headers by their names with underscores (``retry_after="0"``)."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode()
    return Play(body, code, {name.replace("_", "-"): value for name, value in headers.items()})


def half_json() -> Play:
    """A body that ends in the middle, with the length it really has."""
    return Play(said("never to be read").body[:60])


def broken_off() -> Play:
    """A body that ends before the length it promised: the connection dropped on the way."""
    body = said("never to be read").body
    return Play(body[:60], length=len(body))


def dropped() -> Play:
    """The connection closed without a reply."""
    return Play(drop=True)


def silence(seconds: float) -> Play:
    """A reply that comes too late."""
    return Play(said("too late").body, wait=seconds)


Scene = Play | Callable[[Received], Play]


class OpenAIServer:
    """Plays one scene for each request, in order; a function makes its reply from the request.

    ``forever`` is played when the scenes are over; without it such a request gets a 500 and is listed in ``surplus``.
    """

    def __init__(self, *scenes: Scene, forever: Scene | None = None) -> None:
        self.requests: list[Received] = []
        self.surplus = 0
        self._scenes: Sequence[Scene] = scenes
        self._forever = forever
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def model(self) -> str:
        """The name to open it by."""
        return f"openai:played@{self.url}"

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _next(self, received: Received) -> Play:
        with self._lock:
            place = len(self.requests)
            self.requests.append(received)
            scene = self._scenes[place] if place < len(self._scenes) else self._forever
            if scene is None:
                self.surplus += 1
                return status(500, "the scenario is over")
        return scene(received) if callable(scene) else scene

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                play = server._next(Received(body, dict(self.headers), self.path, time.monotonic()))
                server._over.wait(play.wait) if play.wait else None
                if play.drop:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    self.close_connection = True
                    return
                try:
                    self._send(play)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True  # the client gave up waiting

            def _send(self, play: Play) -> None:
                self.send_response(play.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(play.body) if play.length is None else play.length))
                for name, value in play.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(play.body)
                self.close_connection = self.close_connection or play.length is not None

            def log_message(self, *_: object) -> None:
                pass

        return Handler
