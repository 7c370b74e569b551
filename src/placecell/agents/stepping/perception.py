"""What cells can perceive with: a model that looks at pictures, a segmenter that looks for things, or neither.

Knows how segmenters add to a memory. What a model is asked is ``looking``'s, what an effect means in a cell is the
engine's.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from placecell.agents.log import Unread
from placecell.agents.models.budget import Account, Limits
from placecell.agents.models.settings import Settings
from placecell.engine.cells.context import Effects
from placecell.memory.names import canonical
from placecell.memory.scene import SpatialMemory

if TYPE_CHECKING:
    from placecell.agents.models.channel import Channel
    from placecell.memory.ports import Segmenter


def perception(channel: Channel | None, segmenter: str | None = None) -> Effects:
    """The ports that a model and a segmenter (its name, or "auto") provide; what is None provides none.

    Raises:
        UserError: no segmenter has that name.
        BackendUnavailable: it is not installed.
    """
    ports = Effects()
    if channel is not None:
        from placecell.agents.stepping.looking import ports_of

        ports = ports_of(channel)
    if segmenter is not None:
        from placecell.backends.segment.ground import open_segmenter

        ports = replace(ports, find=partial(_find, open_segmenter(segmenter)))
    return ports


def perception_by(model: str | None, segmenter: str | None, limits: Limits, *, offline: bool | None = None) -> Effects:
    """The ports of a model by its name, within limits of its own; errors as ``perception``, and of opening a model."""
    if model is None:
        return perception(None, segmenter)
    from placecell.agents.models.channel import Channel
    from placecell.agents.models.open import open_model

    settings = Settings.of_environment(offline=offline)
    return perception(Channel(open_model(model, settings), settings, Account(limits), Unread()), segmenter)


def _find(segmenter: Segmenter, memory: SpatialMemory, name: str, images: tuple[int, ...]) -> SpatialMemory:
    """The memory once ``name`` was looked for in all images, or again in some of them.

    What a second look finds where an object of that name is known to be is that object.
    """
    from placecell.backends.segment.ground import find_objects, looked_for

    if not images:
        return find_objects(memory, [name], segmenter)
    some = replace(memory, frames=tuple(frame for frame in memory.frames if frame.number in images))
    found = looked_for(some, [name], segmenter).instances[len(memory.instances) :]
    known = [i for i in memory.instances if canonical(i.name) == canonical(name)]
    fresh = tuple(i for i in found if not any(k.box.contains(i.centre) for k in known))
    detail = f"looked again for {name} in images {', '.join(map(str, images))}: {len(fresh)} more"
    vocabulary = memory.vocabulary | {name}
    return memory.changed("find", detail, instances=(*memory.instances, *fresh), vocabulary=vocabulary)
