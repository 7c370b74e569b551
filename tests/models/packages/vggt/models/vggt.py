"""VGGT's interface (README of github.com/facebookresearch/vggt): images (1, N, 3, h, w) -> encoding, depth, 1 + exp."""

from __future__ import annotations

import torch
from known_scene import KnownScene


class VGGT(KnownScene):
    def __init__(self, views=4, height=392, width=518):
        super().__init__(views, {"encoding": (9,), "z": (height, width, 1), "sure": (height, width)})
        self.point_head = torch.nn.Linear(1, 1)
        self.track_head = torch.nn.Linear(1, 1)

    def forward(self, images, query_points=None):
        assert self.point_head is None and self.track_head is None
        which = self.asked(images[0])
        return {
            "pose_enc": self.encoding[which][None],
            "depth": self.z[which][None],
            "depth_conf": self.sure[which][None],
        }
