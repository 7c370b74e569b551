"""What a model is told about exploring, for the choices its settings leave it."""

from __future__ import annotations

from placecell.agents.exploring.settings import Exploration
from placecell.agents.prompting import prompt

_CAMERA = "- `camera` is the number of the image that angles are counted from: 0 degrees is the way it looks."
_FIXED = "- Angles are counted from the first image that has a position: 0 degrees is the way it looks."
_WORLD = "- Angles are counted from a fixed direction of the place; no image is the point of view."
_AZIMUTH = "- `azimuth` turns to the right, negative to the left; 90 looks to the right, 180 back."
_EGO = (
    "- Mode `ego` stands where the image was taken: `elevation` looks up, negative down. Use it for what a person "
    "there sees after a turn. Without a turn it is the photo itself."
)
_GLOBAL = (
    "- {mode} shows everything from outside: the higher `elevation`, the more from above; about 60 shows a room well, "
    "90 is a plan whose top is where the camera looks. Camera marks open forwards and carry image numbers. Use it for "
    "the layout, for distances, and for how images lie to each other."
)


def instructions(settings: Exploration) -> str:
    """The system prompt of an exploration with native tools."""
    start = _WORLD if not settings.anchor else _CAMERA if settings.chooses else _FIXED
    outside = _GLOBAL.format(mode="Mode `global`" if settings.inside else "A view")
    choices = [start, _AZIMUTH, *([_EGO] if settings.inside else []), outside]
    text = prompt("explore")
    for mark, filling in (
        ("{{rounds}}", str(settings.rounds)),
        ("{{views}}", str(settings.views)),
        ("{{choices}}", "\n".join(choices)),
    ):
        text = text.replace(mark, filling)
    return text
