"""``build``: look at what the sources are, choose how to make a memory of them, and say why.

In this order: a saved memory is opened; a point cloud becomes one without pictures; a capture with poses (and depth,
when it has it) is read as it is; plain photos and video go to a feed-forward model, where a GPU and its weights are,
else to structure from motion (``choice``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from placecell.backends import choice
from placecell.backends.clip import parse_sampling
from placecell.backends.clouds import is_cloud
from placecell.backends.posed.backend import need_capture, read_capture, with_measured_depth
from placecell.backends.posed.layouts import find_capture
from placecell.backends.table import find_backend
from placecell.errors import UserError
from placecell.media.sampling import Sampling
from placecell.memory import storage
from placecell.memory.build import assemble
from placecell.memory.ports import PictureReconstructor, Reconstruction
from placecell.memory.scene import Scale, SpatialMemory
from placecell.progress import OnProgress, silent


@dataclass(frozen=True)
class _Wish:
    """What the caller asked for, besides sources and backend."""

    frames: int | None
    sampling: Sampling
    labels: Path | None
    strict: bool
    metric: bool
    sweep: bool
    progress: OnProgress


def build(  # noqa: PLR0913 - one name for each wish
    sources: Sequence[Path],
    *,
    reconstructor: str = "auto",
    frames: int | None = None,
    sampling: str = "uniform",
    labels: Path | None = None,
    objects: Sequence[str] = (),
    segmenter: str = "auto",
    strict: bool = False,
    metric: bool = False,
    sweep: bool = True,
    dynamic: bool = False,
    fps: float | None = None,
    progress: OnProgress = silent,
) -> SpatialMemory:
    """A memory of the sources; ``provenance.notes`` says what was chosen and why.

    ``frames``: at most this many; ``sampling``: how they are chosen. ``labels``: a folder of label images or a boxes
    file. ``objects``: names of things to look for with the ``segmenter``, in every picture that has depth. ``strict``:
    the first file that cannot be used is an error. ``metric``: so is a scale that is not known. ``sweep``: depth is
    measured between pictures that come with poses only. ``dynamic``: with time, of one video or RGB-D capture; ``fps``
    its frames a second where it states no times.

    Raises:
        UserError: the sources cannot be used, or do not fit together.
        BackendUnavailable: the named reconstructor or segmenter is not installed, or its weights are not here.
    """
    _check(sources, frames)
    wish = _Wish(frames, parse_sampling(sampling), labels, strict, metric, sweep, progress)
    if dynamic and not any(_is_saved(source) for source in sources):
        return _with_time(sources, reconstructor, wish, fps, objects, segmenter)
    look = _search(sources, objects, segmenter)
    if reconstructor != "auto":
        find_backend(reconstructor)
    if any(_is_saved(source) for source in sources):
        memory = _open_saved(sources, labels, frames)
        _need_metres(memory.scale, sources, wish)
        return memory
    if reconstructor == "auto" and any(is_cloud(source) for source in sources):
        made = _with("cloud", sources, f"read as a point cloud ({sources[0].suffix}): no pictures, no cameras", wish)
    elif reconstructor in ("auto", "posed"):
        made = _posed(sources, reconstructor == "posed", wish)
    else:
        if metric:
            choice.refuse_without_metres(reconstructor)
        made = _with(reconstructor, sources, f"made by {reconstructor}, as asked", wish)
    _need_metres(made.scale, sources, wish)
    return look(assemble(made, sources=tuple(source.name for source in sources), progress=progress), progress)


def _with_time(
    sources: Sequence[Path], reconstructor: str, wish: _Wish, fps: float | None, objects: Sequence[str], segmenter: str
) -> SpatialMemory:
    """The memory of a video; a named reconstructor gives its depth, "auto" takes a capture's own or none (2.5D)."""
    from placecell.backends.dynamic.build import FLAT, build_dynamic

    def reconstruct() -> Reconstruction:
        return _with(reconstructor, sources, f"made by {reconstructor}, as asked", wish)

    given = reconstructor in ("auto", "posed", FLAT)
    if given and wish.sampling != "uniform":
        raise UserError(
            f"frames of a memory with time are taken evenly, not by {wish.sampling}", hint="leave out --sampling"
        )
    memory = build_dynamic(
        sources,
        reconstruct=None if given else reconstruct,
        frames=wish.frames,
        fps=fps,
        labels=wish.labels,
        objects=objects,
        segmenter=segmenter,
        strict=wish.strict,
        progress=wish.progress,
    )
    _need_metres(memory.scale, sources, wish)
    return memory


def _search(
    sources: Sequence[Path], objects: Sequence[str], segmenter: str
) -> Callable[[SpatialMemory, OnProgress], SpatialMemory]:
    """How the objects are looked for once there is a memory. What is missing for it is an error before any work."""
    if not objects:
        return lambda memory, progress: memory
    if any(_is_saved(source) for source in sources):
        hint = f"placecell objects {sources[0]} {' '.join(map(repr, objects))}"
        raise UserError(f"{sources[0]} is a saved memory; objects are looked for in it with another command", hint=hint)
    from placecell.backends.segment.ground import clean_phrases, looked_for, not_looked_for, open_segmenter

    phrases, ready = clean_phrases(objects), open_segmenter(segmenter)

    def look(memory: SpatialMemory, progress: OnProgress) -> SpatialMemory:
        new = not_looked_for(memory, phrases)  # labels may have named them
        return looked_for(memory, new, ready, progress) if new else memory

    return look


def _check(sources: Sequence[Path], frames: int | None) -> None:
    if not sources:
        raise UserError("no sources given", hint="name a folder, a capture, photos or a .pcell file")
    for source in sources:
        if str(source).startswith("oracle:"):
            raise UserError(
                f"{source} is a memory as it is, and needs no build",
                hint="name it where a memory is asked for: placecell ask, info, objects, render",
            )
        if not source.exists():
            raise UserError(f"{source}: no such file or folder")
    if frames is not None and frames < 1:
        raise UserError(f"{frames} frames cannot make a memory", hint="ask for at least 1")


def _need_metres(scale: Scale, sources: Sequence[Path], wish: _Wish) -> None:
    if wish.metric and not scale.metric:
        raise UserError(
            f"the scale of {sources[0]} is not known, so it cannot be built in metres",
            hint="leave out --metric, or give a capture with a depth sensor",
        )


def _is_saved(source: Path) -> bool:
    return source.suffix == storage.SUFFIX or storage.is_memory_folder(source)


def _open_saved(sources: Sequence[Path], labels: Path | None, frames: int | None) -> SpatialMemory:
    if len(sources) > 1:
        raise UserError(f"{sources[0]} is a saved memory and cannot be mixed with other sources")
    if labels is not None or frames is not None:
        wish = "labels belong" if labels is not None else "a number of frames belongs"
        raise UserError(f"{sources[0]} is a saved memory; {wish} to a capture", hint="build the capture again")
    return storage.load(sources[0])


def _posed(sources: Sequence[Path], must: bool, wish: _Wish) -> Reconstruction:
    """The capture at the source, or, unless it ``must`` be one, what a backend makes of plain pictures."""
    source = sources[0]
    place = None
    if len(sources) == 1:
        names_a_layout = source.is_file() and source.suffix.lower() in (".json", ".txt", ".log")
        if must or names_a_layout:
            place = need_capture(source)
        elif source.is_dir():
            place = find_capture(source)
    if place is None:
        chosen = choice.for_pictures(metric=wish.metric)
        return _with(chosen.name, sources, chosen.why, wish)
    made = read_capture(
        place,
        frames=wish.frames,
        sampling=wish.sampling,
        labels=wish.labels,
        strict=wish.strict,
        progress=wish.progress,
    )
    has_depth = any(frame.depth is not None for frame in made.frames)
    has = "depth and poses, so nothing had to be estimated" if has_depth else "poses without depth"
    where = "" if place.folder in (source, source.parent) else f" in {place.folder.name}"
    article = "an" if place.layout.name[0] in "aeiou" else "a"
    why = f"read as {article} {place.layout.name} capture{where}: it has {has}"
    _need_metres(made.scale, sources, wish)
    if wish.sweep:
        made = with_measured_depth(made, wish.progress)
    return replace(made, notes=(why, *made.notes))


def _with(name: str, sources: Sequence[Path], why: str, wish: _Wish) -> Reconstruction:
    reconstructor = find_backend(name).reconstructor()
    if isinstance(reconstructor, PictureReconstructor):
        made = reconstructor.reconstruct_pictures(
            sources,
            frames=wish.frames,
            sampling=wish.sampling,
            labels=wish.labels,
            strict=wish.strict,
            progress=wish.progress,
        )
    elif wish.labels is not None:
        raise UserError(f"labels are read for posed captures, not for {name}")
    else:
        made = reconstructor.reconstruct(sources, frames=wish.frames, strict=wish.strict, progress=wish.progress)
    return replace(made, notes=(why, *made.notes))
