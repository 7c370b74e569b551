"""One row of the table of backends: what it takes, what it needs, and how it is made when it is used.

Importing this imports no model.
"""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import dataclass
from typing import Any, Literal

from placecell.backends.weights import Weights
from placecell.errors import BackendUnavailable, UserError
from placecell.memory.ports import Reconstructor, Segmenter, Tracker

Kind = Literal["reconstructor", "segmenter", "tracker"]


@dataclass(frozen=True)
class Backend:
    """One way to make a memory, or to find things in its pictures.

    ``factory`` is "module:name" of a class or function that gives what its ``kind`` says (a ``Reconstructor``,
    ``Segmenter`` or ``Tracker``), None for backends that are used in another way (``what`` says how). ``modules`` must
    be importable; ``weights`` must have been downloaded. ``setup``: the line that installs what no extra can (packages
    that are not on PyPI, or pin what others cannot live with). ``spec``: what the factory is called with, if anything.
    ``plain``: makes memories of plain pictures, so that auto may choose it. ``metric``: they are always in metres.
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
    setup: str | None = None
    spec: str | None = None
    plain: bool = False
    metric: bool = False

    def missing(self) -> str | None:
        """What is not there and the line that gets it, or None when the backend can run."""
        if not self.installed:
            absent = [module for module in self.modules if importlib.util.find_spec(module) is None]
            return f"{', '.join(absent)} not installed: {self.install}"
        return next((missing for weights in self.weights if (missing := weights.missing())), None)

    @property
    def installed(self) -> bool:
        """Whether all its modules can be imported; its weights may still be missing."""
        return all(importlib.util.find_spec(module) is not None for module in self.modules)

    @property
    def install(self) -> str:
        """The line that installs what is missing."""
        if self.setup is not None:
            return self.setup
        return f"pip install 'placecell[{self.extra}]'" if self.extra else f"pip install {' '.join(self.modules)}"

    @property
    def weight_licence(self) -> str | None:
        """The licences of the weights, each once; None without weights."""
        return ", ".join(dict.fromkeys(weights.licence for weights in self.weights)) or None

    @property
    def licences(self) -> tuple[str, ...]:
        """The licences of code and weights, as a memory's provenance lists them."""
        weights = (f"{self.name} weights {w.hub_id}: {w.licence}" for w in self.weights)
        return f"{self.name} code: {self.code_licence}", *weights

    def reconstructor(self) -> Reconstructor:
        """The reconstructor, imported now. BackendUnavailable when something is missing."""
        made: Reconstructor = self._make("reconstructor")
        return made

    def segmenter(self) -> Segmenter:
        """The segmenter, imported now; its weights load when it is first used. BackendUnavailable as above."""
        made: Segmenter = self._make("segmenter")
        return made

    def tracker(self) -> Tracker:
        """The tracker, as ``segmenter``."""
        made: Tracker = self._make("tracker")
        return made

    def _make(self, kind: Kind) -> Any:
        if self.factory is None or self.kind != kind:
            raise UserError(f"the backend {self.name} is no {kind}", hint=self.what)
        missing = self.missing()
        if missing is not None:
            raise BackendUnavailable(f"the backend {self.name} cannot run: {missing}")
        module, _, name = self.factory.partition(":")
        make = getattr(importlib.import_module(module), name)
        return make() if self.spec is None else make(self.spec)
