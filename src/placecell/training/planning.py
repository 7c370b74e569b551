"""The profile ``program``: write a program of the language, get diagnostics, or the values it measures.

The checker, its wording for models and the telling of values are those of the strategy ``program``.
"""

from __future__ import annotations

from placecell.agents.author import Asked, Rules, Understanding
from placecell.agents.exploring.calls import Called
from placecell.agents.prompting import prompt, told_memory
from placecell.agents.vlm import evidence
from placecell.engine.context import Budget, PictureSettings
from placecell.engine.interpreter import run
from placecell.engine.values import Picture
from placecell.language.check import check
from placecell.language.diagnostics import render_compact
from placecell.language.rewrite import rewrite
from placecell.training.profiles import Episode, Schema, Told, WritingTool
from placecell.training.trajectories import Seen

TOOL = WritingTool(
    "run_program",
    "Check a program and run it over the memory of the place.",
    "program",
    "the whole program, from `def plan(` on",
)
_LEFT = (
    "Call `run_program` with the whole program. If it is not accepted you get the reasons, else the values it returns; "
    "then answer the question from them."
)


class Planning:
    """``run_program(program)``: checked against the memory and, where the grammar understands it, the question."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        asked = Asked(episode.sample.question, episode.sample.options)
        understood = Rules().decompose(asked, episode.facts)
        self._decomposition = understood.decomposition if isinstance(understood, Understanding) else None
        self._room = episode.limits.renders

    def instructions(self) -> str:
        return f"{prompt('planner')}\n\n{_LEFT}\n\n{told_memory(self._episode.facts)}"

    def schemas(self) -> tuple[Schema, ...]:
        return (TOOL.schema,)

    def call(self, call: Called, turn: int) -> Told:
        """The values of an accepted program, or the diagnostics of one that is not."""
        text = TOOL.text_of(call)
        if isinstance(text, Told):
            return text
        episode = self._episode
        report = check(text, facts=episode.facts, decomposition=self._decomposition, extract=True)
        if report.plan is None:
            reasons = f"The program is not accepted:\n{render_compact(report.errors)}"
            return Told(reasons, "program", ok=False)
        plan, _ = rewrite(report.plan, episode.facts)
        result = run(
            plan,
            episode.memory,
            budget=Budget(pictures=self._room),
            pictures=PictureSettings(size=episode.limits.side),
        )
        told = [part for part in evidence(result) if isinstance(part, str)] or ["It ran."]
        pictures = tuple(Seen(v.rgb, v.caption) for v in result.values if isinstance(v, Picture))
        self._room = max(0, self._room - len(pictures))
        return Told("\n".join(told), "program", ok=True, pictures=pictures)
