"""The tools and resources of ``placecell serve``, called by the SDK's client in the same process."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import shutil
import threading

import pytest

pytest.importorskip("mcp")

from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from PIL import Image

from placecell.agents.answering import How
from placecell.apps.mcp import service as functions
from placecell.apps.mcp.limits import Limits
from placecell.apps.mcp.server import make_server
from placecell.apps.mcp.service import Service
from placecell.apps.mcp.tools import Tools
from placecell.language.ops import OPERATIONS

PROGRAM = """def plan(images):
    memory = build_static_memory(images)
    set_viewpoint(memory, at=query_camera_pose(memory, image=1))
    chairs = query_3d_object_location(memory, "chair")
    return [count_objects(memory, chairs), render_egocentric(memory)]
"""


def talk(folder, conversation, *, limits=None, operations=True, building=True):
    """Run ``conversation(client)`` against a server of ``folder``."""

    async def run():
        service = Service(folder, how=How(), limits=limits or Limits())
        try:
            server = make_server(service, Tools(service, operations=operations, building=building))
            async with Client(server) as client:
                return await conversation(client)
        finally:
            await service.close()

    return asyncio.run(run())


def call(folder, name, arguments, **settings):
    return talk(folder, lambda client: client.call_tool(name, arguments), **settings)


def refused(folder, name, arguments, **settings):
    """The text of an error that a model reads."""
    result = call(folder, name, arguments, **settings)
    assert result.is_error and result.structured_content is None
    return result.content[0].text


def protocol_error(folder, conversation, **settings):
    """The error that the protocol itself reports, caught where it arrives."""

    async def caught(client):
        with pytest.raises(MCPError) as error:
            await conversation(client)
        return str(error.value)

    return talk(folder, caught, **settings)


def picture(result):
    (shown,) = [c for c in result.content if c.type == "image"]
    image = Image.open(io.BytesIO(base64.b64decode(shown.data)))
    image.load()
    return image


def test_every_operation_but_the_builders_is_a_tool_that_asks_for_a_session(served):
    tools = {t.name: t for t in talk(served, lambda c: c.list_tools()).tools}
    builders = {name for name in OPERATIONS if name.startswith("build_")}
    assert set(OPERATIONS) - builders <= set(tools)
    for name in set(OPERATIONS) & set(tools):
        assert "session" in tools[name].input_schema["required"]
    assert all(t.description and t.output_schema["type"] == "object" for t in tools.values())
    assert {t.name for t in tools.values() if not t.annotations.read_only_hint} == {"build", "stop_build"}


def test_a_read_only_server_without_operations_offers_neither(served):
    few = {t.name for t in talk(served, lambda c: c.list_tools(), operations=False, building=False).tools}
    assert few == {"memories", "open_memory", "objects", "ask", "photo", "view", "check_program", "run_program"}
    arguments = {"sources": ["capture"], "output": "x.pcell"}
    assert "no tool" in protocol_error(served, lambda c: c.call_tool("build", arguments), building=False)


def test_an_answer_is_structured_and_says_the_same_in_words(served):
    result = call(served, "ask", {"memory": "room.pcell", "question": "How many chairs are there?"})
    said = result.structured_content
    assert (said["answer"], said["value"], said["method"], said["abstained"]) == ("4", 4, "geometry", False)
    assert json.loads(result.content[0].text) == said


def test_a_question_that_cannot_be_answered_abstains_without_being_an_error(served):
    result = call(served, "ask", {"memory": "room.pcell", "question": "What is the meaning of life?"})
    assert not result.is_error and result.structured_content["abstained"] and result.structured_content["reason"]


def test_a_photo_is_one_image_and_its_bytes_stand_nowhere_else(served):
    result = call(served, "photo", {"memory": "room.pcell", "image": 2})
    assert picture(result).size == (160, 120)
    data = next(c.data for c in result.content if c.type == "image")
    assert result.model_dump_json().count(data[:200]) == 1
    assert result.structured_content["caption"] == "Image 2"


@pytest.mark.parametrize("mode", ["ego", "global", "bev", "semantic"])
def test_a_view_fits_the_limits_and_comes_with_its_camera(served, mode):
    limits = Limits(picture_side=256, picture_bytes=60_000)
    result = call(served, "view", {"memory": "room.pcell", "mode": mode, "size": 1024}, limits=limits)
    assert max(picture(result).size) <= 256
    assert len(next(c.data for c in result.content if c.type == "image")) <= 60_000
    assert result.structured_content["camera"]


def test_a_program_is_checked_and_run_with_its_pictures(served):
    async def conversation(client):
        bad = PROGRAM.replace("count_objects", "count_things")
        return [
            await client.call_tool("check_program", {"program": PROGRAM, "memory": "room.pcell"}),
            await client.call_tool("check_program", {"program": bad}),
            await client.call_tool("run_program", {"memory": "room.pcell", "program": bad}),
            await client.call_tool("run_program", {"memory": "room.pcell", "program": PROGRAM}),
        ]

    good, findings, failed, ran = talk(served, conversation)
    assert good.structured_content["ok"]
    (fault,) = [d for d in findings.structured_content["diagnostics"] if d["severity"] == "error"]
    assert not findings.structured_content["ok"] and fault["line"] == 5 and "count_things" in fault["message"]
    assert failed.is_error and "count_things" in failed.content[0].text and "^" in failed.content[0].text
    count, view = ran.structured_content["values"]
    assert count["numbers"]["value"] == 4 and view["picture"] == 1
    assert max(picture(ran).size) == 768


def test_the_pictures_of_a_program_share_the_room_of_one_reply(served):
    renders = "render_egocentric(memory), render_rgb_bev(memory), render_semantic_bev(memory, objects=chairs)"
    program = PROGRAM.replace("render_egocentric(memory)", renders)
    limits = Limits(pictures=2, picture_bytes=60_000)
    result = call(served, "run_program", {"memory": "room.pcell", "program": program}, limits=limits)
    assert not result.is_error, result.content[0].text
    sizes = [len(c.data) for c in result.content if c.type == "image"]
    assert len(sizes) == 2 and sum(sizes) <= 60_000
    said = result.structured_content
    assert said["pictures_left_out"] == 1 and [v["picture"] for v in said["values"]] == [None, 1, 2, None]


def test_operations_share_handles_and_a_viewpoint_within_a_session_only(served):
    async def conversation(client):
        sessions = [
            (await client.call_tool("open_memory", {"memory": "room.pcell"})).structured_content["session"]
            for _ in range(2)
        ]
        made = await client.call_tool("query_3d_object_location", {"session": sessions[0], "name": "chair"})
        handle = made.structured_content["handle"]
        counted = await client.call_tool("count_objects", {"session": sessions[0], "objects": handle})
        other = await client.call_tool("count_objects", {"session": sessions[1], "objects": handle})
        return counted, other

    counted, other = talk(served, conversation)
    assert counted.structured_content["result"]["numbers"]["value"] == 4
    assert other.is_error and "no result" in other.content[0].text


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("ask", {"memory": "room.pcell"}, "question: Field required"),
        ("ask", {"memory": "room.pcell", "question": "x" * 20_001}, "20000"),
        ("ask", {"memory": "room.pcell", "question": "?", "model": "openai:gpt"}, "model: Extra inputs"),
        ("photo", {"memory": "room.pcell", "image": 900}, "images 1 to 24"),
        ("photo", {"memory": "capture", "image": 1}, "no saved memory"),
        ("view", {"memory": "../room.pcell"}, "outside the served folder"),
        ("view", {"memory": "room.pcell", "azimuth": float("nan")}, "azimuth"),
        ("view", {"memory": "room.pcell", "size": 100_000}, "1024"),
        ("count_objects", {"objects": "r1"}, "open_memory"),
        ("count_objects", {"session": "s0", "objects": "r1"}, "no session"),
        ("build", {"sources": ["nothing"], "output": "x.pcell"}, "does not exist"),
        ("build", {"sources": ["capture"], "output": "../x.pcell"}, "outside the served folder"),
        ("build", {"sources": ["/etc"], "output": "x.pcell"}, "outside the served folder"),
        ("build", {"sources": ["capture"], "output": "room.pcell"}, "replace"),
        ("build", {"sources": ["capture"], "output": "capture/x.png"}, "NAME.pcell"),
        ("build", {"sources": ["capture"], "output": "x.pcell", "labels": "../labels"}, "outside"),
        (
            "build",
            {"sources": ["capture"], "output": "x.pcell", "reconstructor": "remote:http://10.0.0.1/a"},
            "backend",
        ),
        ("build_status", {"job": "b0"}, "no build"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_way_that_helps(served, name, arguments, said):
    text = refused(served, name, arguments)
    assert said in text and str(served) not in text


def test_what_a_tool_gives_fits_the_schema_it_states(served):
    jsonschema = pytest.importorskip("jsonschema")

    async def conversation(client):
        stated = {t.name: t.output_schema for t in (await client.list_tools()).tools}
        opened = await client.call_tool("open_memory", {"memory": "room.pcell"})
        session = {"session": opened.structured_content["session"]}
        calls = {
            "memories": {},
            "objects": {"memory": "room.pcell"},
            "ask": {"memory": "room.pcell", "question": "How far is the sofa from the door?", "trace": True},
            "photo": {"memory": "room.pcell", "image": 1},
            "view": {"memory": "room.pcell"},
            "check_program": {"program": "nonsense"},
            "run_program": {"memory": "room.pcell", "program": PROGRAM},
            "measure_room": session,
            "query_camera_pose": {**session, "image": 1},
        }
        got = {name: await client.call_tool(name, arguments) for name, arguments in calls.items()}
        return stated, {"open_memory": opened, **got}

    stated, got = talk(served, conversation)
    for name, result in got.items():
        assert not result.is_error, result.content[0].text
        jsonschema.validate(result.structured_content, stated[name])


def test_forty_megabytes_of_arguments_are_refused_and_the_server_goes_on(served):
    async def conversation(client):
        big = await client.call_tool("ask", {"memory": "room.pcell", "question": "x" * 40_000_000})
        return big, await client.call_tool("memories", {})

    big, after = talk(served, conversation)
    assert big.is_error and "bytes" in big.content[0].text and len(big.content[0].text) < 200
    assert after.structured_content["memories"] == ["room.pcell"]


def test_fifty_calls_with_eight_at_a_time_are_all_answered_rightly(served):
    async def conversation(client):
        gate = asyncio.Semaphore(8)

        async def one(number):
            async with gate:
                if number % 3 == 0:
                    return await client.call_tool("photo", {"memory": "room.pcell", "image": number % 24 + 1})
                if number % 3 == 1:
                    asked = {"memory": "room.pcell", "question": "How many chairs are there?"}
                    return await client.call_tool("ask", asked)
                return await client.call_tool("objects", {"memory": "room.pcell", "name": "sofa"})

        return await asyncio.gather(*(one(n) for n in range(50)))

    results = talk(served, conversation)
    for number, result in enumerate(results):
        said = result.structured_content
        if number % 3 == 0:
            assert said["caption"] == f"Image {number % 24 + 1}"
        else:
            assert said["value"] == 4 if number % 3 == 1 else said["total"] == 1


def test_more_calls_than_may_wait_are_told_to_come_later_and_a_slow_one_is_given_up(served, monkeypatch):
    gate = threading.Event()
    monkeypatch.setattr(functions.names, "find", lambda *_: gate.wait(20) and ())

    async def conversation(client):
        slow = {"memory": "room.pcell", "name": "chair"}
        try:
            return await asyncio.gather(*(client.call_tool("objects", slow) for _ in range(4)))
        finally:
            gate.set()

    texts = [
        r.content[0].text for r in talk(served, conversation, limits=Limits(places=1, waiting=1, call_seconds=0.5))
    ]
    assert sum("busy" in text for text in texts) == 2
    assert sum("longer than this server's limit" in text for text in texts) == 2


def test_a_memory_that_was_built_again_is_noticed(served, tmp_path):
    shutil.copy(served / "room.pcell", tmp_path / "room.pcell")

    async def conversation(client):
        first = await client.call_tool("open_memory", {"memory": "room.pcell"})
        session = first.structured_content["session"]
        shutil.copy(served / "room.pcell", tmp_path / "new")
        (tmp_path / "new").replace(tmp_path / "room.pcell")
        stale = await client.call_tool("measure_room", {"session": session})
        again = await client.call_tool("open_memory", {"memory": "room.pcell"})
        session = again.structured_content["session"]
        return stale, await client.call_tool("measure_room", {"session": session})

    stale, fresh = talk(tmp_path, conversation)
    assert stale.is_error and "changed" in stale.content[0].text and "open_memory" in stale.content[0].text
    assert not fresh.is_error


def test_resources_hold_manifest_top_view_photos_traces_and_the_language(served):
    async def conversation(client):
        listed = [r.uri for r in (await client.list_resources()).resources]
        asked = {"memory": "room.pcell", "question": "How many chairs are there?", "trace": True}
        answer = await client.call_tool("ask", asked)
        trace = answer.structured_content["trace"]
        assert [c.uri for c in answer.content if c.type == "resource_link"] == [trace]
        uris = [*listed, "placecell://memories/room.pcell/frames/3", trace]
        return {uri: (await client.read_resource(uri)).contents[0] for uri in uris}

    language, manifest, top, photo, trace = talk(served, conversation).values()
    assert all(name in language.text for name in OPERATIONS)
    assert json.loads(manifest.text)["frames"] == 24
    for shown in (top, photo):
        Image.open(io.BytesIO(base64.b64decode(shown.blob))).load()
    assert trace.text.startswith("<!") and "How many chairs" in trace.text


@pytest.mark.parametrize(
    "uri",
    [
        "placecell://memories/..%2F..%2Fetc%2Fx.pcell/manifest",
        "placecell://memories/../room.pcell/manifest",
        "placecell://memories//etc/passwd/manifest",
        "placecell://memories/room.pcell/frames/900",
        "placecell://memories/room.pcell/frames/-1",
        "placecell://traces/0000000000000000",
        "file:///etc/passwd",
    ],
)
def test_a_resource_that_is_not_there_is_an_error_of_the_protocol(served, uri):
    assert str(served) not in protocol_error(served, lambda client: client.read_resource(uri))


def test_many_memories_are_listed_page_by_page(served, tmp_path):
    for number in range(120):
        (tmp_path / f"m{number:03d}.pcell").touch()

    async def conversation(client):
        first = await client.list_resources()
        return first, await client.list_resources(cursor=first.next_cursor)

    first, second = talk(tmp_path, conversation)
    assert (len(first.resources), len(second.resources), second.next_cursor) == (201, 40, None)


def test_a_name_that_hides_text_from_a_person_does_not_hide_it_from_the_reply(served, tmp_path):
    (tmp_path / "a\u202eb\u200b.txt").touch()
    text = call(tmp_path, "memories", {}).content[0].text
    assert "\u202e" not in text and "\u200b" not in text and "ab.txt" in text


def test_a_call_that_is_abandoned_leaves_the_server_answering(served, monkeypatch):
    begun, gate, ended = threading.Event(), threading.Event(), []

    def held(*_, **__):
        begun.set()
        ended.append(gate.wait(60))

    monkeypatch.setattr(functions, "render_view", held)

    async def conversation(client):
        task = asyncio.ensure_future(client.call_tool("view", {"memory": "room.pcell"}))
        await asyncio.to_thread(begun.wait, 60)
        task.cancel()
        ready = await client.call_tool("memories", {})
        answered_meanwhile = not ended
        gate.set()
        return ready, answered_meanwhile

    ready, answered_meanwhile = talk(served, conversation)
    assert begun.is_set() and answered_meanwhile and not ready.is_error
