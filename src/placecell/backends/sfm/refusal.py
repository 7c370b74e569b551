"""What a person is told when pictures do not fit together: which ones, how far it got, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from placecell.backends.sfm.cameras import Model
from placecell.backends.sfm.pictures import Picture
from placecell.backends.sfm.settings import SfmSettings
from placecell.errors import UserError
from placecell.media.sources import Skipped

WHAT_TO_DO = "take more pictures between them, each showing more than half of what the one before shows"
_LISTED = 12


def name_list(numbers: Sequence[int], word: str) -> str:
    """ "image 3", "images 3, 4 and 9"; long lists end in how many more."""
    shown = [str(n) for n in numbers[:_LISTED]]
    more = len(numbers) - len(shown)
    if more:
        shown.append(f"{more} more")
    text = shown[0] if len(shown) == 1 else ", ".join(shown[:-1]) + " and " + shown[-1]
    return f"{word}s {text}" if len(numbers) > 1 else f"{word} {text}"


def too_few(pictures: Sequence[Picture], skipped: Sequence[Skipped]) -> UserError:
    """The error for a single picture."""
    return UserError(
        f"one picture alone ({pictures[0].name}) shows no depth{_left_out(skipped)}",
        hint="give at least two photos of the place from different positions, or a video",
    )


def too_little(
    pictures: Sequence[Picture],
    models: Sequence[Model],
    refused: Mapping[int, float],
    skipped: Sequence[Skipped],
    settings: SfmSettings,
) -> UserError:
    """The error for pictures of which no two can be placed together, by name."""
    matched = {n for model in models for n in model.placed}
    alone = [p for p in pictures if p.number not in matched]
    parts = []
    if alone:
        parts.append(f"{_names(alone)} fit{'s' if len(alone) == 1 else ''} to no other")
    if refused:
        tried = [p for p in pictures if p.number in refused]
        best = max(refused.values())
        parts.append(
            f"{_names(tried)} seem{'s' if len(tried) == 1 else ''} to fit, but depth measured from them disagrees "
            f"(at best {best:.0%} of a picture confirmed, {settings.min_share:.0%} needed)"
        )
    detail = "; ".join(parts) or "no two of them fit together"
    return UserError(
        f"these {len(pictures)} pictures do not overlap enough to find out where they were taken: {detail}"
        f"{_left_out(skipped)}",
        hint=f"{WHAT_TO_DO}, or give a video of a slow walk, or a capture with poses or depth",
    )


def _left_out(skipped: Sequence[Skipped]) -> str:
    if not skipped:
        return ""
    named = "; ".join(f"{s.name}: {s.reason}" for s in skipped[:_LISTED])
    more = f" and {len(skipped) - _LISTED} more" if len(skipped) > _LISTED else ""
    return f" (skipped {named}{more})"


def _names(pictures: Sequence[Picture]) -> str:
    shown = ", ".join(f"{p.number} ({p.name})" for p in pictures[:_LISTED])
    more = f" and {len(pictures) - _LISTED} more" if len(pictures) > _LISTED else ""
    return f"image{'s' if len(pictures) > 1 else ''} {shown}{more}"
