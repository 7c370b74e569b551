"""Pi3, Pi3X (metric) and Flow3r (moving things): one interface, github.com/yyfz/Pi3 and github.com/Kidrauh/flow3r.

RGB in 0..1, sides multiples of 14, short edge 378 (Reasmory) and at most 255,000 pixels (Pi3's own loader). They answer
with points in each camera's axes, confidence logits and camera-to-world poses, in a frame of their own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from placecell.backends.feedforward.adapter import Adapter, Focals, Images
from placecell.backends.feedforward.backend import FeedForward
from placecell.backends.feedforward.convert import from_point_maps
from placecell.backends.feedforward.runtime import Device, Loaded, as_array, as_input, inference, load_network
from placecell.backends.feedforward.settings import CleaningSettings, InputRule
from placecell.memory.scene import DepthMap

RULE = InputRule(short_edge=378, max_pixels=255_000)
CLEANING = CleaningSettings(min_confidence=0.1)  # example.py of Pi3: sigmoid(conf) > 0.1


def pi3() -> FeedForward:
    """Pi3: relative scale."""
    return FeedForward(Adapter("pi3", RULE, _load_pi3, _views, CLEANING))


def pi3x() -> FeedForward:
    """Pi3X: approximately metric; its points and poses are in metres already."""
    return FeedForward(Adapter("pi3x", RULE, _load_pi3x, _views, CLEANING, metric_error=0.1))


def flow3r() -> FeedForward:
    """Flow3r: relative scale, trained on moving things too."""
    return FeedForward(Adapter("flow3r", RULE, _load_flow3r, _views, CLEANING))


def _load_pi3(folder: Path, device: Device) -> Loaded:
    from pi3.models.pi3 import Pi3

    return load_network(Pi3, folder, "model.safetensors", device)


def _load_pi3x(folder: Path, device: Device) -> Loaded:
    from pi3.models.pi3x import Pi3X

    loaded = load_network(Pi3X, folder, "model.safetensors", device)
    loaded.network.disable_multimodal()  # its branches for given depth, rays and poses: a quarter of the weights
    return loaded


def _load_flow3r(folder: Path, device: Device) -> Loaded:
    from flow3r.models.flow3r import Flow3r

    return load_network(Flow3r, folder, "flow3r.bin", device)


def _views(network: Any, images: Images, _focals: Focals, device: Device) -> tuple[DepthMap, ...]:
    with inference(device, len(images)):
        out = network(as_input(images, device))
    return from_point_maps(as_array(out["local_points"]), as_array(out["conf"]), as_array(out["camera_poses"]))
