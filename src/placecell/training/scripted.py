"""Two updates of a tiny random model on synthetic rooms, with what it says replaced: a check of the whole training.

A random model never calls a tool, so its replies are a script's; generation, tools, renders, masks, rewards, gradients
and checkpoints are real. Imports torch and TRL.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from placecell.agents.exploring.published import CANONICAL
from placecell.evaluation.benchmarks.sample import LETTERS
from placecell.training.config import TrainingConfig
from placecell.training.rollouts import Rollout, read_rollouts
from placecell.training.samples import Sample
from placecell.training.tiny import write_tiny
from placecell.training.trl_adapter import prepare, save
from placecell.training.trl_trainer import SpatialTrainer

Script = Sequence[str]
_WORDS = 8
"""Tokens that the model itself makes before the script's reply takes their place."""


@dataclass(frozen=True)
class Checked:
    """What two updates did: ``changed`` of ``tensors`` weights moved; ``frozen`` of them were not to."""

    records: tuple[Rollout, ...]
    model: Path
    changed: int
    tensors: int
    frozen: int


def call(azimuth: float, elevation: float) -> str:
    """A call of the canonical profile's tool in the text form of Qwen's chat template."""
    arguments = {"azimuth_angle": azimuth, "elevation_angle": elevation}
    return f"<tool_call>\n{json.dumps({'name': 'pi3x_tool', 'arguments': arguments})}\n</tool_call>"


LEFT, RIGHT, TOP = (call(*angles) for angles in CANONICAL)
SCRIPTS: Sequence[Script] = (
    (LEFT, "<answer>{right}</answer>"),
    ("<answer>{wrong}</answer>",),
    (TOP, "Once more. " + RIGHT, "It is {right}."),
    (call(0, 0), LEFT, "<answer>{wrong}</answer>"),
)
"""One look and right; no look and wrong; two looks, right and badly marked; a refused look, a look, wrong."""


def filled(script: Script, sample: Sample) -> list[str]:
    """The replies of a script, with the sample's right answer and a wrong one in place of "{right}" and "{wrong}"."""
    wrong = next(letter for letter in LETTERS if letter != sample.truth)
    return [text.replace("{right}", sample.truth).replace("{wrong}", wrong) for text in script]


class ScriptedTrainer(SpatialTrainer):
    """Every trajectory of a group follows one of ``SCRIPTS``, in turn."""

    def __init__(self, **more: Any) -> None:
        super().__init__(**more)
        self.generation_config.max_new_tokens = _WORDS

    def _generate_single_turn(
        self, prompt_ids: Any, images: Any, multimodal_fields: Any, num_generations: int, **more: Any
    ) -> Any:
        made, logprobs = super()._generate_single_turn(prompt_ids, images, multimodal_fields, num_generations, **more)
        said = [self.environments[at].conversation.trajectory.turns for at in range(len(self.environments))]
        now = max(said)
        asked = [at for at, turns in enumerate(said) if turns == now]
        if len(asked) != len(made):
            raise RuntimeError(f"{len(made)} replies are wanted, but {len(asked)} trajectories wait for one")
        return [self._reply(at, now) for at in asked], logprobs

    def _reply(self, at: int, turn: int) -> list[int]:
        sample = self.environments[at].conversation.trajectory.sample
        text = filled(SCRIPTS[at % len(SCRIPTS)], sample)[turn]
        tokens: list[int] = self._tokenizer(text + self._tokenizer.eos_token)["input_ids"]
        return tokens


def smoke(folder: Path, *, steps: int = 2, seed: int = 0) -> Checked:
    """Run it below a folder: the tiny model in ``tiny/``, the training in ``training/``.

    Raises:
        UserError: the folder holds a training already.
        RuntimeError: a weight of the frozen vision encoder moved.
    """
    torch.set_num_threads(1)  # so little to compute is only slowed down by sharing it
    config = smoke_config(folder, steps=steps, seed=seed)
    write_tiny(Path(config.model), seed)
    trainer, _ = prepare(config, kind=ScriptedTrainer)
    before = {name: weight.detach().clone() for name, weight in trainer.model.named_parameters()}
    trainer.train()
    after = dict(trainer.model.named_parameters())
    moved = {name for name, weight in before.items() if not weight.equal(after[name].detach())}
    frozen = {name for name, weight in after.items() if not weight.requires_grad}
    if moved & frozen:
        raise RuntimeError(f"frozen weights moved: {sorted(moved & frozen)}")
    records = tuple(read_rollouts(config.output))
    return Checked(records, save(trainer, config), len(moved), len(before), len(frozen))


def smoke_config(folder: Path, *, steps: int = 2, seed: int = 0) -> TrainingConfig:
    """The settings of ``smoke``: the defaults, made small. One byte is a token of the tiny model, hence the lengths."""
    return TrainingConfig(
        model=str(folder / "tiny"),
        output=folder / "training",
        rooms=2,
        side=64,
        image_tokens=64,
        completion=256,
        observation=1024,
        generations=len(SCRIPTS),
        batch=len(SCRIPTS),
        rollouts=len(SCRIPTS),
        device_batch=len(SCRIPTS),
        learning_rate=1e-3,
        warmup=0.0,
        steps=steps,
        save_every=1,
        seed=seed,
        cpu=True,
        log_to="none",
    )
