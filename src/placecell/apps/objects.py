"""``placecell objects`` and ``placecell scale``: what is in a memory, and a person's corrections of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from placecell.apps.changes import read_changes
from placecell.apps.memories import open_memory
from placecell.apps.output import FINDINGS, Output
from placecell.errors import UserError

if TYPE_CHECKING:
    from placecell.engine.values import Length
    from placecell.memory.scene import Instance, SpatialMemory

Spec = Annotated[str, typer.Argument(help="A .pcell, any source `build` takes, or oracle:FILE.jsonl#SCENE.")]
To = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write the changed memory here instead of over the old one.")
]


def objects(
    out: Output,
    memory: Spec,
    names: Annotated[list[str] | None, typer.Argument(help='"chair", "the red chair"; all when left out.')] = None,
    find: Annotated[bool, typer.Option("--find", help="Look for names that nobody has looked for yet.")] = False,
    segmenter: Annotated[str, typer.Option(help="What --find looks with: auto, or one of `backends`.")] = "auto",
    undo: Annotated[bool, typer.Option("--undo", help="Take the last correction back.")] = False,
    rename: Annotated[list[str] | None, typer.Option(help="WHICH=NAME, or OLD=NAME for all called OLD.")] = None,
    merge: Annotated[list[str] | None, typer.Option(help="WHICH+WHICH...: these are one object.")] = None,
    split: Annotated[
        list[str] | None, typer.Option(help="WHICH at its gaps, WHICH=3 into 3, or WHICH=x1.2 at the plane x = 1.2.")
    ] = None,
    remove: Annotated[list[str] | None, typer.Option(help="WHICH is not there.")] = None,
    add: Annotated[
        list[str] | None,
        typer.Option(help="NAME@IMAGE=LEFT,TOP,RIGHT,BOTTOM (pixels), or NAME=X,Y,Z,WIDTH,HEIGHT,DEPTH[,YAW]."),
    ] = None,
    output: To = None,
) -> int:
    """List the objects of a memory, look for more, correct them.

    WHICH is an id, or a name that one object has. Options can repeat; all changes of a command are made, in the order
    above, or none. Every change is recorded in the memory and the old objects are kept in it, for --undo.
    """
    scene = open_memory(memory, out)
    before = scene
    if find:
        scene = _found(scene, names or [], segmenter, out)
    wishes = {"rename": rename, "merge": merge, "split": split, "remove": remove, "add": add}
    for change in read_changes(undo=undo, **{option: texts or [] for option, texts in wishes.items()}):
        scene = change(scene)
    if scene is not before:
        _write(scene, before, _target(memory, output), out)
    elif output is not None:
        raise UserError("nothing to write: no change was asked for", hint="add --rename, --merge, --split, ...")
    _list(scene, names or [], out)
    return 0


def scale(
    out: Output,
    memory: Spec,
    known: Annotated[
        list[str] | None, typer.Option(help='"door height 2.03 m", "image 1 to image 5 1.2 m" (repeat).')
    ] = None,
    gps: Annotated[
        list[Path] | None, typer.Option(help="The memory's photos, whose files state GPS positions (repeat).")
    ] = None,
    anew: Annotated[bool, typer.Option("--anew", help="Also when the memory is in metres already.")] = False,
    output: To = None,
) -> int:
    """Give a memory its metres by lengths you know, or by the GPS positions of its photos.

    A length is an object's height, width, depth or length, the height of the room, or the distance between two
    objects, two images or one of each; in m, cm, mm, km, ft or in, with "+- 1 cm" where you know how sure it is.
    Several are weighed against each other; when they contradict each other that is said, and the exit code is 1.
    GPS is off by metres: it serves outdoors, and is refused where the photos were taken too close together for it.
    """
    if bool(known) == bool(gps):
        raise UserError("say either --known or --gps", hint='for example: --known "door height 2.03 m"')
    before = open_memory(memory, out)
    target = _target(memory, output)
    if gps:
        return _scale_by_gps(before, gps, target, out, anew=anew)
    return _scale_by_lengths(before, known or [], target, out, anew=anew)


def _scale_by_lengths(before: SpatialMemory, known: Sequence[str], target: Path, out: Output, *, anew: bool) -> int:
    from placecell.agents.known_lengths import scaled

    scene, scaling = scaled(before, known, anew=anew)
    _write(scene, before, target, out)
    _say_scale(scaling.factor, scaling.relative_error, out)
    for check in scaling.checks:
        measured = check.measured.value * scaling.factor
        text = f"{check.known.text}: {measured:.3g} m in the memory now ({check.off:+.1%})"
        out.text(text)
        if check in scaling.disagreeing:
            out.notice(f"WARNING: {check.known.text!r} and the others contradict each other: {check.off:+.1%}")
        out.record(
            {
                "known": check.known.text,
                "stated_m": check.known.metres,
                "measured_m": measured,
                "off": check.off,
                "sds": check.sds,
            }
        )
    out.record({"factor": scaling.factor, "relative_error": scaling.relative_error, "agree": not scaling.disagreeing})
    return FINDINGS if scaling.disagreeing else 0


def _scale_by_gps(before: SpatialMemory, photos: Sequence[Path], target: Path, out: Output, *, anew: bool) -> int:
    from placecell.media.gps import read_fixes
    from placecell.memory.positions import scaled_by_gps

    scene, fit = scaled_by_gps(before, read_fixes(photos), anew=anew)
    _write(scene, before, target, out)
    _say_scale(fit.factor, fit.relative_error, out)
    out.text(f"{len(fit.images)} positions, {fit.spread_m:.3g} m apart at most, known to {fit.error_m:.2g} m")
    if fit.strays:
        out.notice(f"left out, far from where the others say: images {', '.join(map(str, fit.strays))}")
    out.record({"factor": fit.factor, "relative_error": fit.relative_error, "images": fit.images, "strays": fit.strays})
    return 0


def _say_scale(factor: float, error: float, out: Output) -> None:
    out.text(f"1 unit was {factor:.4g} m, +- {error:.1%}; 95 % interval of 1 m: +- {1.96 * error * 100:.1f} cm")


def _found(scene: SpatialMemory, names: Sequence[str], segmenter: str, out: Output) -> SpatialMemory:
    if not names:
        raise UserError(
            "--find needs names", hint='for example: placecell objects room.pcell chair "coffee table" --find'
        )
    from placecell.backends.segment.ground import find_objects, not_looked_for, open_segmenter

    if not not_looked_for(scene, names):
        return scene
    with out.progress() as progress:
        return find_objects(scene, names, open_segmenter(segmenter), progress=progress)


def _target(spec: str, output: Path | None) -> Path:
    """Where a changed memory goes: ``output``, else over the file it came from."""
    from placecell.memory import storage

    target = output or Path(spec)
    if output is None and (target.suffix != storage.SUFFIX or not target.is_file()):
        raise UserError(f"{spec} is no memory's file that could be written over", hint="add -o NAME.pcell")
    storage.check_target(target)
    return target


def _write(scene: SpatialMemory, before: SpatialMemory, target: Path, out: Output) -> None:
    from placecell.memory import storage

    storage.save(scene, target, overwrite=True)
    for edit in scene.edits[len(before.edits) :]:
        out.notice(f"version {edit.version}: {edit.action} {edit.detail}")
        out.record({"memory": str(target), "version": edit.version, "action": edit.action, "detail": edit.detail})


def _list(scene: SpatialMemory, names: Sequence[str], out: Output) -> None:
    from placecell.engine.grounding import ground

    shown: list[Instance] = [] if names else list(scene.instances)
    for name in names:
        found = ground(scene, name)
        shown += [i for i in found.instances if i not in shown]
        if not found.instances:
            state = {"not found": "absent", "not looked for": "unknown"}.get(found.reason or "", found.reason)
            note = found.note or "; ".join(found.evidence.flags)
            out.record({"name": name, "state": state, "note": note})
            said = "nobody looked for it; --find does" if state == "unknown" else f"{found.reason}"
            out.text(f"{name}: {said}" + (f" ({note})" if note else ""))
        for flag in found.evidence.flags if found.judged is not None and found.instances else ():
            out.notice(f"{name}: {flag}")
    rows = []
    for thing in shown:
        record = instance_record(scene, thing)
        out.record(record)
        rows.append(_row(thing, record))
    if rows:
        unit = scene.unit
        columns = ["id", "name", f"centre x, y, z ({unit})", f"width x depth x height ({unit}, 95 %)"]
        out.table([*columns, "images", "first - last seen", "confidence"], rows)
    elif not names:
        out.text("the memory has no objects")


def instance_record(scene: SpatialMemory, thing: Instance) -> dict[str, Any]:
    """One object as ``--json`` gives it; lengths in the memory's unit, intervals of 95 %."""
    from placecell.engine.sizes import extents_of

    extents = extents_of(scene, thing)
    sides = {"width": extents.width, "depth": extents.depth, "height": extents.height, "longest": extents.longest}
    return {
        "id": thing.id,
        "name": thing.name,
        "unit": scene.unit,
        "centre": [round(float(v), 4) for v in thing.centre],
        "size": {
            side: {"value": _round(length.value), "interval": _interval(length)} for side, length in sides.items()
        },
        "images": [view.frame for view in thing.views],
        "points": len(thing.points),
        "confidence": round(thing.confidence, 4),
        "certain": thing.certain,
        "first_seen_s": thing.first_seen_s,
        "last_seen_s": thing.last_seen_s,
    }


def _row(thing: Instance, record: dict[str, Any]) -> list[str]:
    size = " x ".join(f"{record['size'][side]['value']:.2f}" for side in ("width", "depth", "height"))
    low, high = record["size"]["height"]["interval"]
    give = f" +- {(high - low) / 2:.2f}" if high > low else ""
    seen = "" if thing.first_seen_s is None else f"{thing.first_seen_s:.1f} - {thing.last_seen_s:.1f} s"
    return [
        str(thing.id),
        thing.name,
        ", ".join(f"{v:.2f}" for v in thing.centre),
        size + give,
        str(len(thing.views)),
        seen,
        f"{thing.confidence:.2f}" + ("" if thing.certain else ", not certain"),
    ]


def _interval(length: Length) -> list[float]:
    return [_round(v) for v in length.interval()]


def _round(value: float) -> float:
    return round(float(value), 4)
