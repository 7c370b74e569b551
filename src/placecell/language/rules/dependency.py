"""D3, dependency consistency: names, fields and elements exist, and the memory is built exactly once."""

from __future__ import annotations

from difflib import get_close_matches

from placecell.language.diagnostics import Edit, Fix, Severity
from placecell.language.environment import Binding, Environment
from placecell.language.ops import OPERATIONS
from placecell.language.phrases import same_thing
from placecell.language.plan import Call, Expr, Field, Index, Name, Program, Span
from placecell.language.rules.base import Rule, program
from placecell.language.rules.tool import RENAMED
from placecell.language.signature import Category
from placecell.language.text import expression_text
from placecell.language.tokens import shorten
from placecell.language.types import FIELDS, INDEXABLE, Kind, StaticType

_BUILD = "memory = build_static_memory(images)"
_CHAIRS = 'chairs = query_3d_object_location(memory, "chair")'
_CHAIR = 'chair = select_object(chairs, by="largest")'
_COUNTED = program(_BUILD, _CHAIRS, "return [count_objects(memory, chairs)]")
_SIZED = program(_BUILD, _CHAIRS, _CHAIR, "size = measure_size(memory, chair)", "return [size.longest]")

UNDEFINED = Rule(
    "D301", "a name is used before it is defined",
    "A value must have been computed before it can be used.",
    "assign the name first",
    program(_BUILD, "return [count_objects(memory, chairs)]"), _COUNTED, repair="an unambiguous misspelling is mended",
)  # fmt: skip
NO_FIELD = Rule(
    "D302", "there is no such field",
    "Only the documented fields can be read; nothing of the host is reachable.",
    "a field of the value's kind",
    program(_BUILD, _CHAIRS, _CHAIR, "size = measure_size(memory, chair)", "return [size.biggest]"), _SIZED,
    repair="an unambiguous misspelling is mended; a field of several instances gets select_object",
)  # fmt: skip
NO_ELEMENT = Rule(
    "D303", "there is no such element",
    "Only lists have elements, counted from 0.",
    "x[0] on a list or an order",
    program(_BUILD, "room = measure_room(memory)", "return [room[0]]"),
    program(_BUILD, "room = measure_room(memory)", "return [room]"),
)  # fmt: skip
MAYBE_EMPTY = Rule(
    "D304", "an element is taken from instances that may be empty",
    "Looking for an object may find none; then there is no first one.",
    "select_object(objects, by=...), which gives 'not found'",
    program(_BUILD, _CHAIRS, "size = measure_size(memory, chairs[0])", "return [size.longest]"), _SIZED,
    repair="the element becomes select_object(..., by=\"most_confident\")",
)  # fmt: skip
BUILT_TWICE = Rule(
    "D305", "the memory is built more than once",
    "All values of a program belong to one memory.",
    "one build at the beginning",
    program(_BUILD, "again = build_static_memory(images)", "return [render_rgb_bev(memory), render_rgb_bev(again)]"),
    _COUNTED, repair="the first memory is used throughout",
)  # fmt: skip
NOT_BUILT = Rule(
    "D306", "the memory is never built",
    "Every operation works on a memory that the program built.",
    "memory = build_static_memory(images) as the first statement",
    program('chairs = query_3d_object_location(memory, "chair")', "return [count_objects(memory, chairs)]"), _COUNTED,
    repair="the build is put first",
)  # fmt: skip
UNUSED = Rule(
    "D307", "a result is never used",
    "It costs time and nobody sees it.",
    "use it, return it, or leave the call out",
    program(_BUILD, _CHAIRS, "room = measure_room(memory)", "return [room]"),
    program(_BUILD, "room = measure_room(memory)", "return [room]"), severity=Severity.WARNING,
)  # fmt: skip


def lookup(env: Environment, node: Name) -> StaticType:
    """The type of a name; an unknown one is reported at its first use only."""
    binding = env.bindings.get(node.id)
    if binding is not None:
        binding.used = True
        return binding.type
    if node.id == env.parameter:
        return StaticType(Kind.SOURCE)
    if node.id not in env.undefined:
        env.undefined.add(node.id)
        _report_undefined(env, node)
    return StaticType(Kind.UNKNOWN)


def _report_undefined(env: Environment, node: Name) -> None:
    if node.id in OPERATIONS:
        env.report(UNDEFINED.at(node.span, f"{node.id} is an operation", f"call it: {OPERATIONS[node.id].signature}"))
        return
    if "memory" in node.id.lower() and not any(e.builds for e in env.events):
        env.unbuilt[node.id] = node.span  # a missing or late build is the fault, reported once as such
        return
    close = get_close_matches(node.id, [*env.bindings, env.parameter], n=2, cutoff=0.75)
    if len(close) == 1:
        mend = Fix("misspelling", f"write {close[0]}", (Edit(node.span, close[0]),)) if env.guesses else None
        env.report(UNDEFINED.at(node.span, f"{node.id!r} is not defined", f"did you mean {close[0]}?", mend))
        return
    known = ", ".join([*env.bindings][-8:])
    env.report(UNDEFINED.at(node.span, f"{node.id!r} is not defined", f"defined so far: {known}" if known else ""))


def read_field(env: Environment, node: Field, base: StaticType) -> tuple[Expr, StaticType]:
    """``x.name``: the type of a documented field, bound to the viewpoint of ``x`` where the table says so."""
    fields = env.fields.get(base.kind, {})
    spec = fields.get(node.name)
    if spec is not None:
        pose = base.pose if base.kind is Kind.POSE else None
        return node, StaticType(spec.kind, bound=spec.bound, stamp=base.stamp, pose=pose, name=base.name)
    if base.kind is Kind.UNKNOWN:
        return node, base
    after = Span(node.span.end_line, node.span.end_column - len(node.name), node.span.end_line, node.span.end_column)
    mend = None
    if base.kind is Kind.INSTANCES and node.name in FIELDS[Kind.INSTANCE]:
        call = env.one_of(env.source.slice(node.value.span))
        mend = Fix("select one", "choose one of the instances", (Edit(node.value.span, call),))
        hint = "these are several instances: choose one with select_object"
    else:
        close = get_close_matches(node.name, [*fields, *_SYNONYMS.get(base.kind, {})], n=1, cutoff=0.7)
        target = _SYNONYMS.get(base.kind, {}).get(close[0], close[0]) if close else None
        if target:
            mend = Fix("misspelling", f"write {target}", (Edit(after, target),))
        hint = f"{base.kind} has " + (", ".join(fields) if fields else "no fields: use it as it is")
    env.report(NO_FIELD.at(after, f"{base.kind} has no field {shorten(node.name)!r}", hint, mend))
    return node, StaticType(Kind.UNKNOWN)


_SYNONYMS = {
    Kind.INSTANCE: {"center": "centre", "position": "centre", "location": "centre"},
    Kind.POSE: {"origin": "position", "center": "position", "location": "position"},
    Kind.DIRECTION: {"azimuth": "bearing", "angle": "bearing", "word": "words"},
    Kind.EXTENTS: {"length": "longest", "longest_side": "longest"},
}


def read_index(env: Environment, node: Index, base: StaticType) -> tuple[Expr, StaticType]:
    """``x[0]``; also what other code bases index by text or 0, where it can only mean the value itself."""
    if base.kind is Kind.UNKNOWN:
        return node, base
    if isinstance(node.index, str):
        return _read_key(env, node, node.index, base)
    if base.kind is Kind.LIST:
        if -len(base.items) <= node.index < len(base.items):
            return node, base.items[node.index]
        count = f"the list has {len(base.items)} elements"
        env.report(NO_ELEMENT.at(node.span, f"there is no element {node.index}", f"{count}, counted from 0"))
        return node, StaticType(Kind.UNKNOWN)
    if base.kind is Kind.INSTANCES and not _known_count(env, base, node.index):
        call = env.one_of(env.source.slice(node.value.span))
        mend = Fix("select one", "choose with select_object", (Edit(node.span, call),))
        env.report(MAYBE_EMPTY.at(node.span, f"there may be no element {node.index}", "", mend))
        return node, StaticType(Kind.INSTANCE, stamp=base.stamp, name=base.name)
    if base.kind in INDEXABLE:
        return node, StaticType(INDEXABLE[base.kind], stamp=base.stamp, name=base.name)
    if node.index == 0 and base.kind in (Kind.POSE, Kind.INSTANCE, Kind.PICTURE):
        return _itself(env, node, base, f"{base.kind} is one value, not a list")
    hint = "the photos are shown anyway; render a view instead" if base.kind is Kind.SOURCE else ""
    env.report(NO_ELEMENT.at(node.span, f"{base.kind} has no elements", hint))
    return node, StaticType(Kind.UNKNOWN)


def _known_count(env: Environment, base: StaticType, index: int) -> bool:
    """Whether the memory is known to hold that many instances of the name."""
    counts = env.facts.objects
    if counts is None or base.name is None or index < 0:
        return False
    return index < sum(n for name, n in counts.items() if name.lower() == (base.name or "").lower())


def _read_key(env: Environment, node: Index, key: str, base: StaticType) -> tuple[Expr, StaticType]:
    if key in FIELDS.get(base.kind, {}):
        field = Field(node.value, key, node.span)
        _rename(env, node, f"[{key!r}] is .{key}", expression_text(field))
        return read_field(env, field, base)
    if base.kind is Kind.MEMORY and key in ("session_id", "memory"):
        return _itself(env, node, base, f"[{key!r}] is the memory itself")
    if base.kind is Kind.INSTANCES and base.name is not None and same_thing(key, base.name):
        return _itself(env, node, base, f"[{key!r}] is the instances themselves")
    if base.kind is Kind.LIST:
        env.report(NO_ELEMENT.at(node.span, "a list is indexed by a whole number", "x[0] is the first element"))
    else:
        fields = FIELDS.get(base.kind)
        env.report(
            NO_FIELD.at(
                node.span, f"{base.kind} has no {key!r}", f"{base.kind} has {', '.join(fields)}" if fields else ""
            )
        )
    return node, StaticType(Kind.UNKNOWN)


def _itself(env: Environment, node: Index, base: StaticType, message: str) -> tuple[Expr, StaticType]:
    _rename(env, node, message, expression_text(node.value))
    return node.value, base


def _rename(env: Environment, node: Index, message: str, text: str) -> None:
    mend = Fix("usual form", f"write {shorten(text)}", (Edit(node.span, text),))
    env.report(RENAMED.at(node.span, message, "", mend))


def built_again(env: Environment, call: Call, statement: Span, target: str | None) -> None:
    """Report a second build; mended by using the first memory wherever the second would be."""
    first = env.memory_names()
    mend = None
    if target is not None and len(first) == 1:
        uses = [Edit(s, first[0]) for s in env.source.uses(target) if s.line > statement.end_line]
        mend = Fix("one memory", f"use {first[0]} throughout", (env.source.delete_lines(statement), *uses))
    env.report(BUILT_TWICE.at(call.span, "a second memory is built", "", mend))


def not_built(env: Environment, parsed: Program) -> None:
    """A program without any build, or with one that comes too late: mended by putting one first."""
    if any(e.builds for e in env.events):
        for name, span in env.unbuilt.items():
            env.report(UNDEFINED.at(span, f"{name!r} is used before a memory is built"))
        return
    if (env.blurred and not env.unbuilt) or not parsed.statements:
        return
    name = next(iter(env.unbuilt), "memory")
    first = parsed.statements[0].span
    build = "build_dynamic_memory" if parsed.source == "video" and env.facts.dynamic else "build_static_memory"
    line = env.source.insert_line(first.line, f"{name} = {build}({env.parameter})")
    mend = Fix("build first", "build the memory first", (line,))
    env.report(NOT_BUILT.at(parsed.span, "the memory is never built", "", mend))


def unused(env: Environment, name: str, binding: Binding) -> None:
    """Warn about a result nothing reads; motions and builds have an effect of their own."""
    if binding.used or env.blurred or binding.type.kind is Kind.UNKNOWN:
        return
    operation = OPERATIONS.get(binding.call.operation) if binding.call else None
    if operation is None or operation.category not in (Category.TRANSFORM, Category.CONSTRUCT):
        env.report(UNUSED.at(binding.span, f"{name} is never used"))
