"""Merging by what the views agree on, after MaskClustering (Yan et al., CVPR 2024).

Every view that sees two masks is asked: does one of your own masks hold both? A view may split an object, join two or
miss one; the others outvote it. So one mask a view is no law here, only the vote of that view: halves of one object
come together when other views show it whole. Knows what the views say about each mask, not pixels or points.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from placecell.geometry.splats import kernel
from placecell.memory.merging.settings import MergeSettings
from placecell.memory.merging.support import Support

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]


class Votes(NamedTuple):
    """For G groups, (G, G) each, summed over pairs of their masks.

    yes: views that hold two groups in one mask
    say: views that hold at least one of them
    apart: views that hold them in two masks
    """

    yes: Float64
    say: Float64
    apart: Float64


@dataclass(frozen=True, eq=False)
class Consensus:
    """What the views say about C masks.

    kept: (C,) not taken apart by the other views
    visible: (C, V) the view has a say
    unheld: (C, V) it has, and no mask of its own holds this one
    held: (C, C) sparse; the first mask lies in the second, which is no part of another of its view
    outlined: (C, O) sparse; it lies in a mask of an outline. Two masks of one outline are not said to be two objects
    """

    kept: NDArray[np.bool_]
    visible: NDArray[np.bool_]
    unheld: NDArray[np.bool_]
    held: csr_array
    outlined: csr_array

    @classmethod
    def of(cls, said: Support, settings: MergeSettings) -> Consensus:
        kept = ~_taken_apart(said, settings)
        holds = coo_array(said.inside)
        held = _select(holds, (holds.data >= settings.contained) & _whole(said, kept, settings)[holds.col])
        held.data[:] = 1
        unheld = said.visible.copy()
        i, j = held.nonzero()
        unheld[i, said.view[j]] = False
        of_outline = coo_array((np.ones(len(kept)), (np.arange(len(kept)), said.outline)))
        return cls(kept, said.visible, unheld, held, csr_array(held @ of_outline))

    def votes(self, group: Int64) -> Votes:
        """What the views say about each pair of groups.

        ``group`` (C,) is the number of each mask's group, -1 for none. A view has none that misses both, or has
        them in one outline of several masks.
        """
        members = np.flatnonzero(group >= 0)
        shape = (int(group.max(initial=-1)) + 1, len(group))
        sums = coo_array((np.ones(len(members)), (group[members], members)), shape=shape).tocsr()
        held, outlined = sums @ self.held, sums @ self.outlined
        visible, unheld = sums @ self.visible.astype(float), sums @ self.unheld.astype(float)
        yes, near = (held @ held.T).toarray(), (outlined @ outlined.T).toarray()
        say = visible @ visible.T - unheld @ unheld.T - (near - yes)
        return Votes(yes, say, (visible - unheld) @ (visible - unheld).T - near)


def groups_by_consensus(said: Support, settings: MergeSettings) -> tuple[Int64, Consensus]:
    """The number (C,) of each mask's group, -1 for masks that are several objects, and what it rests on."""
    found = Consensus.of(said, settings)
    linked = (found.held @ found.held.T).tocsr()
    _, island = connected_components(linked, directed=False)
    group, count = np.full(len(found.kept), -1, np.int64), 0
    for number in np.unique(island[found.kept]).tolist():
        mine = np.flatnonzero((island == number) & found.kept)
        alone = np.full(len(group), -1, np.int64)
        alone[mine] = np.arange(len(mine))
        yes, say, _ = found.votes(alone)
        merged = _agglomerated(yes, say, settings.consensus)
        _, group[mine] = np.unique(merged, return_inverse=True)
        group[mine] += count
        count = int(group.max()) + 1
    return group, found


def _taken_apart(said: Support, settings: MergeSettings) -> NDArray[np.bool_]:
    """Masks that more views show as two or more of their own masks than as one; their own view shows them as one."""
    shares = coo_array(said.inside)
    whole = _whole(said, np.ones(len(said.view), bool), settings)
    other = whole[shares.col] & (said.view[shares.row] != said.view[shares.col])
    rows, views, values = shares.row[other], said.view[shares.col[other]], shares.data[other]
    pieces = np.zeros(said.visible.shape, np.int64)
    np.add.at(pieces, (rows, views), values >= settings.taken_apart)
    largest = np.zeros(said.visible.shape)
    np.maximum.at(largest, (rows, views), values)
    as_one = largest >= 1 - settings.taken_apart
    return np.asarray((pieces >= 2).sum(axis=1) > as_one.sum(axis=1) + 1)


def _whole(said: Support, kept: NDArray[np.bool_], settings: MergeSettings) -> NDArray[np.bool_]:
    """Of the kept masks those that are no part of another kept mask of their view; of equals the first."""
    shares = coo_array(said.inside)
    i, j = shares.row, shares.col
    part = (said.view[i] == said.view[j]) & (i != j) & (shares.data >= settings.contained) & kept[i] & kept[j]
    pairs = set(zip(i[part].tolist(), j[part].tolist(), strict=True))
    whole = kept.copy()
    whole[[a for a, b in pairs if b < a or (b, a) not in pairs]] = False
    return whole


def _select(matrix: coo_array, which: NDArray[np.bool_]) -> csr_array:
    rows, columns = matrix.row[which], matrix.col[which]
    return coo_array((matrix.data[which], (rows, columns)), shape=matrix.shape).tocsr()


@kernel
def _agglomerated(yes: Float64, say: Float64, least: float) -> Int64:
    """Group of each of N things: the two with most agreement are joined, their votes added up, until none has enough.

    ``yes`` and ``say`` (N, N) are used up. One more view that says no is added when pairs are ordered, so that many
    views go before few.
    """
    n = len(yes)
    group = np.arange(n)
    alive = np.ones(n, np.bool_)
    best, value = np.full(n, -1, np.int64), np.zeros(n)
    for i in range(n):
        _find_best(i, yes, say, alive, least, best, value)
    while True:
        a = int(np.argmax(value))
        if value[a] <= 0:
            return group
        b = best[a]
        for k in range(n):
            yes[a, k] += yes[b, k]
            say[a, k] += say[b, k]
        for k in range(n):
            yes[k, a] += yes[k, b]
            say[k, a] += say[k, b]
        gone = group[b]
        for k in range(n):
            if group[k] == gone:
                group[k] = group[a]
        alive[b] = False
        value[b] = 0.0
        _find_best(a, yes, say, alive, least, best, value)
        for k in range(n):
            if not alive[k] or k == a:
                continue
            if best[k] == a or best[k] == b:
                _find_best(k, yes, say, alive, least, best, value)
            else:
                agreement = _agreement(yes[k, a], say[k, a], least)
                if agreement > value[k]:
                    best[k], value[k] = a, agreement


@kernel
def _find_best(
    i: int,
    yes: Float64,
    say: Float64,
    alive: NDArray[np.bool_],
    least: float,
    best: Int64,
    value: Float64,
) -> None:
    best[i], value[i] = -1, 0.0
    for j in range(len(yes)):
        if j != i and alive[j]:
            agreement = _agreement(yes[i, j], say[i, j], least)
            if agreement > value[i]:
                best[i], value[i] = j, agreement


@kernel
def _agreement(yes: float, say: float, least: float) -> float:
    if yes <= 0 or yes < least * say:
        return 0.0
    return yes / (say + 1.0)
