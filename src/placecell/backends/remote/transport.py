"""HTTP to one worker: what is safe to try again is tried again, and everything that can go wrong has words.

Before work begins, a refused connection or a busy worker is waited for. Afterwards only questions are repeated, which
change nothing. A request is named by its digest, so that even sending it twice begins it once.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from placecell.backends.remote import records
from placecell.backends.remote.records import (
    ErrorRecord,
    JobRecord,
    ProposalsRecord,
    ReconstructionRecord,
    WorkerRecord,
)
from placecell.backends.remote.server import CONTENT_TYPE, DEFAULT_PORT, TOKEN_VARIABLE, megabytes
from placecell.backends.remote.wire import Arrays, WireError, opened
from placecell.errors import BackendUnavailable, BudgetExhausted, PlacecellError, UserError
from placecell.progress import OnProgress, Progress

Result = ReconstructionRecord | ProposalsRecord


@dataclass(frozen=True)
class Address:
    """Where a worker is, and which of its backends is meant: ``http://HOST:PORT/BACKEND``."""

    secure: bool
    host: str
    port: int
    backend: str

    @classmethod
    def of(cls, spec: str) -> Address:
        """From ``remote:http://HOST:PORT/BACKEND`` or the same without ``remote:``. UserError when it is none."""
        text = spec.removeprefix("remote:")
        try:
            parts = urlsplit(text)
            port, host, backend = parts.port, parts.hostname, parts.path.strip("/")
        except ValueError:
            port, host, backend = None, None, ""
        if not host or not backend or parts.scheme not in ("http", "https") or parts.query or parts.username:
            raise UserError(f"{spec} is no address of a worker", hint="write it as remote:http://HOST:PORT/BACKEND")
        secure = parts.scheme == "https"
        return cls(secure, host, port or (443 if secure else DEFAULT_PORT), backend)

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Patience:
    """Seconds. ``connect``: for a connection. ``begin``: for a worker that refuses connections, perhaps just starting.

    ``busy``: for a place at a busy one. ``silent``: for an answer. ``lost``: for a worker that vanished while working.
    """

    connect: float = 10.0
    begin: float = 5.0
    busy: float = 600.0
    silent: float = 60.0
    lost: float = 5.0


@dataclass(frozen=True)
class _Answer:
    status: int
    body: bytes


class Connection:
    """Requests to one worker."""

    def __init__(self, address: Address, patience: Patience | None = None) -> None:
        self.address = address
        self._patience = patience or Patience()
        self._token = os.environ.get(TOKEN_VARIABLE)

    def about(self) -> WorkerRecord:
        """What the worker says of itself; asked before anything is sent."""
        record, _ = self._read(self._before_work("GET", "/v1"))
        if not isinstance(record, WorkerRecord):
            raise self._no_worker()
        if record.protocol != records.PROTOCOL:
            raise UserError(
                f"the worker at {self.address} speaks protocol {record.protocol}, this placecell {records.PROTOCOL}",
                hint="use the same version on both sides",
            )
        if self.address.backend not in record.backends:
            raise UserError(
                f"the worker at {self.address} has no {self.address.backend}",
                hint=f"it offers {', '.join(record.backends)}",
            )
        return record

    def work(self, request: bytes, about: WorkerRecord, progress: OnProgress) -> tuple[Result, Arrays]:
        """The result of a request, with progress as it comes.

        Raises:
            UserError: the worker or the network failed, or what was sent cannot be used; it says which.
            BudgetExhausted: it took longer than the worker allows.
        """
        if len(request) > about.max_bytes:
            raise UserError(
                f"the pictures have {megabytes(len(request))}, the worker at {self.address} takes "
                f"{megabytes(about.max_bytes)}",
                hint="ask for fewer --frames, or start it with a larger --max-mb",
            )
        path = f"/v1/jobs/{hashlib.sha256(request).hexdigest()}"
        answer = self._begin(path, request, progress)
        try:
            while answer.status == http.client.ACCEPTED:
                record, _ = self._read(answer)
                if isinstance(record, JobRecord) and record.progress is not None:
                    progress(Progress(**record.progress.model_dump(exclude={"kind"})))
                answer = self._while_working(f"{path}?wait=1")
        except KeyboardInterrupt:
            self._drop(path)
            raise
        result, arrays = self._read(answer)
        if not isinstance(result, (ReconstructionRecord, ProposalsRecord)):
            raise self._no_worker()
        self._drop(path)
        return result, arrays

    def _begin(self, path: str, request: bytes, progress: OnProgress) -> _Answer:
        """Send the request; a worker without a free place is asked again for a while."""
        deadline = time.monotonic() + self._patience.busy
        progress(Progress("sending pictures", 0, None, str(self.address)))
        while True:
            answer = self._before_work("PUT", path, request)
            if answer.status != http.client.SERVICE_UNAVAILABLE:
                return answer
            if time.monotonic() > deadline:
                raise BudgetExhausted(
                    f"the worker at {self.address} was busy for {self._patience.busy:g} s", hint="try again later"
                )
            progress(Progress("waiting for the worker", 0, None, "busy with other work"))
            time.sleep(min(2.0, self._patience.busy))

    def _before_work(self, method: str, path: str, body: bytes | None = None) -> _Answer:
        """A request that has begun nothing when its connection is refused, so that is tried again."""
        return self._retrying(lambda: self._once(method, path, body), ConnectionRefusedError, self._patience.begin)

    def _while_working(self, path: str) -> _Answer:
        """A question about the work; asking twice changes nothing."""
        try:
            return self._retrying(
                lambda: self._once("GET", path), (ConnectionError, http.client.HTTPException), self._patience.lost
            )
        except UserError as error:
            raise UserError(
                f"the worker at {self.address} went away while it was working ({error.message})",
                hint="see its log and start it again; the same command then starts over",
            ) from None

    def _retrying(
        self, ask: Callable[[], _Answer], on: type[Exception] | tuple[type[Exception], ...], patience: float
    ) -> _Answer:
        deadline = time.monotonic() + patience
        while True:
            try:
                return ask()
            except on as error:
                if time.monotonic() > deadline:
                    raise self._failed(error) from None
                time.sleep(0.25)
            except (OSError, http.client.HTTPException) as error:
                raise self._failed(error) from None

    def _once(self, method: str, path: str, body: bytes | None = None) -> _Answer:
        connection = self._connected()
        headers = {"Content-Type": CONTENT_TYPE} if body is not None else {}
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        try:
            try:
                connection.request(method, path, body, headers)
            except (BrokenPipeError, ConnectionResetError):
                if body is None:
                    raise
                # It refused before it had read everything; its answer may have arrived all the same.
            response = connection.getresponse()
            return _Answer(response.status, response.read())
        finally:
            connection.close()

    def _connected(self) -> http.client.HTTPConnection:
        a, timeout = self.address, self._patience.connect
        connection = (
            http.client.HTTPSConnection(a.host, a.port, timeout=timeout, context=ssl.create_default_context())
            if a.secure
            else http.client.HTTPConnection(a.host, a.port, timeout=timeout)
        )
        connection.connect()
        connection.sock.settimeout(self._patience.silent)
        return connection

    def _drop(self, path: str) -> None:
        """Tell the worker that the job is no longer needed; it would find out by itself, later."""
        try:
            self._once("DELETE", path)
        except (OSError, http.client.HTTPException):
            return

    def _read(self, answer: _Answer) -> tuple[Result | JobRecord | WorkerRecord, Arrays]:
        """The record of an answer; an error in it is raised here."""
        try:
            record, arrays = opened(answer.body, records.REPLY)
        except WireError:
            raise self._no_worker() from None
        if isinstance(record, ErrorRecord):
            raise self._raised(record)
        return record, arrays

    def _raised(self, record: ErrorRecord) -> PlacecellError:
        kinds = {"user": UserError, "unavailable": BackendUnavailable, "exhausted": BudgetExhausted}
        return kinds[record.error](f"{record.message} (worker at {self.address})", hint=record.hint)

    def _no_worker(self) -> UserError:
        return UserError(f"what answers at {self.address} is no placecell worker", hint="check the address")

    def _failed(self, error: Exception) -> UserError:
        where = f"the worker at {self.address}"
        match error:
            case ConnectionRefusedError():
                return UserError(f"no worker answers at {self.address}", hint="start one: placecell worker BACKEND")
            case TimeoutError():
                return UserError(f"{where} did not answer in time", hint="it may be frozen, or the network cut")
            case ssl.SSLError():
                return UserError(f"no secure connection to {where} ({error.reason})", hint="check its certificate")
            case OSError() if not isinstance(error, ConnectionError):
                return UserError(f"{where} cannot be reached ({error.strerror or error})", hint="check the address")
            case _:
                return UserError(f"{where} closed the connection without an answer", hint="its log says why")
