"""T2, tool usage, part one: which operation is called, and which argument goes to which parameter.

Names of other code bases are understood: an alias is normalised with a note. ``values`` checks the arguments' values.
"""

from __future__ import annotations

from difflib import get_close_matches

from placecell.language.cell_ops import CELL_OPERATIONS
from placecell.language.diagnostics import Diagnostic, Edit, Fix, Severity
from placecell.language.environment import Environment
from placecell.language.ops import ALIASES, OPERATIONS
from placecell.language.plan import Argument, Call, Expr, Name, Span
from placecell.language.rules.base import Rule, program
from placecell.language.signature import Operation, Parameter
from placecell.language.types import Kind, StaticType

_BUILD = "memory = build_static_memory(images)"
_HERE = "here = query_camera_pose(memory, image=1)"
_SET = "set_viewpoint(memory, at=here)"
_SEE = "return [render_egocentric(memory)]"
_GOOD = program(_BUILD, _HERE, _SET, "turn_camera(memory, direction='left')", _SEE)

DIRECT = Rule(
    "T201", "a call is not by the plain name of an operation",
    "Methods and computed calls could reach anything; the operations are all there is.",
    "operation(memory, ...)",
    program(_BUILD, "return [memory.render_rgb_bev()]"), _GOOD, repair="a method becomes the operation of that name",
)  # fmt: skip
UNKNOWN_OPERATION = Rule(
    "T202", "there is no such operation",
    "Only the operations of the table exist.",
    "one of: " + ", ".join(OPERATIONS),
    program(_BUILD, _HERE, _SET, "turn_sideways(memory)", _SEE), _GOOD, repair="an unambiguous misspelling is mended",
)  # fmt: skip
RENAMED = Rule(
    "T203", "a name or form of another code base was normalised",
    "Programs written for the Reasmory code and its kin mean the same.",
    "the names of the operation table",
    program("session = build_static_spatial_memory(input_type='images', image_paths=images)",
            "return [render_rgb_bev(session)]"), _GOOD, severity=Severity.NOTE,
    repair="write the usual names",
)  # fmt: skip
TOO_MANY = Rule(
    "T204", "there are more arguments than the operation takes",
    "What an extra argument means cannot be known.",
    "the arguments of the operation's signature",
    program(_BUILD, "return [render_rgb_bev(memory, 3)]"), _GOOD,
)  # fmt: skip
UNKNOWN_ARGUMENT = Rule(
    "T205", "the operation has no such argument",
    "It would have no effect, or not the one expected.",
    "the arguments of the operation's signature",
    program(_BUILD, _HERE, _SET, "turn_camera(memory, 'left', speed=2)", _SEE), _GOOD,
    repair="an unambiguous misspelling is mended",
)  # fmt: skip
TWICE = Rule(
    "T206", "an argument is given twice",
    "Only one value can hold.",
    "each argument once",
    program(_BUILD, _HERE, _SET, "turn_camera(memory, 'left', direction='right')", _SEE), _GOOD,
)  # fmt: skip
MISSING = Rule(
    "T207", "a required argument is missing",
    "The operation cannot run without it, and nothing is guessed.",
    "all required arguments of the operation's signature",
    program(_BUILD, _HERE, _SET, "turn_camera(memory)", _SEE), _GOOD,
    repair="the memory is filled in when there is one",
)  # fmt: skip
KIND = Rule(
    "T209", "an argument is of the wrong kind",
    "Kinds keep apart what looks alike: an object and its name, a length and an angle, an image and its number.",
    "a value of a kind the operation takes",
    program(_BUILD, "set_viewpoint(memory, at=[0, 0, 0])", _SEE), _GOOD,
    repair="several instances get select_object, a text gets a query, an image number gets its pose",
)  # fmt: skip
UNPACKING = Rule(
    "T208", "arguments are unpacked with * or **",
    "Which arguments are meant could not be checked.",
    "write each argument out",
    program(_BUILD, "return [render_rgb_bev(*memory)]"), _GOOD,
)  # fmt: skip


Bound = dict[str, tuple[Argument, StaticType]]
"""Arguments by the parameter each goes to, in the order of the signature."""


def method_call(base: Expr, method: str, call: Span, opened: Span, has_arguments: bool) -> Diagnostic:
    """``memory.turn_camera("left")``: mended to the operation with the object as its first argument."""
    before = Edit(call.start, f"{method}(")
    between = Span(base.span.end_line, base.span.end_column, opened.line, opened.column + 1)
    mend = Fix(
        "method to operation",
        f"call {method} with the object as its first argument",
        (before, Edit(between, ", " if has_arguments else "")),
    )
    return DIRECT.at(call, f"{method} is called as a method", f"{method}(...) takes it as its first argument", mend)


def resolve(env: Environment, call: Call) -> Operation | None:
    """The operation a call means: its own name, an alias, or the one it misspells (reported)."""
    name = call.operation
    if name in env.operations:
        return env.operations[name]
    if name in ALIASES:
        return OPERATIONS[ALIASES[name]]
    if name in CELL_OPERATIONS:
        hint = "a cell of a session can use it (placecell session)"
        env.report(UNKNOWN_OPERATION.at(call.name_span, f"{name} is only in cells, not in one-shot programs", hint))
        env.blurred = True
        return None
    close = get_close_matches(name, [*env.operations, *ALIASES], n=2, cutoff=0.78)
    targets = list(dict.fromkeys(ALIASES.get(c, c) for c in close))
    if len(targets) == 1:
        mend = Fix("misspelling", f"write {targets[0]}", (Edit(call.name_span, targets[0]),))
        env.report(
            UNKNOWN_OPERATION.at(call.name_span, f"there is no operation {name!r}", f"did you mean {targets[0]}?", mend)
        )
        return env.operations[targets[0]]
    hint = f"did you mean {' or '.join(targets)}?" if targets else _SEE_ALSO.get(name, "")
    env.report(UNKNOWN_OPERATION.at(call.name_span, f"there is no operation {name!r}", hint))
    env.blurred = True
    return None


_SEE_ALSO = {
    "len": "use count_objects(memory, objects)",
    "print": "return the value instead",
    "range": "write the numbers out: [1, 2, 3]",
    "list": "write the list out: [1, 2, 3]",
    "sorted": "use rank_by_distance or select_object",
    "min": "use select_object, rank_by_distance or compare",
    "max": "use select_object, rank_by_distance or compare",
    "abs": "use compare(a, b)",
    "str": "return the value itself",
}
"""What to use instead of the Python functions models reach for."""


def bind(env: Environment, call: Call, operation: Operation, given: list[tuple[Argument, StaticType]]) -> Bound | None:
    """Arguments to parameters. None when something required is missing or unclear (reported)."""
    return _as_written(call, operation, given) or _Binder(env, call, operation).bind(given)


def _as_written(call: Call, operation: Operation, given: list[tuple[Argument, StaticType]]) -> Bound | None:
    """The usual case, kept short: usual names, every argument in its place, nothing missing. Else None."""
    if call.operation != operation.name or len(given) > len(operation.parameters):
        return None
    bound: Bound = {}
    for parameter, pair in zip(operation.parameters, given, strict=False):
        argument, type_ = pair
        target = parameter if argument.name is None else operation.by_name.get(argument.name)
        if target is None or target.name in bound or argument.name not in (None, target.name):
            return None
        if argument.name is None and not _fits(target, type_):
            return None
        bound[target.name] = pair
    return bound if all(p.name in bound for p in operation.required) else None


class _Binder:
    def __init__(self, env: Environment, call: Call, operation: Operation) -> None:
        self.env, self.call, self.operation = env, call, operation
        self.bound: Bound = {}
        self.renamed: list[str] = []
        self.failed = self.unpacked = False

    def bind(self, given: list[tuple[Argument, StaticType]]) -> Bound | None:
        if self.call.operation != self.operation.name and self.call.operation in ALIASES:
            self.renamed.append(f"{self.call.operation} is {self.operation.name}")
        positional = [(a, t) for a, t in given if a.name is None]
        if "memory" in self.operation.ignored and any(t.kind is Kind.MEMORY for _, t in positional):
            positional = [(a, t) for a, t in positional if t.kind is not Kind.MEMORY]
            self.renamed.append(f"{self.operation.name} takes no memory")
        misplaced = self._positional(positional)
        if len(positional) < len(given):
            for argument, type_ in given:
                if argument.name is not None:
                    self._keyword(argument, type_)
        self._missing(misplaced)
        if self.renamed:
            mend = Fix("usual names", "write the usual names", (self._rewrite(),))
            self.env.report(RENAMED.at(self.call.span, "; ".join(self.renamed), self.operation.signature, mend))
        return None if self.failed else self.bound

    def _positional(self, given: list[tuple[Argument, StaticType]]) -> bool:
        """Place positional arguments; True when they fit only in other places than where they stand."""
        parameters = self.operation.parameters
        natural = list(zip(parameters, given, strict=False))
        if len(given) <= len(parameters) and all(_fits(p, t) for p, (_, t) in natural):
            self.bound.update({p.name: g for p, g in natural})
            return False
        placed = _place(parameters, given)
        if placed is not None:
            self.bound.update(placed)
            return True
        self.bound.update({p.name: g for p, g in natural})
        for argument, _ in given[len(parameters) :]:
            message = f"{self.operation.name} takes at most {len(parameters)} arguments"
            self.env.report(TOO_MANY.at(argument.span, message, self.operation.signature))
            self.failed = True
            break
        return False

    def _keyword(self, argument: Argument, type_: StaticType) -> None:
        name = argument.name or ""
        operation = self.operation
        if name == "**":
            self.unpacked = self.failed = True
            return
        if name in operation.ignored:
            self.renamed.append(f"{name} says nothing here")
            return
        parameter = operation.by_name.get(name) or self._misspelled(argument, name)
        if parameter is None:
            return
        if parameter.name in self.bound:
            self.env.report(TWICE.at(argument.span, f"{parameter.name} is given twice", operation.signature))
            return
        if parameter.name != name and name in operation.by_name:
            self.renamed.append(f"{name} is {parameter.name}")
        self.bound[parameter.name] = (argument, type_)

    def _misspelled(self, argument: Argument, name: str) -> Parameter | None:
        names = [p.name for p in self.operation.parameters]
        close = get_close_matches(name, names, n=1, cutoff=0.7)
        at = Span(argument.span.line, argument.span.column, argument.span.line, argument.span.column + len(name))
        message = f"{self.operation.name} has no argument {name!r}"
        if not close:
            self.env.report(UNKNOWN_ARGUMENT.at(at, message, f"it takes {self.operation.signature}"))
            return None
        mend = Fix("misspelling", f"write {close[0]}", (Edit(at, close[0]),))
        self.env.report(UNKNOWN_ARGUMENT.at(at, message, f"did you mean {close[0]}?", mend))
        return self.operation.by_name[close[0]]

    def _missing(self, misplaced: bool) -> None:
        missing = [p for p in self.operation.required if p.name not in self.bound and not self.unpacked]
        if not missing and not misplaced:
            return
        memories = self.env.memory_names()
        at = self.call.name_span
        if missing and missing[0].kinds == {Kind.MEMORY} and len(memories) == 1:
            memory = missing.pop(0)
            name = Argument(memory.name, Name(memories[0], at), at)
            self.env.bindings[memories[0]].used = True
            self.bound[memory.name] = (name, self.env.bindings[memories[0]].type)
            if not missing:
                mend = Fix("missing memory", f"pass {memories[0]} first", (self._rewrite(),))
                self.env.report(
                    MISSING.at(at, f"{self.operation.name} needs the memory", self.operation.signature, mend)
                )
                return
            missing.insert(0, memory)
        if missing:
            names = " and ".join(p.name for p in missing)
            self.env.report(MISSING.at(at, f"{self.operation.name} needs {names}", self.operation.signature))
            self.failed = True
        elif misplaced:
            mend = Fix("arguments in place", "put each argument where its kind belongs", (self._rewrite(),))
            self.env.report(
                KIND.at(self.call.span, "the arguments are in the wrong places", self.operation.signature, mend)
            )

    def _rewrite(self) -> Edit:
        """The whole call with the usual name and every argument under its own name."""
        parts = []
        for parameter in self.operation.parameters:
            if parameter.name in self.bound:
                value = self.bound[parameter.name][0].value
                text = value.id if isinstance(value, Name) else self.env.source.slice(value.span)
                parts.append(text if parameter is self.operation.parameters[0] else f"{parameter.name}={text}")
        return Edit(self.call.span, f"{self.operation.name}({', '.join(parts)})")


def _fits(parameter: Parameter, type_: StaticType) -> bool:
    """Whether a positional argument may be meant for this place: wrong kinds of things are reported by ``values``."""
    if type_.kind is Kind.UNKNOWN or type_.kind in parameter.kinds or type_.kind is Kind.LIST:
        return True
    return type_.kind is Kind.NOTHING and not parameter.required


def _place(parameters: tuple[Parameter, ...], given: list[tuple[Argument, StaticType]]) -> Bound | None:
    """The one way to give every argument a parameter of its kind: in order with gaps, else each to its only place."""
    for in_order in (True, False):
        bound: Bound = {}
        free = list(parameters)
        for argument, type_ in given:
            open_ = [p for p in free if type_.kind in p.kinds or (p.many and type_.kind is Kind.LIST)]
            if not open_ or (len(open_) > 1 and not in_order):
                break
            bound[open_[0].name] = (argument, type_)
            free = free[free.index(open_[0]) + 1 :] if in_order else [p for p in free if p is not open_[0]]
        else:
            return bound
    return None
