"""More pictures than a model takes at once: windows that share pictures, joined by what they say about those.

Every window has its own frame and scale. The scale between two is the median ratio of their depths of the shared
pictures, pixel by pixel; rotation and shift come from the shared cameras.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from placecell.backends.feedforward.settings import RunSettings
from placecell.errors import UserError
from placecell.geometry.similarity import Similarity
from placecell.geometry.transforms import nearest_rotation, rotation_angle
from placecell.memory.scene import DepthMap

Window = range


class Joint(NamedTuple):
    """How one window fits those before: its scale in theirs, and how far depths differ after it (log, robust)."""

    scale: float
    spread: float


def windows_of(count: int, size: int, overlap: int) -> list[Window]:
    """Windows over ``count`` pictures, each sharing at least ``overlap`` with the one before."""
    if count <= size:
        return [range(count)]
    step = size - min(overlap, size - 1)
    number = -(-(count - size) // step) + 1
    starts = np.linspace(0, count - size, number).round().astype(int).tolist()
    return [range(start, start + size) for start in starts]


def join(
    done: dict[int, DepthMap], window: Window, views: Sequence[DepthMap], settings: RunSettings
) -> tuple[dict[int, DepthMap], Joint]:
    """``done`` with the pictures of the window that are new. UserError when the window does not fit."""
    shared = [(done[i], view) for i, view in zip(window, views, strict=True) if i in done]
    there_from_here, spread = _fit(shared)
    turned = _largest_turn(shared, there_from_here)
    if spread > settings.max_spread or turned > settings.max_turn_deg:
        raise UserError(
            f"pictures 1 to {window[0] + len(shared)} and {window[0] + 1} to {window[-1] + 1} of those taken were seen "
            f"apart and do not fit together (depths differ by {spread:.0%}, cameras by {turned:.0f} degrees)",
            hint="use fewer pictures with --frames, or another --reconstructor",
        )
    moved = {i: _moved(view, there_from_here) for i, view in zip(window, views, strict=True) if i not in done}
    return {**done, **moved}, Joint(there_from_here.scale, spread)


def describe(joints: Sequence[Joint], window: int) -> list[str]:
    """A note on how the windows fitted; none for a single one."""
    if not joints:
        return []
    scales = ", ".join(f"{joint.scale:.3f}" for joint in joints)
    return [
        f"in {len(joints) + 1} windows of {window} pictures, joined by those they share: scales {scales}, "
        f"depths there differ by up to {max(joint.spread for joint in joints):.1%}"
    ]


def _fit(shared: Sequence[tuple[DepthMap, DepthMap]]) -> tuple[Similarity, float]:
    both = [(a.z > 0) & (b.z > 0) for a, b in shared]
    known = np.concatenate([np.log(a.z[m] / b.z[m]) for (a, b), m in zip(shared, both, strict=True)])
    if len(known) == 0:
        raise UserError("two parts of the pictures share no depth", hint="use fewer pictures with --frames")
    middle = float(np.median(known))
    spread = 1.4826 * float(np.median(np.abs(known - middle)))
    there = np.array([a.camera.world_from_cam for a, _ in shared])
    here = np.array([b.camera.world_from_cam for _, b in shared])
    rotation = nearest_rotation((there[:, :3, :3] @ here[:, :3, :3].transpose(0, 2, 1)).sum(axis=0))
    scale = float(np.exp(middle))
    shift = np.median(there[:, :3, 3] - scale * here[:, :3, 3] @ rotation.T, axis=0)
    return Similarity(scale, rotation, shift), spread


def _largest_turn(shared: Sequence[tuple[DepthMap, DepthMap]], there_from_here: Similarity) -> float:
    moved = [there_from_here.apply_to_poses(b.camera.world_from_cam) for _, b in shared]
    there = [a.camera.world_from_cam for a, _ in shared]
    return max(float(rotation_angle(np.linalg.inv(a) @ m)) for a, m in zip(there, moved, strict=True))


def _moved(view: DepthMap, there_from_here: Similarity) -> DepthMap:
    camera = view.camera.posed(there_from_here.apply_to_poses(view.camera.world_from_cam))
    return replace(view, z=view.z * np.float32(there_from_here.scale), camera=camera)
