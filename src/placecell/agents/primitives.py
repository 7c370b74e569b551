"""The strategy ``primitives``: the same operations as free tool calls, one at a time, with no checker (an ablation).

What the programs of ``program`` are checked for as a whole is left to the model here. Knows pydantic-ai's tools; what a
call does is ``toolbox``'s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic_ai import RunContext, Tool, ToolReturn
from pydantic_ai.tools import ToolDefinition

from placecell.agents.exploring.photos import keep
from placecell.agents.models.failures import Failure
from placecell.agents.models.pictures import Shown
from placecell.agents.prompting import prompt, told_memory
from placecell.agents.quoting import as_data
from placecell.agents.recording import run_event
from placecell.agents.strategy import Outcome, Task
from placecell.agents.strategy_options import settings_of, within
from placecell.agents.talk import Talk
from placecell.agents.tool_schemas import parameters_schema, tool_description, tool_operations
from placecell.agents.toolbox import Toolbox
from placecell.agents.wanted import Wanted
from placecell.engine.values import Picture
from placecell.language.signature import Operation

_ATTEMPTS = 3


@dataclass(frozen=True)
class Freely:
    """``calls``: replies that may call operations before the answer is due; ``renders``: pictures they may make."""

    calls: int = 12
    renders: int = 8

    def __post_init__(self) -> None:
        within("primitives", "calls", self.calls, 0, 100)
        within("primitives", "renders", self.renders, 0, 100)


class Primitives:
    """Answers by calling operations. Options are the fields of ``Freely``."""

    name = "primitives"

    def answer(self, task: Task) -> Outcome:
        """One question. UserError for options that do not fit, or without a model."""
        settings = settings_of(Freely, task.options, self.name)
        wanted = Wanted.of(task.asked, task.facts)
        kept = keep(task, settings.renders, wanted.images)
        talk = task.talk(prompt("primitives").replace("{{calls}}", str(settings.calls)), role="primitives")
        box = Toolbox(task.memory, budget=task.budget)
        caller = _Caller(task, talk, box, settings, min(settings.renders, kept.left))
        told = [part for part in (kept.told(), told_memory(task.facts), wanted.told()) if part]
        photos = kept.pictures(task, legend=False)
        said = talk.ask(*photos, *told, output=str, check=wanted.missing(), attempts=_ATTEMPTS, tools=caller.tools())
        return Outcome(wanted.reading(said), "vlm", result=box.result())


@dataclass
class _Caller:
    """Carries the calls of one conversation out, and counts what it shows."""

    task: Task
    talk: Talk
    box: Toolbox
    settings: Freely
    renders: int

    def tools(self) -> list[Tool[Any]]:
        offered = tool_operations(dynamic=bool(self.task.facts.dynamic))
        return [self._tool(operation) for operation in offered]

    def _tool(self, operation: Operation) -> Tool[Any]:
        def call(context: RunContext[Any], **arguments: Any) -> ToolReturn[str] | str:
            return self._call(context, operation.name, arguments)

        tool: Tool[Any] = Tool.from_schema(
            call,
            name=operation.name,
            description=tool_description(operation),
            json_schema=parameters_schema(operation),
            takes_ctx=True,
            sequential=True,
        )
        tool.prepare = self._while_calls_are_left
        return tool

    def _while_calls_are_left(self, context: RunContext[Any], definition: ToolDefinition) -> ToolDefinition | None:
        return definition if context.run_step <= self.settings.calls else None

    def _call(self, context: RunContext[Any], name: str, arguments: dict[str, Any]) -> ToolReturn[str] | str:
        rest = "" if context.run_step < self.settings.calls else "\nThat was the last round of calls: answer now."
        made = self.box.call(name, arguments)
        if isinstance(made, str):
            return f"Not done: {made}.{rest}"
        self.task.log.add(run_event(self.task.log, self.box.last()))
        told = as_data("result", made.told()) + rest
        if not isinstance(made.value, Picture):
            return told
        if self.renders <= 0:
            return f"{told}\nIt cannot be shown: no further picture fits into the budget of this question."
        shown = self.talk.encoded(Shown.of_picture(made.value), history=context.messages)
        if isinstance(shown, Failure):
            return f"{told}\nIt cannot be shown: {shown}."
        self.renders -= 1
        return ToolReturn(told, content=shown)
