"""Masks kept on disk, so that a picture is looked at once for each phrase.

An entry is named by the SHA-256 of everything that shapes it: the frame's pixels as they are (a file's digest would not
do: undistortion and turning change them), the phrase, the segmenter and its settings with the checkpoint. Entries are
written atomically; the ones used longest ago go when the folder grows over its limit. A damaged entry counts as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.errors import UserError
from placecell.memory.ports import Proposal, Segmenter
from placecell.memory.scene import Frame
from placecell.memory.tensors import TensorError, pack, unpack

CACHE_FOLDER = "PLACECELL_CACHE"
"""Environment variable: where caches lie; without it the user's cache folder (XDG)."""

_FORMAT = 1
_SUFFIX = ".safetensors"
_TOGETHER = 16  # frames whose pixels are held at a time; a segmenter makes its batches of these


def default_folder() -> Path:
    """``$PLACECELL_CACHE/masks``, else ``$XDG_CACHE_HOME/placecell/masks``, else under ``~/.cache``."""
    own = os.environ.get(CACHE_FOLDER)
    if own:
        return Path(own, "masks")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "placecell", "masks")


@dataclass(frozen=True)
class MaskCache:
    """A folder of proposals by key. ``max_bytes``: what it may take on disk after a run."""

    folder: Path = field(default_factory=default_folder)
    max_bytes: int = 4 * 10**9

    def key(self, pixels: NDArray[np.uint8], phrase: str, name: str, settings: Mapping[str, object]) -> str:
        """The name of the entry. TypeError for settings that JSON cannot hold."""
        shape = [int(n) for n in pixels.shape]
        what = [_FORMAT, shape, phrase, name, dict(settings)]
        digest = hashlib.sha256(json.dumps(what, sort_keys=True, ensure_ascii=False).encode())
        digest.update(b"\0")
        digest.update(np.ascontiguousarray(pixels).data)
        return digest.hexdigest()

    def get(self, key: str, frame: int, phrase: str) -> list[Proposal] | None:
        """The proposals under this key, for the frame of this number; None when there are none or they are damaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
            os.utime(path)  # the time of last use
        except OSError:
            return None
        try:
            return _decoded(data, frame, phrase)
        except (TensorError, ValueError, KeyError):
            return None

    def put(self, key: str, proposals: Sequence[Proposal]) -> None:
        """Write an entry. UserError when the folder cannot be written."""
        path = self._path(key)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_encoded(proposals))
                Path(name).replace(path)
            except BaseException:
                with contextlib.suppress(OSError):
                    Path(name).unlink()
                raise
        except OSError as error:
            raise UserError(
                f"masks cannot be kept in {self.folder} ({error.strerror})",
                hint=f"set {CACHE_FOLDER} to another folder",
            ) from None

    def trim(self) -> None:
        """Delete what was used longest ago until the folder is within its limit."""
        entries = []
        for path in self.folder.glob("*/*"):  # what an interrupted write left behind, too
            with contextlib.suppress(OSError):  # another process may have deleted it
                stat = path.stat()
                entries.append((stat.st_mtime_ns, stat.st_size, path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.max_bytes:
                return
            with contextlib.suppress(OSError):
                path.unlink()
            total -= size

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / (key + _SUFFIX)


class CachedSegmenter:
    """A segmenter that is only asked for what the cache does not hold. Same results, name and settings."""

    def __init__(self, inner: Segmenter, cache: MaskCache) -> None:
        self._inner = inner
        self._cache = cache

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def settings(self) -> Mapping[str, object]:
        return self._inner.settings

    def segment(self, frames: Sequence[Frame], phrases: Sequence[str]) -> Iterator[list[Proposal]]:
        """As ``ports.Segmenter``."""
        wrote = False
        for start in range(0, len(frames), _TOGETHER):
            held = [_held(frame) for frame in frames[start : start + _TOGETHER]]
            keys = [[self._cache.key(f.rgb, phrase, self.name, self.settings) for phrase in phrases] for f in held]
            known = [
                [self._cache.get(key, frame.number, phrase) for key, phrase in zip(row, phrases, strict=True)]
                for row, frame in zip(keys, held, strict=True)
            ]
            wrote |= self._fill(held, phrases, keys, known)
            for row in known:
                yield [proposal for proposals in row if proposals for proposal in proposals]
        if wrote:
            self._cache.trim()

    def _fill(
        self,
        frames: Sequence[Frame],
        phrases: Sequence[str],
        keys: Sequence[Sequence[str]],
        known: Sequence[list[list[Proposal] | None]],
    ) -> bool:
        """Ask for what is None in ``known``, frames that miss the same phrases together; whether there was any."""
        alike: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
        for i, row in enumerate(known):
            missing = tuple(j for j, proposals in enumerate(row) if proposals is None)
            if missing:
                alike[missing].append(i)
        for missing, rows in alike.items():
            wanted = [phrases[j] for j in missing]
            made = self._inner.segment([frames[i] for i in rows], wanted)
            for i, proposals in zip(rows, made, strict=True):
                for j in missing:
                    known[i][j] = [p for p in proposals if p.phrase == phrases[j]]
                    self._cache.put(keys[i][j], known[i][j] or [])
        return bool(alike)


def _held(frame: Frame) -> Frame:
    """The frame with its pixels decoded once."""
    rgb = frame.rgb
    return replace(frame, read_rgb=lambda: rgb)


def _encoded(proposals: Sequence[Proposal]) -> bytes:
    bits = [np.packbits(p.mask) for p in proposals]
    arrays: dict[str, NDArray[Any]] = {
        "corners": np.array([p.corner for p in proposals], np.int32).reshape(-1, 2),
        "shapes": np.array([p.mask.shape for p in proposals], np.int32).reshape(-1, 2),
        "scores": np.array([p.score for p in proposals], np.float64),
        "bits": np.concatenate([np.zeros(0, np.uint8), *bits]),
    }
    return pack({**arrays, "check": _check(arrays)})


def _check(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    """SHA-256 over the arrays, so that a flipped bit is no mask."""
    whole = hashlib.sha256()
    for name in ("corners", "shapes", "scores", "bits"):
        whole.update(arrays[name].tobytes())
    return np.frombuffer(whole.digest(), np.uint8)


def _decoded(data: bytes, frame: int, phrase: str) -> list[Proposal]:
    """ValueError, KeyError or TensorError when the bytes are not what ``_encoded`` wrote."""
    arrays = unpack(memoryview(data))
    if not np.array_equal(arrays["check"], _check(arrays)):
        raise ValueError("the masks have changed since they were written")
    shapes = arrays["shapes"].astype(np.int64)
    sizes = -(-shapes.prod(axis=1) // 8)
    ends = np.concatenate([[0], np.cumsum(sizes)])
    rows = zip(pairwise(ends.tolist()), shapes.tolist(), arrays["corners"].tolist(), arrays["scores"], strict=True)
    return [
        Proposal(
            frame=frame,
            phrase=phrase,
            mask=np.unpackbits(arrays["bits"][start:end], count=h * w).reshape(h, w).astype(bool),
            corner=(left, top),
            score=float(score),
        )
        for (start, end), (h, w), (left, top), score in rows
    ]
