"""The profile ``cells``: write one cell a turn, get diagnostics or what every name came to.

Session, checker and wording are those of the strategy ``cells``.
"""

from __future__ import annotations

from dataclasses import replace

from placecell.agents.author import Asked, Rules
from placecell.agents.exploring.calls import Called
from placecell.agents.prompting import prompt, told_memory
from placecell.agents.quoting import as_data
from placecell.agents.stepping.values import Sought, read_value
from placecell.engine.context import PictureSettings
from placecell.engine.session import CellSession, SessionLimits
from placecell.language.diagnostics import render_compact
from placecell.training.profiles import Episode, Schema, Told, WritingTool
from placecell.training.trajectories import CellWorth, Seen

TOOL = WritingTool("run_cell", "Check a cell and run it over the memory of the place.", "cell", "one cell")
_LEFT = (
    "Call `run_cell` with one cell at a time instead of writing it in a block. When a cell has answered, you are told "
    "what its answer is: give that one with `answer`."
)


class Stepping:
    """``run_cell(cell)``: checked against the session so far, kept whole or not at all.

    Names stay bound for the whole episode.
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self._session = CellSession(
            episode.memory,
            limits=SessionLimits(cells=episode.limits.renders),
            options=episode.sample.options,
            pictures=PictureSettings(size=episode.limits.side),
        )
        asked = Asked(episode.sample.question, episode.sample.options)
        self._sought = Sought.of(Rules().decompose(asked, episode.facts), episode.wanted)
        self._room = episode.limits.renders

    def instructions(self) -> str:
        return f"{prompt('cells')}\n\n{_LEFT}\n\n{told_memory(self._episode.facts)}"

    def schemas(self) -> tuple[Schema, ...]:
        return (TOOL.schema,)

    def call(self, call: Called, turn: int) -> Told:
        """What the names of an accepted cell came to, or the diagnostics of one that is not."""
        text = TOOL.text_of(call)
        if isinstance(text, Told):
            return text
        if not self._session.left.cells:
            return Told("Not run: no cell is left.", "program", ok=False)
        made = self._session.run(text)
        if not made.accepted:
            told = f"The cell was not accepted, and nothing of it was kept:\n{render_compact(made.faults)}"
            return Told(told, "program", ok=False, cell=CellWorth(0.0))
        worth = CellWorth(0.5 if made.report.repairs else 1.0)
        shown = made.pictures[: self._room]
        self._room -= len(shown)
        parts = [as_data("values", "\n".join(made.told())), render_compact(made.warnings)]
        if made.answer is not None:
            reading = read_value(made.answer, self._sought)
            parts.append(f"Your answer is: {reading.text or f'none, {reading.reason}'}.")
            if reading.reason is None:
                worth = replace(worth, measured=0.5 if made.chosen else 1.0, sure=reading.confidence)
        told = "\n".join(filter(None, parts))
        pictures = tuple(Seen(picture.rgb, f"{name}: {picture.caption}") for name, picture in shown)
        return Told(told, "program", ok=True, pictures=pictures, cell=worth)
