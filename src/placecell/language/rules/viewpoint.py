"""V4, viewpoint state: what is bound to a viewpoint is used under that viewpoint only, and there is one to use.

Handles, lengths and counts stay good after a motion; a direction, a visibility or a position in viewer terms does
not. ``types`` says which is which.
"""

from __future__ import annotations

from placecell.language.diagnostics import Fix, Severity
from placecell.language.environment import Environment, Event
from placecell.language.plan import Expr, Field, Index, ListExpr, Name, Span
from placecell.language.rules.base import Rule, program
from placecell.language.types import BOUND_WHEN_READ, Kind, StaticType

_BUILD = "memory = build_static_memory(images)"
_HERE = "here = query_camera_pose(memory, image=1)"
_SET = "set_viewpoint(memory, at=here)"
_SEE = "return [render_egocentric(memory)]"
_DOOR = 'door = select_object(query_3d_object_location(memory, "door"), by="largest")'
_GOOD = program(_BUILD, _HERE, _SET, "turn_camera(memory, 'left')", _SEE)

STALE = Rule(
    "V401", "a result of an earlier viewpoint is used where its frame matters",
    "Left, right and coordinates in viewer terms belong to the viewpoint they were taken from.",
    "ask again after the last motion; instances, lengths and counts stay good",
    program(_BUILD, _HERE, _SET, _DOOR, "where = locate(memory, door)", "turn_camera(memory, 'left')",
            "return [render_egocentric(memory), where]"),
    program(_BUILD, _HERE, _SET, _DOOR, "turn_camera(memory, 'left')", "where = locate(memory, door)",
            "return [render_egocentric(memory), where]"),
    repair="the result is asked for again before it is used",
)  # fmt: skip
NO_START = Rule(
    "V402", "there is no viewpoint to move",
    "A turn or step needs a place to start from; none is assumed.",
    "set_viewpoint(memory, at=query_camera_pose(memory, image=...)) first",
    program(_BUILD, "turn_camera(memory, 'left')", "return [render_rgb_bev(memory)]"), _GOOD,
    repair="the viewpoint the decomposition names is set first",
)  # fmt: skip
NO_VIEW = Rule(
    "V403", "there is no viewpoint to look from",
    "What is seen, and what is left or near, depends on where one stands; no place is assumed.",
    "set_viewpoint(memory, at=...) first, or say of what",
    program(_BUILD, _SEE), _GOOD, repair="the viewpoint the decomposition names is set first",
)  # fmt: skip
DEGENERATE = Rule(
    "V404", "the viewpoint faces the place it is at",
    "From a place to itself there is no direction.",
    "face something else, or leave facing out",
    program(_BUILD, _DOOR, "set_viewpoint(memory, at=door, facing=door)", _SEE),
    program(_BUILD, _DOOR, _HERE, "set_viewpoint(memory, at=here, facing=door)", _SEE),
)  # fmt: skip
UNSURE_HEADING = Rule(
    "V405", "the viewpoint is at an object, and nothing says which way it faces",
    "Most objects have no known front; then everything seen from there is absent with that reason.",
    "facing=another object or an image's pose, unless the object's own front is meant",
    program(_BUILD, _DOOR, "set_viewpoint(memory, at=door)", _SEE),
    program(_BUILD, _DOOR, _HERE, "set_viewpoint(memory, at=door, facing=here)", _SEE), severity=Severity.WARNING,
)  # fmt: skip


def is_stale(env: Environment, type_: StaticType, *, read_out: bool = False) -> bool:
    """Whether using a value here mixes viewpoints. ``read_out``: it leaves the program as numbers."""
    if type_.kind is Kind.LIST:
        return any(is_stale(env, item, read_out=read_out) for item in type_.items)
    bound = type_.bound or (read_out and type_.kind in BOUND_WHEN_READ)
    return bound and type_.stamp != env.view.stamp


def check_use(env: Environment, node: Expr, type_: StaticType, at: Span, *, read_out: bool = False) -> None:
    """Report a stale value at its first use; ``at`` is the statement that uses it."""
    if not is_stale(env, type_, read_out=read_out):
        return
    root = root_name(node)
    binding = env.bindings.get(root) if root else None
    if binding is not None and binding.stale_reported:
        return
    mend = None
    if binding is not None and root is not None:
        binding.stale_reported = True
        if binding.call is not None:
            again = env.source.insert_line(at.line, f"{root} = {env.source.slice(binding.call.span)}")
            mend = Fix("ask again", f"ask for {root} again under the viewpoint it is used in", (again,))
    what = f"{root} was" if root else f"this {type_.kind} was"
    env.report(STALE.at(node.span, f"{what} taken under an earlier viewpoint", "", mend))


def root_name(node: Expr) -> str | None:
    """The name an expression reads from: ``here`` in ``here.position``."""
    while isinstance(node, Field | Index):
        node = node.value
    if isinstance(node, ListExpr):
        return next((root for item in node.items if (root := root_name(item))), None)
    return node.id if isinstance(node, Name) else None


def check_viewpoint(env: Environment, event: Event, statement: Span) -> None:
    """Before an event takes effect: is there a viewpoint, and does a new one make sense?"""
    if event.name == "set_viewpoint":
        _check_facing(env, event)
    elif env.view.stamp == 0 and not env.blurred:
        if event.moves:
            env.report(NO_START.at(event.call.span, "no viewpoint has been set", "", _first_viewpoint(env, statement)))
            env.change_view(None)
        elif event.reads_viewpoint and not event.operation.shows_viewpoint:
            message = f"{event.name} looks from a viewpoint, and none has been set"
            env.report(NO_VIEW.at(event.call.span, message, "", _first_viewpoint(env, statement)))
            env.change_view(None)


def _check_facing(env: Environment, event: Event) -> None:
    at, facing = event.call.argument("at"), event.call.argument("facing")
    if at is None:
        return
    if facing is None:
        if event.arguments["at"].kind is Kind.INSTANCE and not _own_heading_is_meant(env):
            env.report(UNSURE_HEADING.at(event.call.span, "nothing says which way to face from the object"))
    elif _origin(env, at) == _origin(env, facing) and event.arguments["at"].kind is Kind.INSTANCE:
        env.report(DEGENERATE.at(facing.span, "the viewpoint would face the place it is at"))


def _origin(env: Environment, node: Expr) -> Expr:
    """What a name was bound to, so that two names of one thing are seen to be the same."""
    binding = env.bindings.get(node.id) if isinstance(node, Name) else None
    return binding.call if binding is not None and binding.call is not None else node


def _own_heading_is_meant(env: Environment) -> bool:
    question = env.decomposition
    return question is not None and question.reference.facing.kind in ("free", "same_way_as_object")


def _first_viewpoint(env: Environment, statement: Span) -> Fix | None:
    """Set the image's viewpoint that the question names."""
    question, memories = env.decomposition, env.memory_names()
    if question is None or question.reference.kind != "image" or question.reference.facing.object or len(memories) != 1:
        return None
    memory, number = memories[0], question.reference.image
    line = f"set_viewpoint({memory}, at=query_camera_pose({memory}, image={number}))"
    edit = env.source.insert_line(statement.line, line)
    return Fix("first viewpoint", f"stand where image {number} was taken", (edit,))
