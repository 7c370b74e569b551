"""What a value rests on: the photos that show the objects, their points, and warnings about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from placecell.engine.values import NO_EVIDENCE, Evidence
from placecell.memory.scene import Instance

_MANY = 64
"""Evidence of more objects than this names the first ones only, and says so; the points count them all."""


def seen_by(instances: Iterable[Instance], frames: Iterable[int] = (), flags: Iterable[str] = ()) -> Evidence:
    """Frames, ids, points and flags of ``instances``, each once, in order."""
    things = list(dict.fromkeys(instances))
    seen = {view.frame for thing in things[:_MANY] for view in thing.views}
    remarks = list(flags)
    if len(things) > _MANY:
        remarks.append(f"rests on {len(things)} objects, of which {_MANY} are named")
    for thing in things[:_MANY]:
        if len(thing.views) == 1:
            remarks.append(f"{thing.name} {thing.id}: one view only")
        if not thing.certain:
            remarks.append(f"{thing.name} {thing.id}: not certain")
    return Evidence(
        frames=tuple(sorted(seen | set(frames))),
        instances=tuple(thing.id for thing in things[:_MANY]),
        points=sum(len(thing.points) for thing in things),
        flags=tuple(dict.fromkeys(remarks)),
    )


def joined(*parts: Evidence) -> Evidence:
    """Everything the parts rest on."""
    return Evidence(
        frames=tuple(sorted({f for p in parts for f in p.frames})),
        instances=tuple(dict.fromkeys(i for p in parts for i in p.instances)),
        points=sum(p.points for p in parts),
        flags=tuple(dict.fromkeys(f for p in parts for f in p.flags)),
    )


def pooled(*parts: Evidence) -> Evidence:
    """As ``joined``, of parts that may rest on the same things: points are those of the part with most, at least."""
    first, *others = dict.fromkeys(part for part in parts if part != NO_EVIDENCE) or (NO_EVIDENCE,)
    return replace(joined(first, *others), points=max(p.points for p in (first, *others))) if others else first


def rests_on(value: object) -> str:
    """A value's evidence in words: "images 1-4, 7; objects 3; 120 points"; empty for a value without."""
    evidence = getattr(value, "evidence", None)
    if not isinstance(evidence, Evidence):
        return ""
    parts = []
    if evidence.frames:
        parts.append(f"images {_ranges(evidence.frames)}")
    if evidence.instances:
        parts.append(f"objects {', '.join(map(str, evidence.instances))}")
    if evidence.points:
        parts.append(f"{evidence.points} points")
    return "; ".join([*parts, *evidence.flags])


def _ranges(numbers: Iterable[int]) -> str:
    """ "1-4, 7" for 1, 2, 3, 4, 7."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][-1] + 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(str(r[0]) if len(r) == 1 else f"{r[0]}-{r[-1]}" for r in runs)
