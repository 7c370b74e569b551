"""Flow3r's interface (github.com/Kidrauh/flow3r): as Pi3's, with flow beside it where pairs are asked for."""

from __future__ import annotations

from known_scene import KnownScene, in_own_frame, in_own_scale


class Flow3r(KnownScene):
    def __init__(self, views=4, height=378, width=504):
        shape = (height, width)
        super().__init__(views, {"points": (*shape, 3), "logits": (*shape, 1), "poses": (4, 4)})

    def forward(self, imgs, pair_indices=None):
        which = self.asked(imgs[0])
        scale = in_own_scale(which)
        return {
            "local_points": self.points[which][None] * scale,
            "conf": self.logits[which][None],
            "camera_poses": in_own_frame(self.poses[which], scale)[None],
            "flow": None,
        }
