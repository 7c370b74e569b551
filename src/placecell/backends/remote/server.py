"""The worker: reconstructors and segmenters of this machine for other machines, over HTTP.

    GET    /v1                  what it offers, and its limits
    PUT    /v1/jobs/DIGEST      begin the request whose sha256 this is; the same one again is the same job
    GET    /v1/jobs/DIGEST      202 with its progress, 200 with its result (``?wait=SECONDS`` for news)
    DELETE /v1/jobs/DIGEST      stop it, or drop its result

Every body is a message (``wire``). Without a token only this machine is served. Nothing is read that is too large, too
slow or not allowed, and no place is taken by it.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import socket
import threading
import time
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from placecell.backends.remote import records
from placecell.backends.remote.jobs import Busy, Job, Jobs, Log, Process, state
from placecell.backends.remote.records import PROTOCOL, ErrorRecord, WorkerRecord
from placecell.backends.remote.wire import WireError, message, opened
from placecell.errors import UserError

CONTENT_TYPE = "application/vnd.placecell"
TOKEN_VARIABLE = "PLACECELL_WORKER_TOKEN"
DEFAULT_PORT = 8471

_JOB = re.compile(r"/v1/jobs/([0-9a-f]{64})")
_IDLE_S = 30.0  # a connection that says nothing
_BODY_S = 600.0  # a request's body
_LONGEST_WAIT_S = 20.0
_CONNECTIONS = 32
_CHUNK = 2**20
_DRAINED_S = 5.0


@dataclass(frozen=True)
class WorkerSettings:
    """``backends``: the names that may be asked for. ``token``: None serves this machine only.

    ``max_bytes``: of a request. ``time_limit_s``: of the work. ``places``: jobs at a time; more are told to come later.
    """

    backends: tuple[str, ...]
    host: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    token: str | None = None
    max_bytes: int = 256 * 2**20
    time_limit_s: float = 1800.0
    places: int = 1


class Worker:
    """A bound server; ``serve`` answers until ``close``, which may come from another thread or a signal handler."""

    def __init__(self, settings: WorkerSettings, log: Log) -> None:
        if settings.token is None and not is_loopback(settings.host):
            raise UserError(
                f"a worker at {settings.host} would serve whoever can reach it",
                hint=f"set {TOKEN_VARIABLE} to a long random text, here and where it is used",
            )
        if settings.token is not None and len(settings.token) < 16:
            raise UserError(f"{TOKEN_VARIABLE} is shorter than 16 characters", hint="use: openssl rand -hex 32")
        self.jobs = Jobs(
            places=settings.places, limit_s=settings.time_limit_s, kept_bytes=2 * settings.max_bytes, log=log
        )
        handler = type("Handler", (_Handler,), {"settings": settings, "jobs": self.jobs, "log": staticmethod(log)})
        try:
            self._server = _Server((settings.host, settings.port), handler)
        except OSError as error:
            raise UserError(f"cannot listen at {settings.host}:{settings.port} ({error.strerror})") from None

    @property
    def port(self) -> int:
        """The port it listens at, also when the settings said 0."""
        return int(self._server.server_address[1])

    def serve(self) -> None:
        """Answer until closed."""
        self._server.serve_forever(poll_interval=0.2)

    def close(self) -> None:
        """Stop listening and end the work."""
        threading.Thread(target=self._server.shutdown, daemon=True).start()
        self._server.server_close()
        self.jobs.close()


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's own."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = _CONNECTIONS

    def __init__(self, address: tuple[str, int], handler: Any) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self._places = threading.BoundedSemaphore(_CONNECTIONS)
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)  # so many at once are no honest clients

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._places.release()


class _Refused(Exception):
    """The request is answered with an error and its connection ends."""

    def __init__(self, status: HTTPStatus, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.status, self.text, self.hint = status, text, hint


class _Handler(BaseHTTPRequestHandler):
    settings: ClassVar[WorkerSettings]
    jobs: ClassVar[Jobs]
    log: ClassVar[Log]
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "placecell", ""
    timeout = _IDLE_S
    body_left = 0

    def do_GET(self) -> None:
        self._answer(self._get)

    def do_PUT(self) -> None:
        self._answer(self._put)

    def do_DELETE(self) -> None:
        self._answer(self._delete)

    def log_message(self, format: str, *args: Any) -> None:
        type(self).log(f"{self.address_string()} {format % args}")

    def _answer(self, act: Any) -> None:
        try:
            self.body_left = self._announced()
            self._check_sender()
            act()
        except _Refused as refused:
            error = ErrorRecord(error="user", message=refused.text, hint=refused.hint)
            self.close_connection = True
            self._reply(refused.status, message(error))
            self._drain()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def _announced(self) -> int:
        """The length of the body in bytes."""
        if "Transfer-Encoding" in self.headers:
            raise _Refused(HTTPStatus.LENGTH_REQUIRED, "the length of the request must be announced")
        text = self.headers.get("Content-Length", "0")
        if not text.isascii() or not text.isdigit() or len(text) > 15:
            raise _Refused(HTTPStatus.BAD_REQUEST, "the announced length is no number")
        return int(text)

    def _check_sender(self) -> None:
        token = self.settings.token
        if token is not None:
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(given.encode(), token.encode()):
                missing = "no token was given" if not given else "the token is not this worker's"
                raise _Refused(
                    HTTPStatus.UNAUTHORIZED, missing, f"set {TOKEN_VARIABLE} to the value the worker was started with"
                )
        elif not is_loopback(urlsplit(f"//{self.headers.get('Host', '')}").hostname or ""):
            # A page in a browser can reach this port under a name of its own; it cannot choose this header.
            raise _Refused(HTTPStatus.FORBIDDEN, "this worker serves its own machine only, as localhost")

    def _get(self) -> None:
        if urlsplit(self.path).path == "/v1":
            about = WorkerRecord(
                protocol=PROTOCOL,
                placecell=metadata.version("placecell"),
                backends=self.settings.backends,
                max_bytes=self.settings.max_bytes,
                time_limit_s=self.settings.time_limit_s,
            )
            self._reply(HTTPStatus.OK, message(about))
            return
        job = self.jobs.find(self._digest())
        if job is None:
            raise _Refused(HTTPStatus.NOT_FOUND, "no such job: it was dropped, or the worker was restarted")
        job.over.wait(self._wished_wait())
        self._report(job)

    def _put(self) -> None:
        digest = self._digest()
        if self.headers.get("Content-Type") != CONTENT_TYPE:
            raise _Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, f"a request is {CONTENT_TYPE}")
        if self.body_left > self.settings.max_bytes:
            raise _Refused(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"the request has {megabytes(self.body_left)}, this worker takes {megabytes(self.settings.max_bytes)}",
                "send fewer or smaller pictures, or start it with a larger --max-mb",
            )
        try:
            process = self.jobs.reserve()
        except Busy:
            known = self.jobs.find(digest)
            if known is None:
                text = f"the worker is busy ({self.settings.places} at a time)"
                raise _Refused(HTTPStatus.SERVICE_UNAVAILABLE, text, "try again later") from None
            self._drain()
            self._report(known)
            return
        self._start(digest, process)

    def _start(self, digest: str, process: Process) -> None:
        """Read the request and begin; the place is given back when it is not worth one."""
        started = False
        try:
            body = self._body()
            if hashlib.sha256(body).hexdigest() != digest:
                raise _Refused(HTTPStatus.BAD_REQUEST, "the request is not the one its address says")
            try:
                request, _ = opened(body, records.REQUEST)
            except WireError as error:
                raise _Refused(HTTPStatus.BAD_REQUEST, f"the request cannot be read: {error}") from None
            if request.backend not in self.settings.backends:
                offered = ", ".join(self.settings.backends)
                raise _Refused(HTTPStatus.NOT_FOUND, f"this worker has no {request.backend}", f"it offers {offered}")
            started = True
        finally:
            if not started:
                self.jobs.release(process)
        self._report(self.jobs.start(digest, body, process))

    def _delete(self) -> None:
        self.jobs.forget(self._digest())
        self._reply(HTTPStatus.NO_CONTENT, b"")

    def _report(self, job: Job) -> None:
        if job.over.is_set():
            self._reply(HTTPStatus.OK, job.result)
        else:
            self._reply(HTTPStatus.ACCEPTED, state(job))

    def _digest(self) -> str:
        found = _JOB.fullmatch(urlsplit(self.path).path)
        if found is None:
            raise _Refused(HTTPStatus.NOT_FOUND, "a placecell worker answers at /v1")
        return found[1]

    def _wished_wait(self) -> float:
        wish = parse_qs(urlsplit(self.path).query).get("wait", ["0"])[0]
        return min(float(wish), _LONGEST_WAIT_S) if wish.isascii() and wish.isdigit() else 0.0

    def _body(self) -> bytes:
        parts, deadline = [], time.monotonic() + _BODY_S
        while self.body_left:
            part = self.rfile.read1(min(self.body_left, _CHUNK))
            if not part:
                raise ConnectionError("cut short")
            if time.monotonic() > deadline:
                raise _Refused(HTTPStatus.REQUEST_TIMEOUT, f"the request took longer than {_BODY_S:g} s to arrive")
            parts.append(part)
            self.body_left -= len(part)
        return b"".join(parts)

    def _reply(self, status: HTTPStatus, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", CONTENT_TYPE)
        self.send_header("Content-Length", str(len(body)))
        if status == HTTPStatus.SERVICE_UNAVAILABLE:
            self.send_header("Retry-After", "2")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def _drain(self) -> None:
        """Throw away what is still coming, for a moment: who is cut off while sending never sees the answer."""
        deadline = time.monotonic() + _DRAINED_S
        self.connection.settimeout(1.0)
        try:
            while self.body_left > 0 and time.monotonic() < deadline:
                part = self.rfile.read1(min(self.body_left, _CHUNK))
                if not part:
                    break
                self.body_left -= len(part)
        except OSError:
            pass
        self.close_connection = self.close_connection or self.body_left > 0


def megabytes(count: int) -> str:
    """A number of bytes as a person says it."""
    return f"{count / 2**20:.0f} MB"
