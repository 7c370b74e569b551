"""What a question asks, in the paper's three stages: where to stand, how to move, what to compare.

A grammar or a model fills it, the planner reads it, the checker holds a program against it. How the families map:

=======================================  =====================================================================
question                                 comparison
=======================================  =====================================================================
from image N, what is left of me         what_is_there, side=left, entities=options
from image N, what is left of X          what_is_there, side=left, relative_to=X, entities=options
from image N, is Y behind X              what_is_there, form=yes_no, side=back, relative_to=X, entities=[Y]
nearest thing behind X                   nearest, side=back, relative_to=X, entities=options
standing at A facing B, where is C       direction, entities=[C], options' answers are sides
is C left or right of B (seen from A)    direction, entities=[C], options' answers are sides
distance between A and B                 distance, entities=[A, B]
which of A, B, C is nearest to X         nearest, relative_to=X, entities=[A, B, C]
how long is X / room height              size, entities=[X], attribute=longest / entities=[], attribute=room height
floor area                               area, entities=[]
which is bigger                          largest or smallest, entities=[A, B]
how many X                               count, entities=[X]
is X visible / is there an X             visibility or presence, form=yes_no, entities=[X]
will I get closer to X                   closer_after_motion, form=yes_no, entities=[X]
first appearance of A, B, C              appearance_order, entities=[A, B, C], options' answers are sequences
route with blanks                        route, entities=[goal], route=steps
which way did I move from a to b         camera_motion, images=(a, b)
circling clockwise from a to b           rotation_sense, images=(a, b), frame=camera
which way does the car go                object_motion, entities=[car], frame=camera, world or object
is the wheel turning clockwise           rotation_sense, entities=[wheel]
how many cars turn left                  event_count, entities=[car], event="turn left", attribute=movers
how often does the dancer spin           event_count, entities=[dancer], event="spin", attribute=times
which way is the girl facing             facing, entities=[girl], frame=camera (or object: her own body's)
=======================================  =====================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from placecell.language.phrases import normalise_phrase, stems, strip_letter
from placecell.language.plan import numbers_text

Side = Literal["left", "right", "front", "back", "up", "down", "front-left", "front-right", "back-left", "back-right"]
Unit = Literal["m", "cm", "mm", "km", "in", "ft", "m2", "ft2", "steps", "degrees", "s"]
TurnDirection = Literal["left", "right", "up", "down", "back"]
StepDirection = Literal["forward", "backward", "left", "right", "up", "down"]

METRIC_UNITS: frozenset[str] = frozenset({"m", "cm", "mm", "km", "in", "ft", "m2", "ft2"})
"""Units that only a memory of known scale can answer in."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True, allow_inf_nan=False)


class Facing(_Model):
    """Which way to look from the reference.

    ``free``: the question does not say (an object's own heading when a side of it is asked). ``away_from_object`` is
    "with your back to the door".
    """

    kind: Literal["same_as_image", "towards_object", "away_from_object", "same_way_as_object", "free"] = "free"
    image: int | None = None
    object: str | None = None
    quote: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind == "same_as_image" and self.image is None:
            raise ValueError("facing same_as_image needs image")
        if self.kind.endswith("_object") and not self.object:
            raise ValueError(f"facing {self.kind} needs object")
        return self


class Reference(_Model):
    """Where to stand: at an image's camera, at an object, or nowhere in particular."""

    kind: Literal["image", "object", "none"] = "none"
    image: int | None = None
    object: str | None = None
    facing: Facing = Facing()
    quote: str = ""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.kind == "image" and self.image is None:
            raise ValueError("a reference image needs its number")
        if self.kind == "object" and not self.object:
            raise ValueError("a reference object needs its phrase")
        return self


class Motion(_Model):
    """A turn or step the question *states* (never one it asks for), with the words it came from.

    ``degrees`` and ``distance`` (with ``unit``) are None when the question names no amount.
    """

    kind: Literal["turn", "step"]
    direction: TurnDirection | StepDirection
    degrees: float | None = Field(default=None, gt=0, le=360)
    distance: float | None = Field(default=None, gt=0)
    unit: Unit | None = None
    quote: str = ""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        turns, steps = {"left", "right", "up", "down", "back"}, {"forward", "backward", "left", "right", "up", "down"}
        if self.direction not in (turns if self.kind == "turn" else steps):
            raise ValueError(f"a {self.kind} cannot go {self.direction!r}")
        if self.kind == "turn" and self.distance is not None:
            raise ValueError("a turn has degrees, not a distance")
        if self.kind == "step" and self.degrees is not None:
            raise ValueError("a step has a distance, not degrees")
        return self

    @property
    def yaw(self) -> float:
        """Turn about the vertical in degrees, positive to the right; 0 for tilts and steps."""
        if self.kind == "step" or self.direction in ("up", "down"):
            return 0.0
        if self.direction == "back":
            return 180.0
        return (self.degrees or 90.0) * (1.0 if self.direction == "right" else -1.0)


class Function(StrEnum):
    """What is computed in the end."""

    DIRECTION = "direction"
    DISTANCE = "distance"
    NEAREST = "nearest"
    FARTHEST = "farthest"
    LARGEST = "largest"
    SMALLEST = "smallest"
    SIZE = "size"
    AREA = "area"
    COUNT = "count"
    VISIBILITY = "visibility"
    WHAT_IS_THERE = "what_is_there"
    CLOSER_AFTER_MOTION = "closer_after_motion"
    APPEARANCE_ORDER = "appearance_order"
    ROUTE = "route"
    CAMERA_MOTION = "camera_motion"
    OBJECT_MOTION = "object_motion"
    ROTATION_SENSE = "rotation_sense"
    EVENT_COUNT = "event_count"
    PRESENCE = "presence"
    FACING = "facing"


class Option(_Model):
    """One offered answer. ``letter`` is "" when options are not lettered, ``text`` is without the letter.

    What it means is one of: ``entity`` (a phrase among the comparison's entities), ``answer`` (a normalised word:
    a side, "forward-left", "yes", "no", "clockwise", a number) or ``sequence`` (an order, or a route's turns).
    """

    letter: str = ""
    text: str
    entity: str | None = None
    answer: str | None = None
    sequence: tuple[str, ...] = ()


class RouteStep(_Model):
    """One step of a route: a turn (``direction`` None = the blank to fill) or going until a landmark.

    ``side``: until the landmark is on that side. ``past``: the landmark is passed, not reached.
    """

    kind: Literal["turn", "go"]
    direction: TurnDirection | None = None
    until: str | None = None
    side: Side | None = None
    past: bool = False
    quote: str = ""


class CameraFact(_Model):
    """Something the question *states* about its photos' cameras, from which their poses can be laid out.

    ``same_spot``: all images, or ``image`` and ``other``, were taken from one place. ``turned``: ``image`` looks
    ``degrees`` further right than ``other``; with neither, each image than the one before. ``from_side``: ``image``
    shows ``object`` from its ``side``. ``faces``: ``image`` looks at ``object``.
    """

    kind: Literal["same_spot", "turned", "from_side", "faces"]
    image: int | None = None
    other: int | None = None
    degrees: float | None = Field(default=None, ge=-360, le=360)
    side: Literal["front", "back", "left", "right"] | None = None
    object: str | None = None
    quote: str = ""


class Comparison(_Model):
    """What to compute, between what, in whose terms.

    ``entities`` are the things compared or looked for, the options' things among them. ``relative_to`` is the thing a
    side, a distance or a rank is relative to (None: the viewer). ``frame`` says whose left and right: the viewer's, an
    object's own, the camera's, the world's. ``form`` is how the answer is given, whatever the function. ``attribute``
    names what of it (longest, height, quadrants, farther, ...). ``event`` is what a mover does ("turn left"), ``when``
    the question's own words for the part of a video it is about ("after rinsing") where ``during`` cannot say it.
    """

    function: Function
    entities: tuple[str, ...] = ()
    relative_to: str | None = None
    side: Side | None = None
    frame: Literal["viewer", "object", "camera", "world"] = "viewer"
    form: Literal["open", "choice", "yes_no", "number"] = "open"
    attribute: str | None = None
    unit: Unit | None = None
    options: tuple[Option, ...] = ()
    images: tuple[int, int] | None = None
    route: tuple[RouteStep, ...] = ()
    event: str | None = None
    during: Literal["whole", "first_half", "last_half"] = "whole"
    when: str | None = None


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which a decomposition does not fit its question; ``where`` is the path of the field."""

    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class Decomposition(_Model):
    """A question taken apart: reference, stated motions, comparison, and what it states about the cameras."""

    reference: Reference = Reference()
    motions: tuple[Motion, ...] = ()
    comparison: Comparison
    given: tuple[CameraFact, ...] = ()

    @property
    def anchored(self) -> bool:
        """Whether the question is asked from somewhere in particular."""
        return self.reference.kind != "none"

    @property
    def image_numbers(self) -> tuple[int, ...]:
        """Every image number mentioned."""
        facts = (number for fact in self.given for number in (fact.image, fact.other))
        named = (self.reference.image, self.reference.facing.image, *(self.comparison.images or ()), *facts)
        return tuple(n for n in named if n is not None)

    @property
    def objects(self) -> tuple[str, ...]:
        """Every object phrase a program must look up, without repeats: reference, facing, relative_to, entities."""
        c, r = self.comparison, self.reference
        landmarks = [s.until for s in c.route if s.until]
        named = [r.object, r.facing.object, c.relative_to, *c.entities, *landmarks]
        return tuple(dict.fromkeys(n for n in named if n and normalise_phrase(n) not in _THE_VIEWER))

    @property
    def compared_objects(self) -> tuple[str, ...]:
        """As ``objects``, without the place and the facing of the reference."""
        c = self.comparison
        named = {c.relative_to, *c.entities, *(s.until for s in c.route)}
        return tuple(n for n in self.objects if n in named)

    def validate_against(
        self, question: str, options: Sequence[str] = (), images: Collection[int] | None = None
    ) -> tuple[Problem, ...]:
        """Ways in which this does not fit the question: invented quotes, images that do not exist, options left out."""
        return (
            *self._quote_problems(question, options),
            *self._image_problems(images),
            *self._option_problems(question, options),
        )

    def _quotes(self) -> Iterator[tuple[str, str]]:
        yield "reference.quote", self.reference.quote
        yield "reference.facing.quote", self.reference.facing.quote
        for i, motion in enumerate(self.motions):
            yield f"motions[{i}].quote", motion.quote
        for i, step in enumerate(self.comparison.route):
            yield f"comparison.route[{i}].quote", step.quote
        for i, fact in enumerate(self.given):
            yield f"given[{i}].quote", fact.quote

    def _quote_problems(self, question: str, options: Sequence[str]) -> Iterator[Problem]:
        said = normalise_phrase(" ".join([question, *options]))
        for where, quote in self._quotes():
            if quote and normalise_phrase(quote) not in said:
                yield Problem(where, f"the question does not say {quote!r}")
        for i, motion in enumerate(self.motions):
            if not motion.quote:
                yield Problem(f"motions[{i}].quote", "quote the words of the question that state this motion")

    def _image_problems(self, images: Collection[int] | None) -> Iterator[Problem]:
        for number in self.image_numbers:
            if number < 1 or (images is not None and number not in images):
                there = f"images are {numbers_text(sorted(images))}" if images else "images are counted from 1"
                yield Problem("reference/comparison", f"there is no image {number}; {there}")

    def _option_problems(self, question: str, options: Sequence[str]) -> Iterator[Problem]:
        c = self.comparison
        texts = {normalise_phrase(strip_letter(o)) for o in options}
        have = {normalise_phrase(o.text) for o in c.options}
        for missing in sorted(texts - have):
            yield Problem("comparison.options", f"the option {missing!r} is not covered")
        if options:
            for extra in sorted(have - texts):
                yield Problem("comparison.options", f"{extra!r} is not one of the options")
        entities = {normalise_phrase(e) for e in c.entities}
        for option in c.options:
            if option.entity and normalise_phrase(option.entity) not in entities:
                yield Problem("comparison.entities", f"the option's thing {option.entity!r} is missing")
        said = stems(" ".join([question, *options]))
        for phrase in self.objects:
            unsaid = stems(phrase) - said
            if unsaid:
                yield Problem(
                    "comparison.entities", f"{phrase!r}: the question does not say {', '.join(sorted(unsaid))}"
                )


_THE_VIEWER = frozenset({"me", "i", "you", "camera", "viewer", "the camera", "myself"})
