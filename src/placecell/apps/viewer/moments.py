"""A recorded run as a row of moments to step through: where it looked from, what it saw, what it said.

Knows the events of a log. Does not know the browser.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.agents.events import (
    AnswerEvent,
    BudgetEvent,
    DecompositionEvent,
    FailureEvent,
    LogEvent,
    NoteEvent,
    PictureRef,
    ProgramEvent,
    QuestionEvent,
    ReplyEvent,
    RequestEvent,
    RunEvent,
    ViewEvent,
)
from placecell.agents.log import Log
from placecell.geometry.transforms import is_rigid

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Moment:
    """One thing that happened.

    ``eye`` (4, 4) is the viewpoint world_from_cam, None where there is none. ``image``: the photo looked at.
    ``picture``: a render or photo of the log. ``images`` and ``instances``: what an answer rests on.
    """

    question: int
    title: str
    text: str = ""
    eye: Array | None = None
    image: int | None = None
    picture: PictureRef | None = None
    images: tuple[int, ...] = ()
    instances: tuple[int, ...] = ()


def moments(log: Log) -> tuple[Moment, ...]:
    """The moments of a log in order."""
    return tuple(moment for event in log.events for moment in _of(event))


def _of(event: LogEvent) -> Iterator[Moment]:
    number = event.question
    match event:
        case QuestionEvent():
            options = "\n".join(event.options)
            yield Moment(number, "Question", f"{event.text}\n{options}".strip(), picture=event.overview)
        case DecompositionEvent():
            yield Moment(number, "Understood", f"{event.family or 'of no known kind'}, by {event.author}")
        case RequestEvent():
            yield Moment(number, f"Asked {event.model}", f"request {event.call}, {len(event.pictures)} pictures")
            for picture in event.pictures:
                yield _looked(number, f"Shown to {event.model}", picture)
        case ReplyEvent():
            yield Moment(number, "Reply", event.text)
        case ProgramEvent():
            state = "accepted" if event.accepted else f"refused: {'; '.join(d.message for d in event.diagnostics)}"
            yield Moment(number, f"{event.what.capitalize()}, {state}", event.text)
        case RunEvent():
            yield from _steps(event)
        case ViewEvent():
            asked = ", ".join(f"{name} {value}" for name, value in event.asked.items() if value is not None)
            if event.picture is not None:
                yield _looked(number, "View", event.picture, asked)
            else:
                yield Moment(number, "View refused", f"{asked}\n{event.refused or ''}")
        case NoteEvent():
            yield Moment(number, "Note", event.text)
        case FailureEvent():
            yield Moment(number, f"Stuck at {event.stage}", event.reason)
        case BudgetEvent():
            yield Moment(number, "Limit reached", f"{event.limit}: {event.allowed:g}")
        case AnswerEvent():
            said = event.answer
            text = (said.answer if not said.abstained else f"no answer: {said.reason}") or ""
            grounds = said.evidence
            yield Moment(number, "Answer", text, images=grounds.images, instances=grounds.instances)


def _steps(event: RunEvent) -> Iterator[Moment]:
    for step in event.steps:
        eye = _pose(step.eye)
        call = f"{step.operation}({step.arguments})\n= {step.result}"
        text = f"{call}\nviewpoint: {step.viewpoint}" if eye is not None else call
        yield Moment(event.question, f"Step {step.number}: {step.operation}", text, eye)
    for picture in event.pictures:
        yield _looked(event.question, "Rendered", picture)


def _looked(question: int, title: str, picture: PictureRef, text: str = "") -> Moment:
    eye = _pose(picture.camera.get("world_from_cam"))
    said = "\n".join(filter(None, (text, picture.caption)))
    return Moment(question, title, said, eye, picture.image, picture)


def _pose(rows: object) -> Array | None:
    """The pose as it stands in a file; None when it is none, or no rigid one."""
    match rows:
        case [[*_], [*_], [*_], [*_]] if all(len(r) == 4 and all(isinstance(v, (int, float)) for v in r) for r in rows):
            pose = np.array(rows, np.float64)
            return pose if is_rigid(pose) else None
    return None
