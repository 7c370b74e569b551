"""``placecell tools``: the operations as tool definitions, to be offered to a model by any client."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any

import typer

from placecell.apps.output import Output
from placecell.errors import UserError


class ToolFormat(StrEnum):
    """Whose dialect tools are written in."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    MCP = "mcp"


def tools(
    out: Output,
    format: Annotated[ToolFormat, typer.Option(help="Whose dialect.")] = ToolFormat.OPENAI,
    name: Annotated[list[str] | None, typer.Option(help="Only this operation (repeat).")] = None,
    dynamic: Annotated[bool, typer.Option("--dynamic", help="Also those that need a memory with time.")] = False,
) -> int:
    """Print the operations as tool definitions; one JSON list, or with --json one record a line."""
    from placecell.agents.tool_schemas import openai_tools, tool_operations

    known = [operation.name for operation in tool_operations(dynamic=dynamic)]
    for wanted in name or ():
        if wanted not in known:
            raise UserError(f"no operation {wanted!r} is offered as a tool", hint="see docs/operations.md")
    written = [_in(format, tool) for tool in openai_tools(dynamic=dynamic, names=name or None)]
    for tool in written:
        out.record(tool)
    out.text(json.dumps(written, indent=2, ensure_ascii=False))
    return 0


def _in(format: ToolFormat, tool: dict[str, Any]) -> dict[str, Any]:
    if format is ToolFormat.OPENAI:
        return tool
    function = tool["function"]
    schema = {ToolFormat.ANTHROPIC: "input_schema", ToolFormat.MCP: "inputSchema"}[format]
    return {"name": function["name"], "description": function["description"], schema: function["parameters"]}
