"""The build operations: the program's memory, from whoever runs it."""

from __future__ import annotations

from typing import Any

from placecell.engine.context import BuildRequest, Context
from placecell.engine.registry import implements
from placecell.engine.values import Absent, MemoryValue


@implements("build_static_memory")
def build_static_memory(context: Context, source: Any, metric: bool) -> MemoryValue | Absent:
    """The memory, in metres if ``metric`` asks for them and they can be had."""
    memory = context.provider(BuildRequest(metric=metric))
    if metric and not memory.scale.metric:
        message = "metres were asked for, but the scale of the memory is not known"
        return Absent("memory", "unknown scale", message)
    context.memory = memory
    return MemoryValue(memory)


@implements("build_dynamic_memory")
def build_dynamic_memory(context: Context, source: Any) -> MemoryValue:
    """The memory with time if there is one; on a memory at rest only tracks and motion are absent."""
    context.memory = context.provider(BuildRequest(dynamic=True))
    return MemoryValue(context.memory)
