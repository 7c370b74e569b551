"""The settings of a training, the paper's as defaults, read from TOML or JSON and changed one by one.

Knows names, ranges and what contradicts what. Does not know how TRL calls them (``trl_adapter``).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from placecell.errors import UserError
from placecell.training.limits import Limits
from placecell.training.profiles import PROFILES
from placecell.training.rewards import RewardWeights

_LAYERS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Lora(_Frozen):
    """Low-rank adapters in place of training every weight of the language model. ``layers``: linear layers by name."""

    rank: Annotated[int, Field(ge=1)] = 16
    alpha: Annotated[float, Field(gt=0)] = 32.0
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    layers: tuple[str, ...] = _LAYERS


class TrainingConfig(_Frozen):
    """A training by GRPO. Defaults are Think3D's (section 4.1 and table 4), where the paper gives a value.

    What the paper does not settle: it names a batch of 8 with 4 accumulations on 8 GPUs and a training batch of 32, so
    32 trajectories make one update and ``rollouts`` of them (64) are sampled at a time, which is two updates. It says
    "gradient clipping: false" beside "gradient norm 0.5"; the norm is kept, as in the authors' script.
    """

    model: str = ""
    """Folder or hub name of the model to train; its chat template must be one that TRL knows, such as Qwen3-VL's."""
    samples: Path | None = None
    """JSONL of ``training.samples``; None makes synthetic ones, ``rooms`` of them."""
    rooms: Annotated[int, Field(ge=1)] = 977
    output: Path = Path("training")
    memory: str = "synthetic"
    """Where a sample's memory comes from, as in ``eval --memory``."""
    data: Path | None = None
    """Folder of the samples' media, for memories that are built."""
    cache: Path | None = None
    """Where memories are kept (default: PLACECELL_CACHE)."""
    views: Path | None = None
    """Folder of the view cache (default: beside the memories)."""

    profile: str = "canonical"
    turns: Annotated[int, Field(ge=1, le=20)] = 3
    """Replies that may look; one more answers."""
    side: Annotated[int, Field(ge=64, le=2048)] = 448
    """Pixels of a picture's longer side."""
    image_tokens: Annotated[int, Field(ge=16)] = 4096
    completion: Annotated[int, Field(ge=16)] = 1024
    """Tokens of one reply at most."""
    observation: Annotated[int, Field(ge=16)] = 1024
    """Tokens of one tool's reply at most, image tokens included; a longer one ends the trajectory (TRL drops it)."""

    generations: Annotated[int, Field(ge=2)] = 8
    """Trajectories of one sample, against each other."""
    batch: Annotated[int, Field(ge=1)] = 32
    """Trajectories of one update, over all GPUs."""
    rollouts: Annotated[int, Field(ge=2)] = 64
    """Trajectories sampled at a time, over all GPUs."""
    device_batch: Annotated[int, Field(ge=1)] = 1
    """Trajectories in one forward pass of one GPU."""
    temperature: Annotated[float, Field(gt=0)] = 0.6
    learning_rate: Annotated[float, Field(gt=0)] = 1e-6
    schedule: Literal["cosine", "linear", "constant_with_warmup"] = "cosine"
    warmup: Annotated[float, Field(ge=0, lt=1)] = 0.05
    """Share of the updates over which the learning rate rises."""
    weight_decay: Annotated[float, Field(ge=0)] = 0.1
    grad_norm: Annotated[float, Field(gt=0)] = 0.5
    rewards: RewardWeights = RewardWeights()
    kl: Annotated[float, Field(ge=0)] = 0.05
    """Weight of the divergence from the model that training began with; 0 keeps no second model."""
    clip: Annotated[float, Field(gt=0, lt=1)] = 0.2
    epochs: Annotated[float, Field(gt=0)] = 1.0
    steps: Annotated[int | None, Field(ge=1)] = None
    """Updates at most, in place of epochs."""

    train_vision: bool = False
    lora: Lora | None = None
    bf16: bool = True
    gradient_checkpointing: bool = True
    attention: Literal["sdpa", "flash_attention_2", "eager"] = "sdpa"
    """The paper used flash attention, which needs a package of its own."""
    deepspeed: Path | None = None
    """DeepSpeed's own configuration, a JSON file; start with ``accelerate launch`` or ``torchrun``."""
    cpu: bool = False

    seed: Annotated[int, Field(ge=0)] = 0
    save_every: Annotated[int, Field(ge=1)] = 50
    """Updates between checkpoints; a training goes on from the last one."""
    log_to: Literal["tensorboard", "wandb", "none"] = "tensorboard"
    trainer: dict[str, JsonValue] = Field(default_factory=dict)
    """Anything else of TRL's GRPOConfig, by its own names."""

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.profile not in PROFILES:
            raise ValueError(f"profile {self.profile!r} is none of {', '.join(PROFILES)}")
        if self.rollouts % self.generations:
            raise ValueError(f"rollouts {self.rollouts} is no multiple of generations {self.generations}")
        if self.rollouts % self.batch:
            raise ValueError(f"rollouts {self.rollouts} is no multiple of batch {self.batch}")
        if self.save_every % self.updates:
            # TRL forgets unused rollouts when it stops, so a checkpoint between would train on others afterwards
            raise ValueError(
                f"save_every {self.save_every} is no multiple of the {self.updates} updates of one sampling"
            )
        self.limits()
        return self

    @property
    def updates(self) -> int:
        """Updates from trajectories that were sampled together."""
        return self.rollouts // self.batch

    @property
    def longest(self) -> int:
        """Tokens after the prompt at most: replies, and what tools say between them."""
        return (self.turns + 1) * self.completion + self.turns * self.observation

    def limits(self) -> Limits:
        """What an episode may use."""
        return Limits(turns=self.turns, image_tokens=self.image_tokens, side=self.side)


def read_config(path: Path | None, changes: Mapping[str, Any] | None = None) -> TrainingConfig:
    """A configuration from a TOML or JSON file, with changes by name on top; "lora.rank" is a field of ``lora``.

    Raises:
        UserError: the file cannot be read, a name is unknown, a value does not fit; the message names it.
    """
    values = _read(path) if path is not None else {}
    for name, value in (changes or {}).items():
        *groups, last = name.split(".")
        into = values
        for group in groups:
            if not isinstance(into.get(group), dict):
                into[group] = {}
            into = into[group]
        into[last] = value
    try:
        return TrainingConfig.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        where = f"{path}: " if path is not None else ""
        if first["type"] == "extra_forbidden":
            known = Lora.model_fields if first["loc"][0] == "lora" else TrainingConfig.model_fields
            raise UserError(f"{where}a training has no setting {name!r}", hint=f"it has {', '.join(known)}") from None
        said = first["msg"].removeprefix("Value error, ")
        raise UserError(f"{where}{name} = {first['input']!r}: {said}" if name else f"{where}{said}") from None


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        found = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}", hint="give a TOML or JSON file") from None
    except (ValueError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}", hint="give a TOML or JSON file") from None
    if not isinstance(found, dict):
        raise UserError(f"{path} holds no settings", hint="give a table of names and values")
    return found
