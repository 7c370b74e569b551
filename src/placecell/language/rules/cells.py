"""C, the rules of cells: what arithmetic, frames, sets, budgets and answers ask beyond the rules all programs obey.

A cell is checked by rules S, T, D and V as far as they concern single calls and names; the order of a plan (E, P) is
free.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from placecell.language.cells.scope import MAX_STATEMENTS, NO_SCOPE, CellCost, CellScope, KnownName
from placecell.language.diagnostics import Severity
from placecell.language.plan import MemoryFacts
from placecell.language.rules.base import Rule
from placecell.language.types import Kind, StaticType


class CellCategory(StrEnum):
    """The first digit of a code names one, from 1."""

    FORM = "form of a cell"
    TYPE = "types and dimensions"
    NAME = "names and absence"
    FRAME = "frames"
    COST = "budgets and effects"
    ANSWER = "answers"


@dataclass(frozen=True)
class CellRule(Rule):
    """A rule whose examples are cells, checked under ``scope``."""

    scope: CellScope = NO_SCOPE

    @property
    def category(self) -> CellCategory:
        return list(CellCategory)[int(self.code[1]) - 1]


def cell(*lines: str) -> str:
    """The text of an example."""
    return "\n".join(lines) + "\n"


_CHAIRS = 'chairs = query_3d_object_location("chair")'
_TABLE = 'table = select_object(query_3d_object_location("table"), by="largest")'
_ROOM = MemoryFacts(image_count=6, objects={"chair": 4, "table": 1}, vocabulary=frozenset({"stool"}), scale="metric")
_SMALL = CellScope(facts=_ROOM, budget=CellCost(operations=20, pictures=1, model_calls=1, evaluations=400))
_INSTANCE, _NONE = StaticType(Kind.INSTANCE, measured=True), StaticType(Kind.INSTANCES, size=0, exact=True)
_LATER = CellScope(
    names={
        "stool": KnownName(_INSTANCE, "not found: there is no stool"),
        "table": KnownName(_INSTANCE),
        "stools": KnownName(_NONE),
    },
    facts=_ROOM,
)
_AB = CellScope(facts=_ROOM, options=("chair", "table"))

TOO_LONG = CellRule(
    "C101", "the cell is too long",
    "A cell is a step: what it finds out shapes the next one.",
    f"at most {MAX_STATEMENTS} statements, and expressions of moderate size",
    cell(*(f'n{i} = count_objects(query_3d_object_location("chair"))' for i in range(MAX_STATEMENTS + 1))),
    cell("n = count_objects(query_3d_object_location('chair'))"),
)  # fmt: skip
HELPER_FORM = CellRule(
    "C102", "a helper is not of the form `def f(a): return ...`",
    "A helper names an expression: no steps, no recursion, nothing that could run on.",
    "def gap(o): return measure_distance(o, table)",
    cell(_TABLE, "def far(o, o): return measure_distance(o, table)"),
    cell(_TABLE, "def far(o): return measure_distance(o, table)", f"{_CHAIRS}", "best = max(chairs, by=far)"),
)  # fmt: skip
COMPREHENSION_FORM = CellRule(
    "C103", "a comprehension has more than one `for` and one `if`",
    "One set is gone through at a time, or the pairs of two.",
    "[f(a) for a in set if test], or for a, b in pairs(x, y)",
    cell(_CHAIRS, "d = [measure_distance(a, b) for a in chairs for b in chairs]"),
    cell(_CHAIRS, "d = [measure_distance(a, b) for a, b in pairs(chairs)]"), scope=CellScope(facts=_ROOM),
    repair="a set inside another becomes pairs(x, y)",
)  # fmt: skip
NO_RETURN = CellRule(
    "C104", "a cell returns nothing",
    "Every name that a cell binds is kept and shown; the end is answer(...).",
    "leave it out, or answer(value)",
    cell(_CHAIRS, "return [chairs]"), cell(_CHAIRS), repair="remove it",
)  # fmt: skip
NO_BUILD = CellRule(
    "C105", "a memory is built in a cell",
    "A session has one memory, under the name `memory`.",
    "leave it out; operations take the session's memory without being told",
    cell("memory = build_static_memory(images)", _CHAIRS), cell(_CHAIRS), repair="remove it",
)  # fmt: skip
UNBOUND = CellRule(
    "C106", "a value is computed and not kept",
    "What has no name cannot be used later.",
    "name = value",
    cell(_CHAIRS, "count(chairs) + 1"), cell(_CHAIRS, "n = count(chairs) + 1"), severity=Severity.WARNING,
)  # fmt: skip
OPERATOR = CellRule(
    "C107", "an operator that cells do not have",
    "Each operator of cells knows units and uncertainty; others would not mean anything for lengths.",
    "+ - * /, comparisons, and, or, not, a if c else b, or_else; round, floor, sqrt as functions",
    cell(_CHAIRS, "n = count(chairs) // 2"), cell(_CHAIRS, "n = floor(count(chairs) / 2)"),
    repair="a // b becomes floor(a / b)",
)  # fmt: skip

DIMENSION = CellRule(
    "C201", "numbers of different dimensions meet",
    "A length and an angle, metres and units of a memory without scale have no sum and no order.",
    "values of one dimension; multiply and divide to change it",
    cell(_TABLE, "size = measure_size(table)", "x = size.height + degrees(20)"),
    cell(_TABLE, "size = measure_size(table)", "x = size.height + metres(0.2)"),
    repair="a bare number gets the unit of what it meets", scope=CellScope(facts=_ROOM),
)  # fmt: skip
NOT_A_NUMBER = CellRule(
    "C202", "this cannot be computed with",
    "Arithmetic is for quantities, points and vectors.",
    "a length, angle, area, time, speed, count, number, point or vector",
    cell(_TABLE, "x = table * 2"), cell(_TABLE, "x = measure_size(table).height * 2"),
    repair="instances are counted, a position becomes centre_of(...)",
)  # fmt: skip
NO_VALUE = CellRule(
    "C203", "this can have no value",
    "It would be absent whatever the memory holds.",
    "an expression that has a value",
    cell(_TABLE, "x = measure_size(table).height / 0"), cell(_TABLE, "x = measure_size(table).height / 2"),
)  # fmt: skip
NO_VERDICT = CellRule(
    "C204", "a condition is no verdict",
    "Only a comparison or a question that is answered yes or no can decide.",
    "a < b, fits(...), on_side(...), joined by and, or, not",
    cell(_CHAIRS, "near = [c for c in chairs if measure_size(c).height]"),
    cell(_CHAIRS, "near = [c for c in chairs if measure_size(c).height > metres(1)]"),
)  # fmt: skip
DIFFERENT = CellRule(
    "C205", "values that should be of one kind are not",
    "Whatever comes out must be of a kind that is known beforehand.",
    "values of one kind and dimension",
    cell(_TABLE, "x = measure_size(table).height if 1 < 2 else table"),
    cell(_TABLE, "x = measure_size(table).height if 1 < 2 else metres(0.7)"),
)  # fmt: skip
ARGUMENTS = CellRule(
    "C206", "a function does not take these arguments",
    "Each function has a rule for what it takes and gives.",
    "what its signature says",
    cell(_CHAIRS, "x = count(chairs, chairs)"), cell(_CHAIRS, "x = count(chairs)"),
    repair="key= becomes by=; Python's names become those of cells",
)  # fmt: skip
NO_SET = CellRule(
    "C207", "this is no set",
    "Only what is known and finite can be gone through: then its cost is known too.",
    "instances, a list, or what a comprehension gave",
    cell(_TABLE, "x = [o for o in table]"), cell(_CHAIRS, "x = [o for o in chairs]"),
)  # fmt: skip
NO_SCORE = CellRule(
    "C208", "there is nothing to order by",
    "Smallest and largest need a number for each member.",
    "by=lambda o: ... with a quantity, or by=the name of a helper or operation of one argument",
    cell(_CHAIRS, "best = min(chairs)"),
    cell(_CHAIRS, "best = min(chairs, by=lambda c: measure_size(c).height)"),
)  # fmt: skip
UNTRUSTED = CellRule(
    "C209", "text from a picture or label is used as if it were trusted",
    "Whoever writes on a wall must not steer the session.",
    "judge, find, look and track take such text",
    cell(_TABLE, 'same = table.name == "desk"'), cell(_TABLE, "found = find(table.name)"),
)  # fmt: skip

REBOUND = CellRule(
    "C301", "a name is bound twice",
    "A name means one value for the whole session, so that every step can be read and replayed.",
    "a new name",
    cell(_TABLE, "table = measure_size(table).height", "answer(table)"),
    cell(_TABLE, "height = measure_size(table).height", "answer(height)"),
    repair="in a cell that answers, the second value and its later uses get a new name",
)  # fmt: skip
ABSENT = CellRule(
    "C302", "the value is known to be absent",
    "An earlier cell found that out; whatever is made of it would be absent too.",
    "x or_else y, or another way to get it",
    cell("d = measure_distance(stool, table)"), cell("d = measure_size(stool or_else table)"), scope=_LATER,
)  # fmt: skip
EMPTY = CellRule(
    "C303", "the set is known to be empty",
    "There is nothing to choose from.",
    "a set that has members, or a fallback with or_else",
    cell("best = first(stools)"), cell("n = count(stools)"), scope=_LATER,
)  # fmt: skip
RECURSIVE = CellRule(
    "C304", "a helper uses itself",
    "What goes round may never end.",
    "a helper of operations and of helpers defined before it",
    cell("def f(o): return f(o)"), cell("def f(o): return measure_size(o).height"),
)  # fmt: skip

FRAMES = CellRule(
    "C401", "points or vectors of different frames meet",
    "Right and forward mean other directions in each.",
    "in_frame(x, frame) first",
    cell(_TABLE, "f = camera_frame(1)", "v = point_at(f, forward=metres(1)) - centre_of(table)"),
    cell(_TABLE, "f = camera_frame(1)", "v = point_at(f, forward=metres(1)) - in_frame(centre_of(table), f)"),
    repair="the second one is told in the frame of the first", scope=CellScope(facts=_ROOM),
)  # fmt: skip

BUDGET = CellRule(
    "C501", "the cell costs more than is left",
    "The bound is known before anything runs, and nothing runs beyond it.",
    "fewer members, fewer calls for each, or a coarser question first",
    cell(_CHAIRS, "d = [measure_distance(a, b) for a, b in pairs(chairs)]",
         "e = [measure_distance(a, b) for a, b in pairs(chairs)]"),
    cell(_CHAIRS, "d = [measure_size(c).height for c in chairs]"), scope=_SMALL,
)  # fmt: skip
INSIDE = CellRule(
    "C502", "the viewpoint or the memory is changed inside an expression",
    "How often, and in which order, would be seen nowhere.",
    "a statement of its own",
    cell(_CHAIRS, 'more = [look("stool", images=[1]) for c in chairs]'),
    cell(_CHAIRS, 'more = look("stool", images=[1])'), scope=CellScope(facts=_ROOM),
)  # fmt: skip
UNAVAILABLE = CellRule(
    "C503", "nothing here can serve this operation",
    "Its result is going to be absent.",
    "an operation on what the memory knows, or a session that has a model",
    cell('stools = find("stool")'), cell('stools = query_3d_object_location("stool")'),
    severity=Severity.WARNING, scope=CellScope(effects=frozenset()),
)  # fmt: skip
EYES = CellRule(
    "C504", "a choice takes eyes",
    "Whatever asks a model is an effect, and counted beforehand; choosing only computes.",
    "a criterion or a colour; else judge(question, pictures=[...], options=[...]) on pictures of the candidates",
    cell(_CHAIRS, 'padded = select_object(chairs, by="the padded one")'),
    cell(_CHAIRS, 'red = select_object(chairs, by="the red one")'),
)  # fmt: skip

ANSWER_LAST = CellRule(
    "C601", "answer is not the one last statement",
    "It ends the session, and its value is shown, not used.",
    "answer(value), once, at the end, as a statement of its own",
    cell(_CHAIRS, "answer(count(chairs))", "n = count(chairs)"), cell(_CHAIRS, "answer(count(chairs))"),
)  # fmt: skip
NO_OPTION = CellRule(
    "C602", "the answer is none of the options",
    "A choice is one of what was asked; a number is a value, not its text.",
    "an option of the question as it is written, or a value that has been computed",
    cell('answer("stool")'), cell('answer("chair")'),
    repair="the option that it misspells", scope=_AB,
)  # fmt: skip
NOT_MEASURED = CellRule(
    "C603", "the answer was not measured",
    "A number must come from the memory, a side from a frame or viewpoint.",
    "a value that depends on an operation",
    cell("answer(metres(2) * 3)"), cell(_TABLE, "answer(measure_size(table).height * 3)"),
)  # fmt: skip
NO_ANSWER = CellRule(
    "C604", "a value of this kind answers nothing",
    "An answer is a quantity, a verdict, a side, an object, an order or an option.",
    "a value that the question asks for",
    cell("answer(world_frame())"), cell(_TABLE, "answer(table)"),
    repair="a label becomes the thing itself",
)  # fmt: skip
