"""A video on one sheet: some of its frames in order, each with its time, and the boxes of what was tracked.

Knows frames and tracks. Does not know motion, or who looks: ``topview`` shows ways from above.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image

from placecell.engine.drawing import PALETTE, PAPER, Canvas, Colour
from placecell.engine.values import Evidence, Picture
from placecell.errors import UserError
from placecell.memory.scene import Frame, SpatialMemory
from placecell.memory.track import Track

MOMENTS = 6
_COLUMNS = 3
_WIDTH = 340
_GAP = 6
_MOST_TRACKS = 12


def filmstrip(memory: SpatialMemory, tracks: Sequence[Track] = (), *, moments: int = MOMENTS) -> Picture:
    """``moments`` frames evenly over the video, left to right and row by row; at most 12 tracks are outlined.

    Raises:
        UserError: the memory has no frame with a time.
    """
    timed = [frame for frame in memory.frames if frame.time_s is not None]
    if not timed:
        raise UserError("the memory has no frames with times", hint="build it from a video")
    places = np.unique(np.linspace(0, len(timed) - 1, min(moments, len(timed))).round().astype(int))
    shown = [timed[place] for place in places.tolist()]
    outlined = {track: PALETTE[k % len(PALETTE)] for k, track in enumerate(tracks[:_MOST_TRACKS])}
    cells = [_cell(frame, outlined) for frame in shown]
    height = max(cell.height for cell in cells)
    columns = min(_COLUMNS, len(cells))
    rows = -(-len(cells) // columns)
    sheet = Image.new("RGB", (columns * (_WIDTH + _GAP) - _GAP, rows * (height + _GAP) - _GAP), PAPER)
    for k, cell in enumerate(cells):
        sheet.paste(cell, (k % columns * (_WIDTH + _GAP), k // columns * (height + _GAP)))
    return Picture(
        rgb=np.asarray(sheet),
        mode="photo",
        caption=_caption(shown, list(outlined), len(tracks)),
        shown=tuple(f"{track.name} {track.id}" for track in outlined),
        evidence=Evidence(frames=tuple(f.number for f in shown), instances=tuple(track.id for track in outlined)),
    )


def _cell(frame: Frame, outlined: dict[Track, Colour]) -> Image.Image:
    """One frame with its time and the boxes of what shows in it."""
    picture = Image.fromarray(frame.rgb)
    scale = _WIDTH / picture.width
    canvas = Canvas(np.asarray(picture.resize((_WIDTH, round(picture.height * scale)))), round(_WIDTH * 1.6))
    canvas.label((_WIDTH * 0.13, _WIDTH * 0.05), f"{frame.time_s:.1f} s")
    for track, colour in outlined.items():
        at = np.flatnonzero((track.frames == frame.number) & track.seen & (track.pixels > 0))
        if len(at):
            left, top, right, bottom = (track.bbox[at[0]] * scale).tolist()
            canvas.draw.rectangle((left, top, right, bottom), outline=(*colour, 255), width=canvas.line + 1)
            canvas.label(((left + right) / 2, top - 10), f"{track.name} {track.id}", colour, away=2)
    return canvas.image


def _caption(shown: Sequence[Frame], outlined: Sequence[Track], all_of_them: int) -> str:
    times = ", ".join(f"{frame.time_s:.1f}" for frame in shown)
    text = f"{len(shown)} frames of the video in order of time, left to right and row by row, at {times} s."
    if outlined:
        names = ", ".join(f"{track.name} {track.id}" for track in outlined)
        more = f" and {all_of_them - len(outlined)} more not outlined" if all_of_them > len(outlined) else ""
        text += f" Boxes show what was tracked: {names}{more}; no box where it is hidden."
    return text
