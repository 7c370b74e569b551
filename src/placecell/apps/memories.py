"""``placecell build`` and ``placecell info``, and opening whatever a command is given as a memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from placecell.apps.output import Output, counted
from placecell.errors import UserError

if TYPE_CHECKING:
    from placecell.memory.scene import SpatialMemory

_NAMED = 10  # skipped files, in text; the record has them all
Sources = Annotated[
    list[str], typer.Argument(help="Photos, a folder, a video, an RGB-D capture, a posed dataset, or a point cloud.")
]


def build(
    out: Output,
    sources: Sources,
    output: Annotated[Path, typer.Option("--output", "-o", help="The memory to write, NAME.pcell.")],
    reconstructor: Annotated[str, typer.Option(help="auto, or a name from `placecell backends`.")] = "auto",
    frames: Annotated[int | None, typer.Option(min=1, help="Use at most this many frames.")] = None,
    sampling: Annotated[
        str, typer.Option(help="How frames are chosen: uniform, coverage, sharpest or clip:TEXT.")
    ] = "uniform",
    labels: Annotated[
        Path | None, typer.Option(help="Label images or masks by photo, COCO, LabelMe, or a boxes file.")
    ] = None,
    objects: Annotated[str | None, typer.Option(help='Things to look for, "chair, coffee table".')] = None,
    segmenter: Annotated[
        str, typer.Option(help="What looks for them: auto, or a name from `placecell backends`.")
    ] = "auto",
    metric: Annotated[bool, typer.Option("--metric", help="Fail unless the memory comes out in metres.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Fail on the first file that cannot be used.")] = False,
    no_sweep: Annotated[
        bool, typer.Option("--no-sweep", help="Measure no depth between pictures that come with poses only.")
    ] = False,
    dynamic: Annotated[
        bool, typer.Option("--dynamic", help="With time: tracks of what moves, from one video or RGB-D capture.")
    ] = False,
    fps: Annotated[
        float | None, typer.Option(min=0.01, help="Frames a second of a capture without times, for --dynamic.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUTPUT if it exists and is not a memory.")] = False,
) -> int:
    """Build a memory from a capture."""
    from placecell.backends import auto
    from placecell.memory import storage

    storage.check_target(output, replace_anything=force)
    with out.progress() as progress:
        memory = auto.build(
            [Path(s) for s in sources],
            reconstructor=reconstructor,
            frames=frames,
            sampling=sampling,
            labels=labels,
            objects=objects.split(",") if objects is not None else (),
            segmenter=segmenter,
            strict=strict,
            metric=metric,
            sweep=not no_sweep,
            dynamic=dynamic,
            fps=fps,
            progress=progress,
        )
    storage.save(memory, output, overwrite=True)
    _report(out, memory, output)
    return 0


def info(out: Output, memory: Annotated[str, typer.Argument(help="A .pcell, a source, or oracle:FILE#SCENE.")]) -> int:
    """Show what a memory holds."""
    _report(out, open_memory(memory, out), Path(memory))
    return 0


def open_memory(spec: str, out: Output, *, sweep: bool = True) -> SpatialMemory:
    """A saved memory, ``oracle:FILE#SCENE``, or any source ``build`` takes (``sweep`` as there).

    Raises:
        UserError: the file is missing or cannot be used.
    """
    if spec.startswith("oracle:"):
        from placecell.backends.oracle import load_spec

        return load_spec(spec)
    path = Path(spec)
    if not path.exists():
        raise UserError(f"{spec}: no such file or folder", hint="give a .pcell, a capture, or oracle:FILE#SCENE")
    from placecell.memory import storage

    if path.suffix == storage.SUFFIX:
        return storage.load(path)  # what the backends import is not needed then
    from placecell.backends import auto

    with out.progress() as progress:
        return auto.build([path], sweep=sweep, progress=progress)


def summary(memory: SpatialMemory) -> dict[str, Any]:
    """The record of ``info --json``. ``extent_m`` is None unless the scale is metric."""
    extent = _extent(memory)
    scale, made = memory.scale, memory.provenance
    return {
        "frames": len(memory.frames),
        "placed": len(memory.posed_frames),
        "points": len(memory.cloud.points),
        "extent": extent,
        "extent_m": extent if scale.metric else None,
        "unit": memory.unit,
        "scale": {"kind": scale.kind, "source": scale.source, "relative_error": scale.relative_error},
        "objects": dict(sorted(Counter(i.name for i in memory.instances).items())),
        "tracks": dict(sorted(Counter(t.name for t in memory.tracks).items())),
        "room": _room(memory),
        "alignment": {
            "method": memory.alignment.method,
            "residual_deg": memory.alignment.residual_deg,
            "confident": memory.alignment.confident,
        },
        "backend": made.backend,
        "notes": list(made.notes),
        "licences": list(made.licences),
        "version": memory.version,
        "edits": [{"version": e.version, "action": e.action, "detail": e.detail} for e in memory.edits],
        "frame_list": [
            {
                "number": f.number,
                "name": f.name,
                "time": f.time_s,
                "width": f.width,
                "height": f.height,
                "placed": f.camera is not None,
                "depth": f.depth is not None,
                "digest": f.digest,
            }
            for f in memory.frames
        ],
        "skipped": [{"name": s.name, "reason": s.reason} for s in memory.skipped],
    }


def _room(memory: SpatialMemory) -> dict[str, Any]:
    """Floor, height, walls and doors, in the memory's unit; a door's ``wall`` is an index of ``walls``."""
    from placecell.memory.doors import doors_in

    layout = memory.layout
    return {
        "floor_area": layout.floor_area,
        "height": layout.height,
        "walls": [{"start": w.start, "end": w.end, "length": w.length} for w in layout.walls],
        "doors": [asdict(door) for door in doors_in(memory)],
    }


def _room_text(memory: SpatialMemory) -> str | None:
    """The room in one line, None when neither floor nor walls were found."""
    from placecell.memory.doors import doors_in

    layout, unit = memory.layout, memory.unit
    said = []
    if layout.floor_area is not None:
        said.append(f"{layout.floor_area:.1f} {'m2' if unit == 'm' else 'square units'} of floor")
    if layout.height is not None:
        said.append(f"{layout.height:.2f} {unit} high")
    if layout.walls:
        said.append("walls " + ", ".join(f"{wall.length:.2f}" for wall in layout.walls) + f" {unit}")
    doors = doors_in(memory)
    if doors:
        said.append("doors " + ", ".join(f"{d.width:.2f} {unit} wide in wall {d.wall + 1}" for d in doors))
    return "room: " + "; ".join(said) if said else None


def _extent(memory: SpatialMemory) -> list[float] | None:
    """Extent along x, y, z without the farthest specks; of the boxes where there are no points."""
    import numpy as np

    from placecell.geometry.cloud import robust_extent

    if len(memory.cloud.points):
        low, high = robust_extent(memory.cloud.points)
    elif memory.instances:
        corners = np.concatenate([i.box.corners for i in memory.instances])
        low, high = corners.min(axis=0), corners.max(axis=0)
    else:
        return None
    return [round(float(v), 4) for v in high - low]


def _report(out: Output, memory: SpatialMemory, path: Path) -> None:
    record = summary(memory)
    out.record({"memory": str(path), **record})
    extent = record["extent"]
    size = f"{' x '.join(f'{v:.2f}' for v in extent)} {memory.unit}" if extent else "of unknown size"
    scale = f"metric, from {memory.scale.source}" if memory.scale.metric else "relative: no metres"
    placed = "" if record["placed"] == record["frames"] else f", {record['placed']} of them placed"
    held = f"{counted(record['frames'], 'frame')}{placed}, {counted(record['points'], 'point')}"
    out.text(f"{path}: {held}, {size} ({scale})")
    if record["objects"]:
        out.text("objects: " + ", ".join(f"{n} {name}" for name, n in record["objects"].items()))
    if record["tracks"]:
        out.text("tracks: " + ", ".join(f"{n} {name}" for name, n in record["tracks"].items()))
    room = _room_text(memory)
    if room is not None:
        out.text(room)
    for note in record["notes"]:
        out.text(f"note: {note}")
    by_reason: dict[str, list[str]] = {}
    for skipped in memory.skipped:
        by_reason.setdefault(skipped.reason, []).append(skipped.name)
    for reason, names in by_reason.items():
        more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
        out.notice(f"skipped {len(names)}: {reason}: {', '.join(names[:_NAMED])}{more}")
