"""The one folder a server may touch: names of clients become paths inside it, or an error.

Every name is resolved completely, symbolic links too, before it is compared; the comparison is by whole parts of a
path, so a sibling whose name merely begins alike is outside. Knows paths; opens no file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from placecell.errors import UserError
from placecell.memory.storage import SUFFIX

_LONGEST = 1000
_MOST_FILES = 200_000


class Root:
    """A folder, and what lies in it."""

    def __init__(self, folder: Path) -> None:
        """UserError when it is no folder."""
        if not folder.is_dir():
            raise UserError(f"{folder}: no such folder", hint="name the folder that holds captures and memories")
        self.path = folder.resolve()

    def inside(self, name: str) -> Path:
        """The path a client's name means, relative to the root; it need not exist.

        UserError when it leads outside, over ``..``, a symbolic link or an absolute path.
        """
        if not name.strip() or len(name) > _LONGEST or not name.isprintable():
            raise UserError("a path is 1 to 1000 printable characters", hint="relative to the served folder")
        try:
            path = (self.path / name).resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links, a part that is too long
            raise UserError(f"{name!r} cannot be a path here") from None
        if not path.is_relative_to(self.path):
            raise UserError(f"{name!r} lies outside the served folder", hint="use paths relative to it, without ..")
        return path

    def name(self, path: Path) -> str:
        """A path inside as clients write it, with ``/`` between parts."""
        return path.relative_to(self.path).as_posix()

    def hidden(self, text: str) -> str:
        """A message without where on this machine the root is."""
        return text.replace(str(self.path) + os.sep, "").replace(str(self.path), "the served folder")

    def memory(self, name: str) -> Path:
        """The file of a saved memory. UserError when there is none of this name."""
        path = self.inside(name)
        if path.suffix != SUFFIX or not path.is_file():
            raise UserError(f"{name!r} is no saved memory here", hint="the tool memories lists them; build makes one")
        return path

    def source(self, name: str) -> Path:
        """A file or folder to build from, nothing of which is a link that leads outside.

        UserError otherwise, or when it has more than 200,000 files.
        """
        path = self.inside(name)
        if not path.exists():
            raise UserError(f"{name!r} does not exist", hint="the tool memories lists what the served folder holds")
        for count, entry in enumerate(_below(path)):
            if count > _MOST_FILES:
                raise UserError(f"{name!r} holds more than {_MOST_FILES} files", hint="name a folder further down")
            if entry.is_symlink():
                self.inside(self.name(entry))
        return path

    def memories(self, most: int) -> list[Path]:
        """Saved memories below the root, sorted, at most ``most``, among the first 200,000 files.

        Links and hidden folders are not followed.
        """
        seen = islice(_below(self.path), _MOST_FILES)
        return sorted(p for p in seen if p.suffix == SUFFIX and p.is_file() and not p.is_symlink())[:most]

    def top(self, most: int) -> list[str]:
        """Names of what lies directly in the root; folders end in ``/``."""
        seen = sorted(p for p in self.path.iterdir() if not p.name.startswith("."))
        return [p.name + "/" * p.is_dir() for p in seen[:most]]


def _below(path: Path) -> Iterator[Path]:
    """Files and links below a folder, without hidden ones and without following links."""
    for folder, folders, files in os.walk(path, followlinks=False):
        folders[:] = sorted(f for f in folders if not f.startswith("."))
        here = Path(folder)
        yield from (here / name for name in files)
        yield from (here / name for name in folders if (here / name).is_symlink())
