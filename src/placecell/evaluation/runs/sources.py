"""Where the memory of a sample comes from: annotations (perfect), a synthetic room, or built from the sample's media.

A memory is made once for each scene and kept; what is built is kept on disk under a key of everything that shapes it.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from placecell.backends import auto, oracle
from placecell.errors import UserError
from placecell.evaluation.benchmarks.rows import digest
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.benchmarks.synthetic import memory_of_scene
from placecell.memory import storage
from placecell.memory.scene import SpatialMemory

KEPT = 8
"""Memories kept open at a time in one process."""
_ORACLE_FILES = ("oracle_scenes.jsonl", "*.jsonl")


class MemorySource(Protocol):
    """``name`` identifies the source in a run's settings."""

    name: str

    def make(self, sample: Sample) -> SpatialMemory:
        """The memory that a sample is asked over. UserError says why there is none."""
        ...


class Oracle:
    """Annotations as perfect memories: one scene of a file, by the last part of the sample's scene."""

    def __init__(self, path: Path) -> None:
        self.name = f"oracle:{path.name}"
        self.path = path if path.is_file() else _annotation_file(path)

    def make(self, sample: Sample) -> SpatialMemory:
        return oracle.load_oracle(self.path, sample.scene.rsplit("/", 1)[-1])


class Synthetic:
    """Rooms drawn by placecell; the scene names the room."""

    name = "synthetic"

    def make(self, sample: Sample) -> SpatialMemory:
        return memory_of_scene(sample.scene)


class Built:
    """Memories built from the media in ``folder`` and kept in ``cache`` as .pcell files."""

    def __init__(self, folder: Path, cache: Path, **settings: Any) -> None:
        """``settings`` are those of `backends.auto.build` (reconstructor, frames, sampling)."""
        self.folder, self.cache, self.settings = folder, cache, settings
        self.name = f"build:{json.dumps(settings, sort_keys=True)}" if settings else "build"

    def make(self, sample: Sample) -> SpatialMemory:
        files = sample.files(self.folder)
        if not files:
            raise UserError(f"sample {sample.id} has no media to build a memory of", hint="use --memory oracle:FILE")
        kept = self.cache / f"{self._key(files)}{storage.SUFFIX}"
        if not kept.exists():
            memory = auto.build(files, **self.settings)
            self.cache.mkdir(parents=True, exist_ok=True)
            storage.save(memory, kept)
        return storage.load(kept)

    def _key(self, files: tuple[Path, ...]) -> str:
        shaping: Mapping[str, Any] = {
            "files": [digest(path) for path in files],
            "settings": self.settings,
            "placecell": metadata.version("placecell"),
        }
        return hashlib.sha256(json.dumps(shaping, sort_keys=True).encode()).hexdigest()[:32]


class Kept:
    """A source whose last memories stay open. Thread-safe; each scene is made by one thread, the others wait for it."""

    def __init__(self, source: MemorySource) -> None:
        self.source, self.name = source, source.name
        self._memories: OrderedDict[str, SpatialMemory] = OrderedDict()
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def make(self, sample: Sample) -> SpatialMemory:
        with self._lock:
            making = self._locks.setdefault(sample.scene, threading.Lock())
        with making:
            with self._lock:
                if sample.scene in self._memories:
                    self._memories.move_to_end(sample.scene)
                    return self._memories[sample.scene]
            memory = self.source.make(sample)
            with self._lock:
                self._memories[sample.scene] = memory
                while len(self._memories) > KEPT:
                    self._memories.popitem(last=False)
            return memory


def open_source(spec: str, folder: Path | None, cache: Path) -> MemorySource:
    """The source named "oracle:PATH", "synthetic", "build" or "build:RECONSTRUCTOR". UserError for another name."""
    kind, _, rest = spec.partition(":")
    if kind == "oracle" and rest:
        return Kept(Oracle(Path(rest)))
    if spec == "synthetic":
        return Kept(Synthetic())
    if kind == "build":
        if folder is None:
            raise UserError("building memories needs the benchmark's media", hint="give their folder with --data-dir")
        return Kept(Built(folder, cache, **({"reconstructor": rest} if rest else {})))
    raise UserError(f"unknown memory source {spec!r}", hint="oracle:PATH, synthetic, build or build:RECONSTRUCTOR")


def _annotation_file(folder: Path) -> Path:
    for pattern in _ORACLE_FILES:
        for found in sorted(folder.glob(pattern)):
            return found
    raise UserError(f"{folder} holds no annotation file", hint="oracle:FILE.jsonl")
