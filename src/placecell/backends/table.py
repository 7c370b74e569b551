"""What can make a memory, and find things in it: one row a backend, with what it needs and under which licences.

Importing this imports no model. Other packages add rows through entry points of the group ``placecell.backends``, each
naming a ``Backend``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import metadata

from placecell.backends.feedforward.rows import ROWS as _MODELS
from placecell.backends.row import Backend as Backend
from placecell.backends.row import Kind
from placecell.backends.segment.rows import ROWS as _SEGMENTERS
from placecell.backends.segment.rows import TRACKERS as _TRACKERS
from placecell.errors import UserError

ENTRY_POINTS = "placecell.backends"


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
        plain=True,
    ),
    Backend(
        "cloud",
        "a point cloud without pictures: PLY, or rows of 32-bit x y z r g b (.bin)",
        factory="placecell.backends.clouds:Clouds",
    ),
    Backend("remote", "a backend of another machine's `placecell worker`: remote:http://HOST:PORT/BACKEND"),
    Backend("synthetic", "rooms drawn by placecell itself: placecell demo"),
    Backend("oracle", "boxes of an annotation file as a perfect memory: oracle:FILE#SCENE"),
)
BACKENDS: Mapping[str, Backend] = {backend.name: backend for backend in (*_OWN, *_MODELS, *_SEGMENTERS, *_TRACKERS)}
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


def find_backend(name: str, kind: Kind = "reconstructor") -> Backend:
    """The row with this name, or of this address of a worker. UserError with the names there are of this kind."""
    known = all_backends()
    if name.startswith("remote:"):
        client = f"placecell.backends.remote.client:Remote{kind.capitalize()}"
        return replace(known["remote"], name=name, factory=client, spec=name, kind=kind)
    if name not in known:
        names = sorted(n for n, backend in known.items() if backend.kind == kind)
        thing = "backend" if kind == "reconstructor" else kind
        raise UserError(f"there is no {thing} {name!r}", hint=f"known: auto, {', '.join(names)}")
    return known[name]
