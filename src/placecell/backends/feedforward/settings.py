"""Every number the feed-forward models' memories depend on, with its source. Stored with each memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InputRule:
    """The size of the pictures a model sees: both sides multiples of ``patch``, then the limits that are not None.

    ``short_edge``: the shorter side; ``longest_side``: the longer one (larger pictures shrink, smaller ones grow).
    ``max_pixels``: of one picture; what would be larger shrinks.
    """

    patch: int = 14
    short_edge: int | None = None
    longest_side: int | None = None
    max_pixels: int | None = None

    def __post_init__(self) -> None:
        if (self.short_edge is None) == (self.longest_side is None):
            raise ValueError("an input rule fixes either the short edge or the longest side")


@dataclass(frozen=True)
class CleaningSettings:
    """Which of a model's pixels are used.

    ``min_confidence``: confidence, in 0..1, below which a pixel is dropped.
    ``least_confident``: share of the pixels of all views, the least confident ones, that is dropped.
    ``edge_jump``: at an edge, where depth jumps by more than this share (3 %, as Pi3's and MapAnything's own
    examples), networks put points in the air between two surfaces. Like those, a slanted surface is no edge.
    """

    min_confidence: float = 0.0
    least_confident: float = 0.0
    edge_jump: float = 0.03


@dataclass(frozen=True)
class RunSettings:
    """How many pictures are taken, and how many of them a model sees at once.

    ``frames``: taken when nobody asks for a number (64: Reasmory, section "Implementation").
    ``frame_side``: longest side of the memory's frames; larger photos are shrunk. Depth has the model's own size.
    ``window``: pictures in one pass of the model. More are done in windows that share ``overlap`` pictures and are
    joined by them. Where memory runs out, windows are halved, down to ``least_window``.
    ``window_cpu``: the same without a GPU, where a pass of 64 pictures takes hours.
    ``max_spread``: windows are not joined when their depths of the shared pictures differ by more than this, after
    the best scale (standard deviation of the logarithm); ``max_turn_deg``: nor when their cameras differ by more.
    """

    frames: int = 64
    frame_side: int = 1600
    window: int = 64
    window_cpu: int = 16
    overlap: int = 8
    least_window: int = 4
    max_spread: float = 0.15
    max_turn_deg: float = 10.0
