"""MapAnything, github.com/facebookresearch/map-anything: metric, and one checkpoint with a free licence.

RGB normalised as DINOv2 wants it, the longest side 518 pixels, both multiples of 14. It answers for each view with
z-depth that is 0 where its own mask says so, K, and camera-to-world poses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np

from placecell.backends.feedforward.adapter import Adapter, Focals, Images
from placecell.backends.feedforward.backend import FeedForward
from placecell.backends.feedforward.convert import from_depth_and_poses
from placecell.backends.feedforward.runtime import Device, Loaded, as_array, as_input, inference, load_network
from placecell.backends.feedforward.settings import CleaningSettings, InputRule
from placecell.errors import BackendUnavailable
from placecell.memory.scene import DepthMap

RULE = InputRule(longest_side=518)
CLEANING = CleaningSettings()  # its own mask; confidence is not used by default there (README)
IMAGENET_MEAN, IMAGENET_SD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_KEYS = ("depth_z", "conf", "camera_poses", "intrinsics")
_AMP = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}


def mapanything() -> FeedForward:
    """The checkpoint under Apache-2.0."""
    return FeedForward(Adapter("mapanything", RULE, _load, _views, CLEANING, metric_error=0.1))


def mapanything_nc() -> FeedForward:
    """The checkpoint for research, trained on more data."""
    return FeedForward(Adapter("mapanything-nc", RULE, _load, _views, CLEANING, metric_error=0.1))


def _load(folder: Path, device: Device) -> Loaded:
    from mapanything.models import MapAnything

    try:
        return load_network(MapAnything, folder, "model.safetensors", device)
    except RuntimeError as error:  # torch.hub's, when it finds neither a copy nor the network
        if not isinstance(error.__cause__, URLError):
            raise
        raise BackendUnavailable(
            "MapAnything builds its encoder with torch.hub, which has no copy of its code on this machine",
            hint="once, online: python -c \"import torch; torch.hub.load('facebookresearch/dinov2', 'dinov2_vitg14')\"",
        ) from None


def _views(network: Any, images: Images, _focals: Focals, device: Device) -> tuple[DepthMap, ...]:
    pictures = as_input(images, device)[0]
    mean, sd = (pictures.new_tensor(v)[:, None, None] for v in (IMAGENET_MEAN, IMAGENET_SD))
    asked = [{"img": ((p - mean) / sd)[None], "data_norm_type": ["dinov2"]} for p in pictures]
    with inference(device, len(images)):
        out = network.infer(
            asked,
            memory_efficient_inference=True,
            use_amp=device.precision != "float32",
            amp_dtype=_AMP[device.precision],
            apply_mask=True,
            mask_edges=False,  # edges are removed for all models in one way
        )
    depth, conf, poses, K = (np.stack([as_array(view[key]) for view in out]) for key in _KEYS)
    return from_depth_and_poses(depth, conf, poses, K)
