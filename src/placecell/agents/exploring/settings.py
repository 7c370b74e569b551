"""How a place is explored: rounds, what may be chosen, and whose convention the angles follow.

The switches are those of the Think3D paper's ablation (table 3): without an anchor the scene is turned in the world's
axes; without the choice of a camera the first one is the anchor; without ego views there is only the view from outside.
"""

from __future__ import annotations

from dataclasses import dataclass

from placecell.agents.strategy_options import within
from placecell.engine.renders import Profile
from placecell.errors import UserError


@dataclass(frozen=True)
class Exploration:
    """Settings of the strategy ``explore``.

    ``rounds``: replies that may look before the answer is due; ``views``: looks in one reply. ``size``: pixels of a
    render's longer side. ``legend``: captions also say in words which known objects are in view and where; without it
    the loop is the paper's, pictures and camera only. ``profile`` "think3d" speaks to the published checkpoints in
    their own protocol and convention; ``canonical`` then offers only the three views they were trained on.
    """

    rounds: int = 3
    views: int = 3
    size: int = 768
    legend: bool = True
    anchor: bool = True
    choose_camera: bool = True
    ego: bool = True
    profile: Profile = "placecell"
    canonical: bool = False

    def __post_init__(self) -> None:
        within("explore", "rounds", self.rounds, 0, 20)
        within("explore", "views", self.views, 1, 12)
        within("explore", "size", self.size, 64, 2048)
        if self.canonical and self.profile != "think3d":
            raise UserError("explore: canonical views belong to the published checkpoints", hint="add profile=think3d")

    @property
    def inside(self) -> bool:
        """Whether views from inside may be asked for; they need an anchor."""
        return self.ego and self.anchor

    @property
    def chooses(self) -> bool:
        """Whether the camera may be chosen."""
        return self.choose_camera and self.anchor
