"""Where the memory of a sample comes from: annotations (perfect), a synthetic room, or built from the sample's media.

A memory is made once for each scene and kept; what is built is kept on disk under a key of everything that shapes it.
"""

from __future__ import annotations

import json
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from placecell.agents.questions.decompose import Understood, understand
from placecell.backends import auto, choice, oracle
from placecell.backends.segment.ground import LONGEST_PHRASE
from placecell.backends.table import find_backend
from placecell.errors import PlacecellError, UserError
from placecell.evaluation.benchmarks import synthetic_videos
from placecell.evaluation.benchmarks.rows import digest
from placecell.evaluation.benchmarks.sample import MediaError, Sample
from placecell.evaluation.benchmarks.synthetic import code_digest, memory_of_scene
from placecell.evaluation.runs.shelf import Shelf
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
        self.path = path if path.is_file() else _annotation_file(path)
        self.name = f"oracle:{self.path.name} (sha256 {digest(self.path)[:12]})"

    def make(self, sample: Sample) -> SpatialMemory:
        return oracle.load_oracle(self.path, sample.scene.rsplit("/", 1)[-1])


class Synthetic:
    """Rooms and videos drawn by placecell, by the name of the scene. A room takes seconds, so it is kept on disk."""

    name = "synthetic"

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf

    def make(self, sample: Sample) -> SpatialMemory:
        if synthetic_videos.names(sample.scene):
            return synthetic_videos.memory_of_scene(sample.scene)
        shaping = {"room": sample.scene, "code": code_digest()}
        return self.shelf.get(shaping, lambda: memory_of_scene(sample.scene))


class Built:
    """Memories built from the media in ``folder``, kept on disk."""

    def __init__(self, folder: Path, shelf: Shelf, *, asked: Iterable[Sample] = (), **settings: Any) -> None:
        """``settings`` are those of `backends.auto.build` (reconstructor, frames, sampling, segmenter).

        With a segmenter, the things are looked for that the samples ``asked`` about the same media name.
        """
        self.folder, self.shelf, self.settings = folder, shelf, settings
        self.name = f"build:{json.dumps(settings, sort_keys=True)}" if settings else "build"
        self._asked: dict[frozenset[str], list[Sample]] = defaultdict(list)
        for sample in asked if "segmenter" in settings else ():
            self._asked[frozenset(sample.media)].append(sample)

    def make(self, sample: Sample) -> SpatialMemory:
        files = sample.files(self.folder)
        if not files:
            raise UserError(f"sample {sample.id} has no media to build a memory of", hint="use --memory oracle:FILE")
        settings = dict(self.settings)
        if sample.dynamic:
            settings["dynamic"] = True
        if names := names_asked(self._asked.get(frozenset(sample.media), ())):
            settings["objects"] = names
        return built(files, self.shelf, settings)


def names_asked(samples: Iterable[Sample]) -> list[str]:
    """The things that the questions name, sorted; of a question that the rules do not understand none."""
    understood = [understand(sample.question, sample.options or None) for sample in samples]
    names = {name for one in understood if isinstance(one, Understood) for name in one.decomposition.objects}
    return sorted(name for name in names if len(name) <= LONGEST_PHRASE)


def built(files: Sequence[Path], shelf: Shelf, settings: Mapping[str, Any]) -> SpatialMemory:
    """The memory of these media under these settings of `backends.auto.build`, made once.

    Raises:
        UserError: the media cannot be used.
        BackendUnavailable: the named reconstructor is not here.
    """
    missing = next((path for path in files if not path.exists()), None)
    if missing is not None:
        raise MediaError(f"{missing} is missing", hint="download the benchmark's media there")
    shaping = {
        "files": [_content(path) for path in files],
        "settings": settings,
        # "auto" makes another memory where another backend is installed
        "plain": choice.for_pictures().name,
    }
    return shelf.get(shaping, lambda: auto.build(files, **settings))


def _content(path: Path) -> str | dict[str, str]:
    """A file's digest; of a folder (a posed capture), that of each file in it."""
    if path.is_file():
        return digest(path)
    return {str(file.relative_to(path)): digest(file) for file in sorted(path.rglob("*")) if file.is_file()}


class Kept:
    """A source whose last memories stay open, and whose failures are known. Thread-safe.

    Each scene is made by one thread, the others wait for it; a scene that cannot be made is not tried again and again.
    """

    def __init__(self, source: MemorySource) -> None:
        self.source, self.name = source, source.name
        self._made: OrderedDict[str, SpatialMemory | PlacecellError] = OrderedDict()
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def make(self, sample: Sample) -> SpatialMemory:
        with self._lock:
            making = self._locks.setdefault(sample.scene, threading.Lock())
        with making:
            made = self._find(sample.scene)
            if made is None:
                made = self._make(sample)
                self._keep(sample.scene, made)
        if isinstance(made, PlacecellError):
            raise made.with_traceback(None)
        return made

    def _make(self, sample: Sample) -> SpatialMemory | PlacecellError:
        try:
            return self.source.make(sample)
        except PlacecellError as error:
            return error

    def _find(self, scene: str) -> SpatialMemory | PlacecellError | None:
        with self._lock:
            if scene in self._made:
                self._made.move_to_end(scene)
            return self._made.get(scene)

    def _keep(self, scene: str, made: SpatialMemory | PlacecellError) -> None:
        with self._lock:
            self._made[scene] = made
            while len(self._made) > KEPT:
                self._made.popitem(last=False)


def open_source(
    spec: str, folder: Path | None, cache: Path, *, segmenter: str | None = None, asked: Iterable[Sample] = ()
) -> MemorySource:
    """The source named "oracle:PATH", "synthetic", "build" or "build:RECONSTRUCTOR".

    ``segmenter``: what looks, in memories that are built, for the things that the samples ``asked`` name.

    UserError for another name, or a segmenter that is none, may be any ("auto") or has nothing to look in.
    """
    kind, _, rest = spec.partition(":")
    if segmenter is not None:
        _check_segmenter(segmenter, spec)
    if kind == "oracle" and rest:
        return Kept(Oracle(Path(rest)))
    if spec == "synthetic":
        return Kept(Synthetic(Shelf(cache / "memories")))
    if kind == "build":
        if folder is None:
            raise UserError("building memories needs the benchmark's media", hint="give their folder with --data-dir")
        settings = {"reconstructor": rest, "segmenter": segmenter}
        given = {name: value for name, value in settings.items() if value}
        return Kept(Built(folder, Shelf(cache / "memories"), asked=asked, **given))
    raise UserError(f"unknown memory source {spec!r}", hint="oracle:PATH, synthetic, build or build:RECONSTRUCTOR")


def _check_segmenter(name: str, spec: str) -> None:
    if not spec.startswith("build"):
        raise UserError(f"memories from {spec} come with their objects", hint="leave out --segmenter")
    if name == "auto":
        raise UserError("a run says what looks for its objects", hint="name one that `placecell backends` lists")
    if find_backend(name, "segmenter").kind not in ("segmenter", "tracker"):
        raise UserError(f"{name} does not look for objects", hint="name one that `placecell backends` lists")


def _annotation_file(folder: Path) -> Path:
    for pattern in _ORACLE_FILES:
        for found in sorted(folder.glob(pattern)):
            return found
    raise UserError(f"{folder} holds no annotation file", hint="oracle:FILE.jsonl")
