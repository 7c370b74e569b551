"""A model as the ports of cells: it judges pictures, says which way a thing faces, and copies text.

Every reply is held to a closed form: one of the options, one of eight ways to face. Text that a photo shows comes back
as text that nothing follows. No reply is a ``PlacecellError``, which a cell turns into an absent value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from placecell.agents.models.channel import Channel
from placecell.agents.models.pictures import Shown
from placecell.agents.opinions import TRUST_PHOTOS
from placecell.agents.prompting import prompt
from placecell.agents.questions.options import RawOption
from placecell.agents.reply import lettered
from placecell.agents.talk import Failure, Talk
from placecell.agents.wanted import Wanted
from placecell.engine.cells.context import Effects, Front
from placecell.engine.context import Judgement
from placecell.engine.values import Picture
from placecell.errors import BackendUnavailable
from placecell.geometry import transforms
from placecell.memory.crops import best_view, crop
from placecell.memory.scene import Frame, Instance, SpatialMemory

_UNSEEN = "none of these, or it cannot be seen"
_ATTEMPTS = 2
_MOST_TEXT = 600
"""Characters of a photo's text that are kept."""
_FACINGS = {
    "away from the camera": 0.0,
    "away from the camera and to the right of the picture": 45.0,
    "to the right of the picture": 90.0,
    "towards the camera and to the right of the picture": 135.0,
    "towards the camera": 180.0,
    "towards the camera and to the left of the picture": -135.0,
    "to the left of the picture": -90.0,
    "away from the camera and to the left of the picture": -45.0,
}
"""Ways to face in a picture, as degrees to the right of the camera's heading."""


def ports_of(channel: Channel) -> Effects:
    """What the model of a channel can be asked, within the channel's limits."""
    return Effects(
        judge=partial(_judge, channel), facing=partial(_facing, channel), read_text=partial(_read_text, channel)
    )


def _judge(channel: Channel, question: str, pictures: Sequence[Picture], options: Sequence[str]) -> Judgement | None:
    said = _chosen(channel, question, [Shown.of_picture(picture) for picture in pictures], options)
    return None if said is None else Judgement(said, TRUST_PHOTOS)


def _facing(channel: Channel, memory: SpatialMemory, instance: Instance) -> Front | None:
    """The way an object faces in the picture that shows it best, as a direction of the world."""
    view = best_view(instance, memory.posed_frames)
    frame = None if view is None else memory.frame(view.frame)
    if view is None or frame is None or frame.camera is None:
        return None
    shown = Shown(crop(frame, view), f"{instance.name}, cut out of image {frame.number}")
    said = _chosen(channel, f"Which way does the front of the {instance.name} face?", [shown], tuple(_FACINGS))
    if said is None:
        return None
    way = math.radians(float(transforms.heading(frame.camera.world_from_cam)) + _FACINGS[said])
    return Front(np.array([math.sin(way), 0.0, -math.cos(way)]), TRUST_PHOTOS)


def _read_text(channel: Channel, frame: Frame) -> str:
    said = Talk(channel, prompt("read_text"), role="reader").ask(Shown.of_frame(frame), output=str)
    if isinstance(said, Failure):
        raise BackendUnavailable(f"the model read nothing: {said}")
    text = " ".join(said.split())[:_MOST_TEXT]
    return "" if text.strip(". ").lower() == "nothing" else text


def _chosen(channel: Channel, question: str, shown: Sequence[Shown], options: Sequence[str]) -> str | None:
    """The option the model picks; None when it says that none fits."""
    wanted = Wanted(question, lettered([RawOption("", text) for text in (*options, _UNSEEN)]))
    talk = Talk(channel, prompt("judge"), role="judge")
    said = talk.ask(*shown, wanted.told(), check=wanted.missing(), attempts=_ATTEMPTS)
    if isinstance(said, Failure):
        raise BackendUnavailable(f"the model did not judge: {said}")
    reading = wanted.reading(said)
    return None if reading.text in (None, _UNSEEN) else reading.text
