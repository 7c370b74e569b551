"""A look as a model asks for it: camera, azimuth, elevation, mode, read tolerantly and refused in words that help."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from placecell.agents.exploring.settings import Exploration
from placecell.engine.viewpoint import number
from placecell.memory.scene import SpatialMemory

__all__ = ["Look", "read_camera", "read_look", "read_number", "view_schema"]

Mode = Literal["ego", "global"]

_DIGITS = re.compile(r"\d{1,9}")
_ANGLE = re.compile(r"[-+]?\d+(?:\.\d+)?")
_MODES: dict[str, Mode] = {
    "ego": "ego", "egocentric": "ego", "inside": "ego", "first_person": "ego",
    "global": "global", "outside": "global", "overview": "global", "orbit": "global", "top": "global",
}  # fmt: skip


@dataclass(frozen=True)
class Look:
    """One view asked for, in the convention of the profile; ``camera`` None turns the scene in the world's axes."""

    camera: int | None
    azimuth: float = 0.0
    elevation: float = 0.0
    mode: Mode = "global"

    def record(self) -> dict[str, Any]:
        """For the log."""
        return {"camera": self.camera, "azimuth": self.azimuth, "elevation": self.elevation, "mode": self.mode}

    def words(self) -> str:
        """ "image 3, azimuth 45, elevation 0, ego"."""
        start = "" if self.camera is None else f"image {self.camera}, "
        return f"{start}azimuth {number(self.azimuth)}, elevation {number(self.elevation)}, {self.mode}"


def view_schema(memory: SpatialMemory, settings: Exploration) -> dict[str, Any]:
    """JSON schema of the arguments a model may choose under these settings."""
    properties: dict[str, Any] = {
        "azimuth": {
            "type": "number", "minimum": -180, "maximum": 180,
            "description": "degrees turned to the right; negative to the left",
        },
        "elevation": {
            "type": "number", "minimum": -90, "maximum": 90,
            "description": "ego: degrees looking up, negative down; global: from how high up, 90 straight down",
        },
    }  # fmt: skip
    required = ["azimuth", "elevation"]
    if settings.chooses:
        placed = [frame.number for frame in memory.posed_frames]
        listed = ", ".join(map(str, placed)) if len(placed) <= 40 else f"{placed[0]} to {placed[-1]}"
        properties["camera"] = {
            "type": "integer",
            "description": f"number of the image whose camera the angles are relative to: {listed or 'none is placed'}",
        }
        required.insert(0, "camera")
    if settings.inside:
        properties["mode"] = {
            "type": "string", "enum": ["ego", "global"],
            "description": "ego: from the camera's own place; global: the whole scene from outside",
        }  # fmt: skip
        required.append("mode")
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def read_look(
    arguments: Mapping[str, Any], memory: SpatialMemory, settings: Exploration, first_camera: int | None
) -> Look | str:
    """A look from a model's arguments, or what is wrong with them. What was not offered is not taken."""
    offered = view_schema(memory, settings)["properties"]
    unknown = sorted(set(map(str, arguments)) - set(offered))
    if unknown:
        return f"there is no argument {unknown[0]!r} here; give {', '.join(offered)}"
    camera = first_camera if settings.anchor else None
    if settings.anchor and first_camera is None:
        return "no image has a known place, so there is nothing to look from; answer from the photos"
    if settings.chooses and "camera" in arguments:
        chosen = read_camera(arguments["camera"], memory)
        if isinstance(chosen, str):
            return chosen
        camera = chosen
    angles: list[float] = []
    for name, most in (("azimuth", 360), ("elevation", 90)):
        value = read_number(arguments.get(name, 0))
        if value is None or abs(value) > most:
            return f"{name} is {arguments.get(name)!r}; give degrees from -{most} to {most}"
        angles.append(value)
    wanted = str(arguments.get("mode", "ego")).strip().lower() if settings.inside else "global"
    if wanted not in _MODES:
        return f"mode is {wanted!r}; give ego or global"
    return Look(camera, angles[0], angles[1], _MODES[wanted])


def read_camera(value: Any, memory: SpatialMemory) -> int | str:
    """An image number out of 3, "3", "image 3" or "cam3", or what is wrong with it."""
    found = _DIGITS.findall(str(value)) if isinstance(value, str) else None
    shot = int(found[0]) if found and len(found) == 1 else value
    if isinstance(shot, float) and shot.is_integer():
        shot = int(shot)
    if isinstance(shot, bool) or not isinstance(shot, int):
        return f"camera is {value!r}; give one image number"
    frame = next((f for f in memory.frames if f.number == shot), None)
    if frame is None:
        return f"there is no image {shot}; there are {memory.describe_numbers()}"
    if frame.camera is None:
        placed = ", ".join(str(f.number) for f in memory.posed_frames[:40])
        return f"where image {shot} was taken is not known; choose from {placed or 'none'}"
    return shot


def read_number(value: Any) -> float | None:
    """A finite number out of 45, "45" or "45 degrees"; None for anything else."""
    if isinstance(value, str):
        found = _ANGLE.findall(value)
        value = float(found[0]) if len(found) == 1 else None
    try:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
    except OverflowError:  # a whole number that no float can hold
        return None
    return float(value)
