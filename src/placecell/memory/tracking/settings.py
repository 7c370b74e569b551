"""How tracks are made. Lengths are relative to things and distances, so that any unit gives the same result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TrackSettings:
    """How sightings become tracks.

    points: taken of a thing in one frame.
    trust_ids: label ids name one thing through the whole video; else sightings are associated anew.
    most_hidden_s: a thing that comes back after longer is another one, when ids are not trusted.
    reach: a sighting may lie this many sizes of the thing, and what it may have moved, from where it is expected.
    least_views: a thing seen in fewer frames is no track (in a video of at least four times as many).
    covered, enough_seen: with more of its outline behind something nearer than that, or some of it and less than the
        usual area, or less than that area at the picture's edge, a sighting is partly hidden; its centre is bridged.
    moving_share, moving_views: a surface that at least so many views and such a share of them look through has moved.
    moving_pixels: share of the picture below which a moving region is noise.
    compared_views: other moments that each is compared with for that.
    """

    points: int = 160
    trust_ids: bool = True
    most_hidden_s: float = 2.0
    reach: float = 0.8
    least_views: int = 3
    covered: float = 0.25
    enough_seen: float = 0.7
    moving_share: float = 0.3
    moving_views: int = 2
    moving_pixels: float = 0.002
    compared_views: int = 14


OURS = TrackSettings()
