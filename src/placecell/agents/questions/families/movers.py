"""What the families about things that move in a video share: whose frame, relative to what, which part of the video.

Decompositions of a mover: entities=[mover]; frame=object for its own forward, left and right, else camera; relative_to
for a landmark ("with respect to the board"); ``during`` or ``when`` for a part of the video.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from placecell.agents.questions import answers
from placecell.agents.questions.family import Asked, Reading
from placecell.agents.questions.notation import words
from placecell.agents.questions.options import RawOption
from placecell.language.decomposition import Comparison, Function, Option

TAKES = frozenset({"own", "world", "owner", "during", "landmark"})
"""The parts of a set-up that a question about a mover can carry."""

_CAMERA = frozenset({"camera", "camera view", "cameraman"})
_PRONOUNS = frozenset(["he", "she", "they", "it", "him", "her", "them"])


def mover(asked: Asked, slot: str = "m") -> str | None:
    """The thing that moves; a pronoun is the owner of the perspective; None when the slot names no thing."""
    words = asked.match.canon(slot)
    if words in _PRONOUNS:
        return asked.setup.owner or words
    name = asked.name(slot)
    return name if name else None


def is_camera(name: str) -> bool:
    return name in _CAMERA


def frame_of(asked: Asked, name: str) -> tuple[str, str | None]:
    """Frame and landmark: the world's axes, or ``object`` for the mover's own perspective.

    Another thing's perspective makes that one the landmark too.
    """
    setup = asked.setup
    if setup.frame == "world":
        return "world", setup.landmark
    if setup.frame == "own" or setup.owner in (name, f"{name}s", name.removesuffix("s")):
        return "object", setup.landmark
    if setup.owner is not None:
        return "object", setup.owner
    return "camera", setup.landmark


def motion_reading(
    asked: Asked,
    function: Function,
    name: str,
    *,
    attribute: str | None = None,
    options: tuple[Option, ...] = (),
    form: str | None = None,
    **fields: Any,
) -> Reading:
    """The comparison of a question about one mover."""
    frame, landmark = frame_of(asked, name)
    place = asked.setup.reference
    if landmark is None and place.kind == "none" and place.facing.kind == "towards_object":
        landmark = place.facing.object
    fields.setdefault("relative_to", landmark)
    fields.setdefault("frame", frame)
    comparison = Comparison(
        function=function,
        entities=(name,),
        attribute=attribute,
        form=form or ("choice" if options else "open"),  # type: ignore[arg-type]
        options=options,
        during=asked.setup.during or "whole",
        when=asked.match.quote("when") or None,
        **fields,
    )
    return Reading(comparison)


def motion_options(options: Sequence[RawOption]) -> tuple[Option, ...] | None:
    """Options that are ways of moving; distractors that mean none ("diagonally across") are kept without a meaning."""
    found = answers.read(options, answers.motion, all_of_them=False)
    if found is None or sum(o.answer in WAYS or "-" in (o.answer or "") for o in found) < 1:
        return None
    return found


WAYS = frozenset(
    words("""
        left right up down forward backward towards away uphill downhill straight clockwise counterclockwise
        sideways
    """)
)
SENSES = frozenset({"clockwise", "counterclockwise"})
"""Answers that are ways of moving or turning."""
