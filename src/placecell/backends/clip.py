"""How well a text describes pictures, by CLIP: for ``--sampling clip:TEXT`` and for baselines that choose frames.

Needs the extra ``models`` and the weights; both are imported and loaded when first used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from placecell.backends.row import Backend
from placecell.backends.segment.running import Checkpoint, Device, Loaded, pick_device
from placecell.backends.weights import Weights
from placecell.errors import BackendUnavailable, UserError
from placecell.media.sampling import BY_TEXT, NAMED, ByText, Sampling

WEIGHTS = Weights("laion/CLIP-ViT-B-32-laion2B-s34B-b79K", "MIT", size="0.6 GB")
_NEEDS = Backend("clip", "likeness of text and picture", modules=("torch", "transformers"), extra="models")


class Clip:
    """A contrastive model of text and pictures (Radford et al. 2021), as an open reproduction has it."""

    def __init__(self, weights: Weights = WEIGHTS) -> None:
        self._checkpoint = Checkpoint(weights, "CLIPModel", "CLIPProcessor")

    def likeness(self, pictures: Sequence[NDArray[np.uint8]], text: str) -> NDArray[np.float64]:
        """(N,) cosines between the text and each of N (h, w, 3) pictures.

        UserError for a text that is longer than the model reads, BackendUnavailable when something is missing.
        """
        import torch

        loaded = self._loaded
        with torch.inference_mode():
            words = self._read(text)
            seen = loaded.model.get_image_features(
                **loaded.inputs(images=[p.copy() for p in pictures])
            ).pooler_output.float()
            said = loaded.model.get_text_features(**words).pooler_output.float()
            cosines = torch.nn.functional.cosine_similarity(seen, said)
        return np.asarray(cosines.cpu().numpy(), np.float64)

    def _read(self, text: str) -> Any:
        words = self._loaded.inputs(text=[text])
        most = self._loaded.model.config.text_config.max_position_embeddings
        count = words["input_ids"].shape[1]
        if count > most:
            raise UserError(f"the text for choosing frames has {count} tokens, CLIP reads {most}", hint="shorten it")
        return words

    @cached_property
    def _device(self) -> Device:
        return pick_device()

    @cached_property
    def _loaded(self) -> Loaded:
        missing = _NEEDS.missing()
        if missing is not None:
            raise BackendUnavailable(f"frames cannot be chosen by a text: {missing}")
        return self._checkpoint.load(self._device)


def parse_sampling(text: str) -> Sampling:
    """The sampling that is written so. UserError for one that does not exist; a model is loaded when it is used."""
    if text.startswith(BY_TEXT) and text.removeprefix(BY_TEXT).strip():
        return ByText(text.removeprefix(BY_TEXT).strip(), Clip().likeness)
    for name in NAMED:
        if text == name:
            return name
    raise UserError(f"unknown sampling {text!r}", hint=f"one of {', '.join(NAMED)}, {BY_TEXT}TEXT")
