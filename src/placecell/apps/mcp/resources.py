"""What can be read without calling a tool: memories (manifest, top view, photos), traces of answers, the language."""

from __future__ import annotations

import base64
import json

from mcp_types import (
    BlobResourceContents,
    ListResourcesResult,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from placecell.agents.models.pictures import Shown
from placecell.agents.prompting import examples
from placecell.agents.quoting import plain
from placecell.agents.recording import overview
from placecell.apps.mcp.replies import encoded
from placecell.apps.mcp.service import Service
from placecell.apps.mcp.uris import LANGUAGE, TEMPLATES, Wanted, memory_uris, parse
from placecell.apps.memories import summary
from placecell.engine.describe import instance_record
from placecell.errors import UserError
from placecell.language.reference import operations_in_short
from placecell.memory.scene import SpatialMemory

_PAGE = 100
_JSON, _HTML, _TEXT = "application/json", "text/html", "text/markdown"

_SYNTAX = """# Programs

A program looks things up and measures. The language is a small part of Python:

- one function `def plan(images):`, or `def plan(video):` for motion over time; no imports, docstring or annotations;
- each line calls one operation and names its result, `name = operation(...)`; calls may be nested;
- no arithmetic, conditions, loops or other functions; lists hold names and literals;
- the first line builds the memory, the last returns a list of the values that answer the question;
- left, right, front, back and visible are meant from a viewpoint: set it first, and look again after every move.
"""


def templates() -> list[ResourceTemplate]:
    """Addresses with a part to fill in."""
    said = {
        "manifest": ("What a memory holds: frames, objects, scale", _JSON),
        "top-view": ("A plan of a memory from above, with objects and cameras", None),
        "frame": ("A photo of a memory, by its number from 1", "image/jpeg"),
        "trace": ("How a question was answered (ask with trace)", _HTML),
    }
    return [
        ResourceTemplate(name=name, uri_template=uri, description=said[name][0], mime_type=said[name][1])
        for name, uri in TEMPLATES.items()
    ]


def listed(service: Service, cursor: str | None) -> ListResourcesResult:
    """The language, and manifest and top view of every saved memory, a hundred memories a page.

    UserError for a cursor that is none of ours.
    """
    start = 0 if cursor is None else int(cursor) if cursor.isdecimal() and len(cursor) < 9 else -1
    if start < 0:
        raise UserError("the cursor is not one of this server's")
    found = service.root.memories(service.limits.listed)
    made = [] if start else [Resource(uri=LANGUAGE, name="how programs are written", mime_type=_TEXT)]
    for path in found[start : start + _PAGE]:
        name = service.root.name(path)
        manifest, top = memory_uris(name)
        made += [
            Resource(uri=manifest, name=f"{name}: what it holds", mime_type=_JSON),
            Resource(uri=top, name=f"{name}: from above"),
        ]
    more = str(start + _PAGE) if start + _PAGE < len(found) else None
    return ListResourcesResult(resources=made, next_cursor=more)


def read(service: Service, uri: str) -> ReadResourceResult:
    """What an address names. UserError when there is no such thing."""
    wanted = parse(uri)
    if wanted is None:
        raise UserError(f"there is no resource {uri[:200]!r}", hint="resources/list and its templates show them")
    if wanted.kind == "language":
        return _text(uri, _language(), _TEXT)
    if wanted.kind == "trace":
        return _text(uri, service.traces.find(wanted.name), _HTML)
    memory = service.memories.open(wanted.name).memory
    if wanted.kind == "manifest":
        said = {**summary(memory), "instances": [instance_record(thing) for thing in memory.instances]}
        return _text(uri, plain(json.dumps(said, ensure_ascii=False, allow_nan=False)), _JSON)
    file = encoded(_picture(memory, wanted), service.limits)
    blob = base64.b64encode(file.data).decode()
    return ReadResourceResult(contents=[BlobResourceContents(uri=uri, blob=blob, mime_type=file.media_type)])


def _picture(memory: SpatialMemory, wanted: Wanted) -> Shown:
    if wanted.kind == "frame":
        return Shown.of_frame(memory.frame(wanted.number))
    return Shown.of_picture(overview(memory))


def _language() -> str:
    example = examples()[0]
    shown = f"```python\n{example.program}```"
    return f"{_SYNTAX}\n## Operations\n\n{operations_in_short()}\n\n## Example\n\n{example.asked.question}\n\n{shown}\n"


def _text(uri: str, text: str, media_type: str) -> ReadResourceResult:
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, text=text, mime_type=media_type)])
