"""Pi3X's interface: as Pi3's, in metres, with branches for given geometry that can be taken off."""

from __future__ import annotations

import torch
from known_scene import KnownScene, in_own_frame


class Pi3X(KnownScene):
    def __init__(self, views=4, height=378, width=504):
        shape = (height, width)
        super().__init__(views, {"points": (*shape, 3), "logits": (*shape, 1), "poses": (4, 4)})
        self.depth_emb = torch.nn.Parameter(torch.zeros(2))

    def disable_multimodal(self, free_cuda_cache=True):
        del self.depth_emb

    def forward(self, imgs):
        assert not hasattr(self, "depth_emb")
        which = self.asked(imgs[0])
        return {
            "local_points": self.points[which][None],
            "conf": self.logits[which][None],
            "camera_poses": in_own_frame(self.poses[which])[None],
            "metric": torch.ones(1),
        }
