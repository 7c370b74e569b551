"""The peeler with every kind of clause this grammar knows."""

from __future__ import annotations

from placecell.agents.questions.frames import FRAMES
from placecell.agents.questions.motions import MOTIONS
from placecell.agents.questions.notes import NOTES
from placecell.agents.questions.places import PLACES
from placecell.agents.questions.politeness import POLITENESS
from placecell.agents.questions.setup import Peeler

PEELER = Peeler((*POLITENESS, *PLACES, *MOTIONS, *FRAMES, *NOTES))
