"""How questions about videos are put into words, and what is offered as an answer. Knows English alone."""

from __future__ import annotations

from collections.abc import Mapping

from placecell.backends.synthetic.moving.bodies import plural

STILL = "not moving"
WAYS: Mapping[str, str] = {
    "left": "left",
    "right": "right",
    "towards": "towards the camera",
    "away": "away from the camera",
    "forward": "forwards",
    "backward": "backwards",
}
CLOCK: Mapping[str, str] = {"clockwise": "clockwise", "counterclockwise": "counter-clockwise"}
WORDINGS: Mapping[str, tuple[str, ...]] = {
    "direction": (
        "What direction is the {x} moving towards?",
        "From the camera perspective, which direction is the {x} moving?",
        "Is the {x} moving to the left or right?",
    ),
    "approach": (
        "Is the {x} moving towards or away from the camera?",
        "From the camera perspective, what direction is the {x} moving towards?",
        "Is the {x} coming closer or going further away?",
    ),
    "landmark": ("Is the {x} moving towards or away from the {y}?",),
    "world way": (
        "In world coordinates, which direction is the {x} moving?",
        "Seen from where the video starts, what direction is the {x} moving towards?",
    ),
    "own way": (
        "Is the {x} moving forwards or backwards from its own perspective?",
        "From the {x}'s perspective, is the {x} moving forwards or backwards?",
    ),
    "turn": (
        "From the {x}'s perspective, is the {x} turning to the left or right?",
        "From its own perspective, which direction does the {x} turn?",
    ),
    "rotation": (
        "Is the {x} spinning clockwise or counter-clockwise?",
        "Which direction is the {x} rotating, clockwise or counter-clockwise?",
    ),
    "half": (
        "In the {half} half of the video, what direction is the {x} moving towards?",
        "During the {half} half of the video, which direction is the {x} moving?",
    ),
    "count": ("How many {xs} are {deed}?",),
    "reversals": (
        "How many times does the {x} change direction?",
        "How many times did the {x} reverse direction?",
    ),
    "which": ("What object is moving to the {side} in the scene?", "Which object is moving to the {side}?"),
    "presence": ("Is there a {x} in the video?", "Does the video show a {x}?"),
    "camera way": ("Which direction did the camera move?", "In which direction is the camera moving?"),
    "camera turn": ("Which way did the camera turn?", "Which way did the camera pan?"),
}


def absence(kind: str) -> str:
    return f"there are no {plural(kind)} in the video"
