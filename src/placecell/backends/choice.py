"""Which backend makes a memory of plain pictures when nobody names one, and why.

With a GPU, the first feed-forward model whose package and weights are here; else structure from motion, which needs
nothing but the pictures. Metres come from models alone, so when they are asked for a model is taken without a GPU too.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from placecell.backends.row import Backend
from placecell.backends.table import BACKENDS, all_backends
from placecell.errors import UserError

DEFAULT = "sfm"
_PLAIN = "plain pictures without poses or depth"


@dataclass(frozen=True)
class Choice:
    """A backend's name, and a line for the memory's notes."""

    name: str
    why: str


def for_pictures(*, metric: bool = False) -> Choice:
    """The backend for plain pictures. UserError when metres are asked for and nothing here knows them."""
    models = [row for row in all_backends().values() if row.plain and row.weights]
    ready = [row for row in models if row.missing() is None and (row.metric or not metric)]
    if metric and not ready:
        raise UserError(
            "plain pictures do not say how large things are, and no model that knows metres is ready",
            hint=f"leave out --metric, give a capture with a depth sensor, or get one: {_nearest(models)}",
        )
    if not ready:
        return Choice(DEFAULT, f"{_PLAIN}: structure from motion")
    gpu = has_gpu()
    if metric and not gpu:
        return Choice(ready[0].name, f"{_PLAIN}, asked for in metres: {ready[0].name}, slowly, for there is no GPU")
    if metric:
        return Choice(ready[0].name, f"{_PLAIN}, asked for in metres: {ready[0].name}")
    if not gpu:
        return Choice(DEFAULT, f"{_PLAIN}: structure from motion ({ready[0].name} is ready, but there is no GPU)")
    return Choice(ready[0].name, f"{_PLAIN}: {ready[0].name}, for its weights and a GPU are here")


def refuse_without_metres(name: str) -> None:
    """UserError for a backend of plain pictures that never knows metres, before it works for nothing."""
    row = all_backends().get(name)
    if row is not None and row.plain and not row.metric:
        knowing = ", ".join(other.name for other in BACKENDS.values() if other.plain and other.metric)
        raise UserError(
            f"{name} does not say how large things are, so it cannot build in metres",
            hint=f"leave out --metric, or name a model that knows metres: {knowing}",
        )


def has_gpu() -> bool:
    """Whether torch is installed and finds a CUDA GPU."""
    if importlib.util.find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())


def _nearest(models: list[Backend]) -> str:
    """What is missing for the model of metres that lacks least: weights alone, then a free licence, then any."""
    knowing = [row for row in models if row.metric]
    best = min(knowing, key=lambda row: (not row.installed, any(w.non_commercial for w in row.weights)))
    return f"{best.name} ({best.missing()})"
