"""The scale of a memory from where its photos say they were taken (GPS).

Knows how camera centres and positions on the ground are brought together. Does not know how files state a position
(``media.gps``) or how a memory is rescaled (``memory.rescale``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError
from placecell.media.gps import Fix
from placecell.memory.rescale import rescaled
from placecell.memory.scene import Scale, SpatialMemory

Plane = NDArray[np.complex128]  # points (N,) of a plane, x + i y

LEAST_ERROR_M = 1.0
"""One standard deviation, per axis, that a position has at least where its file states none: neighbouring positions
drift together, so that they agree better among themselves than with the ground."""
LARGEST_ERROR = 0.1
"""A scale that is known worse than this is refused."""
_STRAY = 4.0
"""A position is a stray farther off than this many standard deviations."""
_LEAST = 4
"""Positions that a scale needs at least; two would fit any."""
_RADIUS_M, _E2 = 6378137.0, 6.69437999014e-3  # WGS 84: equatorial radius, squared eccentricity
_HINT = 'state a length instead: --known "door height 2.03 m"'


@dataclass(frozen=True)
class Fit:
    """``factor``: metres of one unit, with its relative standard deviation.

    The positions of ``images`` are off by ``error_m`` (one standard deviation per axis, as they fit or as the files
    say) and lie ``spread_m`` apart at most; those of ``strays`` do not fit.
    """

    factor: float
    relative_error: float
    images: tuple[int, ...]
    strays: tuple[int, ...]
    error_m: float
    spread_m: float


def scaled_by_gps(memory: SpatialMemory, fixes: Mapping[str, Fix], *, anew: bool = False) -> tuple[SpatialMemory, Fit]:
    """The memory in metres by the positions of its photos (by digest), and how they fit.

    ``anew`` allows it for a memory that has metres.

    Raises:
        UserError: too few photos of the memory state a position, the positions lie too close together for their
            errors, which way is up is not known, or the memory is in metres already.
    """
    if memory.scale.metric and not anew:
        raise UserError(f"the memory is in metres already (from {memory.scale.source})", hint="--anew scales it anew")
    if not memory.alignment.confident:
        raise UserError("which way is up is not sure in this memory; positions tell its scale from above", hint=_HINT)
    fit = fit_positions(memory, fixes)
    if fit.relative_error > LARGEST_ERROR:
        raise UserError(
            f"the GPS positions of {len(fit.images)} images lie {fit.spread_m:.3g} m apart at most and are off by"
            f" {fit.error_m:.2g} m: that tells the scale to {fit.relative_error:.0%} only",
            hint=_HINT,
        )
    detail = f"x {fit.factor:.6g} by the GPS positions of {len(fit.images)} images (error {fit.relative_error:.2%})"
    return rescaled(memory, fit.factor, Scale("metric", "gps", fit.relative_error), detail), fit


def fit_positions(memory: SpatialMemory, fixes: Mapping[str, Fix]) -> Fit:
    """The similarity of the plane that takes camera centres, seen from above, to positions; heights are not used.

    GPS heights are several times worse than the rest. Strays (a phone's first position is often an old one) are told by
    the median similarity of all pairs; the others are fitted by least squares.

    Raises:
        UserError: fewer than 4 placed photos of the memory state a position, or they all stood in one place.
    """
    placed = [(f, f.camera, fixes[f.digest]) for f in memory.frames if f.camera is not None and f.digest in fixes]
    if len(placed) < _LEAST:
        raise UserError(
            f"{len(placed)} placed images of the memory state a GPS position, {_LEAST} are needed", hint=_HINT
        )
    numbers = np.array([frame.number for frame, _, _ in placed])
    centres = np.array([camera.centre for _, camera, _ in placed])
    below: Plane = centres[:, 0] - 1j * centres[:, 2]  # y is up: x east, -z north is a plane seen from above
    ground = _metres([fix for _, _, fix in placed])
    off = np.abs(ground - _median_image(below, ground))
    near = off <= _STRAY * max(float(np.median(off)) / math.sqrt(math.log(4.0)), LEAST_ERROR_M)
    if near.sum() < _LEAST:
        raise UserError("the GPS positions of the images contradict each other", hint=_HINT)
    a, b = (p[near] - p[near].mean() for p in (ground, below))
    power = float(np.sum(np.abs(b) ** 2))
    turn = np.sum(np.conj(b) * a) / power
    residual = math.sqrt(float(np.sum(np.abs(a - turn * b) ** 2)) / (2 * len(a) - 4))
    stated = [fix.error_m for (_, _, fix), ok in zip(placed, near, strict=True) if ok and fix.error_m is not None]
    sd = max(residual, float(np.median(stated)) if stated else LEAST_ERROR_M)
    factor = float(np.abs(turn))
    if factor == 0:
        raise UserError("all GPS positions are the same", hint=_HINT)
    spread = float(np.abs(a[:, None] - a[None, :]).max())
    kept, strays = tuple(numbers[near].tolist()), tuple(numbers[~near].tolist())
    return Fit(factor, sd / math.sqrt(power) / factor, kept, strays, sd, spread)


def _median_image(below: Plane, ground: Plane) -> Plane:
    """Where the median turn, scale and shift of all pairs that are far apart take the points ``below``."""
    i, j = np.triu_indices(len(below), 1)
    apart = below[j] - below[i]
    far = np.abs(apart) >= np.median(np.abs(apart))
    if not np.abs(apart[far]).min() > 0:
        raise UserError("the images were taken from one place; positions do not tell its scale", hint=_HINT)
    turns = (ground[j] - ground[i])[far] / apart[far]
    turn = np.median(turns.real) + 1j * np.median(turns.imag)
    shifts = ground - turn * below
    return np.asarray(turn * below + np.median(shifts.real) + 1j * np.median(shifts.imag))


def _metres(fixes: list[Fix]) -> Plane:
    """(N,) east + i north in metres from the first, on the WGS 84 ellipsoid's tangent plane."""
    degrees = np.array([(fix.latitude_deg, fix.longitude_deg) for fix in fixes])
    latitude = math.radians(degrees[0, 0])
    north, east = np.radians(degrees[:, 0] - degrees[0, 0]), degrees[:, 1] - degrees[0, 1]
    east = np.radians((east + 180.0) % 360.0 - 180.0)
    w2 = 1.0 - _E2 * math.sin(latitude) ** 2
    meridian, normal = _RADIUS_M * (1.0 - _E2) / w2**1.5, _RADIUS_M / math.sqrt(w2)
    return np.asarray(normal * math.cos(latitude) * east + 1j * meridian * north)
