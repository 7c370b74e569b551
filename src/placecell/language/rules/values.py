"""T2, tool usage, part two: whether each argument's value is one the operation can work with.

A value must be of the right kind, a number in range and an image that exists; what follows from the memory's facts
is checked when they are known.
"""

from __future__ import annotations

from difflib import get_close_matches

from placecell.language.attributes import criterion
from placecell.language.diagnostics import Edit, Fix, Severity
from placecell.language.environment import Environment
from placecell.language.phrases import same_thing
from placecell.language.plan import Expr, Field, ListExpr, Literal, MemoryFacts, Span
from placecell.language.rules.base import Rule, program
from placecell.language.rules.combination import check_together
from placecell.language.rules.tool import KIND, RENAMED, Bound
from placecell.language.signature import Operation, Parameter
from placecell.language.text import expression_text
from placecell.language.tokens import quote, shorten
from placecell.language.types import Kind, StaticType, with_article

_BUILD = "memory = build_static_memory(images)"
_HERE = "here = query_camera_pose(memory, image=1)"
_SET = "set_viewpoint(memory, at=here)"
_SEE = "return [render_egocentric(memory)]"
_CHAIRS = 'chairs = query_3d_object_location(memory, "chair")'
_GOOD = program(_BUILD, _HERE, _SET, "turn_camera(memory, 'left')", _SEE)
_COUNTED = program(_BUILD, _CHAIRS, "return [count_objects(memory, chairs)]")
MAX_PHRASE = 120
_NAMED = 8
_HANDLES = frozenset({Kind.MEMORY, Kind.POSE, Kind.INSTANCE, Kind.INSTANCES, Kind.SOURCE})
"""Kinds about which there is nothing to check but the kind itself."""

CHOICE = Rule(
    "T210", "a word is not one of the choices",
    "The operation has a meaning for each of its words and for no other.",
    "one of the words in the operation's reference",
    program(_BUILD, _HERE, _SET, "turn_camera(memory, 'sideways')", _SEE), _GOOD,
    repair="an unambiguous misspelling is mended",
)  # fmt: skip
RANGE = Rule(
    "T211", "a number is out of range",
    "Amounts are positive and bounded; the direction says which way.",
    "a number within the stated range",
    program(_BUILD, _HERE, _SET, "turn_camera(memory, 'left', degrees=-90)", _SEE), _GOOD,
    repair="a negative turn or step becomes one the other way",
)  # fmt: skip
IMAGE = Rule(
    "T212", "there is no image of that number",
    "Images are counted from 1, in programs, captions and memories alike.",
    "a number from 1 to the number of images",
    program(_BUILD, "here = query_camera_pose(memory, image=0)", _SET, _SEE), _GOOD,
    repair="numbers that do not exist are dropped from a plan view",
)  # fmt: skip
METRIC = Rule(
    "T214", "metres are needed, but the memory's scale is unknown",
    "A length in a memory without scale is a number of units, not of metres.",
    "leave the distance out, or give the memory a scale first (placecell scale)",
    program(_BUILD, _HERE, _SET, "step_camera(memory, 'forward', distance=2)", _SEE),
    program(_BUILD, _HERE, _SET, "step_camera(memory, 'forward')", _SEE),
    facts=MemoryFacts(scale="relative"),
)  # fmt: skip
LITERAL = Rule(
    "T217", "the argument must be written out",
    "A choice or an amount that is only known later cannot be checked.",
    "a text or number written in the program",
    program(_BUILD, _CHAIRS, _HERE, _SET, "chair = select_object(chairs, by='largest')",
            "turn_camera(memory, chair.name)", _SEE), _GOOD,
)  # fmt: skip
PHRASE = Rule(
    "T218", "the object phrase is empty or too long",
    "A phrase names one kind of thing to look for.",
    f"a few words, at most {MAX_PHRASE} characters",
    program(_BUILD, "things = query_3d_object_location(memory, ' ')", "return [count_objects(memory, things)]"),
    _COUNTED,
)  # fmt: skip
NOT_THERE = Rule(
    "T219", "the memory is known not to hold such an object",
    "The query will give an empty result.",
    "a name the memory knows",
    program(_BUILD, "things = query_3d_object_location(memory, 'piano')", "return [count_objects(memory, things)]"),
    _COUNTED, severity=Severity.WARNING,
    facts=MemoryFacts(objects={"chair": 2, "table": 1}, closed_vocabulary=True),
)  # fmt: skip


def check_values(env: Environment, operation: Operation, bound: Bound) -> dict[str, tuple[Expr, StaticType]]:
    """Each argument in the form the interpreter gets it; faults are reported and typed UNKNOWN."""
    values = {}
    for parameter in operation.parameters:
        if parameter.name not in bound:
            continue
        argument, type_ = bound[parameter.name]
        if type_.kind in _HANDLES and type_.kind in parameter.kinds and not parameter.many:
            values[parameter.name] = argument.value, type_
            continue
        if type_.kind is Kind.NOTHING and not parameter.required:
            continue
        values[parameter.name] = _Value(env, operation, parameter, bound).check(argument.value, type_)
    check_together(env, operation, values, bound)
    return values


class _Value:
    """Checks the value of one parameter."""

    def __init__(self, env: Environment, operation: Operation, parameter: Parameter, bound: Bound) -> None:
        self.env, self.operation, self.parameter, self.bound = env, operation, parameter, bound

    def check(self, node: Expr, type_: StaticType) -> tuple[Expr, StaticType]:
        parameter = self.parameter
        if type_.kind is Kind.LIST and isinstance(node, ListExpr):
            if parameter.many:
                pairs = [self._one(n, t) for n, t in zip(node.items, type_.items, strict=True)]
                pairs = self._drop_missing_images(node, pairs)
                items = tuple(t for _, t in pairs)
                return ListExpr(tuple(n for n, _ in pairs), node.span), StaticType(Kind.LIST, items=items)
            if len(node.items) == 1:
                self._renamed(
                    node.span, f"{parameter.name} takes one value, not a list", expression_text(node.items[0])
                )
                return self._one(node.items[0], type_.items[0])
        if type_.kind is Kind.LIST and parameter.many:
            for item in type_.items:
                self._one(node, item)
            return node, type_
        checked = self._one(node, type_)
        if parameter.many:
            return ListExpr((checked[0],), node.span), StaticType(Kind.LIST, items=(checked[1],))
        return checked

    def _one(self, node: Expr, type_: StaticType) -> tuple[Expr, StaticType]:
        parameter = self.parameter
        node, type_ = self._unwrap(node, type_)
        if type_.kind is Kind.UNKNOWN:
            return node, type_
        counted = type_.kind is Kind.COUNT and Kind.NUMBER in parameter.kinds and self.operation.cells_only
        if type_.kind not in parameter.kinds and not (counted and not parameter.integer):
            return node, self._wrong_kind(node, type_)
        if parameter.choices and type_.kind is Kind.TEXT:
            return self._choice(node, type_)
        if type_.kind is Kind.NUMBER:
            return self._number(node, type_)
        if type_.kind is Kind.BOOL and not isinstance(type_.value, bool):
            self.env.report(LITERAL.at(node.span, f"{parameter.name} must be written as True or False"))
        if type_.kind is Kind.TEXT and isinstance(type_.value, str):
            self._phrase(node, type_.value)
        if parameter.needs_metric and type_.value not in (None, False):
            self._needs_metric(node.span)
        return node, type_

    def _unwrap(self, node: Expr, type_: StaticType) -> tuple[Expr, StaticType]:
        """``pose.position`` where a pose is wanted, as other code bases write it: the pose itself."""
        wanted = {"at": "position", "facing": "forward", "a": "position", "b": "position"}.get(self.parameter.name)
        if type_.kind is Kind.VECTOR and isinstance(node, Field) and type_.pose is not None:
            base = node.value
            if node.name == wanted:
                self._renamed(node.span, f"{self.parameter.name} takes the pose itself", expression_text(base))
                return base, StaticType(Kind.POSE, stamp=type_.stamp, pose=type_.pose)
        return node, type_

    def _renamed(self, span: Span, message: str, text: str) -> None:
        mend = Fix("usual form", f"write {shorten(text)}", (Edit(span, text),))
        self.env.report(RENAMED.at(span, message, self.operation.signature, mend))

    def _wrong_kind(self, node: Expr, type_: StaticType) -> StaticType:
        parameter = self.parameter
        wanted = " or ".join(sorted(_KIND_WORDS.get(k, str(k)) for k in parameter.kinds))
        message = f"{parameter.name} is {with_article(type_)}, but {self.operation.name} takes {wanted}"
        mend = self._conversion(node, type_)
        hint = mend.description if mend else f"{parameter.name}: {parameter.summary}"
        self.env.report(KIND.at(node.span, message, hint, mend))
        return StaticType(Kind.UNKNOWN)

    def _conversion(self, node: Expr, type_: StaticType) -> Fix | None:
        """The operation that turns what is given into what is wanted."""
        kinds, text = self.parameter.kinds, self.env.source.slice(node.span)
        memories = self.env.memory_names()
        memory = memories[0] if len(memories) == 1 else None
        if type_.kind is Kind.INSTANCES and Kind.INSTANCE in kinds:
            call = self.env.one_of(text)
            return Fix("select one", "choose one of the instances", (Edit(node.span, call),))
        if memory is None or not isinstance(node, Literal):
            return None
        unit = next((u for kind, u in _UNIT_WORDS.items() if kinds == {kind}), None)
        if self.operation.cells_only and type_.kind is Kind.NUMBER and unit:
            return Fix("unit of a number", f"write {unit}({text})", (Edit(node.span, f"{unit}({text})"),))
        if isinstance(node.value, str) and node.value.strip() and kinds & {Kind.INSTANCES, Kind.INSTANCE, Kind.TRACK}:
            call = f"query_3d_object_location({memory}, {text})"
            if Kind.TRACK in kinds:
                call = f"track_object({memory}, {text})"
            elif Kind.INSTANCES not in kinds:
                call = self.env.one_of(call)
            return Fix("query the object", "look the object up first", (Edit(node.span, call),))
        if isinstance(node.value, int) and type_.kind is Kind.NUMBER and Kind.POSE in kinds:
            call = f"query_camera_pose({memory}, image={text})"
            return Fix("query the pose", "query the image's pose first", (Edit(node.span, call),))
        if isinstance(node.value, str) and node.value.strip().isdigit() and Kind.NUMBER in kinds:
            return Fix("number", "write the number without quotes", (Edit(node.span, node.value.strip()),))
        return None

    def _choice(self, node: Expr, type_: StaticType) -> tuple[Expr, StaticType]:
        parameter, value = self.parameter, type_.value
        if not isinstance(value, str):
            self.env.report(LITERAL.at(node.span, f"{parameter.name} must be written as one of its words"))
            return node, StaticType(Kind.UNKNOWN)
        if value in parameter.choices:
            return node, type_
        word = value.strip().lower()
        word = parameter.choice_aliases.get(word, word.replace(" ", "_") if "_" in "".join(parameter.choices) else word)
        word = (criterion(value) or word) if parameter.open_choices else word
        if word in parameter.choices:
            self._renamed(node.span, f"{value!r} is {word!r}", quote(word))
            return Literal(word, node.span), StaticType(Kind.TEXT, value=word)
        if parameter.open_choices:
            self._phrase(node, value)
            return node, type_
        words = ", ".join(parameter.choices)
        close = get_close_matches(word, parameter.choices, n=1, cutoff=0.7)
        mend = Fix("misspelling", f"write {close[0]!r}", (Edit(node.span, quote(close[0])),)) if close else None
        if Kind.TRACK in parameter.kinds:
            mend = self._conversion(node, type_)
        message = f"{shorten(value)!r} is not a {parameter.name} of {self.operation.name}"
        self.env.report(CHOICE.at(node.span, message, f"one of: {words}", mend))
        return node, StaticType(Kind.UNKNOWN)

    def _number(self, node: Expr, type_: StaticType) -> tuple[Expr, StaticType]:
        parameter, value = self.parameter, type_.value
        if not isinstance(value, int | float):
            if self.operation.cells_only and not parameter.integer:
                return node, type_
            self.env.report(LITERAL.at(node.span, f"{parameter.name} must be written as a number"))
            return node, StaticType(Kind.UNKNOWN)
        if parameter.integer and isinstance(value, float):
            if not value.is_integer():
                self.env.report(RANGE.at(node.span, f"{parameter.name} is a whole number"))
                return node, StaticType(Kind.UNKNOWN)
            self._renamed(node.span, f"{value} is the whole number {int(value)}", str(int(value)))
            value = int(value)
            node, type_ = Literal(value, node.span), StaticType(Kind.NUMBER, value=value)
        if parameter.image:
            return node, self._image(node, int(value), type_)
        if _out_of_range(parameter, value):
            mend = self._other_way(node, value)
            self.env.report(RANGE.at(node.span, f"{parameter.name} is {value:g}", range_text(parameter), mend))
            return node, StaticType(Kind.UNKNOWN)
        if parameter.needs_metric:
            self._needs_metric(node.span)
        return node, type_

    def _other_way(self, node: Expr, value: float) -> Fix | None:
        """A negative amount means the opposite direction."""
        argument, type_ = self.bound.get("direction", (None, None))
        if argument is None or type_ is None or value >= 0 or _out_of_range(self.parameter, -value):
            return None
        opposite = _OPPOSITE.get(str(type_.value))
        if opposite is None or not isinstance(argument.value, Literal):
            return None
        edits = (Edit(argument.value.span, quote(opposite)), Edit(node.span, f"{-value:g}"))
        return Fix("other way", f"{opposite} by {-value:g}", edits)

    def _image(self, node: Expr, number: int, type_: StaticType) -> StaticType:
        facts = self.env.facts
        exists = number >= 1 and facts.has_image(number) is not False
        if exists:
            return type_
        known = facts.image_count is not None or facts.image_numbers is not None
        there = f"the images are {facts.images_text}" if known else "images are counted from 1"
        if not (self.parameter.many and known):
            self.env.report(IMAGE.at(node.span, f"there is no image {number}", there))
        return StaticType(Kind.UNKNOWN, value=number)

    def _drop_missing_images(
        self, node: ListExpr, pairs: list[tuple[Expr, StaticType]]
    ) -> list[tuple[Expr, StaticType]]:
        """A plan view with image numbers that do not exist: one report, mended by the list of those that do."""
        known = self.env.facts.image_count is not None or self.env.facts.image_numbers is not None
        missing = [t.value for _, t in pairs if self.parameter.image and t.kind is Kind.UNKNOWN and t.value is not None]
        if not missing or not known:
            return pairs
        kept = [expression_text(n) for n, t in pairs if t.kind is not Kind.UNKNOWN]
        mend = Fix("existing images", "keep the images that exist", (Edit(node.span, f"[{', '.join(kept)}]"),))
        message = f"there is no image {' or '.join(map(str, missing))}"
        self.env.report(
            IMAGE.at(node.span, message, f"the images are {self.env.facts.images_text}", mend if kept else None)
        )
        return pairs

    def _phrase(self, node: Expr, value: str) -> None:
        if not value.strip() or len(value) > MAX_PHRASE:
            self.env.report(
                PHRASE.at(node.span, "the phrase is empty" if not value.strip() else "the phrase is too long")
            )
            return
        facts = self.env.facts
        if self.operation.name not in ("query_3d_object_location", "track_object") or facts.objects is None:
            return
        known = [*facts.objects, *facts.vocabulary]
        if facts.closed_vocabulary and not any(same_thing(value, k) for k in known):
            close = get_close_matches(value.lower(), known, n=3, cutoff=0.6)
            others = len(facts.objects) - _NAMED
            listed = [*sorted(facts.objects)[:_NAMED], *([f"{others} more"] if others > 0 else [])]
            names = ", ".join(close or listed) or "none at all"
            self.env.report(NOT_THERE.at(node.span, f"the memory has no {shorten(value)!r}", f"it knows {names}"))

    def _needs_metric(self, span: Span) -> None:
        if self.env.facts.scale == "relative":
            self.env.report(METRIC.at(span, f"{self.parameter.name} needs metres, but the memory's scale is unknown"))


def _out_of_range(parameter: Parameter, value: float) -> bool:
    low, high = parameter.minimum, parameter.maximum
    if low is not None and (value < low or (parameter.above_minimum and value == low)):
        return True
    return high is not None and value > high


def range_text(parameter: Parameter) -> str:
    """ "above 0, at most 360"."""
    low = (
        ""
        if parameter.minimum is None
        else f"{'above' if parameter.above_minimum else 'at least'} {parameter.minimum:g}"
    )
    high = "" if parameter.maximum is None else f"at most {parameter.maximum:g}"
    return ", ".join(part for part in (low, high) if part)


_UNIT_WORDS = {Kind.LENGTH: "metres", Kind.TIME: "seconds", Kind.ANGLE: "degrees"}
_OPPOSITE = {"left": "right", "right": "left", "up": "down", "down": "up", "forward": "backward", "backward": "forward"}

_KIND_WORDS = {
    Kind.SOURCE: "the plan's argument", Kind.NUMBER: "a number", Kind.TEXT: "a text", Kind.BOOL: "True or False",
    Kind.INSTANCE: "one instance", Kind.INSTANCES: "instances", Kind.POSE: "a pose", Kind.MEMORY: "the memory",
}  # fmt: skip
