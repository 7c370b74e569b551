"""VGGT, github.com/facebookresearch/vggt: relative scale, the first picture's camera is the frame.

RGB in 0..1, the longest side 518 pixels, both multiples of 14. Depth unprojected through the cameras is better than its
point head (README), so that head and the tracker are not kept.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from placecell.backends.feedforward.adapter import Adapter, Focals, Images
from placecell.backends.feedforward.backend import FeedForward
from placecell.backends.feedforward.convert import K_from_fov, extrinsics_from_encoding, from_depth_and_extrinsics
from placecell.backends.feedforward.runtime import Device, Loaded, as_array, as_input, inference, load_network
from placecell.backends.feedforward.settings import CleaningSettings, InputRule
from placecell.memory.scene import DepthMap

RULE = InputRule(longest_side=518)
CLEANING = CleaningSettings(least_confident=0.25)  # demo_viser.py: the least confident quarter


def vggt() -> FeedForward:
    """The first checkpoint, for research."""
    return FeedForward(Adapter("vggt", RULE, _load, _views, CLEANING))


def vggt_commercial() -> FeedForward:
    """The checkpoint under the VGGT License."""
    return FeedForward(Adapter("vggt-commercial", RULE, _load, _views, CLEANING))


def _load(folder: Path, device: Device) -> Loaded:
    from vggt.models.vggt import VGGT

    loaded = load_network(VGGT, folder, "model.safetensors", device)
    loaded.network.point_head = loaded.network.track_head = None
    return loaded


def _views(network: Any, images: Images, _focals: Focals, device: Device) -> tuple[DepthMap, ...]:
    with inference(device, len(images)):
        out = network(as_input(images, device))
    encoding = as_array(out["pose_enc"])
    K = K_from_fov(encoding[:, 7], encoding[:, 8], *images.shape[1:3])
    return from_depth_and_extrinsics(
        as_array(out["depth"]), as_array(out["depth_conf"]), extrinsics_from_encoding(encoding), K
    )
