"""A memory as tools for somebody else's pydantic-ai agent.

>>> agent = Agent("openai:...", toolsets=[toolset(memory)])

The agent asks spatial questions in words and gets measured answers, lists what is there, and looks at photos and
renders. What cannot be given is said in words, which the model reads; nothing raises for what a model asks.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic_ai import FunctionToolset, Tool, ToolReturn
from pydantic_ai.messages import BinaryContent

from placecell.agents.answering import How
from placecell.agents.pipeline import Asker
from placecell.agents.quoting import as_data, plain
from placecell.agents.tool_schemas import parameters_schema, tool_description, tool_operations
from placecell.agents.toolbox import Toolbox
from placecell.engine.context import Budget
from placecell.engine.facts import facts_of
from placecell.engine.renders import render_view
from placecell.engine.values import Picture
from placecell.errors import UserError
from placecell.memory import names
from placecell.memory.scene import SpatialMemory

_SIDE = 768
_MOST_OBJECTS = 200
_CONVERSATION = Budget(operations=2000, pictures=64, seconds=math.inf)
"""For all calls of operations together; between them a person may think for as long as they like."""
_TOLD = ("answer", "letter", "value", "unit", "interval", "confidence", "method", "reason", "notes")


def toolset(
    memory: SpatialMemory, how: How | None = None, *, operations: bool = False, id: str = "place"
) -> FunctionToolset[Any]:
    """Tools over one memory: ``ask_place``, ``list_objects``, ``look_at_photo``, ``look_from``.

    Args:
        memory: the place.
        how: how ``ask_place`` answers; without, by rules: exact, free, and without a model.
        operations: also every operation of the language as a tool of its own. Results are named r1, r2, ... and there
            is one viewpoint, both the toolset's: make one for each conversation.
        id: the toolset's name, needed where an agent gets several.

    Raises:
        UserError, BackendUnavailable: what ``how`` names cannot be used.
    """
    tools = _Tools(memory, Asker(memory, how))
    offered: list[Callable[..., Any]] = [tools.ask_place, tools.list_objects, tools.look_at_photo, tools.look_from]
    made = FunctionToolset[Any](offered, id=id, docstring_format="google", require_parameter_descriptions=True)
    box = Toolbox(memory, budget=_CONVERSATION)
    for operation in tool_operations(dynamic=_in_time(memory)) if operations else ():
        made.add_tool(
            Tool.from_schema(
                partial(_carried_out, box, operation.name),
                operation.name,
                tool_description(operation),
                parameters_schema(operation),
                sequential=True,
            )
        )
    return made


def _carried_out(box: Toolbox, operation: str, /, **arguments: Any) -> ToolReturn[Any] | str:
    got = box.call(operation, arguments)
    if isinstance(got, str):
        return got
    if isinstance(got.value, Picture):
        return _shown(got.told(), got.value.rgb)
    return as_data("result", got.told())


def _in_time(memory: SpatialMemory) -> bool:
    return bool(facts_of(memory).dynamic)


class _Tools:
    """The functions a model calls; their docstrings are what it reads."""

    def __init__(self, memory: SpatialMemory, asker: Asker) -> None:
        self._memory = memory
        self._asker = asker

    def ask_place(self, question: str, options: list[str] | None = None) -> str:
        """Answer a spatial question about the place by measuring it: distances, sizes, counts, directions, visibility.

        Args:
            question: One question in plain English, such as "How far is the sofa from the door in meters?".
            options: The offered answers of a multiple-choice question.
        """
        record = self._asker.ask(question, options).record()
        told = {name: record[name] for name in _TOLD if record[name] not in (None, [], 0.0)}
        return as_data("answer", json.dumps(told, ensure_ascii=False))

    def list_objects(self, name: str | None = None) -> str:
        """List the objects of the place with their number, size, and the images that show them.

        Args:
            name: Only objects of this name, such as "chair".
        """
        things = self._memory.instances if name is None else names.find(self._memory, name)
        unit = self._memory.unit
        lines = [
            f"{plain(t.name)} {t.id}: {' x '.join(f'{v:.2f}' for v in t.upright_box.size)} {unit}, "
            f"images {', '.join(str(v.frame) for v in t.views) or 'none'}"
            for t in things[:_MOST_OBJECTS]
        ]
        if len(things) > _MOST_OBJECTS:
            lines.append(f"and {len(things) - _MOST_OBJECTS} more")
        return as_data("objects", "\n".join(lines)) if lines else "There is nothing of this name."

    def look_at_photo(self, image: int) -> ToolReturn[Any] | str:
        """Show a photo of the place.

        Args:
            image: The image's number, from 1.
        """
        try:
            frame = self._memory.frame(image)
        except UserError as error:
            return str(error)
        return _shown(f"Image {image}", frame.rgb)

    def look_from(
        self,
        image: int,
        azimuth: float = 0.0,
        elevation: float = 0.0,
        mode: Literal["ego", "global", "bev", "semantic"] = "ego",
    ) -> ToolReturn[Any] | str:
        """Show a render of the reconstructed place from a virtual camera, given relative to a photo's.

        Args:
            image: The number of the photo whose camera the angles are relative to, from 1.
            azimuth: Degrees to the right; negative is left.
            elevation: Degrees. "ego": looking up. "global": from higher up, looking down; 90 is straight down.
            mode: "ego" from that camera's place, "global" the whole place from outside, "bev" from above in colour,
                "semantic" a plan with objects and cameras. The last two take no angles.
        """
        try:
            picture = render_view(
                self._memory, anchor=image, azimuth=azimuth, elevation=elevation, mode=mode, size=_SIDE
            )
        except UserError as error:
            return str(error)
        return _shown(picture.caption, picture.rgb)


def _shown(caption: str, rgb: NDArray[np.uint8]) -> ToolReturn[Any]:
    picture = Image.fromarray(rgb)
    picture.thumbnail((_SIDE, _SIDE))
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    content: Sequence[str | BinaryContent] = [
        as_data("caption", caption),
        BinaryContent(buffer.getvalue(), media_type="image/png"),
    ]
    return ToolReturn(return_value=as_data("caption", caption), content=content)
