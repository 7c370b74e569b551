"""A training's settings: the paper's values, files, changes, and what contradicts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from placecell.errors import UserError
from placecell.training.config import Lora, TrainingConfig, read_config


def test_the_defaults_are_the_papers() -> None:
    """Think3D section 4.1 and table 4."""
    config = TrainingConfig()
    assert (config.generations, config.batch, config.rollouts, config.epochs) == (8, 32, 64, 1)
    assert (config.learning_rate, config.schedule, config.warmup, config.weight_decay) == (1e-6, "cosine", 0.05, 0.1)
    assert (config.kl, config.clip, config.temperature, config.completion, config.turns) == (0.05, 0.2, 0.6, 1024, 3)
    assert (config.grad_norm, config.rooms, config.profile) == (0.5, 977, "canonical")
    assert config.bf16 and config.gradient_checkpointing and not config.train_vision


def test_a_file_says_what_differs_and_an_option_has_the_last_word(tmp_path: Path) -> None:
    path = tmp_path / "training.toml"
    path.write_text('model = "tiny"\nkl = 0.0\n[lora]\nrank = 8\n[rewards]\nformat = 0.2\n')
    config = read_config(path, {"lora.alpha": 16.0, "steps": 3})
    assert (config.model, config.kl, config.steps, config.rewards.format) == ("tiny", 0.0, 3, 0.2)
    assert config.lora == Lora(rank=8, alpha=16.0)
    as_json = tmp_path / "training.json"
    as_json.write_text(json.dumps(config.model_dump(mode="json")))
    assert read_config(as_json) == config


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"learning_rat": 1}, "no setting 'learning_rat'"),
        ({"lora.ranks": 1}, "no setting 'lora.ranks'"),
        ({"temperature": 0}, "temperature = 0"),
        ({"kl": float("nan")}, "kl = nan"),
        ({"profile": "dance"}, "profile 'dance' is none of explore"),
        ({"rollouts": 60}, "no multiple of generations 8"),
        ({"rollouts": 64, "batch": 48}, "no multiple of batch 48"),
        ({"save_every": 25}, "save_every 25 is no multiple of the 2 updates"),
        ({"side": 2048}, "image tokens"),
        ({"rewards.answer": -1.0}, "reward weight answer"),
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, object], says: str) -> None:
    with pytest.raises(UserError, match=says):
        read_config(None, changes)


@pytest.mark.parametrize("text", ["kl = ", "\xff", "[[lora]]\nrank = 1"])
def test_a_file_that_is_none_is_refused_by_its_name(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(UserError, match=r"broken\.toml"):
        read_config(path)


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere\.toml"):
        read_config(tmp_path / "nowhere.toml")


def test_a_trajectory_has_room_for_every_reply_and_everything_tools_say() -> None:
    config = TrainingConfig(turns=2, completion=100, observation=50)
    assert config.longest == 3 * 100 + 2 * 50
    assert config.limits().turns == 2
