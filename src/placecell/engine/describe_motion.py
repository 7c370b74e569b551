"""Tracks and motions in words and as JSON; ``describe`` calls this."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from placecell.engine.movement import CameraMovement, Movement
from placecell.engine.values import MotionValue, TrackValue
from placecell.memory.track import Track

_MANY = 12


def track_words(value: TrackValue) -> str:
    """One line on the tracks of a name."""
    if not value.tracks:
        return f"no {value.name} ({value.reason or 'not found'}, confidence {value.confidence:.2f})"
    shown = "; ".join(_track(t) for t in value.tracks[:_MANY])
    return f"{len(value.tracks)} for {value.name!r}: {shown}{_more(len(value.tracks))}"


def track_numbers(value: TrackValue) -> dict[str, Any]:
    """The tracks as JSON, without their arrays."""
    return {
        "name": value.name,
        "reason": value.reason,
        "confidence": value.confidence,
        "count": len(value.tracks),
        "tracks": [
            {"id": t.id, "name": t.name, "span_s": list(t.span_s), "confidence": t.confidence,
             "visible_s": [list(i) for i in t.visible_intervals], "front_from": t.front_from}
            for t in value.tracks[:_MANY]
        ],
    }  # fmt: skip


def motion_words(value: MotionValue) -> str:
    """One line: what the camera did, or what each mover did, in which terms."""
    if value.camera is not None:
        return _camera(value.camera, value.unit)
    terms = {
        "camera": "as the camera sees it",
        "world": "seen from where the video starts",
        "self": "by its own front",
        "screen": "in the picture, the camera's own motion removed",
    }[value.frame]
    moved = "; ".join(_movement(m, value.unit) for m in value.movements[:_MANY])
    return f"{moved or f'no {value.mover}'}{_more(len(value.movements))} ({terms}, {value.during})"


def motion_numbers(value: MotionValue) -> dict[str, Any]:
    """The motion as JSON."""
    camera = None
    if value.camera is not None:
        camera = asdict(value.camera)
    movements = [_finite(asdict(m) | {"spun": m.spun}) for m in value.movements[:_MANY]]
    return {
        "mover": value.mover,
        "frame": value.frame,
        "during": value.during,
        "span_s": list(value.span_s),
        "unit": value.unit,
        "count": len(value.movements),
        "movements": movements,
        "camera": camera,
    }


def _track(track: Track) -> str:
    first, last = track.span_s
    hidden = int((~track.seen).sum())
    gap = f", hidden in {hidden} of {len(track.seen)} frames" if hidden else ""
    return f"{track.name} {track.id} ({first:.1f} to {last:.1f} s{gap}, confidence {track.confidence:.2f})"


def _movement(m: Movement, unit: str) -> str:
    who = m.name if m.id is None else f"{m.name} {m.id}"
    if not m.moving:
        parts = [f"{who} does not leave its place (less than {m.stillness:.2g} {unit})"]
    else:
        way = " and ".join(m.words) or "on the spot"
        parts = [f"{who} moves {way}, {m.path:.2f} {unit} of way at {m.speed:.2f} {unit}/s"]
    if abs(m.turned) >= max(15.0, 2 * m.turned_sd):
        parts.append(f"turns {abs(m.turned):.0f} degrees to its {'right' if m.turned > 0 else 'left'}")
    if abs(m.spun) >= 30:  # NaN is not
        sense = "clockwise" if m.spun > 0 else "counterclockwise"
        seen = "from above" if m.spun == m.spun_above else "by the camera"
        parts.append(f"spins {abs(m.spun):.0f} degrees {sense} as seen {seen}")
    if abs(m.approach) > 2 * m.approach_sd and abs(m.approach) > m.stillness:
        parts.append(f"its distance to the camera {'shrinks' if m.approach < 0 else 'grows'}")
    parts += [f"{e.kind} ({e.word}) at {e.at_s:.1f} s" for e in m.events[:_MANY]]
    return ", ".join(parts) + _more(len(m.events))


def _camera(value: CameraMovement, unit: str) -> str:
    if not value.moving:
        return "the camera stands still"
    net, total = value.motion.net, value.motion.total
    turns = ", ".join(f"{n} {net[n]:+.0f} (in all {total[n]:.0f})" for n in ("pan", "tilt", "roll"))
    steps = ", ".join(f"{n} {net[n]:+.2f} (in all {total[n]:.2f})" for n in ("dolly", "truck", "pedestal"))
    return f"camera: {', '.join(value.words)}; degrees: {turns}; {unit}: {steps}; way {value.motion.path:.2f} {unit}"


def _more(count: int) -> str:
    """What is said where not all of so many are."""
    return f" and {count - _MANY} more" if count > _MANY else ""


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in record.items()}
