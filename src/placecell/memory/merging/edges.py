"""Merging as the Reasmory paper does: a graph of masks, its edges taken greedily, one mask of each view in an object.

Knows what the views say about each mask (``support``). Does not know pixels or points.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from placecell.memory.merging.settings import MergeSettings
from placecell.memory.merging.support import Support


def groups_by_edges(said: Support, scores: Sequence[float], settings: MergeSettings) -> list[list[int]]:
    """Indices of the masks of each object, in order of the first; masks that are no object are in none."""
    best, covered = _best_matches(said)
    agrees = covered >= settings.covered
    others = said.visible.sum(axis=1) - 1
    agreement = np.where(others > 0, agrees.sum(axis=1) / np.maximum(others, 1), 1.0)
    few = said.visible.shape[1] <= settings.few_views
    node = agreement >= (settings.agreeing_few if few else settings.agreeing_many)
    edges = _edges(said, best, covered, node, settings)
    parent = list(range(len(node)))
    views = [1 << int(k) for k in said.view]
    for _, i, j in edges:
        a, b = _root(parent, i), _root(parent, j)
        if a != b and not views[a] & views[b]:
            parent[max(a, b)] = min(a, b)
            views[min(a, b)] |= views[max(a, b)]
    linked = {i for _, *pair in edges for i in pair}
    members: dict[int, list[int]] = {}
    for i in np.flatnonzero(node).tolist():
        members.setdefault(_root(parent, i), []).append(i)
    lone = settings.lone_score
    return [m for m in members.values() if len(m) > 1 or (m[0] not in linked and scores[m[0]] >= lone)]


def _best_matches(said: Support) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(C, V) the mask of each other view that holds most of a mask, and the share it holds; -1 and 0 for none."""
    shares = coo_array(said.inside)
    apart = said.view[shares.row] != said.view[shares.col]
    rows, columns, values = shares.row[apart], shares.col[apart], shares.data[apart]
    order = np.lexsort((-columns, values))  # the last of a view is the largest, of equals the first
    best = np.full(said.visible.shape, -1, np.int64)
    covered = np.zeros(said.visible.shape)
    best[rows[order], said.view[columns[order]]] = columns[order]
    covered[rows[order], said.view[columns[order]]] = values[order]
    return best, covered


def _edges(
    said: Support,
    best: NDArray[np.int64],
    covered: NDArray[np.float64],
    node: NDArray[np.bool_],
    settings: MergeSettings,
) -> list[tuple[tuple[int, float], int, int]]:
    """((kind, -weight), i, j), best first: kind 0 is hard, 1 soft, 2 weak."""
    found = {}
    for i, k in np.argwhere(best >= 0).tolist():
        j = int(best[i, k])
        if (min(i, j), max(i, j)) in found or not (node[i] and node[j]):
            continue
        back = int(said.view[i])
        agreeing = int(covered[i, k] >= settings.covered) + int(
            best[j, back] == i and covered[j, back] >= settings.covered
        )
        weight = (float(covered[i, k] * covered[j, back]), settings.soft, 1.0)[agreeing]
        if agreeing or weight >= settings.weak_least:
            found[min(i, j), max(i, j)] = ((2 - agreeing, -weight), min(i, j), max(i, j))
    return sorted(found.values())


def _root(parent: list[int], i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i
