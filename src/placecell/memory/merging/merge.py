"""Pieces of several views, all of one name, to the objects they show. Knows pieces and frames; not names or files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.memory.merging.consensus import Consensus, groups_by_consensus
from placecell.memory.merging.edges import groups_by_edges
from placecell.memory.merging.space import joined_in_space
from placecell.memory.merging.support import Support, Witnesses
from placecell.memory.pieces import Piece

_MOST = 0.5


@dataclass(frozen=True, eq=False)
class Group:
    """The pieces of one object. ``confidence``: share of the views of its place that show it, times their score."""

    parts: tuple[Piece, ...]
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
        return [_group(parts, m, float(np.mean([scores[i] for i in m]))) for m in members]
    group, found = groups_by_consensus(said, settings)
    group = joined_in_space(parts, group, found, witnesses.depth_sd, settings)
    members = [np.flatnonzero(group == k).tolist() for k in range(int(group.max()) + 1)]
    members.sort()
    return [_group(parts, m, _confidence(said, found, np.array(m), scores)) for m in members]


def _group(parts: Sequence[Piece], members: Sequence[int], confidence: float) -> Group:
    return Group(tuple(parts[i] for i in members), confidence)


def _confidence(said: Support, found: Consensus, members: NDArray[np.int64], scores: Sequence[float]) -> float:
    """Views that see most of the masks have a say; those with a mask of the object show it."""
    say = found.visible[members].mean(axis=0) >= _MOST
    shown = np.zeros(len(say), bool)
    shown[said.view[members]] = True
    return float(np.mean([scores[i] for i in members]) * shown.sum() / (say | shown).sum())
