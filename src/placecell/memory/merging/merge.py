"""Pieces of several views, all of one name, to the objects they show. Knows pieces and frames; not names or files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.memory.merging.consensus import Consensus, groups_by_consensus
from placecell.memory.merging.edges import groups_by_edges
from placecell.memory.merging.settings import MergeSettings
from placecell.memory.merging.space import joined_in_space
from placecell.memory.merging.support import Support, Witnesses
from placecell.memory.pieces import Piece

_MOST = 0.5
_SCORES = (0.05, 0.95)  # a score is an opinion, never certainty


@dataclass(frozen=True, eq=False)
class Group:
    """The pieces of one object.

    ``shown``: share of the views of its place that show it; ``confidence``: probability that it exists.
    """

    parts: tuple[Piece, ...]
    shown: float
    confidence: float


def merge(parts: Sequence[Piece], witnesses: Witnesses) -> list[Group]:
    """Objects, in order of their first piece.

    ``parts`` all have points. ``witnesses`` are the frames that were searched for them: one that sees an object's place
    and has no piece there speaks against it.
    """
    if not parts:
        return []
    settings = witnesses.settings
    said = witnesses.support(parts)
    scores = [part.score for part in parts]
    if settings.linking == "edges":
        members = groups_by_edges(said, scores, settings)
        return [Group(_of(parts, m), 1.0, float(np.mean([scores[i] for i in m]))) for m in members]
    group, found = groups_by_consensus(said, settings)
    group = joined_in_space(parts, group, found, witnesses.depth_sd, settings)
    members = [np.flatnonzero(group == k).tolist() for k in range(int(group.max()) + 1)]
    members.sort()
    groups = []
    for mine in members:
        views, seen_by = _views(said, found, np.array(mine))
        score = float(np.mean([scores[i] for i in mine]))
        groups.append(Group(_of(parts, mine), views / seen_by, _confidence(score, views, seen_by - views, settings)))
    return groups


def _of(parts: Sequence[Piece], members: Sequence[int]) -> tuple[Piece, ...]:
    return tuple(parts[i] for i in members)


def _views(said: Support, found: Consensus, members: NDArray[np.int64]) -> tuple[int, int]:
    """Views with a mask of the object, and views that should have one: those, and who see most of its masks."""
    shown = np.zeros(found.visible.shape[1], bool)
    shown[said.view[members]] = True
    return int(shown.sum()), int((shown | (found.visible[members].mean(axis=0) >= _MOST)).sum())


def _confidence(score: float, showing: int, silent: int, settings: MergeSettings) -> float:
    """Probability that an object exists: one view's score, and by Bayes' rule what the other views add or take away."""
    low, high = _SCORES
    odds = np.log(np.clip(score, low, high) / (1 - np.clip(score, low, high)))
    odds += (showing - 1) * np.log(settings.shows_true / settings.shows_false)
    odds += silent * np.log((1 - settings.shows_true) / (1 - settings.shows_false))
    return float(1 / (1 + np.exp(-np.clip(odds, -50, 50))))
