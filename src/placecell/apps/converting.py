"""``placecell convert``: a memory, or whatever ``build`` takes, into another format. No depth is swept for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from placecell.apps.output import Output


def convert(
    out: Output,
    source: Annotated[str, typer.Argument(help="A .pcell, or any source `build` takes.")],
    target: Annotated[Path, typer.Argument(help="A new folder, or a file ending in .pcell, .ply, .glb, .rrd.")],
    to: Annotated[str | None, typer.Option(help="Format; without, by the target's suffix. `list` shows all.")] = None,
    frame: Annotated[
        str | None, typer.Option(help="source: the capture's own frame; world: +y up. Default: the format's own.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a target file that exists.")] = False,
) -> int:
    """Convert between memories, captures, COLMAP, nerfstudio, PLY, GLB and rerun."""
    from placecell.apps.memories import open_memory
    from placecell.errors import UserError
    from placecell.memory import storage
    from placecell.memory.interchange.table import FORMATS, find_format, write

    if to == "list":
        for known in FORMATS.values():
            out.record({"name": known.name, "what": known.what, "loses": known.loses})
        out.table(["format", "what", "loses"], [[f.name, f.what, f.loses] for f in FORMATS.values()])
        return 0
    if target.is_file() and not force:
        raise UserError(f"{target} exists", hint="give another name, or --force")
    if to in (None, "pcell") and target.suffix == storage.SUFFIX:
        memory = open_memory(source, out, sweep=False)
        storage.check_target(target, replace_anything=force)
        storage.save(memory, target, overwrite=True)
        out.record({"target": str(target), "format": "pcell", "bytes": target.stat().st_size})
        out.text(f"{target}: {memory.describe_numbers()}, {len(memory.cloud)} points")
        return 0
    format_ = find_format(to, target)
    memory = open_memory(source, out, sweep=False)
    size = write(memory, target, format_, reference=frame)  # type: ignore[arg-type]  # checked there
    if format_.metres and not memory.scale.metric:
        out.notice(f"lengths are in units, not metres: readers of {format_.what} take them for metres", level=0)
    out.record({"target": str(target), "format": format_.name, "bytes": size, "loses": format_.loses})
    out.text(f"{target}: {format_.what}, {size / 1e6:.1f} MB; without {format_.loses}")
    return 0
