"""Depth Anything 3's interface: a list of RGB pictures -> a prediction of arrays (specs.Prediction)."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import torch
from known_scene import KnownScene


class DepthAnything3(KnownScene):
    def __init__(self, model_name="da3-base", views=4, height=378, width=504, **kwargs):
        shape = (height, width)
        super().__init__(
            views,
            {"z": shape, "sure": shape, "w2c": (3, 4), "lens": (3, 3)} if "metric" not in model_name else {"z": shape},
        )
        self.model_name = model_name

    def inference(self, image, process_res=504):
        # Its preparation leaves pictures alone whose longest side is process_res and whose sides are whole patches.
        assert all(isinstance(p, np.ndarray) and p.dtype == np.uint8 and max(p.shape[:2]) == process_res for p in image)
        which = self.asked(torch.from_numpy(np.stack(image)).permute(0, 3, 1, 2).float() / 255)
        z = self.z[which].numpy()
        if "metric" in self.model_name:
            return SimpleNamespace(depth=z, conf=None, extrinsics=None, intrinsics=None, sky=z > 90, is_metric=0)
        return SimpleNamespace(
            depth=z,
            conf=self.sure[which].numpy(),
            extrinsics=self.w2c[which].numpy(),
            intrinsics=self.lens[which].numpy(),
            sky=None,
            is_metric=int("nested" in self.model_name),
        )
