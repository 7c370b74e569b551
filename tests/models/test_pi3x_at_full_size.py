"""The real Pi3X at its full size with random weights: that the adapter loads and runs the class itself.

Opt-in, for it needs the package (docs/models.md), about 10 GB of memory, 6 GB of disk and some minutes without a GPU:
``PLACECELL_FULL_SIZE=1 .venv-models/bin/pytest tests/models/test_pi3x_at_full_size.py``.
"""

from __future__ import annotations

import os

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not os.environ.get("PLACECELL_FULL_SIZE"):
    pytest.skip("set PLACECELL_FULL_SIZE=1 to run Pi3X at full size", allow_module_level=True)
pytest.importorskip("pi3.models.pi3x", reason="needs the package pi3, see docs/models.md")

from placecell.backends.feedforward.convert import cleaned_poses  # noqa: E402
from placecell.backends.feedforward.pi3 import pi3x  # noqa: E402
from placecell.backends.feedforward.runtime import Device, as_array, as_input, inference  # noqa: E402


def test_pi3x_is_loaded_without_a_weight_missing_and_answers_as_its_adapter_expects(tmp_path):
    """Random weights see nothing, so what is checked is the interface: shapes, positive depth, rigid poses."""
    from pi3.models.pi3x import Pi3X
    from safetensors.torch import save_model

    save_model(Pi3X(), str(tmp_path / "model.safetensors"))
    device = Device("cpu", "float32")
    network, unused = pi3x().adapter.load(tmp_path, device)
    assert not unused and not network.use_multimodal
    images = np.random.default_rng(0).integers(0, 256, (2, 112, 154, 3), np.uint8)
    with inference(device, len(images)):
        answer = network(as_input(images, device))
    points, logits, poses = (as_array(answer[key]) for key in ("local_points", "conf", "camera_poses"))
    assert points.shape == (2, 112, 154, 3) and logits.shape == (2, 112, 154, 1)
    assert (points[..., 2] > 0).all() and np.isfinite(logits).all()
    np.testing.assert_allclose(cleaned_poses(poses)[:, :3, 3], poses[:, :3, 3], atol=1e-5)
