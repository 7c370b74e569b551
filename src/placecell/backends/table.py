"""What can make a memory, and find things in it: one row a backend, with what it needs and under which licences.

Importing this imports no model. Other packages add rows through entry points of the group ``placecell.backends``, each
naming a ``Backend``.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Any, Literal

from placecell.backends.weights import Weights
from placecell.errors import BackendUnavailable, UserError
from placecell.memory.ports import Reconstructor, Segmenter

ENTRY_POINTS = "placecell.backends"


Kind = Literal["reconstructor", "segmenter"]


@dataclass(frozen=True)
class Backend:
    """One way to make a memory, or to find things in its pictures.

    ``factory`` is "module:name" of a class or function that gives a ``Reconstructor`` or ``Segmenter`` (``kind``), None
    for backends that are used in another way (``what`` says how). ``modules`` must be importable; ``weights`` must have
    been downloaded.
    """

    name: str
    what: str
    factory: str | None = None
    modules: tuple[str, ...] = ()
    extra: str | None = None
    weights: tuple[Weights, ...] = ()
    code_licence: str = "Apache-2.0"
    needs_gpu: bool = False
    kind: Kind = "reconstructor"

    def missing(self) -> str | None:
        """What is not there and the line that gets it, or None when the backend can run."""
        absent = [module for module in self.modules if importlib.util.find_spec(module) is None]
        if absent:
            return f"{', '.join(absent)} not installed: {self.install}"
        return next((missing for weights in self.weights if (missing := weights.missing())), None)

    @property
    def install(self) -> str:
        """The line that installs what is missing."""
        return f"pip install 'placecell[{self.extra}]'" if self.extra else f"pip install {' '.join(self.modules)}"

    @property
    def weight_licence(self) -> str | None:
        """The licences of the weights, each once; None without weights."""
        return ", ".join(dict.fromkeys(weights.licence for weights in self.weights)) or None

    def reconstructor(self) -> Reconstructor:
        """The reconstructor, imported now. BackendUnavailable when something is missing."""
        made: Reconstructor = self._make("reconstructor")
        return made

    def segmenter(self) -> Segmenter:
        """The segmenter, imported now; its weights load when it is first used. BackendUnavailable as above."""
        made: Segmenter = self._make("segmenter")
        return made

    def _make(self, kind: Kind) -> Any:
        missing = self.missing()
        if missing is not None:
            raise BackendUnavailable(f"the backend {self.name} cannot run: {missing}")
        if self.factory is None or self.kind != kind:
            raise UserError(f"the backend {self.name} is no {kind}", hint=self.what)
        module, _, name = self.factory.partition(":")
        return getattr(importlib.import_module(module), name)()


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

_SAM3 = Weights("facebook/sam3", "SAM License", size="3.4 GB", gated=True)
_OWLV2 = Weights("google/owlv2-base-patch16-ensemble", "Apache-2.0", size="0.6 GB")
_GROUNDING_DINO = Weights("IDEA-Research/grounding-dino-tiny", "Apache-2.0", size="0.7 GB")
_SAM2 = Weights("facebook/sam2.1-hiera-large", "Apache-2.0", size="0.9 GB")
_SAM = Weights("facebook/sam-vit-base", "Apache-2.0", size="0.4 GB")


def _segmenter(name: str, what: str, weights: tuple[Weights, ...], factory: str) -> Backend:
    return Backend(
        name,
        what,
        factory=f"placecell.backends.segment.{factory}",
        modules=("torch", "torchvision", "transformers"),
        extra="models",
        weights=weights,
        kind="segmenter",
    )


# In the order in which auto prefers them.
_SEGMENTERS = (
    _segmenter("sam3", "masks of every instance of a phrase, by SAM 3", (_SAM3,), "sam3:Sam3"),
    _segmenter(
        "groundingdino-sam2",
        "boxes by Grounding DINO, their masks by SAM 2",
        (_GROUNDING_DINO, _SAM2),
        "boxed:groundingdino_sam2",
    ),
    _segmenter("owlv2-sam2", "boxes by OWLv2, their masks by SAM 2", (_OWLV2, _SAM2), "boxed:owlv2_sam2"),
    _segmenter(
        "groundingdino-sam",
        "boxes by Grounding DINO, their masks by SAM",
        (_GROUNDING_DINO, _SAM),
        "boxed:groundingdino_sam",
    ),
    _segmenter("owlv2-sam", "boxes by OWLv2, their masks by SAM", (_OWLV2, _SAM), "boxed:owlv2_sam"),
)
BACKENDS: Mapping[str, Backend] = {backend.name: backend for backend in (*_OWN, *_SEGMENTERS)}
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
    """The row with this name. UserError with the names there are of this kind."""
    known = all_backends()
    if name not in known:
        names = sorted(n for n, backend in known.items() if backend.kind == kind)
        thing = "backend" if kind == "reconstructor" else kind
        raise UserError(f"there is no {thing} {name!r}", hint=f"known: auto, {', '.join(names)}")
    return known[name]
