"""``build``: look at what the sources are, choose how to make a memory of them, and say why.

In this order: a saved memory is opened; a capture with poses (and depth, when it has it) is read as it is; plain photos
and video have their cameras found by structure from motion, which needs nothing but the pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import get_args

from placecell.backends.posed.backend import need_capture, read_capture
from placecell.backends.posed.layouts import find_capture
from placecell.backends.table import find_backend
from placecell.errors import UserError
from placecell.media.sampling import Sampling
from placecell.memory import storage
from placecell.memory.build import assemble
from placecell.memory.scene import SpatialMemory
from placecell.progress import OnProgress, silent


def build(
    sources: Sequence[Path],
    *,
    reconstructor: str = "auto",
    frames: int | None = None,
    sampling: str = "uniform",
    labels: Path | None = None,
    strict: bool = False,
    metric: bool = False,
    progress: OnProgress = silent,
) -> SpatialMemory:
    """A memory of the sources; ``provenance.notes`` says what was chosen and why.

    ``frames``: at most this many; ``sampling``: how they are chosen. ``labels``: a folder of label images or a boxes
    file. ``strict``: the first file that cannot be used is an error. ``metric``: so is a scale that is not known.

    Raises:
        UserError: the sources cannot be used, or do not fit together.
        BackendUnavailable: the named reconstructor is not installed.
    """
    _check(sources, frames, sampling)
    if reconstructor != "auto":
        find_backend(reconstructor)
    saved = [source for source in sources if _is_saved(source)]
    if saved:
        memory = _open_saved(sources, labels, frames)
    elif reconstructor == "sfm":
        memory = _from_pictures(
            sources,
            why="made by sfm, as asked",
            frames=frames,
            sampling=sampling,  # type: ignore[arg-type]  # checked above
            labels=labels,
            strict=strict,
            progress=progress,
        )
    elif reconstructor not in ("auto", "posed"):
        memory = _with(reconstructor, sources, frames=frames, labels=labels, strict=strict, progress=progress)
    else:
        memory = _posed(
            sources,
            must=reconstructor == "posed",
            frames=frames,
            sampling=sampling,  # type: ignore[arg-type]  # checked above
            labels=labels,
            strict=strict,
            progress=progress,
        )
    if metric and not memory.scale.metric:
        raise UserError(
            f"the scale of {sources[0]} is not known, so it cannot be built in metres",
            hint="leave out --metric, or give a capture with a depth sensor",
        )
    return memory


def _check(sources: Sequence[Path], frames: int | None, sampling: str) -> None:
    if not sources:
        raise UserError("no sources given", hint="name a folder, a capture, photos or a .pcell file")
    for source in sources:
        if not source.exists():
            raise UserError(f"{source}: no such file or folder")
    if sampling not in get_args(Sampling):
        raise UserError(f"unknown sampling {sampling!r}", hint=f"one of {', '.join(get_args(Sampling))}")
    if frames is not None and frames < 1:
        raise UserError(f"{frames} frames cannot make a memory", hint="ask for at least 1")


def _is_saved(source: Path) -> bool:
    return source.suffix == storage.SUFFIX or storage.is_memory_folder(source)


def _open_saved(sources: Sequence[Path], labels: Path | None, frames: int | None) -> SpatialMemory:
    if len(sources) > 1:
        raise UserError(f"{sources[0]} is a saved memory and cannot be mixed with other sources")
    if labels is not None or frames is not None:
        wish = "labels belong" if labels is not None else "a number of frames belongs"
        raise UserError(f"{sources[0]} is a saved memory; {wish} to a capture", hint="build the capture again")
    return storage.load(sources[0])


def _posed(
    sources: Sequence[Path],
    *,
    must: bool,
    frames: int | None,
    sampling: Sampling,
    labels: Path | None,
    strict: bool,
    progress: OnProgress,
) -> SpatialMemory:
    source = sources[0]
    place = None
    if len(sources) == 1:
        names_a_layout = source.is_file() and source.suffix.lower() in (".json", ".txt", ".log")
        if must or names_a_layout:
            place = need_capture(source)
        elif source.is_dir():
            place = find_capture(source)
    if place is None:
        return _from_pictures(
            sources,
            why="plain pictures without poses or depth: structure from motion",
            frames=frames,
            sampling=sampling,
            labels=labels,
            strict=strict,
            progress=progress,
        )
    reconstruction = read_capture(
        place, frames=frames, sampling=sampling, labels=labels, strict=strict, progress=progress
    )
    depth = "depth and poses" if any(f.depth is not None for f in reconstruction.frames) else "poses without depth"
    where = "" if place.folder == source else f" in {place.folder.name}"
    why = f"read as a {place.layout.name} capture{where}: it has {depth}, so nothing had to be estimated"
    return assemble(
        replace(reconstruction, notes=(why, *reconstruction.notes)), sources=(source.name,), progress=progress
    )


def _with(
    name: str, sources: Sequence[Path], *, frames: int | None, labels: Path | None, strict: bool, progress: OnProgress
) -> SpatialMemory:
    if labels is not None:
        raise UserError(f"labels are read for posed captures, not for {name}")
    made = find_backend(name).reconstructor().reconstruct(sources, frames=frames, strict=strict, progress=progress)
    notes = (f"made by {name}, as asked", *made.notes)
    return assemble(replace(made, notes=notes), sources=tuple(s.name for s in sources), progress=progress)


def _from_pictures(
    sources: Sequence[Path],
    *,
    why: str,
    frames: int | None,
    sampling: Sampling,
    labels: Path | None,
    strict: bool,
    progress: OnProgress,
) -> SpatialMemory:
    from placecell.backends.sfm.backend import reconstruct_pictures

    made = reconstruct_pictures(
        sources, frames=frames, sampling=sampling, labels=labels, strict=strict, progress=progress
    )
    notes = (why, *made.notes)
    return assemble(replace(made, notes=notes), sources=tuple(s.name for s in sources), progress=progress)
