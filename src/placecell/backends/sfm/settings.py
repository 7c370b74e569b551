"""Every number that structure from motion depends on, with why it is what it is. Stored with each memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SfmSettings:
    """Measured on the photo sets of ``docs/sfm.md``.

    Pictures:
        ``video_frames``, ``photos``: taken when nobody asks for a number; 64 frames of a video take half as long again.
        ``frame_side``: longest side of the memory's frames; larger photos are shrunk.
        ``work_side``: longest side for finding features; ``few_side``: with up to ``few`` photos.
    Cameras:
        ``exhaustive``: up to this many pictures every pair is matched, which grows with the square; beyond,
        neighbours in order and look-alikes.
        ``few``: up to this many pictures features are sought harder (affine shape, lower contrast, larger copies).
        ``fixed_focal``: up to this many pictures a focal length cannot be estimated, so the stated one is kept; one
        from a file with K up to ``few``. With more, a stated one is where the estimate starts.
        ``init_angle_deg``, ``init_inliers``: of the first pair. COLMAP's 16 degrees refuses forward-facing sets.
        ``pose_inliers``, ``pose_inlier_ratio``: of every further picture; less lets false ones in. ``joined_inliers``:
        instead, when pictures were left out; what is added must then share ``pose_inliers`` points with the rest.
    Depth:
        ``depth_side``: longest side of the depth maps. ``planes``: hypotheses, even in inverse depth.
        ``sources``: views a depth map is computed from; the best half of them counts at each pixel (occlusion).
        ``window``: side of the matched patch, odd. ``smooth_near``, ``smooth_far``: penalties, in units of matching
        cost (0 to 255), for a step of one plane and of more, divided where the picture has an edge.
        ``wide_deg``, ``surface_share``: views whose sources look from so far apart (median) are swept along the plane
        with most points too, when it holds that share of them.
        ``checked``: views a depth is compared with. ``agree_pixels``, ``agree_depth``: how far it may be off in them.
        ``min_views``: other views that must agree (one of them will do for up to ``one_view`` pictures).
    Gate:
        ``min_share``: pictures with less of their pixels at a depth that other views confirm are not placed. Correct
        ones have 10 % to 82 %, false ones 0 % to 5 %.
    """

    video_frames: int = 40
    photos: int = 100
    frame_side: int = 1600
    work_side: int = 1200
    few_side: int = 1600
    exhaustive: int = 50
    few: int = 8
    fixed_focal: int = 3
    init_angle_deg: float = 4.0
    init_inliers: int = 50
    pose_inliers: int = 30
    pose_inlier_ratio: float = 0.25
    joined_inliers: int = 15
    depth_side: int = 400
    planes: int = 112
    sources: int = 4
    window: int = 7
    smooth_near: int = 12
    smooth_far: int = 60
    wide_deg: float = 20.0
    surface_share: float = 0.25
    checked: int = 8
    agree_pixels: float = 1.0
    agree_depth: float = 0.015
    min_views: int = 2
    one_view: int = 4
    min_share: float = 0.08
    threads: int = 2
    seed: int = 0

    def side_of(self, photos: int) -> int:
        """Longest side for finding features in so many photos."""
        return max(self.few_side, self.work_side) if photos <= self.few else self.work_side
