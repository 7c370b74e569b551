"""How questions are put into words: several wordings a family, in our own words, and the plain nouns they need.

Knows: English. Does not know: rooms or truth. ``{picture}`` is "image 3", "photo 3" and so on; other slots are nouns.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

PICTURE_WORDS = ("image", "image", "photo", "picture", "view", "frame")

WORDINGS: Mapping[str, tuple[str, ...]] = {
    "camera motion": (
        "In which direction did I move from {picture} to {other}?",
        "Which way did the camera move between {picture} and {other}?",
        "From the viewpoint of {picture}, in which direction did I go to get to {other}?",
        "Comparing {picture} with {other}, which way have I moved?",
    ),
    "side": (
        "If I am standing where {picture} was taken and facing the same way, what is {side}?",
        "Standing at the spot of {picture} and looking in its direction, what is {side}?",
        "From the viewpoint of {picture}, what is {side}?",
    ),
    "side after turn": (
        "If I am standing where {picture} was taken and facing the same way, then I {turn}, what is {side}?",
        "Standing at the spot of {picture} and looking in its direction, I {turn}. What is {side}?",
        "From the viewpoint of {picture}, after I {turn}, what will be {side}?",
    ),
    "distance": (
        "What is the distance between the {a} and the {b} in meters?",
        "Measured from the closest point of each, how far apart are the {a} and the {b} in meters?",
        "How far is the {a} from the {b}, in metres?",
        "How many meters are there between the {a} and the {b} at their closest points?",
    ),
    "size": (
        "What is the length of the longest dimension (length, width or height) of the {a} in centimeters?",
        "How long is the longest side of the {a} in centimeters?",
        "Measured along its longest side, how big is the {a} in cm?",
        "How large is the {a} along its longest dimension, in centimetres?",
    ),
    "count": (
        "How many {plural} are in this room?",
        "How many {a}(s) are there in the room?",
        "Count the {plural} in this room.",
        "What is the number of {plural} in this room?",
    ),
    "nearest": (
        "Which of these objects is closest to the {x}?",
        "Measuring from the closest point of each object, which of these ({choices}) is the nearest to the {x}?",
        "Of {choices}, which one is nearest to the {x}?",
        "What is closest to the {x}: {either}?",
    ),
    "farthest": (
        "Which of these objects is farthest from the {x}?",
        "Measuring from the closest point of each object, which of these ({choices}) is the farthest from the {x}?",
        "Of {choices}, which one is the furthest away from the {x}?",
    ),
    "relative direction": (
        "If I am standing by the {a} and facing the {b}, is the {c} to my {words}?",
        "Standing at the {a} and facing the {b}, where is the {c}?",
        "I stand at the {a} and look towards the {b}. In which direction is the {c}?",
        "When I am at the {a} facing the {b}, is the {c} to my {words}?",
    ),
    "room size": (
        "What is the floor area of this room in square meters?",
        "How large is this room, in square metres?",
        "What is the size of this room (in square meters)?",
        "How many square meters does this room have?",
    ),
    "visibility": (
        "Is the {x} visible in {picture}?",
        "Can the {x} be seen from the viewpoint of {picture}?",
        "If I stand where {picture} was taken and face the same way, can I see the {x}?",
        "Does {picture} show the {x}?",
    ),
    "closer": (
        "If I am standing where {picture} was taken and facing the same way, then {turn} and move forward, "
        "will I get closer to the {x}?",
        "From the viewpoint of {picture}, I {turn} and walk forward. Will I get closer to the {x}?",
        "Starting at the position and heading of {picture}, if I {turn} and go forward, do I come nearer to the {x}?",
    ),
    "appearance order": (
        "What is the first-time appearance order of the following categories in the video: {list}?",
        "In which order do these come into view for the first time in the video: {list}?",
    ),
}

SIDES: Mapping[str, tuple[str, ...]] = {
    "left": ("to my left", "on my left-hand side", "on my left"),
    "right": ("to my right", "on my right-hand side", "on my right"),
    "back": ("behind me",),
    "front": ("in front of me", "ahead of me"),
}

TURNS: Mapping[int, tuple[str, ...]] = {
    -90: ("turn left", "turn 90 degrees to the left", "turn left by 90 degrees"),
    90: ("turn right", "turn 90 degrees to the right", "turn right by 90 degrees"),
    180: ("turn around", "turn 180 degrees"),
}

MOVE_WORDS = ("forward", "right", "backward", "left")
DIAGONAL_WORDS = (
    "directly forward",
    "diagonally forward and right",
    "directly right",
    "diagonally backward and right",
    "directly backward",
    "diagonally backward and left",
    "directly left",
    "diagonally forward and left",
)


def pick(rng: np.random.Generator, choices: tuple[str, ...]) -> str:
    return choices[rng.integers(len(choices))]


def picture(rng: np.random.Generator, *numbers: int) -> list[str]:
    """ "photo 3", "photo 7": one word for all numbers of a question."""
    word = pick(rng, PICTURE_WORDS)
    return [f"{word} {number}" for number in numbers]


def plural(name: str) -> str:
    if name.endswith("shelf"):
        return name[:-1] + "ves"
    return name + ("es" if name.endswith(("ch", "sh", "x", "s")) else "s")


def listed(names: tuple[str, ...], last: str = "and") -> str:
    """ "the chair, the sofa and the bed" """
    nouns = [f"the {name}" for name in names]
    return f"{', '.join(nouns[:-1])} {last} {nouns[-1]}"
