"""Loading a model of transformers and running it in batches: device, precision, memory, and never a random weight.

Torch and transformers are imported inside the functions. Does not know which model it is.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

import numpy as np

from placecell.backends.weights import Weights, fingerprint
from placecell.errors import BackendUnavailable, UserError
from placecell.memory.ports import Proposal
from placecell.memory.scene import Frame

DEVICE = "PLACECELL_DEVICE"
"""Environment variable: the torch device of the models ("cpu", "cuda:1", "mps"); without it a GPU if there is one."""

Precision = Literal["float32", "float16", "bfloat16"]
MOST = 100
"""At most this many masks of one phrase in one picture, the best ones."""


@dataclass(frozen=True)
class Device:
    """Where a model runs. ``batch``: pictures in one pass, at most."""

    name: str
    batch: int

    @property
    def half(self) -> bool:
        """Whether half precision is worth it here."""
        return self.name.startswith("cuda")


def pick_device() -> Device:
    """The device of ``PLACECELL_DEVICE``, else the GPU, else the processor. UserError for one that torch has not."""
    import torch

    wish = os.environ.get(DEVICE)
    if wish is None:
        mps = torch.backends.mps.is_available()
        wish = "cuda" if torch.cuda.is_available() else "mps" if mps else "cpu"
    try:
        torch.zeros(1, device=wish)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        first = str(error).splitlines()[0][:120]
        raise UserError(f"{DEVICE}={wish} cannot be used ({first})", hint="cpu always works") from None
    return Device(wish, 1 if wish == "cpu" else 8)


@dataclass(frozen=True)
class Checkpoint:
    """Weights and the classes of transformers that run them. ``half``: what the model is made of on a GPU."""

    weights: Weights
    model: str
    processor: str
    half: Precision = "float16"

    @cached_property
    def folder(self) -> Path:
        return self.weights.folder()

    def precision(self, device: Device) -> Precision:
        """What the model is made of there."""
        return self.half if device.half else "float32"

    def describe(self, device: Device) -> dict[str, str]:
        """What shapes its results: the files, the precision, and the code that runs it."""
        return {
            "checkpoint": f"{self.weights.hub_id}@{fingerprint(self.folder)}",
            "precision": self.precision(device),
            "transformers": metadata.version("transformers"),
        }

    def load(self, device: Device) -> Loaded:
        """The model on the device, ready to run.

        BackendUnavailable: the files are damaged or of another model, or a weight is missing, which would be random.
        """
        import torch
        from safetensors import SafetensorError

        precision = self.precision(device)
        kind, processing = (_class(name) for name in (self.model, self.processor))
        here: dict[str, Any] = {"local_files_only": True}
        dtype = getattr(torch, precision)
        try:
            with quiet():
                model, info = kind.from_pretrained(
                    self.folder, **here, use_safetensors=True, output_loading_info=True, dtype=dtype
                )
                processor = processing.from_pretrained(self.folder, **here)
        except (OSError, ValueError, RuntimeError, KeyError, TypeError, SafetensorError) as error:
            raise BackendUnavailable(
                f"{self.folder} cannot be loaded as {self.model} ({' '.join(str(error).split())[:160]})",
                hint=f"get it again: {self.weights.fetch} --force-download",
            ) from None
        absent = sorted({*info["missing_keys"], *(str(key) for key, *_ in info["mismatched_keys"])})
        if absent:
            raise BackendUnavailable(
                f"{len(absent)} weights of {self.model} are not in {self.folder} (first {absent[0]}), "
                "so they would be random",
                hint=f"another transformers may read it, or get it again: {self.weights.fetch} --force-download",
            )
        return Loaded(model.eval().to(device.name), processor, device, precision)


@dataclass(frozen=True, eq=False)
class Loaded:
    """A model on its device with its processor."""

    model: Any
    processor: Any
    device: Device
    precision: Precision

    def inputs(self, **given: Any) -> Any:
        """What the processor makes of it, on the device, pixels in the model's precision."""
        import torch

        made = self.processor(return_tensors="pt", **given).to(self.device.name)
        if "pixel_values" in made:
            made["pixel_values"] = made["pixel_values"].to(getattr(torch, self.precision))
        return made


@contextmanager
def quiet() -> Iterator[None]:
    """Without the bars and reports that transformers writes to stderr; what matters of them is raised."""
    from transformers.utils import logging

    bars, level = logging.is_progress_bar_enabled(), logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def _class(name: str) -> Any:
    transformers = importlib.import_module("transformers")
    try:
        return getattr(transformers, name)
    except AttributeError:
        raise BackendUnavailable(
            f"transformers {transformers.__version__} has no {name}", hint="pip install -U 'placecell[models]'"
        ) from None


def in_batches(
    frames: Sequence[Frame], size: int, run: Callable[[Sequence[Frame]], Sequence[list[Proposal]]]
) -> Iterator[list[Proposal]]:
    """``run`` over the frames, at most ``size`` at once, fewer where the GPU's memory runs out.

    Only pictures of one size go together: none is padded for another's sake, which would change what is found in it.
    UserError when the memory does not hold a single one.
    """
    import torch

    at = 0
    while at < len(frames):
        group = frames[at : at + size]
        other = (i for i, f in enumerate(group) if (f.width, f.height) != (group[0].width, group[0].height))
        group = group[: next(other, len(group))]
        try:
            with torch.inference_mode():
                results = run(group)
        except torch.OutOfMemoryError:
            if len(group) == 1:
                raise UserError("the GPU's memory does not hold one picture", hint=f"set {DEVICE}=cpu") from None
            size = len(group) // 2
            torch.cuda.empty_cache()
            continue
        yield from results
        at += len(group)


def pictures(frames: Sequence[Frame]) -> list[Any]:
    """The frames' pixels as the processors take them without guessing which axis the colours are."""
    from PIL import Image

    return [Image.fromarray(np.ascontiguousarray(frame.rgb)) for frame in frames]


def proposal(frame: Frame, phrase: str, mask: Any, score: float, identity: int | None = None) -> Proposal | None:
    """A bool mask (height, width) of the frame, a tensor on any device, cut to what it covers; None when empty."""
    rows, columns = mask.any(dim=1).nonzero(), mask.any(dim=0).nonzero()
    if len(rows) == 0:
        return None
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    left, right = int(columns[0]), int(columns[-1]) + 1
    cut = mask[top:bottom, left:right].cpu().numpy()
    score = min(max(float(score), 0.0), 1.0)
    return Proposal(frame.number, phrase, np.ascontiguousarray(cut), (left, top), score, identity)


def enlarged(grid: Any, frame: Frame) -> Any:
    """One map (h, w) over the whole frame, enlarged to its pixels (bilinear, as the models' own post-processing)."""
    import torch

    return torch.nn.functional.interpolate(
        grid[None, None].float(), size=(frame.height, frame.width), mode="bilinear", align_corners=False
    )[0, 0]


def best(scores: Any, threshold: float) -> list[int]:
    """Positions of the scores (N,) above the threshold, best first, at most ``MOST``."""
    order = scores.argsort(descending=True, stable=True)[:MOST]
    return [int(i) for i in order[scores[order] > threshold]]


def check_length(loaded: Loaded, phrase: str, limit: int, name: str) -> None:
    """UserError for a phrase that the model would see the beginning of only."""
    with quiet():
        length = len(loaded.processor.tokenizer(phrase)["input_ids"])
    if length > limit:
        raise UserError(f"{name} reads {limit} tokens, {phrase!r} has {length}", hint="use a shorter phrase")
