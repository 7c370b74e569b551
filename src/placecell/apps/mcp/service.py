"""What the tools do, without MCP: one object with everything a server keeps, and a function for each tool.

Functions that compute are plain and run in threads (``tools`` sees to that); building is asynchronous.
"""

from __future__ import annotations

from pathlib import Path

from placecell.agents.answering import How
from placecell.agents.log import Log
from placecell.agents.models.pictures import Shown
from placecell.agents.trace_page import page
from placecell.apps.mcp import arguments as say
from placecell.apps.mcp import records
from placecell.apps.mcp.builder import BuildRequest
from placecell.apps.mcp.builds import Builds, Job, OnNews
from placecell.apps.mcp.limits import Limits
from placecell.apps.mcp.opened import Memories, Sessions, Traces
from placecell.apps.mcp.replies import Reply
from placecell.apps.mcp.root import Root
from placecell.apps.mcp.uris import memory_uris, trace_uri
from placecell.apps.mcp.workers import Workers
from placecell.backends.table import all_backends
from placecell.engine import interpreter
from placecell.engine.context import Budget, PictureSettings
from placecell.engine.describe import describe
from placecell.engine.facts import facts_of
from placecell.engine.renders import render_view
from placecell.engine.values import MemoryValue, Picture
from placecell.errors import ProgramError, UserError
from placecell.language import check as checker
from placecell.language.diagnostics import render_text
from placecell.memory import names, storage

_MOST_OBJECTS = 200


class Service:
    """One served folder."""

    def __init__(self, folder: Path, *, how: How, limits: Limits) -> None:
        """UserError when the folder is missing, or what ``how`` names cannot be used."""
        self.root = Root(folder)
        self.how = how
        self.limits = limits
        self.memories = Memories(self.root, how, limits)
        self.sessions = Sessions(limits)
        self.traces = Traces(limits)
        self.builds = Builds(limits)
        self.workers = Workers(limits)

    async def close(self) -> None:
        """Stop the builds, and begin nothing more."""
        await self.builds.close()
        self.workers.close()


def list_memories(service: Service, _: say.Nothing) -> Reply:
    """List saved memories, and what can be built from in the served folder."""
    most = service.limits.listed
    found = [service.root.name(path) for path in service.root.memories(most)]
    return Reply(records.MemoryList(memories=found, folder=service.root.top(most)))


def open_memory(service: Service, given: say.OfMemory) -> Reply:
    """Say what a memory holds, and start a session in which its operations can be called one by one."""
    opened = service.memories.open(given.memory)
    session = service.sessions.start(opened)
    about = records.MemoryRecord.of(opened.name, opened.memory, list(memory_uris(opened.name)))
    return Reply(records.SessionRecord(**about.model_dump(), session=session.id))


def list_objects(service: Service, given: say.Objects) -> Reply:
    """List objects with centre, size and the photos that show them."""
    memory = service.memories.open(given.memory).memory
    things = memory.instances if given.name is None else names.find(memory, given.name)
    shown = [records.ObjectRecord.of(thing) for thing in things[:_MOST_OBJECTS]]
    return Reply(records.ObjectList(unit=memory.unit, total=len(things), objects=shown))


def photo(service: Service, given: say.Photo) -> Reply:
    """Show a photo of the place."""
    frame = service.memories.open(given.memory).memory.frame(given.image)
    shown = Shown.of_frame(frame)
    return Reply(records.PictureRecord(caption=shown.caption, width=frame.width, height=frame.height), (shown,))


def view(service: Service, given: say.View) -> Reply:
    """Show a render of the reconstructed place from a virtual camera, given relative to a photo's."""
    memory = service.memories.open(given.memory).memory
    picture = render_view(
        memory,
        anchor=given.image,
        azimuth=given.azimuth,
        elevation=given.elevation,
        mode=given.mode,
        size=min(given.size, service.limits.picture_side),
    )
    return Reply(_about(picture), (Shown.of_picture(picture),))


def ask(service: Service, given: say.Ask) -> Reply:
    """Answer a spatial question by measuring: distances, sizes, counts, directions, visibility, order, routes.

    What cannot be answered abstains and says why. ``interval`` holds the value with 95 % probability.
    """
    opened = service.memories.open(given.memory)
    log = Log() if given.trace else None
    answer = opened.asker.ask(given.question, given.options, log=log)
    uri = trace_uri(service.traces.keep(page(log))) if log is not None else None
    links = ((uri, "how it was answered"),) if uri is not None else ()
    return Reply(records.AnswerRecord.of(answer, uri), links=links)


def check_program(service: Service, given: say.Check) -> Reply:
    """Check a program without running it: diagnostics with line, column and what to do."""
    facts = None if given.memory is None else facts_of(service.memories.open(given.memory).memory)
    report = checker.check(given.program, facts=facts, extract=True)
    found = [records.DiagnosticRecord.of(d) for d in report.diagnostics]
    return Reply(records.CheckRecord(ok=report.ok, diagnostics=found))


def run_program(service: Service, given: say.Program) -> Reply:
    """Run a program over a memory: its values, and the pictures it returns. Nothing in it is executed as Python."""
    memory = service.memories.open(given.memory).memory
    report = checker.check(given.program, facts=facts_of(memory), extract=True)
    if report.plan is None:
        raise ProgramError(render_text(report.diagnostics, report.text), report.errors)
    limits = service.limits
    result = interpreter.run(
        report.plan,
        memory,
        budget=Budget(seconds=limits.call_seconds),
        pictures=PictureSettings(size=min(768, limits.picture_side)),
    )
    pictures = [value for value in result.values if isinstance(value, Picture)]
    sent = pictures[: limits.pictures]
    numbers = {id(picture): number for number, picture in enumerate(sent, 1)}
    made = records.RunRecord(
        values=[records.ValueRecord.of(value, numbers.get(id(value))) for value in result.values],
        bound={n: describe(v) for n, v in result.bindings.items() if not isinstance(v, MemoryValue)},
        pictures_left_out=len(pictures) - len(sent),
    )
    return Reply(made, tuple(Shown.of_picture(picture) for picture in sent))


def operate(service: Service, operation: str, session_id: str, given: dict[str, object]) -> Reply:
    """One operation of the language, in a session."""
    session = service.sessions.find(session_id)
    if not service.memories.is_current(session.opened):
        raise UserError(f"{session.opened.name} has changed since", hint="call open_memory for a new session")
    with session.lock:
        made = session.box.call(operation, given)
    if isinstance(made, str):
        raise UserError(made)
    shown = (Shown.of_picture(made.value),) if isinstance(made.value, Picture) else ()
    value = records.ValueRecord.of(made.value, 1 if shown else None)
    return Reply(records.OperationRecord(handle=made.handle, told=made.told(), result=value), shown)


async def build(service: Service, given: say.Build, news: OnNews) -> Reply:
    """Build a memory from a capture. It can take minutes; give ``wait`` where calls must be short."""
    request, output = await service.workers.do(lambda: _request(service, given))
    job = service.builds.start(request, output)
    left_running = False
    try:
        await service.builds.wait(job, given.wait, news)
        left_running = given.wait is not None
    finally:
        if not left_running:
            await service.builds.stop(job)
    return await _job(service, job)


async def build_status(service: Service, given: say.BuildStatus, news: OnNews) -> Reply:
    """Say how far a build is, or what it made."""
    job = service.builds.find(given.job)
    await service.builds.wait(job, given.wait, news)
    return await _job(service, job)


async def stop_build(service: Service, given: say.StopBuild, _: OnNews) -> Reply:
    """Stop a build; nothing of it is kept."""
    job = service.builds.find(given.job)
    await service.builds.stop(job)
    return Reply(records.JobRecord.of(job, service.root.name(job.output)))


async def _job(service: Service, job: Job) -> Reply:
    name = service.root.name(job.output)
    if job.error is not None:
        raise job.error
    if job.state != "done":
        return Reply(records.JobRecord.of(job, name))
    uris = memory_uris(name)

    def about() -> records.MemoryRecord:
        return records.MemoryRecord.of(name, service.memories.open(name).memory, list(uris))

    made = records.JobRecord.of(job, name, await service.workers.do(about))
    return Reply(made, links=((uris[1], f"{name} from above"),))


def _request(service: Service, given: say.Build) -> tuple[BuildRequest, Path]:
    """Everything a build needs, checked before it begins."""
    known = ("auto", *all_backends())
    for name in (given.reconstructor, given.segmenter):
        if name not in known:
            raise UserError(f"there is no backend {name!r}", hint=f"use {', '.join(known)}")
    root = service.root
    output = root.inside(given.output)
    if output.suffix != storage.SUFFIX:
        raise UserError(f"{given.output!r}: a memory's file is named NAME{storage.SUFFIX}")
    storage.check_target(output)
    if output.exists() and not given.replace:
        raise UserError(f"{root.name(output)} exists", hint="choose another name, or give replace")
    sources = [root.source(name) for name in given.sources]
    request = BuildRequest(
        root=root.path,
        work=output.parent,
        sources=sources,
        reconstructor=given.reconstructor,
        frames=given.frames,
        sampling=given.sampling,
        labels=None if given.labels is None else root.source(given.labels),
        objects=given.objects,
        segmenter=given.segmenter,
        metric=given.metric,
        strict=given.strict,
    )
    return request, output


def _about(picture: Picture) -> records.PictureRecord:
    height, width = picture.rgb.shape[:2]
    camera = {name: value for name, value in picture.sidecar.items() if name != "caption"}
    return records.PictureRecord(caption=picture.caption, width=width, height=height, camera=camera)
