"""How fast a thing turns about the vertical, from the shape and colours of its visible surface.

Knows the sightings of one thing in the upright world frame. A thing that looks the same from all sides has no turn to
be found. Two sightings alone tell little when few pixels show the thing; so how badly each rate of turning fits is
averaged over the pairs of about a second, and the best rate is taken from that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numba as nb
import numpy as np

from placecell.geometry.transforms import Array
from placecell.memory.tracking.sightings import Sighting

_MOST_DEG, _STEP_DEG = 60.0, 6.0
"""Between the sightings of a pair a thing is taken to turn by at most this much; tried in these steps."""
_LAGS_S = (0.1, 0.3)
"""Each sighting is compared with the first one that is at least so much later."""
_MOST_LAG_S = 0.8
_RATES = np.arange(-180.0, 181.0, 6.0)
"""Degrees per second that are tried."""
_AROUND_S = 0.6
_POINTS = 80
_COLOUR_WEIGHT = 0.6
"""A colour difference of 1 counts like this share of the thing's size."""
_TELLING = 0.04
"""The best rate must fit better than the usual one by this share, and than no turning by a third of it."""


def turning(whole: Sequence[Sighting], at: Array) -> Array:
    """(N,) degrees per second to the right (clockwise from above) at the moments ``at``; NaN where nothing tells it."""
    times, misfits = [], []
    for lag in _LAGS_S:
        for i, a in enumerate(whole):
            b = next((s for s in whole[i + 1 :] if s.time_s - a.time_s >= lag - 1e-6), None)
            if b is not None and b.time_s - a.time_s <= _MOST_LAG_S:
                times.append((a.time_s + b.time_s) / 2)
                misfits.append(_misfit(a, b))
    if len(times) < 3:
        return np.full(len(at), np.nan)
    when, curves = np.array(times), np.array(misfits)
    rates = []
    for now in at.tolist():
        near = np.abs(when - now)
        rates.append(_best_rate(_mean(curves[near <= max(_AROUND_S, float(near.min()))])))
    return np.array(rates)


def _mean(curves: Array) -> Array:
    """(R,) mean of (K, R) curves over the pairs that know a rate; NaN where none does."""
    known = np.isfinite(curves)
    counted = np.maximum(known.sum(axis=0), 1)
    return np.where(known.any(axis=0), np.nansum(curves, axis=0) / counted, np.nan)


def _best_rate(curve: Array) -> float:
    """The rate of the least misfit; 0 where turning explains nothing, NaN where the thing looks round."""
    best = int(np.nanargmin(curve))
    if curve[best] > np.nanmedian(curve) * (1 - _TELLING):
        return float("nan")
    if curve[best] > curve[len(curve) // 2] * (1 - _TELLING / 3):
        return 0.0
    if not 0 < best < len(curve) - 1 or np.isnan(curve[best - 1 : best + 2]).any():
        return float(_RATES[best])
    left, here, right = curve[best - 1 : best + 2].tolist()
    bend = left - 2 * here + right
    return float(_RATES[best] + (_RATES[1] - _RATES[0]) * (0.5 * (left - right) / bend if bend > 0 else 0.0))


def _misfit(a: Sighting, b: Sighting) -> Array:
    """How badly each rate explains ``b`` by ``a``, relative to the usual misfit; NaN for rates that turn it too far."""
    angles = np.arange(-_MOST_DEG, _MOST_DEG + 1e-9, _STEP_DEG)
    size = max(float(np.ptp(a.points, axis=0).max()), 1e-9)
    pa, pb = _described(a, size), _described(b, size)
    costs = _costs(pa, pb, np.radians(angles)) + _costs(pb, pa, -np.radians(angles))
    turned = _RATES * (b.time_s - a.time_s)
    curve = np.interp(turned, angles, costs / np.median(costs))
    curve[np.abs(turned) > _MOST_DEG] = np.nan
    return np.asarray(curve)


def _described(s: Sighting, size: float) -> Array:
    """(M, 6) place around the middle in sizes, and weighted colour, of a few of its points."""
    step = max(1, len(s.points) // _POINTS)
    points = (s.points[::step] - s.middle) / size
    return np.concatenate([points, _COLOUR_WEIGHT * s.colours[::step]], axis=1)


@nb.njit(cache=True, nogil=True)
def _costs(a: Array, b: Array, radians: Array) -> Array:
    """Mean distance of the better 80 % of ``a``, turned to the right by each angle and shifted to fit, from ``b``."""
    n, m = len(a), len(b)
    out = np.empty(len(radians))
    for k in range(len(radians)):
        c, s = np.cos(radians[k]), np.sin(radians[k])
        shift_x, shift_z = 0.0, 0.0
        best, who = np.empty(n), np.empty(n, np.int64)
        for round_ in range(2):
            for i in range(n):
                # Right from above: heading grows, -z goes towards +x.
                x, z = c * a[i, 0] - s * a[i, 2] + shift_x, s * a[i, 0] + c * a[i, 2] + shift_z
                nearest, at = np.inf, 0
                for j in range(m):
                    dx, dy, dz = x - b[j, 0], a[i, 1] - b[j, 1], z - b[j, 2]
                    d = dx * dx + dy * dy + dz * dz
                    if d < nearest:
                        dr, dg, db = a[i, 3] - b[j, 3], a[i, 4] - b[j, 4], a[i, 5] - b[j, 5]
                        d += dr * dr + dg * dg + db * db
                        if d < nearest:
                            nearest, at = d, j
                best[i], who[i] = nearest, at
            limit = np.sort(best)[int(0.8 * (n - 1))]
            if round_ < 1:
                move_x, move_z, used = 0.0, 0.0, 0
                for i in range(n):
                    if best[i] <= limit:
                        move_x += b[who[i], 0] - (c * a[i, 0] - s * a[i, 2] + shift_x)
                        move_z += b[who[i], 2] - (s * a[i, 0] + c * a[i, 2] + shift_z)
                        used += 1
                shift_x, shift_z = shift_x + move_x / used, shift_z + move_z / used
        total, used = 0.0, 0
        for i in range(n):
            if best[i] <= limit:
                total += np.sqrt(best[i])
                used += 1
        out[k] = total / used
    return out
