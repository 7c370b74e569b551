"""Shared fixtures: real data when it is there, and a guard that no test leaves the machine."""

from __future__ import annotations

import gc
import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same commit gives the same verdict everywhere, on a busy machine too. New cases are looked for with
# HYPOTHESIS_PROFILE=explore; what they find is kept as an @example.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", UNTIMED, derandomize=True)
settings.register_profile("explore", UNTIMED, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """Half a million objects come with the tests and stay: the garbage collector is spared looking through them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("PLACECELL_SHARED", ROOT.parent / "shared"))


def _shared(name: str) -> Path:
    folder = SHARED / name
    if not folder.is_dir():
        pytest.skip(f"needs {folder} (real captures and benchmark material, not part of the project)")
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real captures, or a skip that says where it was expected."""
    return _shared("data")


@pytest.fixture(scope="session")
def shared_bench() -> Path:
    """The folder of benchmark material, or a skip that says where it was expected."""
    return _shared("bench")


def _is_local(address: object) -> bool:
    if isinstance(address, (str, bytes)):  # a Unix socket
        return True
    if not isinstance(address, tuple):
        return False
    host = str(address[0])
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Any connection beyond loopback fails the test that tried it."""

    def guarded(original):
        def connect(self, address):
            if not _is_local(address):
                raise AssertionError(f"a test tried to reach {address!r}; only loopback is allowed")
            return original(self, address)

        return connect

    for name in ("connect", "connect_ex"):
        monkeypatch.setattr(socket.socket, name, guarded(getattr(socket.socket, name)))

    def getaddrinfo(host, *args, _original=socket.getaddrinfo, **kwargs):
        if not _is_local((host or "localhost",)):
            raise AssertionError(f"a test tried to look up {host!r}; only loopback is allowed")
        return _original(host, *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    yield
