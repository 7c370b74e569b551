"""The plan tree: what the parser makes of a program, and the plan the checker hands to the interpreter.

Every node knows its span in the text. The tree holds no Python objects besides literals, so nothing in it can be run;
``engine.interpreter`` walks it. Also the facts about a memory that sharpen the checks, all of them optional.

Nodes are values: nothing changes one once it is made. They are not declared frozen because that doubles the time it
takes to make one, which is most of what parsing costs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal as OneOf
from typing import NamedTuple

from placecell.language.signature import Stage
from placecell.language.types import StaticType


class Span(NamedTuple):
    """Lines and columns count from 1, in characters; ``end_column`` is the first column after the text."""

    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, last: Span) -> Span:
        """From the beginning of this one to the end of ``last``."""
        return Span(self.line, self.column, last.end_line, last.end_column)

    @property
    def start(self) -> Span:
        """The empty span before its first character."""
        return Span(self.line, self.column, self.line, self.column)

    @property
    def end(self) -> Span:
        """The empty span behind its last character."""
        return Span(self.end_line, self.end_column, self.end_line, self.end_column)


NOWHERE = Span(1, 1, 1, 1)
"""Span of nodes that a rewrite made."""


@dataclass(slots=True, unsafe_hash=True)
class Literal:
    """A number, text, True, False or None."""

    value: bool | int | float | str | None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Name:
    """A use of a name: an earlier assignment, or the plan's argument."""

    id: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class ListExpr:
    """``[a, b]``."""

    items: tuple[Expr, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Index:
    """``value[index]``, counted from 0; in text as written the key may also be a text of another code base."""

    value: Expr
    index: int | str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Field:
    """``value.name``, a documented read-only field."""

    value: Expr
    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Argument:
    """One argument of a call. ``name`` is None for a positional one; in a checked plan it is always the parameter's."""

    name: str | None
    value: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Call:
    """An operation call. In a checked plan ``operation`` is a name of the table and every argument is named."""

    operation: str
    arguments: tuple[Argument, ...]
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)

    def argument(self, name: str) -> Expr | None:
        """The argument's expression, or None when it was omitted (its default holds)."""
        return next((a.value for a in self.arguments if a.name == name), None)


@dataclass(slots=True, unsafe_hash=True)
class Binary:
    """``left op right`` with op one of + - * /. This node and those below are of cells only.

    ``type`` of each is what the checker found it to be, None before.
    """

    op: str
    left: Expr
    right: Expr
    span: Span = field(default=NOWHERE, compare=False)
    type: StaticType | None = field(default=None, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Negate:
    """``-operand``."""

    operand: Expr
    span: Span = field(default=NOWHERE, compare=False)
    type: StaticType | None = field(default=None, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Compare:
    """``left op right`` with op one of < <= > >= == !=: a verdict."""

    op: str
    left: Expr
    right: Expr
    span: Span = field(default=NOWHERE, compare=False)
    type: StaticType | None = field(default=None, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Logic:
    """Two or more verdicts joined by "and" or "or", or one after "not"."""

    op: OneOf["and", "or", "not"]
    operands: tuple[Expr, ...]
    span: Span = field(default=NOWHERE, compare=False)
    type: StaticType | None = field(default=None, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Conditional:
    """``then if test else otherwise``."""

    then: Expr
    test: Expr
    otherwise: Expr
    span: Span = field(default=NOWHERE, compare=False)
    type: StaticType | None = field(default=None, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class OrElse:
    """``value or_else otherwise``: the first of the two that is not absent."""

    value: Expr
    otherwise: Expr
    span: Span = field(default=NOWHERE, compare=False)
    type: StaticType | None = field(default=None, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Comprehension:
    """``[element for a in source if condition]``, or ``for a, b in pairs(x, y)`` with two variables."""

    element: Expr
    variables: tuple[str, ...]
    source: Expr
    condition: Expr | None
    span: Span = field(default=NOWHERE, compare=False)
    type: StaticType | None = field(default=None, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Helper:
    """``lambda a: body``: what a helper computes, with its parameters."""

    parameters: tuple[str, ...]
    body: Expr
    span: Span = field(default=NOWHERE, compare=False)
    type: StaticType | None = field(default=None, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Apply:
    """A builtin or helper with its arguments in order.

    In a checked cell ``by`` is the score that a choice or order goes by, as a helper of the member, and ``helper`` the
    body to evaluate when ``function`` is no builtin: it sees its parameters and the session's names, and no variables
    of the expressions around its use.
    """

    function: str
    arguments: tuple[Expr, ...]
    by: Helper | None = None
    helper: Helper | None = None
    span: Span = field(default=NOWHERE, compare=False)
    type: StaticType | None = field(default=None, compare=False)


Composed = Binary | Negate | Compare | Logic | Conditional | OrElse | Comprehension | Helper | Apply
"""Expressions of cells; the parser of programs never makes one."""

Expr = Literal | Name | ListExpr | Index | Field | Call | Composed


@dataclass(slots=True, unsafe_hash=True)
class Assign:
    """``target = value``."""

    target: str
    value: Expr
    span: Span = field(default=NOWHERE, compare=False)
    target_span: Span = field(default=NOWHERE, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class ExprStatement:
    """A bare operation call."""

    value: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Return:
    """The final ``return [...]``. In a checked plan ``value`` is a ``ListExpr`` or a ``Name`` bound to one."""

    value: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(slots=True, unsafe_hash=True)
class Define:
    """``def name(parameters): return body``, of cells only. It computes nothing: every use carries the body with it."""

    name: str
    value: Helper
    span: Span = field(default=NOWHERE, compare=False)


Statement = Assign | ExprStatement | Return | Define


@dataclass(slots=True, unsafe_hash=True)
class Program:
    """A parsed function. ``parameter`` is its argument's name, ``source`` what that stands for."""

    name: str
    parameter: str
    statements: tuple[Statement, ...]
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def source(self) -> OneOf["images", "video"]:
        return "video" if "video" in self.parameter else "images"


@dataclass(frozen=True)
class MemoryFacts:
    """What is known about the memory a program is meant for; None means unknown and disables the checks that need it.

    ``image_numbers`` are the numbers that exist (when they are not simply 1..image_count), ``objects`` the known
    instances by name with their counts, ``vocabulary`` every name that was looked for, found or not. With
    ``closed_vocabulary`` no further name can ever be found (box annotations, for instance).
    """

    image_count: int | None = None
    image_numbers: frozenset[int] | None = None
    objects: Mapping[str, int] | None = None
    vocabulary: frozenset[str] = frozenset()
    closed_vocabulary: bool = False
    scale: OneOf["metric", "relative"] | None = None
    dynamic: bool | None = None

    def has_image(self, number: int) -> bool | None:
        """Whether image ``number`` exists; None when that is not known."""
        if self.image_numbers is not None:
            return number in self.image_numbers
        return None if self.image_count is None else 1 <= number <= self.image_count

    @property
    def numbers(self) -> tuple[int, ...] | None:
        """The image numbers that exist, ascending; None when that is not known."""
        if self.image_numbers is not None:
            return tuple(sorted(self.image_numbers))
        return None if self.image_count is None else tuple(range(1, self.image_count + 1))

    @property
    def images_text(self) -> str:
        """ "1 to 8", or "1, 2, 5" when numbers are missing."""
        return numbers_text(self.numbers or ())


def numbers_text(numbers: Sequence[int]) -> str:
    """ "1 to 8", or "1, 2, 5" when numbers are missing; ascending, "none" without any."""
    if numbers and tuple(numbers) != tuple(range(numbers[0], numbers[-1] + 1)):
        return ", ".join(map(str, numbers))
    return f"{numbers[0]} to {numbers[-1]}" if numbers else "none"


NO_FACTS = MemoryFacts()


@dataclass(frozen=True)
class PlanCost:
    """Upper bounds known before running: calls by operation name, renders, and all calls."""

    calls: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    renders: int = 0
    operations: int = 0


@dataclass(frozen=True)
class CheckedPlan:
    """A program that passed every check: canonical names, all arguments named, statements in order.

    ``text`` is the canonical program (what traces and prompts show), ``types`` the type of every bound name,
    ``results`` the types of the returned values, ``stages`` the reasoning stage of each statement. ``photos`` are the
    egocentric renders whose viewpoint is exactly a camera's, so that its photo shows the same and better: index among
    ``calls()``, and the image number.
    """

    program: Program
    text: str
    types: Mapping[str, StaticType]
    results: tuple[StaticType, ...]
    stages: tuple[Stage, ...]
    cost: PlanCost
    photos: Mapping[int, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def parameter(self) -> str:
        return self.program.parameter

    @property
    def statements(self) -> tuple[Statement, ...]:
        return self.program.statements

    def calls(self) -> Iterator[Call]:
        """Every call in order of evaluation."""
        for statement in self.statements:
            yield from calls_in(statement.value)


def children(node: Expr) -> tuple[Expr, ...]:
    """Direct sub-expressions in source order."""
    match node:
        case Call():
            return tuple(a.value for a in node.arguments)
        case ListExpr():
            return node.items
        case Index() | Field():
            return (node.value,)
        case Binary() | Compare():
            return (node.left, node.right)
        case Negate():
            return (node.operand,)
        case Logic():
            return node.operands
        case Conditional():
            return (node.test, node.then, node.otherwise)
        case OrElse():
            return (node.value, node.otherwise)
        case Comprehension():
            inner = (node.element,) if node.condition is None else (node.condition, node.element)
            return (node.source, *inner)
        case Helper():
            return (node.body,)
        case Apply():
            return (*node.arguments, *(h for h in (node.by, node.helper) if h is not None))
        case _:
            return ()


def calls_in(node: Expr) -> Iterator[Call]:
    """Calls inside ``node`` in order of evaluation: arguments before the call that takes them."""
    for child in children(node):
        yield from calls_in(child)
    if isinstance(node, Call):
        yield node
