"""A session of cells over a memory: what is bound, what is left, and what each cell came to.

A cell is checked, then run, then kept whole; one that is not accepted costs a turn and changes nothing. Names are bound
once. What a cell found is a type for the next one, so that checking grows sharper as the session goes on.

>>> session = CellSession(memory)
>>> turn = session.run('chairs = query_3d_object_location("chair")')
>>> print(*turn.told())

Knows turns and budgets. Does not know the language (``language.cells``), operations (``engine.cells``) or who writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from placecell.engine.cells.context import NO_EFFECTS, Effects
from placecell.engine.cells.interpreter import CellRun, CellState, run_cell
from placecell.engine.cells.sets import size_of
from placecell.engine.context import PictureSettings
from placecell.engine.describe import describe
from placecell.engine.evidence import rests_on
from placecell.engine.facts import facts_of
from placecell.engine.interpreter import RunResult, RunStats
from placecell.engine.perceiving import Found, Perceived, Remembered
from placecell.engine.values import Absent, Picture, Value
from placecell.errors import BudgetExhausted, UserError
from placecell.language.cells.check import CellReport, check_cell, fix_cell
from placecell.language.cells.scope import BUDGET, CellCost, CellScope, CheckedCell
from placecell.language.diagnostics import Diagnostic, Severity
from placecell.language.plan import Apply, ExprStatement, Literal
from placecell.language.types import StaticType
from placecell.memory.scene import SpatialMemory


@dataclass(frozen=True)
class SessionLimits:
    """``cells`` that may be written, rejected ones included; ``cost`` of all together; ``seconds`` of a single one."""

    cells: int = 8
    cost: CellCost = BUDGET
    seconds: float = 120.0

    def __post_init__(self) -> None:
        if self.cells < 1 or self.seconds <= 0:
            raise UserError(f"a session of {self.cells} cells, {self.seconds:g} s each", hint="allow one cell at least")


@dataclass(frozen=True)
class Left:
    """What may still be used."""

    cells: int
    cost: CellCost

    def told(self) -> str:
        """In words: "5 cells, 14 pictures, 12 model calls"."""
        parts = ((self.cells, "cell"), (self.cost.pictures, "picture"), (self.cost.model_calls, "model call"))
        return ", ".join(f"{n} {word}{'' if n == 1 else 's'}" for n, word in parts)


@dataclass(frozen=True, eq=False)
class Bound:
    """A name, what it stands for, and the number of the cell that bound it."""

    name: str
    type: StaticType
    value: Value
    cell: int

    def told(self) -> str:
        """``name : type = value +- deviation [what it rests on]``."""
        grounds = rests_on(self.value)
        return f"{self.name} : {self.type} = {describe(self.value)}" + (f" [{grounds}]" if grounds else "")


@dataclass(frozen=True, eq=False)
class Turn:
    """One cell and what it came to. A turn that is not ``accepted`` bound nothing and left everything as it was.

    ``text`` is the cell as it was written and ``faults`` what was wrong with that; ``report`` is of the cell that ran,
    after repairs where there were any. ``memory_version`` and ``left`` hold after it, ``perceived`` is what it asked of
    models.
    """

    number: int
    text: str
    faults: tuple[Diagnostic, ...]
    report: CellReport
    left: Left
    memory_version: int
    run: CellRun | None = None
    bound: tuple[Bound, ...] = ()
    perceived: Perceived = field(default_factory=dict)

    @property
    def accepted(self) -> bool:
        return self.run is not None

    @property
    def program(self) -> str | None:
        """The canonical text of what ran."""
        return self.report.cell.text if self.report.cell is not None else None

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What is said of the cell besides errors."""
        return tuple(d for d in self.report.diagnostics if d.severity is not Severity.ERROR)

    @property
    def answer(self) -> Value | None:
        """What it answered with."""
        return None if self.run is None else self.run.answer

    @property
    def returned(self) -> tuple[Value, ...]:
        """What a one-shot program returned."""
        return () if self.run is None else self.run.values

    @property
    def answers(self) -> tuple[Value, ...]:
        """What it answered with or returned."""
        return self.returned if self.answer is None else (self.answer,)

    @property
    def result(self) -> RunResult | None:
        """It as a run of its own."""
        if self.run is None:
            return None
        used, steps = self.run.used, self.run.steps
        stats = RunStats(used.operations, used.pictures, sum(step.milliseconds for step in steps) / 1e3)
        return RunResult(self.answers, self.run.bindings, steps, stats, self.run.memory)

    @property
    def pictures(self) -> tuple[tuple[str, Picture], ...]:
        """The pictures it made, each by its name."""
        named = {id(bound.value): bound.name for bound in self.bound}
        made = [] if self.run is None else [s.result for s in self.run.steps if isinstance(s.result, Picture)]
        return tuple((named.get(id(p), f"picture_{self.number}_{n}"), p) for n, p in enumerate(made, 1))

    @property
    def chosen(self) -> bool:
        """Whether it answered with an option that its author named, not with a value."""
        statements = () if self.report.cell is None else self.report.cell.statements
        match statements[-1:]:
            case (ExprStatement(Apply("answer", (Literal(),))),):
                return True
        return False

    def told(self) -> list[str]:
        """What it came to, a line each: every name, what a program returned, changes of the memory, the answer."""
        if self.run is None:
            return []
        lines = [bound.told() for bound in self.bound]
        lines += [f"returned: {describe(value)}" for value in self.returned]
        if self.run.change is not None:
            lines.append(f"memory: {self.run.change.words()}")
        if self.run.stale:
            lines.append(f"out of date: {', '.join(self.run.stale)}")
        return lines if self.answer is None else [*lines, f"answer: {describe(self.answer)}"]

    def headline(self) -> str:
        """The cell in a line or more, with its number and whether it was accepted."""
        text = self.text.strip().replace("\n", "\n    ")
        return f"{self.number}{'' if self.accepted else ' (not accepted)'}: {text}"


class CellSession:
    """Cells over one memory, one after the other. Not for several threads at a time.

    Attributes:
        memory: the memory as it is now; perception adds to it.
        began_with: the memory as it was.
        names: what is bound, in order.
        turns: every cell so far.
    """

    def __init__(
        self,
        memory: SpatialMemory,
        *,
        limits: SessionLimits = SessionLimits(),
        options: Sequence[str] = (),
        effects: Effects | Remembered = NO_EFFECTS,
        pictures: PictureSettings = PictureSettings(),  # noqa: B008 - frozen
    ) -> None:
        """``options`` are the answers that a cell may give besides what it measured."""
        self.began_with = memory
        self.limits = limits
        self.names: dict[str, Bound] = {}
        self.turns: list[Turn] = []
        self._perception = effects if isinstance(effects, Remembered) else Remembered(effects)
        self._effects = self._perception.effects()
        self.scope = CellScope(
            facts=facts_of(memory),
            budget=limits.cost,
            version=memory.version,
            options=tuple(options),
            effects=self._effects.available,
        )
        self._state = CellState(memory, pictures=pictures, seconds=limits.seconds)

    def __getitem__(self, name: str) -> Value:
        """The value of a name. KeyError when nothing is bound to it."""
        return self.names[name].value

    @property
    def memory(self) -> SpatialMemory:
        return self._state.memory

    @property
    def pictures(self) -> PictureSettings:
        """How pictures are made."""
        return self._state.pictures

    @property
    def ports(self) -> tuple[str, ...]:
        """What can be perceived, by the names of ports."""
        return self._perception.ports

    @property
    def found(self) -> Found:
        """Arrays of what perception added to the memory."""
        return self._perception.found

    @property
    def left(self) -> Left:
        return Left(max(0, self.limits.cells - len(self.turns)), self.scope.budget)

    def check(self, text: str) -> CellReport:
        """What would become of a cell, after the repairs that it has one way to make; its cost is the bound."""
        return fix_cell(text, self.scope)

    def run(self, text: str) -> Turn:
        """Check a cell, mend what has one repair, run it and keep it whole; or leave everything as it was.

        Nothing a text can contain raises. An interrupt leaves the session as it was before the cell.

        Raises:
            BudgetExhausted: there is no cell left.
        """
        if not self.left.cells:
            raise BudgetExhausted(f"the budget of {self.limits.cells} cells is used up")
        self._perception.taken()  # of a cell that was interrupted
        written = check_cell(text, self.scope)
        report = written if written.ok else self.check(text)
        ran = None if report.cell is None else run_cell(report.cell, self._state, self._effects)
        number = len(self.turns) + 1
        bound: tuple[Bound, ...] = ()
        if report.cell is not None and ran is not None:
            bound = self._keep(report.cell, ran, number)
        turn = Turn(
            number=number,
            text=text,
            faults=written.errors,
            report=report,
            left=Left(self.limits.cells - number, self.scope.budget),
            memory_version=self.memory.version,
            run=ran,
            bound=bound,
            perceived=self._perception.taken(),
        )
        self.turns.append(turn)
        return turn

    def _keep(self, cell: CheckedCell, ran: CellRun, number: int) -> tuple[Bound, ...]:
        """Take what a cell came to into the session; its new names."""
        absent = {name: value.message for name, value in ran.bindings.items() if isinstance(value, Absent)}
        sizes = {name: size for name, value in ran.bindings.items() if (size := size_of(value)) is not None}
        facts = facts_of(ran.memory) if ran.memory is not self.memory else None
        scope = self.scope.after(cell, absent=absent, sizes=sizes, stale=ran.stale, used=ran.used, facts=facts)
        bound = tuple(Bound(name, scope.names[name].type, value, number) for name, value in ran.bindings.items())
        self.scope = scope
        self._state = self._state.after(ran)
        self.names.update({b.name: b for b in bound})
        return bound

    def result(self) -> RunResult:
        """Everything that ran as one run; its values are what was answered last, or what a program returned."""
        runs = [turn.run for turn in self.turns if turn.run is not None]
        steps = tuple(step for run in runs for step in run.steps)
        values = next((v for turn in reversed(self.turns) if (v := turn.answers)), ())
        stats = RunStats(
            sum(run.used.operations for run in runs),
            sum(run.used.pictures for run in runs),
            sum(step.milliseconds for step in steps) / 1e3,
        )
        bindings = {name: bound.value for name, bound in self.names.items()}
        return RunResult(values, MappingProxyType(bindings), steps, stats, self.memory)
