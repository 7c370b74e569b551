"""The pictures whose cameras are to be found: photos or one video, upright, numbered, written where COLMAP reads them.

Knows: which pictures were probably taken with one lens, and what is stated about its focal length (EXIF, or a file
with K beside the pictures). Does not know: how cameras are found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.backends.posed.capture import read_K
from placecell.backends.sfm.settings import SfmSettings
from placecell.errors import UserError
from placecell.media.frames import MediaFrame, area_resize, size_within
from placecell.media.numbering import FrameTag, read_tags
from placecell.media.sampling import Sampling, choose
from placecell.media.sources import PhotoFile, Skipped, is_video, iter_photos, list_photos
from placecell.media.video import sample_video
from placecell.memory.pictures import PhotoPicture
from placecell.progress import OnProgress, Progress

UInt8 = NDArray[np.uint8]

_K_FILES = ("K.txt", "intrinsics.txt", "camera-intrinsics.txt")
_OFF_CENTRE = 0.1  # a principal point farther off the middle, in picture sides, belongs to another size


@dataclass(frozen=True, eq=False)
class Picture:
    """One upright picture. ``file`` is its copy of ``work_size`` (width, height) for COLMAP, named by its number.

    ``read_rgb`` gives pixels of any size of the same shape; the frame will have ``frame_size``. ``lens`` names the
    pictures that share intrinsics. ``focal``: stated focal length in pixels of the work size. ``path``: the photo.
    """

    number: int
    name: str
    digest: str
    file: Path
    work_size: tuple[int, int]
    frame_size: tuple[int, int]
    original_size: tuple[int, int]
    read_rgb: Callable[[], UInt8]
    lens: str
    focal: float | None = None
    time_s: float | None = None
    path: Path | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Pictures:
    """Pictures in number order; ``calibrated``: the focal lengths of all come from a file that states K."""

    pictures: tuple[Picture, ...]
    calibrated: bool
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()


def read_pictures(
    sources: Sequence[Path],
    folder: Path,
    *,
    frames: int | None,
    sampling: Sampling,
    strict: bool,
    settings: SfmSettings,
    progress: OnProgress,
) -> Pictures:
    """Decode the sources, photos or one video, and write work copies into ``folder``.

    Photos are numbered by their place in the sources (a damaged one leaves its number out), or as the file of
    ``numbering`` beside them says; frames of a video by their place in the video.

    UserError for photos mixed with video, two videos, or nothing readable.
    """
    videos = [source for source in sources if is_video(source)]
    if videos and len(sources) > 1:
        raise UserError(
            f"{videos[0].name} is a video and cannot be mixed with other sources",
            hint="give one video, or photos, at a time",
        )
    if videos:
        return _video(videos[0], folder, frames, sampling, strict, settings, progress)
    return _photos(sources, folder, frames, sampling, strict, settings, progress)


def _video(
    path: Path,
    folder: Path,
    frames: int | None,
    sampling: Sampling,
    strict: bool,
    settings: SfmSettings,
    progress: OnProgress,
) -> Pictures:
    wanted = settings.video_frames if frames is None else frames
    sample = sample_video(
        path, frames=wanted, sampling=sampling, longest_side=settings.frame_side, strict=strict, on_progress=progress
    )
    focal, notes = _stated_focal(path.with_suffix(".K.txt"), (sample.info.width, sample.info.height))
    pictures = [
        _picture(frame, frame.video_frame or place, folder, "video", focal, settings.work_side)
        for place, frame in enumerate(sample.frames, 1)
    ]
    if len(sample.frames) < sample.info.frames:
        default = "" if frames is not None else " (ask for another number with --frames)"
        notes.append(
            f"{len(pictures)} of {sample.info.frames} frames used, {sampling}; numbers are those of the video{default}"
        )
    return Pictures(tuple(pictures), focal is not None, sample.skipped, (*sample.notes, *notes))


def _photos(
    sources: Sequence[Path],
    folder: Path,
    frames: int | None,
    sampling: Sampling,
    strict: bool,
    settings: SfmSettings,
    progress: OnProgress,
) -> Pictures:
    listing = list_photos(sources)
    skipped, notes = list(listing.skipped), list[str]()
    limit = settings.photos if frames is None else frames
    chosen = _choose(listing.files, limit, sampling)
    if len(chosen) < len(listing.files):
        default = "" if frames is not None else " (ask for another number with --frames)"
        notes.append(
            f"{len(chosen)} of {len(listing.files)} photos used, {sampling}; numbers are those of all{default}"
        )
    files = [listing.files[i] for i in chosen]
    tags, side = _tags(listing.files), settings.side_of(len(files))
    stated: dict[tuple[Path, tuple[int, int]], float | None] = {}
    pictures: list[Picture] = []
    for done, item in enumerate(iter_photos(files, longest_side=settings.frame_side), 1):
        file = files[done - 1]
        progress(Progress("reading photos", done, len(files), file.name))
        if isinstance(item, Skipped):
            skipped.append(item)
        else:
            key = (file.path.parent, item.original_size)
            if key not in stated:
                stated[key], said = _stated_in_folder(*key)
                notes += said
            lens, exif = _lens_of(item)
            tag = tags.get(file.path) or FrameTag(number=chosen[done - 1] + 1, name=file.name, focal_px=exif)
            picture = _picture(item, tag.number, folder, lens, stated[key] or tag.focal_px, side)
            whole = PhotoPicture(file.path, file.name, item.digest)
            pictures.append(replace(picture, name=tag.name, time_s=tag.time_s, read_rgb=whole, path=file.path))
        if strict and skipped:
            raise UserError(f"{skipped[0].name}: {skipped[0].reason}", hint="repair it, or leave out --strict")
    if not pictures:
        first = skipped[-1]
        raise UserError(f"none of {len(files)} photos can be read; {first.name}: {first.reason}")
    pictures.sort(key=lambda picture: picture.number)
    return Pictures(tuple(pictures), all(stated.values()), tuple(skipped), tuple(notes))


def _tags(files: Sequence[PhotoFile]) -> dict[Path, FrameTag]:
    """What is said of the photos in the file of ``numbering``. UserError when it leaves out some."""
    folders = {file.path.parent: read_tags(file.path.parent) for file in files}
    tags = {file.path: folders[file.path.parent].get(file.path.name) for file in files}
    known = {path: tag for path, tag in tags.items() if tag is not None}
    if known and (len(known) < len(files) or len({t.number for t in known.values()}) < len(known)):
        raise UserError(
            "placecell-frames.json does not give each photo a number of its own",
            hint="name them all in it, and give one such folder at a time",
        )
    return known


def _choose(files: Sequence[PhotoFile], limit: int, sampling: Sampling) -> list[int]:
    def look(indices: Sequence[int], longest_side: int) -> Iterator[tuple[int, UInt8]]:
        photos = iter_photos([files[i] for i in indices], longest_side=longest_side)
        for index, photo in zip(indices, photos, strict=True):
            if isinstance(photo, MediaFrame):  # what is damaged is said when it would be used
                yield index, photo.rgb

    return choose(np.arange(len(files), dtype=np.float64), float(len(files)), limit, sampling, look)


def _picture(frame: MediaFrame, number: int, folder: Path, lens: str, focal: float | None, side: int) -> Picture:
    """``focal`` in pixels of the original; ``side``: longest of the work copy."""
    work_size = size_within(frame.width, frame.height, side)
    file = folder / f"{number:07d}.png"
    Image.fromarray(area_resize(frame.rgb, work_size)).save(file, compress_level=1)
    rgb = frame.rgb
    return Picture(
        number=number,
        name=frame.name,
        digest=frame.digest,
        file=file,
        work_size=work_size,
        frame_size=(frame.width, frame.height),
        original_size=frame.original_size,
        read_rgb=lambda: rgb,
        lens=f"{lens} {work_size[0]}x{work_size[1]}",
        focal=None if focal is None else focal * work_size[0] / frame.original_size[0],
        time_s=frame.time_s,
        notes=frame.notes,
    )


def _lens_of(photo: MediaFrame) -> tuple[str, float | None]:
    """Which lens setting took a photo, as far as it says, and its focal length in pixels of the original."""
    if photo.facts is None:
        return "", None
    facts = photo.facts
    said = f"{facts.camera or ''} {facts.focal_mm or ''} {facts.focal_35mm or ''}"
    return said.strip(), facts.focal_pixels(*photo.original_size)


def _stated_in_folder(folder: Path, size: tuple[int, int]) -> tuple[float | None, list[str]]:
    file = next((folder / name for name in _K_FILES if (folder / name).is_file()), None)
    return (None, []) if file is None else _stated_focal(file, size)


def _stated_focal(file: Path, size: tuple[int, int]) -> tuple[float | None, list[str]]:
    """The focal length of a K file, when its principal point shows that it belongs to pictures of this size."""
    if not file.is_file():
        return None, []
    K = read_K(file)
    off = np.abs(K[:2, 2] / size - 0.5).max()
    if off > _OFF_CENTRE:
        return None, [f"{file.name} is not for pictures of {size[0]} x {size[1]}, so it is not used"]
    return float(np.sqrt(K[0, 0] * K[1, 1])), [f"focal length from {file.name}"]
