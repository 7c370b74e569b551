"""Where the weights of a model are on this machine. Nothing is downloaded here: a person does that, with one line.

Looked for, in this order: the folder ``PLACECELL_MODELS/<hub id>``, then the cache of the Hugging Face hub. Knows files
and revisions; does not know models, and imports no torch.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from placecell.errors import BackendUnavailable

MODELS_FOLDER = "PLACECELL_MODELS"
"""Environment variable: a folder of checkpoints, laid out by hub id (``facebook/sam3/config.json``)."""

_INDEX = ".index.json"
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Weights:
    """One checkpoint of the hub. ``files`` must be there; a ``.safetensors`` file may also be split into shards.

    ``gated``: the hub asks for an agreement before it gives the files. ``non_commercial``: the licence allows no other.
    """

    hub_id: str
    licence: str
    revision: str = "main"
    size: str = ""
    gated: bool = False
    non_commercial: bool = False
    files: tuple[str, ...] = ("config.json", "model.safetensors")

    @property
    def fetch(self) -> str:
        """The line that downloads them."""
        revision = "" if self.revision == "main" else f" --revision {self.revision}"
        return f"hf download {self.hub_id}{revision}"

    def missing(self) -> str | None:
        """What is not there and how to get it, or None."""
        try:
            self.folder()
        except BackendUnavailable as error:
            return str(error)
        return None

    def folder(self) -> Path:
        """The folder that holds the files. BackendUnavailable with the line that downloads what is missing."""
        own = os.environ.get(MODELS_FOLDER)
        local = Path(own, self.hub_id) if own else None
        found = local if local is not None and local.is_dir() else self._cached()
        if found is None:
            size = f" ({self.size})" if self.size else ""
            raise BackendUnavailable(f"the weights {self.hub_id}{size} are not on this machine", hint=self._how())
        absent = [name for name in self.files if not _complete(found, name)]
        if absent:
            raise BackendUnavailable(f"{found} has no {', '.join(absent)}", hint=self._how())
        return found

    def _cached(self) -> Path | None:
        if importlib.util.find_spec("huggingface_hub") is None:
            return None
        from huggingface_hub import try_to_load_from_cache

        path = try_to_load_from_cache(self.hub_id, self.files[0], revision=self.revision)
        return Path(path).parent if isinstance(path, str) else None

    def _how(self) -> str:
        if self.gated:
            return f"accept {self.licence} at https://huggingface.co/{self.hub_id}, then: hf auth login && {self.fetch}"
        return self.fetch


def fingerprint(folder: Path) -> str:
    """What identifies a checkpoint: the hub's commit, or the SHA-256 over its files when a person put them there."""
    if folder.parent.name == "snapshots" and _COMMIT.fullmatch(folder.name):
        return folder.name
    files = sorted(p for p in folder.rglob("*") if p.suffix in (".json", ".safetensors", ".txt", ".model", ".bin"))
    return _content_digest(folder, tuple((p.relative_to(folder).as_posix(), *_stamp(p)) for p in files))


@lru_cache(maxsize=16)
def _content_digest(folder: Path, files: tuple[tuple[str, int, int], ...]) -> str:
    """SHA-256 over names and contents; kept in memory while sizes and times of change stay the same."""
    whole = hashlib.sha256()
    for name, _, _ in files:
        with (folder / name).open("rb") as file:
            whole.update(f"{name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\0".encode())
    return f"sha256:{whole.hexdigest()}"


def _stamp(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_size, stat.st_mtime_ns


def _complete(folder: Path, name: str) -> bool:
    """Whether the file is there, or, when it is split, its index and every shard that the index names."""
    if (folder / name).is_file():
        return True
    index = folder / (name + _INDEX)
    if not index.is_file():
        return False
    try:
        shards = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    return all((folder / str(shard)).is_file() for shard in shards)
