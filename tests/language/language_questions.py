"""Decompositions that the programs of tests/programs are checked against, by name."""

from __future__ import annotations

from placecell.language.decomposition import (
    Comparison,
    Decomposition,
    Facing,
    Function,
    Motion,
    Reference,
    RouteStep,
)

_LEFT = Motion(kind="turn", direction="left", quote="turn left")
_RIGHT = Motion(kind="turn", direction="right", quote="turn right")
_BACK = Motion(kind="turn", direction="back", quote="turn around")
_FORWARD = Motion(kind="step", direction="forward", quote="move forward")


def _image(number: int, facing: Facing = Facing()) -> Reference:  # noqa: B008 - frozen
    return Reference(kind="image", image=number, facing=facing)


def _object(name: str, kind: str, towards: str | None = None) -> Reference:
    return Reference(kind="object", object=name, facing=Facing(kind=kind, object=towards))


def _ask(function: Function, *entities: str, reference: Reference = Reference(), motions=(), **more) -> Decomposition:  # noqa: B008
    comparison = Comparison(function=function, entities=entities, **more)
    return Decomposition(reference=reference, motions=tuple(motions), comparison=comparison)


F = Function
QUESTIONS = {
    # from image 3, what is behind me?
    "behind": _ask(F.WHAT_IS_THERE, "sofa", "door", reference=_image(3), side="back"),
    # from image 1, turn right: what is on my left?
    "left after right": _ask(F.WHAT_IS_THERE, "sofa", reference=_image(1), motions=[_RIGHT], side="left"),
    # from image 1, turn around: what is in front of me?
    "front after back": _ask(F.WHAT_IS_THERE, "sofa", reference=_image(1), motions=[_BACK], side="front"),
    # from image 4, what is left of the bottle?
    "left of bottle": _ask(F.WHAT_IS_THERE, "cup", "plate", reference=_image(4), side="left", relative_to="bottle"),
    # from image 1, is the bin behind the table?
    "bin behind table": _ask(
        F.WHAT_IS_THERE, "bin", reference=_image(1), side="back", relative_to="table", form="yes_no"
    ),
    # from image 1, turn right and move forward: closer to the toy?
    "closer": _ask(F.CLOSER_AFTER_MOTION, "pink toy", reference=_image(1), motions=[_RIGHT, _FORWARD], form="yes_no"),
    # from image 1, turn left twice: where is the door?
    "twice left": _ask(F.DIRECTION, "door", reference=_image(1), motions=[_LEFT, _LEFT]),
    # standing by the door facing the table, where is the lamp?
    "door facing table": _ask(F.DIRECTION, "lamp", reference=_object("door", "towards_object", "table")),
    # with my back to the window by the desk, where is the lamp?
    "back to window": _ask(F.DIRECTION, "lamp", reference=_object("desk", "away_from_object", "window")),
    # at the black shoe, facing as it does, what is left?
    "at the shoe": _ask(
        F.WHAT_IS_THERE, "sofa", reference=_object("black shoe", "same_way_as_object", "shoe"), side="left"
    ),
    # in image 2's place, facing as in image 5: where is the door?
    "2 facing as 5": _ask(F.DIRECTION, "door", reference=_image(2, Facing(kind="same_as_image", image=5))),
    "distance": _ask(F.DISTANCE, "bed", "desk", unit="m"),
    "nearest": _ask(F.NEAREST, "bed", "desk", "chair", relative_to="lamp"),
    "nearest to me": _ask(F.NEAREST, "bed", "desk", reference=_image(1)),
    "size": _ask(F.SIZE, "fridge", unit="cm"),
    "count": _ask(F.COUNT, "chair", form="number"),
    "area": _ask(F.AREA, unit="m2"),
    "visible": _ask(F.VISIBILITY, "lamp", reference=_image(2), form="yes_no"),
    "order": _ask(F.APPEARANCE_ORDER, "door", "lamp"),
    "moved": _ask(F.CAMERA_MOTION, images=(1, 2)),
    "circling": _ask(F.ROTATION_SENSE, images=(1, 2)),
    "car": _ask(F.OBJECT_MOTION, "car", frame="object"),
    "car late": _ask(F.OBJECT_MOTION, "car", frame="camera", during="last_half"),
    "route": _ask(
        F.ROUTE, "bin", reference=_object("printer", "towards_object", "plug"),
        route=(RouteStep(kind="turn"), RouteStep(kind="go", until="bin")),
    ),
    "larger": _ask(F.LARGEST, "bed", "desk"),
    "presence": _ask(F.PRESENCE, "piano", form="yes_no"),
}  # fmt: skip
