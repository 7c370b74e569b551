"""How far an episode may go, and what a picture costs a model.

Knows pixels and image tokens. Does not know which photos are shown (``agents.exploring.photos``).
"""

from __future__ import annotations

from dataclasses import dataclass

from placecell.errors import UserError


@dataclass(frozen=True)
class Limits:
    """Limits of an episode.

    ``turns``: replies that may use tools before the answer is due (the paper: 3); ``looks``: tool calls in one reply.
    ``image_tokens``: of all pictures together, photos and renders. ``side``: pixels of a picture's longer side.
    ``pixels_per_token``: side of the square of pixels that becomes one token (Qwen3-VL 32, Qwen2.5-VL 28).
    """

    turns: int = 3
    looks: int = 1
    image_tokens: int = 4096
    side: int = 448
    pixels_per_token: int = 32

    def __post_init__(self) -> None:
        if not (1 <= self.turns <= 20 and 1 <= self.looks <= 12 and 64 <= self.side <= 2048):
            raise UserError(
                f"episode limits: {self.turns} turns, {self.looks} looks, pictures of {self.side} pixels",
                hint="give 1 to 20 turns, 1 to 12 looks and 64 to 2048 pixels",
            )
        if self.pixels_per_token < 1 or self.fits < self.renders:
            raise UserError(
                f"{self.renders} renders of {self.side} pixels do not fit into {self.image_tokens} image tokens",
                hint="allow more image_tokens, or fewer turns, looks or pixels",
            )

    @property
    def renders(self) -> int:
        """The most pictures tools may add."""
        return self.turns * self.looks

    @property
    def fits(self) -> int:
        """How many pictures of the largest kind, square ones, fit into the image tokens."""
        return self.image_tokens // self.tokens_of(self.side, self.side)

    def tokens_of(self, width: int, height: int) -> int:
        """Image tokens of a picture, no less than a model's own processor makes of it at this size."""
        return -(-width // self.pixels_per_token) * -(-height // self.pixels_per_token)
