"""Depth Anything 3, github.com/ByteDance-Seed/Depth-Anything-3: any-view, nested (metric), and metric for one photo.

RGB, the longest side 504 pixels, both multiples of 14: pictures of that size pass through its own preparation as they
are. It chooses its half precision itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from placecell.backends.feedforward.adapter import Adapter, Focals, Images
from placecell.backends.feedforward.backend import FeedForward
from placecell.backends.feedforward.convert import (
    from_depth_and_extrinsics,
    from_metric_depth,
    without_painted_sky,
)
from placecell.backends.feedforward.runtime import Device, Loaded, inference, load_network
from placecell.backends.feedforward.settings import CleaningSettings, InputRule
from placecell.errors import UserError
from placecell.memory.scene import DepthMap

RULE = InputRule(longest_side=504)
CLEANING = CleaningSettings(least_confident=0.4)  # its GLB export: conf_thresh_percentile 40


def da3() -> FeedForward:
    """DA3-BASE: relative scale, the small one with a free licence."""
    return FeedForward(Adapter("da3", RULE, _load, _any_view, CLEANING))


def da3_giant() -> FeedForward:
    """DA3-GIANT: relative scale."""
    return FeedForward(Adapter("da3-giant", RULE, _load, _any_view, CLEANING))


def da3_nested() -> FeedForward:
    """DA3NESTED-GIANT-LARGE: the giant model in metres, by a metric model beside it."""
    return FeedForward(Adapter("da3-nested", RULE, _load, _nested, CLEANING, metric_error=0.1))


def da3_metric() -> FeedForward:
    """DA3METRIC-LARGE: one photo in metres, when its focal length is known."""
    adapter = Adapter(
        "da3-metric", RULE, _load, _metric, CleaningSettings(), metric_error=0.1, depth_sd=0.08, one_picture=True
    )
    return FeedForward(adapter)


def _load(folder: Path, device: Device) -> Loaded:
    from depth_anything_3.api import DepthAnything3

    return load_network(DepthAnything3, folder, "model.safetensors", device)


def _predict(network: Any, images: Images, device: Device) -> Any:
    with inference(device, len(images)):
        return network.inference(list(images), process_res=max(images.shape[1:3]))


def _any_view(network: Any, images: Images, _focals: Focals, device: Device) -> tuple[DepthMap, ...]:
    out = _predict(network, images, device)
    return from_depth_and_extrinsics(out.depth, out.conf, out.extrinsics, out.intrinsics)


def _nested(network: Any, images: Images, _focals: Focals, device: Device) -> tuple[DepthMap, ...]:
    out = _predict(network, images, device)
    if not out.is_metric:
        raise UserError("this checkpoint of Depth Anything 3 does not answer in metres", hint="use --reconstructor da3")
    return from_depth_and_extrinsics(without_painted_sky(out.depth), out.conf, out.extrinsics, out.intrinsics)


def _metric(network: Any, images: Images, focals: Focals, device: Device) -> tuple[DepthMap, ...]:
    out = _predict(network, images, device)
    (focal,) = focals
    assert focal is not None  # one_picture: checked before
    return from_metric_depth(np.asarray(out.depth), out.sky, focal)
