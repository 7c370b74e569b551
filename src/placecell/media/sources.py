"""Which photos a list of files and folders stands for, in which order, and reading them one by one.

A folder gives its photos, subfolders included, in natural order; files keep the order they were given in. Knows no
pixels (``photos``) and no video beyond recognising one by its suffix (``video``).
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from placecell.errors import UserError
from placecell.media.frames import MediaError, MediaFrame, UInt8
from placecell.media.names import natural_key, printable
from placecell.media.sampling import Sampling, choose
from placecell.progress import OnProgress, Progress, silent

_PHOTO = re.compile(
    r"\.(jpe?g|jpe|jfif|a?png|webp|avif|hei[cf]|hif|tiff?|gif|bmp|dib|p[pgbn]m|tga|jp2|j2k|jp[fx]|mpo)", re.IGNORECASE
)
_VIDEO = re.compile(r"\.(mp4|m4v|mov|mkv|webm|avi|mpe?g|m2?ts|ts|3g[p2]|wmv|flv|og[vg]|vob|insv)", re.IGNORECASE)
_RAW = re.compile(r"\.(dng|cr[23]|nef|arw|raf|orf|rw2|pef|srw)", re.IGNORECASE)
_SIDECAR = re.compile(r"\.(aae|xmp|thm|lrv|pp3|jsonl?|txt|csv|md|xml|ya?ml|ini|log|html?|db)", re.IGNORECASE)
_SYSTEM_NAMES = frozenset({"thumbs.db", "desktop.ini", "__macosx"})

DECODING_THREADS = 2


@dataclass(frozen=True)
class Skipped:
    """One input that was left out, by the name a person would look for, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class PhotoFile:
    """A file to be read as a photo, under the name its frame will have."""

    path: Path
    name: str


@dataclass(frozen=True)
class PhotoList:
    """What the sources stand for. Hidden files, sidecars and system files are not mentioned: nobody misses them."""

    files: tuple[PhotoFile, ...]
    skipped: tuple[Skipped, ...] = ()


def is_video(path: Path) -> bool:
    """Whether the suffix says video. A GIF is a photo unless the caller reads it as video."""
    return _VIDEO.fullmatch(path.suffix) is not None


def list_photos(sources: Sequence[Path]) -> PhotoList:
    """Expand files and folders. Names are relative to the deepest folder that holds all sources, so they stay distinct.

    A file given by name is always tried, whatever its suffix. Files found in folders are taken by suffix, and those
    that are no photos are named in ``skipped``. UserError when a source does not exist or nothing is left.
    """
    given = [Path(os.path.normpath(Path(s).absolute())) for s in sources]
    for source, path in zip(sources, given, strict=True):
        if not os.path.lexists(path):
            raise UserError(f"{printable(Path(source))} does not exist", hint="check the path")
    root = _common_folder(given)
    files: list[PhotoFile] = []
    skipped: list[Skipped] = []
    taken: set[Path] = set()
    for path in given:
        for found in _walk(path, root, skipped) if path.is_dir() else [path]:
            name = printable(found.relative_to(root))
            verdict = "photo" if found == path else _judge(found)
            if verdict == "ignore":
                continue
            if found in taken:
                skipped.append(Skipped(name, "given twice, used once"))
            elif verdict == "photo":
                files.append(PhotoFile(found, name))
                taken.add(found)
            else:
                skipped.append(Skipped(name, verdict))
    if not files:
        where = ", ".join(printable(Path(s)) for s in sources) or "an empty list"
        others = f"; it holds {skipped[0].name} ({skipped[0].reason})" if skipped else ""
        hint = "give photos, a folder of photos, a video, or the file of a point cloud"
        raise UserError(f"no photos in {where}{others}", hint=hint)
    return PhotoList(tuple(files), tuple(skipped))


def iter_photos(
    files: Sequence[PhotoFile],
    *,
    longest_side: int | None = None,
    threads: int = DECODING_THREADS,
) -> Iterator[MediaFrame | Skipped]:
    """Decode in order, one item per file. At most ``threads`` + 1 pictures are in memory besides the one handed out.

    Equal files are all kept; from the second on a note says which one it repeats. Headers are read in the caller's
    thread, pixels in ``threads`` others; the result does not depend on how many.
    """
    first_with: dict[str, str] = {}
    pending: deque[Future[MediaFrame] | Skipped] = deque()
    remaining = iter(files)
    with ThreadPoolExecutor(threads, thread_name_prefix="decode") as pool:

        def submit() -> None:
            file = next(remaining, None)
            if file is not None:
                pending.append(_start(pool, file, longest_side))

        try:
            for _ in range(threads + 1):
                submit()
            while pending:
                item = _result(pending.popleft())
                submit()
                if isinstance(item, MediaFrame):
                    original = first_with.setdefault(item.digest, item.name)
                    if original != item.name:
                        item = replace(item, notes=(*item.notes, f"same content as {original}"))
                yield item
        finally:
            for future in pending:
                if isinstance(future, Future):
                    future.cancel()


def read_photos(
    sources: Sequence[Path],
    *,
    strict: bool = False,
    limit: int | None = None,
    sampling: Sampling = "uniform",
    longest_side: int | None = None,
    on_progress: OnProgress = silent,
) -> tuple[tuple[MediaFrame, ...], tuple[Skipped, ...]]:
    """All photos of the sources, in order, and what was left out and why.

    ``limit`` keeps that many, chosen by ``sampling`` over the list ("uniform" before decoding; "coverage" and
    "sharpest" look at small versions of all first). ``strict`` turns the first skipped input into a UserError; without
    it, it is an error only when nothing can be read.
    """
    listing = list_photos(sources)
    skipped = list(listing.skipped)
    if strict and skipped:
        raise _strict_error(skipped[0])
    files = listing.files
    if limit is not None and limit < len(files):
        files, damaged = _select(files, limit, sampling)
        if strict and damaged:
            raise _strict_error(damaged[0])
        skipped += damaged
    frames: list[MediaFrame] = []
    for done, item in enumerate(iter_photos(files, longest_side=longest_side), start=1):
        if isinstance(item, MediaFrame):
            frames.append(item)
        elif strict:
            raise _strict_error(item)
        else:
            skipped.append(item)
        on_progress(Progress("reading photos", done, len(files), files[done - 1].name))
    if not frames:
        first = skipped[-1]
        raise UserError(
            f"none of {len(files)} photos can be read; {first.name}: {first.reason}", hint="give other files"
        )
    return tuple(frames), tuple(skipped)


def _select(
    files: tuple[PhotoFile, ...], limit: int, sampling: Sampling
) -> tuple[tuple[PhotoFile, ...], list[Skipped]]:
    damaged: list[Skipped] = []

    def look(indices: Sequence[int], longest_side: int) -> Iterator[tuple[int, UInt8]]:
        pictures = iter_photos([files[i] for i in indices], longest_side=longest_side)
        for index, picture in zip(indices, pictures, strict=True):
            if isinstance(picture, MediaFrame):
                yield index, picture.rgb
            else:
                damaged.append(picture)

    chosen = choose(np.arange(len(files), dtype=np.float64), float(len(files)), limit, sampling, look)
    return tuple(files[i] for i in chosen), damaged


def _start(pool: ThreadPoolExecutor, file: PhotoFile, longest_side: int | None) -> Future[MediaFrame] | Skipped:
    from placecell.media.photos import open_photo

    try:
        opened = open_photo(file.path, name=file.name)
    except MediaError as error:
        return Skipped(file.name, error.reason)
    return pool.submit(opened.decode, longest_side=longest_side)


def _result(pending: Future[MediaFrame] | Skipped) -> MediaFrame | Skipped:
    if isinstance(pending, Skipped):
        return pending
    try:
        return pending.result()
    except MediaError as error:
        return Skipped(error.name, error.reason)


def _strict_error(item: Skipped) -> UserError:
    return UserError(f"{item.name}: {item.reason}", hint="remove or repair it, or leave out --strict")


def _common_folder(paths: Sequence[Path]) -> Path:
    folders = [str(p if p.is_dir() else p.parent) for p in paths]
    try:
        return Path(os.path.commonpath(folders)) if folders else Path.cwd()
    except ValueError:
        raise UserError("the sources lie on different drives", hint="copy them into one folder") from None


def _walk(folder: Path, root: Path, skipped: list[Skipped]) -> list[Path]:
    """Everything below a folder that is no folder, in natural order. Links to folders are followed once."""

    def unreadable(error: OSError) -> None:
        name = printable(Path(error.filename).relative_to(root))
        skipped.append(Skipped(name, f"folder cannot be read ({(error.strerror or 'input error').lower()})"))

    found: list[Path] = []
    entered: set[str] = set()
    for parent, folders, names in os.walk(folder, onerror=unreadable, followlinks=True):
        real = os.path.realpath(parent)
        if real in entered:
            folders.clear()
            continue
        entered.add(real)
        folders[:] = [f for f in folders if not _is_system(f)]
        found += [Path(parent, name) for name in names]
    return sorted(found, key=lambda p: natural_key(p.relative_to(folder)))


def _is_system(name: str) -> bool:
    return name.startswith(".") or name.lower() in _SYSTEM_NAMES


def _judge(path: Path) -> str:
    """What a file found in a folder is: "photo", "ignore", or why it is left out."""
    suffix = path.suffix
    if _is_system(path.name) or _SIDECAR.fullmatch(suffix):
        return "ignore"
    if _PHOTO.fullmatch(suffix):
        return "photo"
    if is_video(path):
        return "is a video; give it as a source of its own"
    if _RAW.fullmatch(suffix):
        return "is a camera's raw file; export it as JPEG, PNG or TIFF"
    return "is no kind of photo" + (f" ({printable(suffix)})" if suffix else "")
