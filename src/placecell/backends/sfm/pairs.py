"""Which pictures to match with which: all with all, or neighbours in order and look-alikes when there are many.

Look-alikes are found by VLAD (Jegou et al. 2010): for each of a few typical descriptors, what those nearest to it add
up to, relative to it. No vocabulary has to be downloaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2, vq

Float32 = NDArray[np.float32]

_WORDS = 32
_SAMPLED = 300  # descriptors a picture
_NEIGHBOURS = 8
_FAR_NEIGHBOURS = (16, 32)
_LOOK_ALIKES = 12


def all_pairs(count: int) -> list[tuple[int, int]]:
    """Every pair of ``count`` pictures, the nearest in order first."""
    return sorted(combinations(range(count), 2), key=lambda pair: (pair[1] - pair[0], pair[0]))


def likely_pairs(descriptors: Sequence[Float32], *, seed: int = 0) -> list[tuple[int, int]]:
    """Neighbours in order, and the pictures whose features look most alike (loops). ``descriptors``: (n, d) each."""
    count = len(descriptors)
    steps = [*range(1, _NEIGHBOURS + 1), *_FAR_NEIGHBOURS]
    pairs = {(i, i + step) for step in steps for i in range(count - step)}
    likeness = _likeness(descriptors, seed)
    np.fill_diagonal(likeness, -np.inf)
    nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :_LOOK_ALIKES]
    pairs |= {(min(i, j), max(i, j)) for i, row in enumerate(nearest.tolist()) for j in row}
    return sorted(pairs, key=lambda pair: (pair[1] - pair[0], pair[0]))


def _likeness(descriptors: Sequence[Float32], seed: int) -> NDArray[np.float64]:
    """(n, n) cosines between the pictures' VLAD vectors."""
    rng = np.random.default_rng(seed)
    samples = [np.asarray(d, np.float64)[rng.permutation(len(d))[:_SAMPLED]] for d in descriptors]
    pool = np.concatenate([s[: _SAMPLED // 4] for s in samples])
    if len(pool) < _WORDS:
        return np.zeros((len(samples), len(samples)))
    words, _ = kmeans2(pool, _WORDS, iter=8, minit="++", rng=rng)
    vectors = np.zeros((len(samples), *words.shape))
    for vector, sample in zip(vectors, samples, strict=True):
        if len(sample):
            word, _ = vq(sample, words)
            np.add.at(vector, word, sample - words[word])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=2, keepdims=True), 1e-9)
    flat = vectors.reshape(len(samples), -1)
    flat /= np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-9)
    return np.asarray(flat @ flat.T)
