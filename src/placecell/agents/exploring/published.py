"""Exploring with the published Think3D checkpoints: their text protocol, tool name, arguments and angles.

They write calls as JSON between tags in plain text, are asked anew in one message each round, and count angles as
``engine.published`` says. Replies are read tolerantly and what cannot be read is told back; wording is our own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from placecell.agents.exploring.asking import Look, read_camera, read_number
from placecell.agents.exploring.calls import Called, read_calls
from placecell.agents.exploring.gallery import Gallery, Refused
from placecell.agents.exploring.settings import Exploration
from placecell.agents.models.failures import Failure
from placecell.agents.models.pictures import Shown
from placecell.agents.prompting import prompt
from placecell.agents.quoting import as_data
from placecell.agents.reply import read_reply
from placecell.agents.strategy import Task
from placecell.agents.wanted import Wanted
from placecell.memory.scene import SpatialMemory

__all__ = ["CANONICAL", "Shown", "converse", "read_published", "system_prompt", "tool_schema"]

CANONICAL: tuple[tuple[float, float], ...] = ((-45.0, 0.0), (45.0, 0.0), (0.0, 60.0))
"""(azimuth, elevation) of the left, right and top view that Think3D-RL was trained on (paper, appendix A)."""

_TOOLS = frozenset({"pi3x_tool", "pi3_tool", "pi3_multiimg_tool", "vggt_tool", "mapanything_tool"})
_ANGLES = (
    "azimuth_angle turns the scene: negative shows it from the left, positive from the right, 180 from behind. "
    "elevation_angle raises the camera: 60 looks from above."
)
_THREE = "Only three views exist: left (-45, 0), right (45, 0) and top (0, 60), as (azimuth_angle, elevation_angle)."


def converse(task: Task, gallery: Gallery, wanted: Wanted, photos: list[Shown]) -> str | Failure:
    """Ask, look, ask again; the reply that holds the answer, or the last one, or why there is none."""
    settings = gallery.settings
    system = system_prompt(settings)
    feedback: list[str] = []
    said: str | Failure = ""
    for turn in range(1, settings.rounds + 2):
        last = turn > settings.rounds
        talk = task.talk("" if last else system, role="explorer")
        content = _round(gallery, wanted, photos, feedback, turn)
        said = talk.ask(*content, output=str, attempts=1)
        if isinstance(said, Failure):
            if said.kind != "empty" or last:
                return said
            said = ""  # reasoning only, which is no reason to give up while rounds are left
        calls = [] if last else read_calls(said)
        if isinstance(calls, str):
            feedback = [calls]
        elif calls:
            feedback = [_carry_out(call, gallery, turn) for call in calls[: settings.views]]
        elif read_reply(said, wanted.options, unit=wanted.unit, number=wanted.number).answered:
            return said
        else:
            feedback = ["Your last reply held neither a call nor an answer."]
    return said


def read_published(
    arguments: Mapping[str, Any], memory: SpatialMemory, settings: Exploration, first_camera: int | None
) -> Look | str:
    """A look from the published tool's arguments. ``image_path`` is not needed: there is one reconstruction."""
    known = {"azimuth_angle", "elevation_angle", "rotation_reference_camera", "camera_view", "image_path"}
    unknown = sorted(set(map(str, arguments)) - known)
    if unknown:
        return f"there is no argument {unknown[0]!r}; give azimuth_angle and elevation_angle"
    angles = {}
    for name, most in (("azimuth_angle", 180), ("elevation_angle", 90)):
        value = read_number(arguments.get(name, 0))
        if value is None or abs(value) > most:
            return f"{name} is {arguments.get(name)!r}; give degrees from -{most} to {most}"
        angles[name] = value
    camera: int | str | None = first_camera
    if settings.chooses and arguments.get("rotation_reference_camera") is not None:
        camera = read_camera(arguments["rotation_reference_camera"], memory)
    if isinstance(camera, str):
        return camera
    if camera is None:
        return "no image has a known place, so there is nothing to look from"
    azimuth, elevation = angles["azimuth_angle"], angles["elevation_angle"]
    if azimuth % 360 == 0 and elevation == 0:
        return "azimuth 0 with elevation 0 is the photo itself; give a turn"
    if settings.canonical and (azimuth, elevation) not in CANONICAL:
        return "only (-45, 0), (45, 0) and (0, 60) exist"
    inside = settings.inside and str(arguments.get("camera_view", False)).strip().lower() in ("true", "1", "yes")
    return Look(camera, azimuth, elevation, "ego" if inside else "global")


def system_prompt(settings: Exploration) -> str:
    """The published protocol in our words: the tool, how it is called, and how the answer is marked."""
    text = prompt("explore_published")
    text = text.replace("{{tools}}", json.dumps(tool_schema(settings)))
    return text.replace("{{angles}}", _THREE if settings.canonical else _ANGLES)


def tool_schema(settings: Exploration) -> dict[str, Any]:
    """The tool under its published name, with the arguments these settings offer."""
    properties: dict[str, Any] = {
        "azimuth_angle": {"type": "number", "description": "degrees left (negative) or right, -180 to 180"},
        "elevation_angle": {"type": "number", "description": "degrees below (negative) or above, -90 to 90"},
    }
    if settings.chooses and not settings.canonical:
        properties["rotation_reference_camera"] = {"type": "integer", "description": "image number, from 1"}
    if settings.inside and not settings.canonical:
        properties["camera_view"] = {"type": "boolean", "description": "true: from that camera; false: from outside"}
    return {
        "name": "pi3x_tool",
        "description": "Renders the point cloud reconstructed from the photos from another angle.",
        "parameters": {"type": "object", "properties": properties, "required": ["azimuth_angle", "elevation_angle"]},
    }


def _round(gallery: Gallery, wanted: Wanted, photos: list[Shown], feedback: list[str], turn: int) -> list[str | Shown]:
    """One message: photos, renders so far, what came of the last calls, the question, and what may come now."""
    rounds = gallery.settings.rounds
    content: list[str | Shown] = [*photos, *(view.shown() for view in gallery.views)]
    if feedback:
        content.append(as_data("tool_response", "\n".join(feedback)))
    content.append(as_data("question", wanted.question))
    if wanted.options:
        content.append(as_data("options", "\n".join(wanted.offered)))
    if turn > rounds:
        content.append(
            "No further call is possible. Reason between <think> and </think> from the photos and views above, then "
            f"give the answer between <answer> and </answer>: {_inside(wanted)}."
        )
    else:
        content.append(
            f"Round {turn} of {rounds}. Ask for a view that is still missing, or give the answer between <answer> and "
            f"</answer>: {_inside(wanted)}."
        )
    return content


def _inside(wanted: Wanted) -> str:
    return "only the letter of one option" if wanted.options else "only a number" if wanted.number else "a few words"


def _carry_out(call: Called, gallery: Gallery, turn: int) -> str:
    if call.name not in _TOOLS:
        return f"There is no tool {call.name!r}; use pi3x_tool."
    got = gallery.ask(call.arguments, turn, read_published)
    if isinstance(got, Refused):
        return f"Not made: {got.why}."
    return f"View {got.number}: {got.look.words()}."
