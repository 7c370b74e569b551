"""What can make a memory: one row a backend, with what it takes, what it needs and under which licences.

Importing this imports no model. Other packages add rows through entry points of the group ``placecell.backends``, each
naming a ``Backend``.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

from placecell.errors import BackendUnavailable, UserError
from placecell.memory.ports import Reconstructor

ENTRY_POINTS = "placecell.backends"


@dataclass(frozen=True)
class Backend:
    """One way to make a memory.

    ``factory`` is "module:name" of a class or function that gives a ``Reconstructor``, None for backends that are used
    in another way (``what`` says how). ``modules`` must be importable. ``weights`` names what has to be downloaded.
    """

    name: str
    what: str
    factory: str | None = None
    modules: tuple[str, ...] = ()
    extra: str | None = None
    weights: str | None = None
    code_licence: str = "Apache-2.0"
    weight_licence: str | None = None
    needs_gpu: bool = False

    def missing(self) -> str | None:
        """What is not installed and the line that installs it, or None when the backend can run."""
        absent = [module for module in self.modules if importlib.util.find_spec(module) is None]
        if not absent:
            return None
        return f"{', '.join(absent)} not installed: {self.install}"

    @property
    def install(self) -> str:
        """The line that installs what is missing."""
        return f"pip install 'placecell[{self.extra}]'" if self.extra else f"pip install {' '.join(self.modules)}"

    def reconstructor(self) -> Reconstructor:
        """The reconstructor, imported now. BackendUnavailable when something is missing."""
        missing = self.missing()
        if missing is not None:
            raise BackendUnavailable(f"the backend {self.name} cannot run: {missing}")
        if self.factory is None:
            raise UserError(f"the backend {self.name} is no reconstructor", hint=self.what)
        module, _, name = self.factory.partition(":")
        made: Reconstructor = getattr(importlib.import_module(module), name)()
        return made


_OWN = (
    Backend(
        "posed",
        "captures with known cameras: 7-Scenes, TUM, Open3D, Record3D, ScanNet, SUN RGB-D, transforms.json, COLMAP",
        factory="placecell.backends.posed.backend:Posed",
        modules=("pycolmap", "cv2"),
    ),
    Backend(
        "sfm",
        "plain photos or a video, without poses: structure from motion and depth between views, on any laptop",
        factory="placecell.backends.sfm.backend:Sfm",
        modules=("pycolmap", "cv2"),
    ),
    Backend("synthetic", "rooms drawn by placecell itself: placecell demo"),
    Backend("oracle", "boxes of an annotation file as a perfect memory: oracle:FILE#SCENE"),
)
BACKENDS: Mapping[str, Backend] = {backend.name: backend for backend in _OWN}
"""placecell's own rows; ``all_backends`` adds those of other packages."""


def all_backends() -> dict[str, Backend]:
    """Own and third-party rows by name. UserError for an entry point that is no ``Backend`` or takes a name twice."""
    found = dict(BACKENDS)
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        backend = entry.load()
        if not isinstance(backend, Backend):
            raise UserError(
                f"the entry point {entry.name} of {ENTRY_POINTS} is no Backend", hint="uninstall its package"
            )
        if backend.name in found:
            raise UserError(f"two packages provide the backend {backend.name}", hint="uninstall one of them")
        found[backend.name] = backend
    return found


def find_backend(name: str) -> Backend:
    """The row with this name. UserError with the names there are."""
    known = all_backends()
    if name not in known:
        raise UserError(f"there is no backend {name!r}", hint=f"known: auto, {', '.join(sorted(known))}")
    return known[name]
