"""A log of everything that can happen, with hostile words wherever a text comes from outside."""

from __future__ import annotations

import numpy as np

from placecell.agents.answer import Answer, Finding, Usage
from placecell.agents.events import (
    AnswerEvent,
    BudgetEvent,
    CallPart,
    DecompositionEvent,
    FailureEvent,
    Message,
    NoteEvent,
    PicturePart,
    ProgramEvent,
    QuestionEvent,
    ReplyEvent,
    RequestEvent,
    ResultPart,
    RunEvent,
    StepRow,
    TextPart,
    Tokens,
    ValueRow,
    ViewEvent,
)
from placecell.agents.log import Log
from placecell.language.decomposition import Comparison, Decomposition

NASTY = "<script>alert('x')</script> & \"quoted\" <img src=http://example.com/a.png> </style></svg>"


def picture(log, shade, **facts):
    return log.picture(np.full((12, 16, 3), shade, np.uint8), **facts)


def camera(x, z):
    """A level camera at (x, 1.5, z) that looks north (-z)."""
    pose = [[1, 0, 0, x], [0, -1, 0, 1.5], [0, 0, -1, z], [0, 0, 0, 1]]
    return {"width": 16, "height": 12, "K": [[10, 0, 8], [0, 10, 6], [0, 0, 1]], "world_from_cam": pose}


PLAN = {
    "width": 16,
    "height": 12,
    "map_width": 16,
    "map_height": 12,
    "units_per_pixel": 0.5,
    # Straight down, the page's top is -z.
    "world_from_cam": [[1, 0, 0, 0], [0, 0, -1, 9], [0, 1, 0, 0], [0, 0, 0, 1]],
}


def fill(log: Log, *, usd: float | None = 0.0125) -> Log:
    """One question of every kind of event, through a model."""
    asked = log.asking()
    photo = picture(asked, 90, caption=f"Image 1 {NASTY}", image=1)
    asked.add(
        QuestionEvent(
            text=f"Where is {NASTY}?",
            options=("A. here", f"B. {NASTY}"),
            strategy="explore",
            model="openai:m",
            limits={"calls": 5, "usd": None},
            memory={"frames": 2, "placed": 2, "points": 10, "objects": {NASTY: 2}},
            overview=picture(asked, 200, caption="From above", camera=PLAN),
        )
    )
    plan = Decomposition(comparison=Comparison(function="direction", entities=(NASTY,)))
    asked.add(DecompositionEvent(author="openai:m", family=NASTY, decomposition=plan))
    said = (TextPart(text=NASTY), PicturePart(picture=photo), ResultPart(name="view", text=NASTY))
    messages = (Message(role="system", parts=(TextPart(text="rules"),)), Message(role="user", parts=said))
    asked.add(
        RequestEvent(
            call=1,
            role="planner",
            model="m",
            messages=messages,
            tools=({"name": "view", "description": NASTY},),
            settings={"temperature": 0},
            dropped=(f"photo 7 ({NASTY})",),
        )
    )
    asked.add(
        ReplyEvent(
            call=1,
            parts=(TextPart(text=NASTY), CallPart(name="view", arguments='{"azimuth": 30}', id="x1")),
            finish="tool_call",
            usage=Tokens(input=1200, output=34, usd=usd),
            seconds=1.5,
        )
    )
    flaw = Finding(
        code="V401", category="viewpoint", severity="error", line=2, column=5, end_line=2, end_column=9, message=NASTY
    )
    program = f'def plan(images):\n    locate("{NASTY}")\n'
    asked.add(ProgramEvent(author="openai:m", text=program, diagnostics=(flaw,), accepted=False))
    row = StepRow(number=1, line=2, target="a", operation="locate", arguments=NASTY, result=NASTY)
    asked.add(RunEvent(values=(ValueRow(words=NASTY, rests_on="images 1"),), steps=(row,), operations=1))
    shown = picture(asked, 30, caption=NASTY, camera=camera(1.0, 1.0))
    asked.add(ViewEvent(round=1, asked={"camera": 1, "azimuth": 30, "note": NASTY}, picture=shown))
    asked.add(ViewEvent(round=2, asked={"camera": 1}, refused=f"shown already {NASTY}"))
    asked.add(NoteEvent(text=NASTY, facts={NASTY: NASTY}))
    asked.add(FailureEvent(stage="model", reason=NASTY, call=1))
    asked.add(BudgetEvent(limit="calls", allowed=5, used={"calls": 5}))
    answer = Answer(
        question=f"Where is {NASTY}?",
        answer=NASTY,
        letter="B",
        confidence=0.5,
        method="vlm",
        values={"a": NASTY},
        usage=Usage(calls=1, seconds=2.0),
    )
    asked.add(AnswerEvent(answer=answer))
    return log
