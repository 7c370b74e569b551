"""All questions: every form of every family, filled from rooms and videos."""

from __future__ import annotations

from functools import cache

import forms_checks
import forms_frames
import forms_judged
import forms_moments
import forms_moves
import forms_pieces
import forms_pixels
import forms_ranking
import forms_routes
import forms_scale
import forms_sums
import forms_whatifs
from cell_forms import FORMS, CellQuestion
from cell_worlds import ROOMS, SCENES, room, scene

FAMILIES = tuple(
    module.FAMILY
    for module in (
        forms_frames, forms_scale, forms_sums, forms_ranking, forms_moves, forms_moments,
        forms_pieces, forms_routes, forms_whatifs, forms_pixels, forms_checks, forms_judged,
    )
)  # fmt: skip
"""In the order of the design."""


@cache
def questions() -> tuple[CellQuestion, ...]:
    """At least ten of each family."""
    asked: list[CellQuestion] = []
    for form in FORMS:
        asked += form.questions(map(scene, SCENES) if form.world == "video" else map(room, ROOMS))
    return tuple(asked)
