"""The table of tools: name, arguments, result, what it does; and the operations of the language, from their table.

Knows how a call is carried out and what becomes of its errors. Does not know transports.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, Tool, ToolAnnotations
from pydantic import BaseModel, ValidationError

from placecell.agents.tool_schemas import parameters_schema, tool_description, tool_operations
from placecell.apps.mcp import arguments as say
from placecell.apps.mcp import records, service
from placecell.apps.mcp.builds import Job, OnNews
from placecell.apps.mcp.replies import Reply, content_of, faults, refusal, said_of, schema_of
from placecell.apps.mcp.service import Service
from placecell.errors import PlacecellError, UserError

OnProgress = Callable[[float, float | None, str | None], Awaitable[None]]
"""Progress so far, of how much, and in words."""

_SESSION = {"type": "string", "description": "The session that open_memory started."}


@dataclass(frozen=True)
class Offered:
    """A tool. One of ``work`` (computes in a thread) and ``build`` (waits for another process) carries it out."""

    name: str
    arguments: type[BaseModel]
    result: type[BaseModel]
    work: Callable[[Service, Any], Reply] | None = None
    build: Callable[[Service, Any, OnNews], Awaitable[Reply]] | None = None
    changes: bool = False

    def definition(self) -> Tool:
        """As ``tools/list`` gives it; the function's docstring is the description."""
        said = " ".join(((self.work or self.build).__doc__ or "").split())
        return Tool(
            name=self.name,
            description=said,
            input_schema=schema_of(self.arguments),
            output_schema=schema_of(self.result, output=True),
            annotations=ToolAnnotations(
                read_only_hint=not self.changes,
                destructive_hint=False,
                idempotent_hint=not self.changes,
                open_world_hint=False,
            ),
        )


_TOOLS = (
    Offered("memories", say.Nothing, records.MemoryList, service.list_memories),
    Offered("open_memory", say.OfMemory, records.SessionRecord, service.open_memory),
    Offered("objects", say.Objects, records.ObjectList, service.list_objects),
    Offered("ask", say.Ask, records.AnswerRecord, service.ask),
    Offered("photo", say.Photo, records.PictureRecord, service.photo),
    Offered("view", say.View, records.PictureRecord, service.view),
    Offered("check_program", say.Check, records.CheckRecord, service.check_program),
    Offered("run_program", say.Program, records.RunRecord, service.run_program),
)
_BUILDING = (
    Offered("build", say.Build, records.JobRecord, build=service.build, changes=True),
    Offered("build_status", say.BuildStatus, records.JobRecord, build=service.build_status),
    Offered("stop_build", say.StopBuild, records.JobRecord, build=service.stop_build, changes=True),
)


class Tools:
    """The tools of one server."""

    def __init__(self, service: Service, *, operations: bool = True, building: bool = True) -> None:
        """``operations``: also those of the language, one by one. ``building``: also those that write memories."""
        self._service = service
        self._tools: Mapping[str, Offered] = {t.name: t for t in (*_TOOLS, *(_BUILDING if building else ()))}
        offered = tool_operations(dynamic=True) if operations else ()
        self._operations = {operation.name: operation for operation in offered}

    def definitions(self) -> list[Tool]:
        """All of them, as ``tools/list`` gives them."""
        return [*(tool.definition() for tool in self._tools.values()), *map(self._operation, self._operations)]

    def __contains__(self, name: str) -> bool:
        return name in self._tools or name in self._operations

    async def call(self, name: str, given: Mapping[str, Any], progress: OnProgress) -> CallToolResult:
        """Carry a call out. Whatever a client can act on is an error result, not an exception."""
        limits = self._service.limits
        try:
            size = len(json.dumps(given))
            if size > limits.argument_bytes:
                raise UserError(f"the arguments have {size:,} bytes; this server takes {limits.argument_bytes:,}")
            return content_of(await self._carried_out(name, given, progress), limits)
        except ValidationError as error:
            return refusal(f"{name}: {faults(error)}")
        except PlacecellError as error:
            return refusal(said_of(error, self._service.root))

    async def _carried_out(self, name: str, given: Mapping[str, Any], progress: OnProgress) -> Reply:
        workers = self._service.workers
        if name in self._operations:
            session, rest = given.get("session"), {k: v for k, v in given.items() if k != "session"}
            if not isinstance(session, str):
                raise UserError("session is missing", hint="call open_memory, and give the session it names")
            return await workers.do(lambda: service.operate(self._service, name, session, rest))
        tool = self._tools[name]
        arguments = tool.arguments.model_validate(dict(given))
        if tool.build is not None:
            return await tool.build(self._service, arguments, _told(progress))
        work = tool.work
        if work is None:
            raise RuntimeError(f"the tool {name} does nothing")
        return await workers.do(lambda: work(self._service, arguments))

    def _operation(self, name: str) -> Tool:
        operation = self._operations[name]
        schema = parameters_schema(operation)
        schema["properties"] = {"session": _SESSION, **schema["properties"]}
        schema["required"] = ["session", *schema["required"]]
        return Tool(
            name=name,
            description=tool_description(operation),
            input_schema=schema,
            output_schema=schema_of(records.OperationRecord, output=True),
            annotations=ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False),
        )


def _told(progress: OnProgress) -> OnNews:
    """News of a build as progress, which by the protocol only ever grows, while stages each begin at nothing."""
    count = 0

    async def news(job: Job) -> None:
        nonlocal count
        count += 1
        part = f" {job.done}" + (f" of {job.total}" if job.total is not None else "") if job.done else ""
        await progress(float(count), None, f"{job.stage}{part}")

    return news
