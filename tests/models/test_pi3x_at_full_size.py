"""The real Pi3X at its full size with random weights: that the adapter loads and runs the class itself.

Opt-in, for it needs the package (docs/models.md), about 10 GB of memory, 6 GB of disk and some minutes without a GPU:
``PLACECELL_FULL_SIZE=1 .venv-models/bin/pytest tests/models/test_pi3x_at_full_size.py``.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
if not os.environ.get("PLACECELL_FULL_SIZE"):
    pytest.skip("set PLACECELL_FULL_SIZE=1 to run Pi3X at full size", allow_module_level=True)
pytest.importorskip("pi3.models.pi3x", reason="needs the package pi3, see docs/models.md")

import feedforward_scenes as scenes  # noqa: E402
from placecell.backends.feedforward import pi3  # noqa: E402
from placecell.backends.feedforward.settings import InputRule  # noqa: E402
from placecell.backends.table import find_backend  # noqa: E402


def test_pi3x_loads_runs_and_answers_in_metres(tmp_path, monkeypatch):
    from pi3.models.pi3x import Pi3X
    from safetensors.torch import save_model

    folder = tmp_path / find_backend("pi3x").weights[0].hub_id
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    save_model(Pi3X(), str(folder / "model.safetensors"))
    monkeypatch.setenv("PLACECELL_MODELS", str(tmp_path))
    small = replace(pi3.pi3x().adapter, rule=InputRule(short_edge=112))
    made = pi3.FeedForward(small).reconstruct([scenes.photos(tmp_path / "photos", count=2)])
    assert made.scale.metric
    for frame in made.frames:
        assert frame.camera is not None and np.isfinite(frame.camera.K).all()
        assert frame.depth is None or frame.depth.z.shape == (112, 154)
