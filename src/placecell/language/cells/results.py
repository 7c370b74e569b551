"""What a call of an operation gives in a cell, and what it asks of its arguments beyond their kinds.

Dimensions, frames and sizes follow from the table's entry and the arguments alone; no operation has a rule of its own
but ``rescaled``, whose result is measured as the known length is.
"""

from __future__ import annotations

from placecell.language.attributes import colours_in
from placecell.language.cells.algebra import UNKNOWN, WORLD, in_memory, length_unit, same_dimension, same_frame
from placecell.language.cells.functions import set_of
from placecell.language.cells.scope import MOST_FOUND
from placecell.language.environment import Environment, Event
from placecell.language.ops import SELECTIONS
from placecell.language.plan import Literal, MemoryFacts
from placecell.language.rules import cells as rule
from placecell.language.rules.combination import NEEDS_TIME
from placecell.language.text import expression_text
from placecell.language.tokens import quote, shorten
from placecell.language.types import Kind, StaticType

IN_FRAME = frozenset({Kind.POINT, Kind.VECTOR, Kind.DIRECTION})


def check_event(env: Environment, event: Event) -> None:
    """Units, frames and facts that the arguments must agree with."""
    operation = event.operation
    if operation.needs_time and env.facts.dynamic is False:
        message = f"{operation.name} needs time, but this memory has none"
        env.report(NEEDS_TIME.at(event.call.span, message, "ask something static"))
    if operation.name == "select_object":
        _check_selection(env, event)
    if operation.name == "rescaled":
        _check_pair(env, event, "value", "measured")
    elif operation.cells_only:
        _check_lengths(env, event)
    vectors = [(a.value, event.arguments[a.name or ""]) for a in event.call.arguments]
    vectors = [(node, type_) for node, type_ in vectors if type_.kind is Kind.VECTOR]
    if any(type_.bound for _, type_ in vectors) or len(vectors) > 1:
        same_frame(env, vectors[0], vectors[-1])


def _check_selection(env: Environment, event: Event) -> None:
    """There is something to choose from, and a criterion or colours to choose by: what else a model sees is `judge`."""
    objects, by = event.arguments.get("objects"), event.call.argument("by")
    if objects is not None and objects.exact and not objects.size:
        env.report(rule.EMPTY.at(event.call.span, "there is nothing to choose from"))
    if isinstance(by, Literal) and by.value not in SELECTIONS and not colours_in(str(by.value)):
        env.report(rule.EYES.at(by.span, f"no place, size or colour tells which is {quote(shorten(str(by.value)))}"))


def _check_pair(env: Environment, event: Event, first: str, second: str) -> None:
    a, b = event.call.argument(first), event.call.argument(second)
    if a is not None and b is not None:
        same_dimension(env, b.span, (a, event.arguments[first]), (b, event.arguments[second]), "related")


def _check_lengths(env: Environment, event: Event) -> None:
    """A length given to an operation is one of this memory: metres mean nothing to one without scale."""
    for argument in event.call.arguments:
        type_ = event.arguments[argument.name or ""]
        if type_.kind is Kind.LENGTH and type_.dimension not in (None, length_unit(env.facts)):
            text = env.source.slice(argument.value.span)
            hint = f"relate it to something of known size: {text} / metres(0.75) * table_height"
            env.report(rule.DIMENSION.at(argument.value.span, "metres in a memory that has no scale", hint))


def result_of(event: Event, facts: MemoryFacts, objects: int, mark: str) -> StaticType:
    """The type of a call's result.

    ``objects``: how many instances it can have at most. ``mark`` tells frames apart that the same text makes: by the
    memory's version, or by the comprehension or helper whose variable they depend on.
    """
    operation, arguments = event.operation, event.arguments
    type_ = event.result._replace(measured=True)
    if event.faulty and type_.kind not in (Kind.INSTANCE, Kind.INSTANCES):
        return UNKNOWN
    match type_.kind:
        case Kind.INSTANCES:
            return type_._replace(size=objects)
        case Kind.SET:
            element = in_memory(StaticType(operation.element or Kind.UNKNOWN, measured=True), facts)
            sizes = [t.size for t in arguments.values() if t.size is not None]
            return set_of(element, operation.most or max(sizes, default=MOST_FOUND))
        case Kind.FRAME:
            text = expression_text(event.call)  # names mean one value, so the same call is the same frame
            return type_._replace(frame=text if text == WORLD else text + mark)
        case Kind.LENGTH if operation.name == "rescaled" and "known" in arguments:
            return type_._replace(dimension=arguments["known"].dimension)
    if type_.kind in IN_FRAME and operation.cells_only:
        frame = arguments.get("frame")
        vectors = [t.frame for t in arguments.values() if t.kind is Kind.VECTOR]
        followed = vectors[0] if vectors and type_.kind is Kind.VECTOR else WORLD
        return type_._replace(frame=followed if frame is None else frame.frame)
    return in_memory(type_, facts)


def known_objects(facts: MemoryFacts) -> int:
    """How many instances a query can give at most."""
    return MOST_FOUND if facts.objects is None else min(MOST_FOUND, sum(facts.objects.values()))
