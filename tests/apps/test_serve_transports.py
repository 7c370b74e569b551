"""``placecell serve`` as processes, over stdio and real sockets, with the SDK's client and with one written by hand."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import http.client
import io
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mcp")

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from PIL import Image

from placecell.apps.mcp.http import Address
from placecell.errors import UserError

COMMAND = [sys.executable, "-m", "placecell.apps.cli", "serve"]
TOKEN = "a-token-of-more-than-sixteen-characters"
ASKED = {"memory": "room.pcell", "question": "How many chairs are there?"}
INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "by hand", "version": "1"},
}


@pytest.fixture(scope="module")
def root(served, tmp_path_factory):
    """A folder of its own, with a capture whose file of poses names a picture outside of it."""
    above = tmp_path_factory.mktemp("transports")
    root = above / "root"
    shutil.copytree(served / "capture", root / "capture")
    shutil.copy(served / "room.pcell", root / "room.pcell")
    Image.new("RGB", (64, 48), "red").save(above / "secret.png")
    hostile = root / "hostile"
    hostile.mkdir()
    frames = []
    for number in range(3):
        Image.fromarray(np.random.default_rng(number).integers(0, 255, (48, 64, 3), np.uint8)).save(
            hostile / f"{number}.png"
        )
        pose = np.eye(4)
        pose[0, 3] = 0.1 * number
        frames.append({"file_path": f"{number}.png", "transform_matrix": pose.tolist()})
    frames.append({"file_path": "../../secret.png", "transform_matrix": np.eye(4).tolist()})
    frames.append({"file_path": str(above / "secret.png"), "transform_matrix": np.eye(4).tolist()})
    lens = {"fl_x": 60.0, "fl_y": 60.0, "cx": 32.0, "cy": 24.0, "w": 64, "h": 48}
    (hostile / "transforms.json").write_text(json.dumps({**lens, "frames": frames}))
    return root


class ByHand:
    """A client over pipes that knows nothing but JSON-RPC on lines."""

    def __init__(self, root, *, command=COMMAND):
        self.process = subprocess.Popen(
            [*command, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.lines = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ids = iter(range(1, 1000))
        self.ask("initialize", INITIALIZE)
        self.send({"method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))  # whatever is no JSON would end this thread, and the test

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        id = next(self._ids)
        self.send({"id": id, "method": method, "params": params})
        return id

    def answer(self, id):
        while True:
            message = self.lines.get(timeout=120)
            if message.get("id") == id:
                return message

    def ask(self, method, params):
        return self.answer(self.request(method, params))

    def call(self, name, arguments, **meta):
        return self.ask("tools/call", {"name": name, "arguments": arguments, **meta})["result"]

    def close(self):
        self.process.stdin.close()
        code = self.process.wait(60)
        self._reader.join(10)
        self.process.stdout.close()
        return code


def test_a_client_by_hand_builds_asks_and_sees_over_stdio(root):
    client = ByHand(root)
    tools = client.ask("tools/list", {})["result"]["tools"]
    assert {"build", "ask", "view", "count_objects"} <= {t["name"] for t in tools}

    arguments = {"sources": ["capture"], "labels": "capture/labels", "output": "built.pcell"}
    id = client.request("tools/call", {"name": "build", "arguments": arguments, "_meta": {"progressToken": "p"}})
    news, built = [], None
    while built is None:
        message = client.lines.get(timeout=120)
        built = message["result"] if message.get("id") == id else None
        news += [message["params"]] if message.get("method") == "notifications/progress" else []
    assert built["structuredContent"]["state"] == "done"
    assert built["structuredContent"]["memory"]["objects"]["chair"] == 4
    steps = [n["progress"] for n in news]
    assert len(steps) >= 2 and steps == sorted(set(steps)) and all(n["message"] for n in news)

    answer = client.call("ask", {**ASKED, "memory": "built.pcell"})
    assert answer["structuredContent"]["value"] == 4
    seen = client.call("view", {"memory": "built.pcell", "mode": "bev"})
    (shown,) = [c for c in seen["content"] if c["type"] == "image"]
    assert 512 < max(Image.open(io.BytesIO(base64.b64decode(shown["data"]))).size) <= 768

    # What a capture's files refer to outside of the folder is not read.
    hostile = client.call("build", {"sources": ["hostile"], "output": "hostile.pcell", "replace": True})
    memory = hostile["structuredContent"]["memory"]
    assert memory["frames"] == 3 and sum("secret.png" in line for line in memory["skipped"]) == 2

    big = client.call("ask", {**ASKED, "question": "x" * 40_000_000})
    assert big["isError"] and "bytes" in big["content"][0]["text"]
    client.send({"method": "nonsense"})
    client.process.stdin.write(b"this is no JSON\n")
    assert client.call("memories", {})["structuredContent"]["memories"][0] == "built.pcell"
    assert client.close() == 0
    assert not [p for p in root.iterdir() if p.name.startswith(".placecell")]


CHATTY = """
import asyncio, os, subprocess, sys
from pathlib import Path
from placecell.agents.answering import How
from placecell.apps.mcp import server, service
from placecell.apps.mcp.limits import Limits
from placecell.apps.mcp.tools import Tools

def find(memory, name):
    if name == "fault":
        raise RuntimeError("inner detail")
    print("a banner")
    os.write(1, b"noise from a library")
    subprocess.run(["echo", "noise from a child"])
    return ()

service.names.find = find
place = service.Service(Path(sys.argv[1]), how=How(), limits=Limits())
asyncio.run(server.serve_stdio(place, Tools(place)))
"""


def test_what_a_library_prints_or_a_bug_raises_does_not_break_the_conversation(root):
    client = ByHand(root, command=[sys.executable, "-c", CHATTY])
    assert client.call("objects", {"memory": "room.pcell", "name": "chair"})["structuredContent"]["total"] == 0
    faulty = client.call("objects", {"memory": "room.pcell", "name": "fault"})
    assert faulty["isError"] and "inner detail" not in json.dumps(faulty)
    assert client.call("memories", {})["structuredContent"]["memories"]
    assert client.close() == 0


def children(pid):
    """Processes that a process started."""
    with contextlib.suppress(FileNotFoundError):
        return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return []


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_a_build_answers_pings_is_watched_and_ends_with_its_call_its_stop_or_its_client(root):
    client = ByHand(root)
    build = {"name": "build", "arguments": {"sources": ["capture"], "output": "never.pcell"}}

    def running():
        return [p for p in children(client.process.pid) if "builder" in Path(f"/proc/{p}/cmdline").read_text()]

    def until(wanted):
        end = time.monotonic() + 60
        while bool(running()) != wanted:
            assert time.monotonic() < end
            time.sleep(0.02)

    id = client.request("tools/call", build)
    until(True)
    assert client.ask("ping", {})["result"] == {}
    client.send({"method": "notifications/cancelled", "params": {"requestId": id}})
    until(False)

    begun = client.call("build", {**build["arguments"], "wait": 0})["structuredContent"]
    assert begun["state"] in ("waiting", "running")
    again = client.call("build", {**build["arguments"], "wait": 0})
    assert again["isError"] and "being built already" in again["content"][0]["text"]
    stopped = client.call("stop_build", {"job": begun["job"]})["structuredContent"]
    assert stopped["state"] == "stopped"
    assert client.call("build_status", {"job": begun["job"]})["isError"]

    client.request("tools/call", build)
    until(True)
    (child,) = running()
    client.close()
    end = time.monotonic() + 30
    while Path(f"/proc/{child}").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    assert not (root / "never.pcell").exists()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_is_ended_or_killed_leaves_no_build_and_no_files(root, how):
    client = ByHand(root)
    arguments = {"sources": ["capture"], "output": "never.pcell"}
    client.request("tools/call", {"name": "build", "arguments": arguments})
    end = time.monotonic() + 60
    while not (begun := children(client.process.pid)):
        assert time.monotonic() < end
        time.sleep(0.02)
    time.sleep(0.5)  # it has been told what to build
    client.process.send_signal(how)
    assert client.process.wait(60) == (130 if how is signal.SIGTERM else -how)
    client.process.stdin.close()
    client.process.stdout.close()
    while Path(f"/proc/{begun[0]}").exists() or [p for p in root.iterdir() if p.name.startswith(".placecell")]:
        assert time.monotonic() < end
        time.sleep(0.02)


def test_the_sdks_client_lists_asks_and_sees_over_stdio(root):
    async def conversation():
        parameters = StdioServerParameters(command=COMMAND[0], args=[*COMMAND[1:], str(root), "--read-only"])
        async with Client(stdio_client(parameters)) as client:
            names = {t.name for t in (await client.list_tools()).tools}
            answer = await client.call_tool("ask", ASKED)
            photo = await client.call_tool("photo", {"memory": "room.pcell", "image": 1})
            return names, answer, photo

    names, answer, photo = asyncio.run(conversation())
    assert "ask" in names and "build" not in names
    assert answer.structured_content["value"] == 4
    assert [c.type for c in photo.content] == ["text", "image"]


@pytest.fixture(scope="module")
def web(root):
    """A server over HTTP with a token; its port."""
    process = subprocess.Popen(
        [*COMMAND, str(root), "--http", "--port", "0", "--json", "--max-mb", "1"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PLACECELL_SERVE_TOKEN": TOKEN},
    )
    started = json.loads(process.stdout.readline())
    assert started["token"]
    yield int(started["url"].rsplit(":", 1)[1].split("/")[0])
    process.send_signal(signal.SIGINT)
    assert process.wait(60) in (0, 130)
    process.stdout.close()


def post(port, message, **headers):
    """Status, headers and last message of a request by hand."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    body = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
    given = {
        "Authorization": f"Bearer {TOKEN}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    try:
        connection.request("POST", "/mcp", body, {k: v for k, v in given.items() if v is not None})
        response = connection.getresponse()
        text = response.read().decode()
    finally:
        connection.close()
    events = [line[6:] for line in text.splitlines() if line.startswith("data: {")]
    return response.status, response.headers, json.loads(events[-1]) if events else text


def session(port):
    """Headers of a conversation by hand, after the handshake."""
    status, headers, _ = post(port, {"id": 1, "method": "initialize", "params": INITIALIZE})
    assert status == 200
    mine = {"Mcp_Session_Id": headers["mcp-session-id"], "MCP_Protocol_Version": "2025-06-18"}
    assert post(port, {"method": "notifications/initialized"}, **mine)[0] == 202
    return mine


def test_a_client_by_hand_asks_and_sees_over_http(web):
    mine = session(web)
    _, _, answer = post(web, {"id": 2, "method": "tools/call", "params": {"name": "ask", "arguments": ASKED}}, **mine)
    assert answer["result"]["structuredContent"]["value"] == 4
    arguments = {"memory": "room.pcell", "image": 1}
    _, _, photo = post(
        web, {"id": 3, "method": "tools/call", "params": {"name": "photo", "arguments": arguments}}, **mine
    )
    assert [c["type"] for c in photo["result"]["content"]] == ["text", "image"]


def test_the_sdks_client_makes_fifty_calls_eight_at_a_time_over_http(web):
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    async def conversation():
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with httpx2.AsyncClient(headers=headers, timeout=120) as connection:
            url = f"http://127.0.0.1:{web}/mcp"
            async with Client(streamable_http_client(url, http_client=connection)) as client:
                gate = asyncio.Semaphore(8)

                async def one(number):
                    async with gate:
                        return await client.call_tool("photo", {"memory": "room.pcell", "image": number % 24 + 1})

                return await asyncio.gather(*(one(n) for n in range(50)))

    results = asyncio.run(conversation())
    assert [r.structured_content["caption"] for r in results] == [f"Image {n % 24 + 1}" for n in range(50)]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": None}, 401),
        ({"Authorization": f"Bearer {TOKEN[:-1]}"}, 401),
        ({"Authorization": "Bearer \xff"}, 401),
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1:1"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Content_Type": "text/plain"}, 400),
    ],
)
def test_whoever_lacks_the_token_or_comes_from_elsewhere_is_turned_away(web, headers, status):
    request = {"id": 1, "method": "initialize", "params": INITIALIZE}
    assert post(web, request, **headers)[0] == status
    assert post(web, request)[0] == 200


def test_a_request_that_is_too_large_is_refused_and_those_who_hang_up_are_forgotten(web):
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may be refused while it is being sent
        assert post(web, b"x" * 40_000_000)[0] == 413
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{web}\r\nAuthorization: Bearer {TOKEN}\r\n"
    for rest in ("", "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", "\x00\xff\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", web)) as half:
            half.sendall((head + rest).encode("latin-1"))
    mine = session(web)
    for id in range(10, 16):
        message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "ask", "arguments": ASKED}}
        body = json.dumps(message)
        lines = [
            head + "Content-Type: application/json",
            "Accept: application/json, text/event-stream",
            f"Mcp-Session-Id: {mine['Mcp_Session_Id']}",
            f"Content-Length: {len(body)}\r\n\r\n{body}",
        ]
        with socket.create_connection(("127.0.0.1", web)) as hasty:
            hasty.sendall("\r\n".join(lines).encode())
    _, _, answer = post(web, {"id": 2, "method": "tools/call", "params": {"name": "ask", "arguments": ASKED}}, **mine)
    assert answer["result"]["structuredContent"]["value"] == 4


def test_beyond_this_machine_a_token_is_needed_and_a_short_one_is_none():
    with pytest.raises(UserError, match="whoever can reach it"):
        Address(host="0.0.0.0")
    with pytest.raises(UserError, match="shorter"):
        Address(token="secret")
    assert Address(host="0.0.0.0", token=TOKEN).token
