"""What a call gives as MCP content: words and structured values once, pictures once and small, errors with a next step.

Names and texts of a capture are data of others: they travel inside JSON, without characters that hide text.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any

from mcp_types import CallToolResult, ContentBlock, ImageContent, ResourceLink, TextContent
from pydantic import BaseModel, ValidationError

from placecell.agents.image_file import ImageFile
from placecell.agents.models.pictures import Room, Shown, encode
from placecell.agents.quoting import plain
from placecell.apps.mcp.limits import Limits
from placecell.apps.mcp.root import Root
from placecell.errors import PlacecellError, UserError

_MOST_FAULTS = 5


@dataclass(frozen=True)
class Reply:
    """A record, the pictures that belong to it in order, and resources to read next."""

    record: BaseModel
    pictures: tuple[Shown, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    """(uri, name)"""


def content_of(reply: Reply, limits: Limits) -> CallToolResult:
    """The reply as content. UserError when its text is larger than the limit."""
    text = plain(reply.record.model_dump_json())
    if len(text.encode()) > limits.text_bytes:
        raise UserError(f"the result has {len(text):,} characters", hint="ask for less, such as objects of one name")
    content: list[ContentBlock] = [TextContent(text=text)]
    for shown in reply.pictures:
        file = encoded(shown, limits, among=len(reply.pictures))
        content.append(ImageContent(data=base64.b64encode(file.data).decode(), mime_type=file.media_type))
    for uri, name in reply.links:
        content.append(ResourceLink(uri=uri, name=name))
    return CallToolResult(content=content, structured_content=json.loads(text))


def encoded(shown: Shown, limits: Limits, *, among: int = 1) -> ImageFile:
    """A picture as it is sent, within the limits, which so many pictures share."""
    most = limits.picture_bytes // among
    found = encode(shown, Room(limits.picture_side, most, most), most)
    if found is None:
        raise UserError("the picture cannot be made small enough to send")
    return found


def refusal(text: str) -> CallToolResult:
    """An error that the model reads."""
    return CallToolResult(content=[TextContent(text=plain(text))], is_error=True)


def said_of(error: PlacecellError, root: Root) -> str:
    """The error and the next step, without this machine's paths."""
    return root.hidden(str(error))


def faults(error: ValidationError) -> str:
    """What is wrong with arguments, by name, without repeating them."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [f"{'.'.join(map(str, e['loc'])) or 'arguments'}: {e['msg']}" for e in found[:_MOST_FAULTS]]
    more = len(found) - len(lines)
    return "; ".join(lines) + (f"; and {more} more" if more > 0 else "")


def schema_of(model: type[BaseModel], *, output: bool = False) -> dict[str, Any]:
    """The model's JSON schema, without the titles that only repeat names."""
    made: dict[str, Any] = _untitled(model.model_json_schema(mode="serialization" if output else "validation"))
    return made


def _untitled(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_untitled(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {k: _untitled(v) for k, v in schema.items() if not (k == "title" and isinstance(v, str))}
