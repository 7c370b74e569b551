"""Every constant of merging masks into objects, by name, with where it comes from.

"paper" is the Reasmory paper (Algorithm 1 and its appendix on multi-view instance aggregation), "authors' code" the
code published with it, for what the paper leaves open; "MaskClustering" is Yan et al., CVPR 2024. The rest is ours, set
on synthetic rooms other than those that ``docs/grounding.md`` reports.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class MergeSettings:
    """How masks of one name become objects. The defaults are ours; `PAPER` has the paper's.

    points, points_least: about so many points are kept of all masks of a name together, evenly spread, but not fewer
        than ``points_least`` of each.

    Duplicates within one view:
        duplicate_overlap: two masks are one when their overlap is at least this; the higher score stays.
        duplicate_measure: what overlap is a share of: the smaller mask (paper) or both together. By the smaller one, a
            part with a high score would remove the whole.

    What a view says about a mask of another view:
        visibility: a view sees a mask where, for "voxels", its own pixels fall into the mask's voxels (paper); for
            "depth", where the mask's points, projected into it, have the depth it measured.
        voxel: edge of a voxel in the memory's unit (authors' code).
        visible_share: a view has no say when it sees less; of its pixels for "voxels" (authors' code), of the mask's
            points for "depth" (MaskClustering has 0.3).
        visible_points: nor when it sees fewer points than this, if the mask has more.
        samples: points of a mask that are asked about, for "depth".
        depth_sigmas, slack_pixels: depths agree within so many standard deviations and widths of a pixel.

    The paper's graph:
        covered: share of a mask inside another view's mask that makes the two agree (authors' code).
        agreeing_few, agreeing_many, few_views: share of the views that must agree with a mask, when there are up to
            ``few_views`` views, and when there are more (authors' code).
        soft: weight of an edge on which one side agrees; both agreeing weigh 1 (paper).
        weak_least: edges on which no side agrees count only from this weight on. The paper has no such limit.
        lone_score: a mask without any edge is an object from this score on (authors' code).

    Consensus of the views, after MaskClustering:
        contained: share of a mask inside another that puts it there.
        taken_apart: a view takes a mask apart when two of its masks, that do not overlap, each hold this share of it.
            What more views take apart than show in one is several objects and left out.
        consensus: two groups are one object when at least this share of the views that see both show them as one.
        same_space: groups are one object when they share this part of the smaller one's voxels and the views do not
            show them as two, or this part of its box and the views do not deny it.
        shows_true, shows_false: how often a view that sees the place of an object has a mask of it, and how often one
            of nothing that is there.
        sure, dropped: an object is certain from this probability on, and left out below that one.
    """

    points: int = 40_000
    points_least: int = 1000
    duplicate_overlap: float = 0.5
    duplicate_measure: Literal["smaller", "joint"] = "joint"
    visibility: Literal["voxels", "depth"] = "depth"
    voxel: float = 0.03
    visible_share: float = 0.25
    visible_points: int = 6
    samples: int = 200
    depth_sigmas: float = 3.0
    slack_pixels: float = 2.0
    linking: Literal["edges", "consensus"] = "consensus"
    covered: float = 0.2
    agreeing_few: float = 0.3
    agreeing_many: float = 0.0
    few_views: int = 5
    soft: float = 0.8
    weak_least: float = 0.1
    lone_score: float = 0.65
    contained: float = 0.5
    taken_apart: float = 0.2
    consensus: float = 0.5
    same_space: float = 0.3
    shows_true: float = 0.55
    shows_false: float = 0.05
    sure: float = 0.4
    dropped: float = 0.05
    clean: bool = True
    """Whether points that most views of an object leave out, and clusters away from it, go before boxes are made."""


OURS = MergeSettings()

PAPER = MergeSettings(
    duplicate_overlap=0.3,
    duplicate_measure="smaller",
    visibility="voxels",
    visible_share=1e-3,
    visible_points=1,
    linking="edges",
    weak_least=0.0,
    sure=0.0,
    dropped=0.0,
    clean=False,
)
"""The paper's method; where it gives no number, the authors' code does."""
