"""MapAnything's interface (facebookresearch/map-anything, README): a list of views -> a list of answers."""

from __future__ import annotations

from urllib.error import URLError

import torch
from known_scene import KnownScene, in_own_frame


class MapAnything(KnownScene):
    def __init__(self, views=4, height=392, width=518, encoder_here=True):
        if not encoder_here:  # as torch.hub has it
            raise RuntimeError("It looks like there is no internet connection") from URLError("unknown name")
        shape = (height, width)
        super().__init__(views, {"z": (*shape, 1), "sure": shape, "poses": (4, 4), "lens": (3, 3)})

    def infer(self, views, memory_efficient_inference, use_amp, amp_dtype, apply_mask, mask_edges):
        assert all(set(v) == {"img", "data_norm_type"} and v["data_norm_type"] == ["dinov2"] for v in views)
        assert apply_mask and not mask_edges and amp_dtype in ("bf16", "fp16", "fp32")
        mean, sd = (
            torch.tensor([0.485, 0.456, 0.406])[:, None, None],
            torch.tensor([0.229, 0.224, 0.225])[:, None, None],
        )
        pictures = torch.cat([v["img"] for v in views]) * sd + mean
        which = self.asked(pictures.clamp(0, 1))
        poses = in_own_frame(self.poses[which])
        return [
            {
                "depth_z": self.z[i][None],
                "depth_along_ray": self.z[i][None] * 1.1,
                "conf": self.sure[i][None],
                "camera_poses": poses[k][None],
                "intrinsics": self.lens[i][None],
                "mask": self.z[i][None] > 0,
            }
            for k, i in enumerate(which)
        ]
