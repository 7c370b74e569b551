"""Frames chosen by a text: CLIP's own classes on a tiny random checkpoint, through the reading of photos."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from PIL import Image  # noqa: E402
from tiny_segmenters import WIDTH, clip_tokenizer  # noqa: E402
from transformers import CLIPConfig, CLIPImageProcessor, CLIPModel, CLIPProcessor  # noqa: E402

from placecell.backends.clip import WEIGHTS, Clip, parse_sampling  # noqa: E402
from placecell.backends.weights import MODELS_FOLDER  # noqa: E402
from placecell.errors import BackendUnavailable, UserError  # noqa: E402
from placecell.media.sources import read_photos  # noqa: E402


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A folder of models with a random CLIP under its hub id."""
    torch.manual_seed(0)
    tokenizer = clip_tokenizer(16)
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": WIDTH,
        "intermediate_size": WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "max_position_embeddings": 16,
        "eos_token_id": tokenizer.eos_token_id,
        "bos_token_id": tokenizer.bos_token_id,
    }
    vision = {
        "hidden_size": WIDTH,
        "intermediate_size": WIDTH,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "image_size": 32,
        "patch_size": 16,
    }
    folder = tmp_path_factory.mktemp("models")
    model = CLIPModel(CLIPConfig(text_config=text, vision_config=vision, projection_dim=8))
    model.save_pretrained(folder / WEIGHTS.hub_id)
    pictures = CLIPImageProcessor(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    CLIPProcessor(pictures, tokenizer).save_pretrained(folder / WEIGHTS.hub_id)
    return folder


@pytest.fixture
def models(checkpoint, monkeypatch):
    monkeypatch.setenv(MODELS_FOLDER, str(checkpoint))
    monkeypatch.setenv("PLACECELL_DEVICE", "cpu")


def shot(seed):
    return np.random.default_rng(seed).integers(0, 255, (40, 60, 3), dtype=np.uint8)


def test_likeness_is_a_cosine_of_each_picture_however_they_are_batched(models):
    clip, pictures = Clip(), [shot(i) for i in range(5)]
    together = clip.likeness(pictures, "a chair")
    assert together.shape == (5,) and np.abs(together).max() <= 1
    assert np.ptp(together) > 1e-4
    np.testing.assert_allclose([clip.likeness([p], "a chair")[0] for p in pictures], together, atol=1e-5)


def test_photos_are_chosen_by_the_model_s_likeness(models, tmp_path):
    for i in range(8):
        Image.fromarray(shot(i)).save(tmp_path / f"{i}.png")
    photos, _ = read_photos([tmp_path], limit=2, sampling=parse_sampling("clip: a chair"))
    assert len(photos) == 2
    names = [p.name for p in photos]
    best = int(np.argmax(Clip().likeness([shot(i) for i in range(8)], "a chair")))
    assert f"{best}.png" in names


def test_a_text_longer_than_the_model_reads_is_refused(models):
    with pytest.raises(UserError, match=r"has \d+ tokens, CLIP reads 16; shorten it"):
        Clip().likeness([shot(0)], "photo of chair " * 20)


def test_without_weights_it_says_what_to_fetch(tmp_path, monkeypatch):
    monkeypatch.setenv(MODELS_FOLDER, str(tmp_path))
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    with pytest.raises(BackendUnavailable, match="hf download laion/CLIP-ViT-B-32"):
        Clip().likeness([shot(0)], "a chair")
