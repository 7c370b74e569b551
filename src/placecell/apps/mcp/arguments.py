"""Arguments of the tools: what a client may say. Their schemas and descriptions are what a model reads."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from placecell.apps.questions_file import LONGEST

Memory = Annotated[str, Field(description='A saved memory, e.g. "room.pcell"; `memories` lists them.')]
Image = Annotated[int, Field(ge=1, description="Number of a photo, from 1.")]


class Arguments(BaseModel):
    """Nothing but what is named."""

    model_config = ConfigDict(extra="forbid")


class Nothing(Arguments):
    """No arguments."""


class OfMemory(Arguments):
    memory: Memory


class Objects(OfMemory):
    name: str | None = Field(None, max_length=200, description='Only objects of this name, such as "chair".')


class Photo(OfMemory):
    image: Image


class View(OfMemory):
    image: Image = 1
    azimuth: float = Field(0.0, ge=-360, le=360, description="Degrees to the right of that photo; negative is left.")
    elevation: float = Field(
        0.0, ge=-90, le=90, description='Degrees. "ego": looking up. "global": from higher up, looking down.'
    )
    mode: Literal["ego", "global", "bev", "semantic"] = Field(
        "ego",
        description='"ego": from that photo\'s place; "global": the whole place from outside; "bev": from above in '
        'colour; "semantic": a plan with objects and cameras. The last two take no angles.',
    )
    size: int = Field(768, ge=64, le=1024, description="Pixels of the longer side.")


class Ask(OfMemory):
    question: str = Field(
        min_length=1, max_length=LONGEST, description='In plain English: "How far is the sofa from the door?"'
    )
    options: list[str] | None = Field(None, max_length=26, description="The answers of a multiple-choice question.")
    trace: bool = Field(False, description="Also keep an HTML page that shows how it was answered, as a resource.")


class Program(OfMemory):
    program: str = Field(min_length=1, max_length=100_000, description="The text of a program.")


class Check(Arguments):
    program: str = Field(min_length=1, max_length=100_000, description="The text of a program.")
    memory: str | None = Field(None, description="Also check it against what this memory holds.")


class Build(Arguments):
    sources: list[str] = Field(
        min_length=1,
        max_length=10_000,
        description="A folder, photos, a video, an RGB-D capture or a posed dataset; paths in the served folder.",
    )
    output: str = Field(description='The memory to write, e.g. "room.pcell".')
    replace: bool = Field(False, description="Replace a memory of this name.")
    frames: int | None = Field(None, ge=1, description="Use at most this many frames.")
    sampling: str = Field("uniform", max_length=300, description="uniform, coverage, sharpest or clip:TEXT.")
    objects: list[str] = Field([], max_length=100, description='Things to look for, such as "chair".')
    labels: str | None = Field(None, description="Label images by photo, COCO, LabelMe, or a boxes file.")
    reconstructor: str = Field("auto", max_length=100, description="auto, or an installed backend's name.")
    segmenter: str = Field("auto", max_length=100, description="auto, or an installed backend's name.")
    metric: bool = Field(False, description="Fail unless the memory comes out in metres.")
    strict: bool = Field(False, description="Fail on the first file that cannot be used.")
    wait: float | None = Field(
        None,
        ge=0,
        le=3600,
        description="Return after this many seconds with a job for build_status; without, wait until it is built.",
    )


class BuildStatus(Arguments):
    job: str = Field(max_length=40, description="The job that build named.")
    wait: float = Field(0.0, ge=0, le=60, description="Wait up to this many seconds for it to finish.")


class StopBuild(Arguments):
    job: str = Field(max_length=40, description="The job that build named.")
