"""Pi3's interface (README of github.com/yyfz/Pi3): images (1, N, 3, h, w) -> points, logits, camera-to-world."""

from __future__ import annotations

from known_scene import KnownScene, in_own_frame, in_own_scale


class Pi3(KnownScene):
    def __init__(self, views=4, height=378, width=504, most=None):
        shape = (height, width)
        super().__init__(views, {"points": (*shape, 3), "logits": (*shape, 1), "poses": (4, 4)}, most)

    def forward(self, imgs):
        print("as the real package does")  # noqa: T201
        which = self.asked(imgs[0])
        scale = in_own_scale(which)
        poses = in_own_frame(self.poses[which], scale)
        return {
            "local_points": self.points[which][None] * scale,
            "conf": self.logits[which][None],
            "camera_poses": poses[None],
        }
