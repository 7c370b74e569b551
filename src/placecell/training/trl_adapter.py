"""Training a policy with TRL: a configuration to a model folder. torch and TRL are imported when it begins.

Knows how our settings are called there. The trainer itself is ``trl_trainer``; what an episode is, ``env``.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placecell.backends.weights import Weights
from placecell.errors import UserError
from placecell.evaluation.runs.shelf import default_cache
from placecell.evaluation.runs.sources import open_source
from placecell.training import needs
from placecell.training.config import TrainingConfig
from placecell.training.conversation import Conversation
from placecell.training.env import SpatialEnv
from placecell.training.samples import Sample, read_samples, synthetic_samples
from placecell.training.view_cache import ViewCache

if TYPE_CHECKING:
    from placecell.training.trl_trainer import SpatialTrainer

OnUpdate = Callable[[int, int, Mapping[str, float]], None]
"""Updates done, updates in all, and TRL's figures of the last one."""
FINAL = "model"
"""Folder, below a training's, of the trained model: configuration, weights, processor."""
_SETTINGS = "training.json"
_ENCODERS = ("visual", "vision_tower", "vision_model")
_CHECKPOINT = re.compile(r"checkpoint-(\d+)")


@dataclass(frozen=True)
class Trained:
    """What a training left: the model's folder, and how many updates it had."""

    model: Path
    steps: int


def train(config: TrainingConfig, *, resume: bool = False, on_update: OnUpdate | None = None) -> Trained:
    """Train a policy by GRPO and write it to ``config.output``; ``on_update`` hears of each update.

    ``resume`` goes on from the last checkpoint there; the settings must be the same ones, except how long to train.

    Raises:
        UserError: a setting, the samples, or the output folder do not fit.
        BackendUnavailable: the extra [train], or the model's weights, are not here.
    """
    needs.require(needs.TRAINING)
    trainer, checkpoint = prepare(config, resume=resume)
    if on_update is not None:
        trainer.hear(on_update)
    trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
    return Trained(save(trainer, config), int(trainer.state.global_step))


def prepare(
    config: TrainingConfig, *, resume: bool = False, kind: Callable[..., SpatialTrainer] | None = None
) -> tuple[SpatialTrainer, Path | None]:
    """The trainer of a configuration and the checkpoint it goes on from. ``kind`` replaces the trainer's class."""
    os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")  # environments are new in TRL, which is why it is pinned
    import datasets
    from transformers import AutoProcessor

    from placecell.training.trl_trainer import SAMPLE, SpatialTrainer

    checkpoint = _last_checkpoint(config, resume=resume)
    folder = _folder(config)
    processor = AutoProcessor.from_pretrained(folder, padding_side="left")
    arguments = _arguments(config, processor)
    samples = samples_of(config)
    opening = [{"role": "user", "content": ""}]  # the environment writes the prompt
    rows = {"prompt": [opening] * len(samples), SAMPLE: list(range(len(samples)))}
    trainer = (kind or SpatialTrainer)(
        open_conversation=_opener(config),
        samples=samples,
        step=int(checkpoint.name.partition("-")[2]) if checkpoint else 0,
        model=_model(config, folder),
        processing_class=processor,
        args=arguments,
        train_dataset=datasets.Dataset.from_dict(rows),
        peft_config=_adapters(config),
    )
    if trainer.accelerator.is_main_process:
        (config.output / _SETTINGS).write_text(json.dumps(_lasting(config), indent=1) + "\n", encoding="utf-8")
    return trainer, checkpoint


def samples_of(config: TrainingConfig) -> tuple[Sample, ...]:
    """The samples a configuration trains on. UserError when the file holds none."""
    if config.samples is None:
        return synthetic_samples(config.rooms, seed=config.seed)
    return read_samples(config.samples)


def save(trainer: SpatialTrainer, config: TrainingConfig) -> Path:
    """Write the trained model as a folder that anything that serves such models takes; adapters are merged into it."""
    folder = config.output / FINAL
    if trainer.accelerator.is_main_process:
        model = trainer.accelerator.unwrap_model(trainer.model)
        if config.lora is not None:
            model = model.merge_and_unload()
        model.save_pretrained(folder)
        trainer.processing_class.save_pretrained(folder)
    trainer.accelerator.wait_for_everyone()
    return folder


def _last_checkpoint(config: TrainingConfig, *, resume: bool) -> Path | None:
    """Where to go on from. UserError when the folder holds what was not asked for, or cannot be written."""
    path = config.output / _SETTINGS
    try:
        config.output.mkdir(parents=True, exist_ok=True)
        theirs = json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    except OSError as error:
        raise UserError(f"{config.output}: {error.strerror or error}", hint="choose another folder with -o") from None
    if theirs is None:
        if resume:
            raise UserError(f"{config.output} holds no training to go on with", hint="leave out --resume")
        return None
    if not resume:
        raise UserError(f"{config.output} holds a training already", hint="go on with --resume, or choose another -o")
    ours = _lasting(config)
    changed = next((name for name in ours if theirs.get(name) != ours[name]), None)
    if changed is not None:
        raise UserError(
            f"the training in {config.output} has {changed} = {theirs.get(changed)!r}, not {ours[changed]!r}",
            hint="go on with the same settings, or choose another -o",
        )
    found = [(int(m[1]), p) for p in config.output.iterdir() if (m := _CHECKPOINT.fullmatch(p.name))]
    return max(found)[1] if found else None


def _lasting(config: TrainingConfig) -> dict[str, Any]:
    """The settings that a training keeps when it goes on: all but its length and its folder, which may be moved."""
    return config.model_dump(mode="json", exclude={"steps", "epochs", "output"})


def _opener(config: TrainingConfig) -> Callable[[Sample], Conversation]:
    cache = config.cache or default_cache()
    source = open_source(config.memory, config.data, cache)
    views = ViewCache(config.views or cache / "views")
    limits, weights = config.limits(), config.rewards

    def begin(sample: Sample) -> Conversation:
        env = SpatialEnv(config.profile, source, limits=limits, weights=weights, render=views.render)
        return Conversation(env, sample)

    return begin


def _folder(config: TrainingConfig) -> Path:
    """The model's folder on this machine; nothing is downloaded."""
    if not config.model:
        raise UserError("no model to train", hint="name one with --model, such as Qwen/Qwen3-VL-4B-Instruct")
    folder = Path(config.model)
    return folder if folder.is_dir() else Weights(config.model, "its own licence").folder()


def _model(config: TrainingConfig, folder: Path) -> Any:
    import torch
    from transformers import AutoModelForImageTextToText

    # Updates of 1e-6 vanish in bfloat16's 8 bits: weights that are trained are kept in float32, and computed with in
    # bfloat16. Under adapters the base does not change.
    half = config.bf16 and not config.cpu and config.lora is not None
    model = AutoModelForImageTextToText.from_pretrained(
        folder, dtype=torch.bfloat16 if half else torch.float32, attn_implementation=config.attention
    )
    if not config.train_vision:
        _vision(model).requires_grad_(False)
    return model


def _vision(model: Any) -> Any:
    """The vision encoder with its projection, by the names that transformers gives it."""
    found = next((part for name in _ENCODERS if (part := getattr(model.model, name, None)) is not None), None)
    if found is None:
        raise UserError(f"{type(model).__name__}: its vision encoder is not known", hint="set train_vision = true")
    return found


def _adapters(config: TrainingConfig) -> Any:
    if config.lora is None:
        return None
    from peft import LoraConfig

    inside = ".*" if config.train_vision else r".*language_model\..*"
    return LoraConfig(
        r=config.lora.rank,
        lora_alpha=config.lora.alpha,
        lora_dropout=config.lora.dropout,
        target_modules=rf"{inside}\.({'|'.join(map(re.escape, config.lora.layers))})",
        task_type="CAUSAL_LM",
    )


def _arguments(config: TrainingConfig, processor: Any) -> Any:
    """TRL's own configuration. UserError for a name in ``trainer`` that it does not have, or that is ours to set."""
    from trl import GRPOConfig

    _require_wished(config)
    ours: dict[str, Any] = {
        "output_dir": str(config.output),
        "num_generations": config.generations,
        "per_device_train_batch_size": config.device_batch,
        "gradient_accumulation_steps": _passes(config),
        "generation_batch_size": config.rollouts,
        "loss_type": "grpo",
        "beta": config.kl,
        "epsilon": config.clip,
        "temperature": config.temperature,
        "max_completion_length": config.longest,
        "max_tool_calling_iterations": config.turns,
        # one reply; TRL's own limit is the whole trajectory's. A sampled vision token would be taken for a picture
        "generation_kwargs": {"max_new_tokens": config.completion, "suppress_tokens": _vision_tokens(processor)},
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": config.schedule,
        "warmup_steps": config.warmup,
        "weight_decay": config.weight_decay,
        "max_grad_norm": config.grad_norm,
        "num_train_epochs": config.epochs,
        "max_steps": config.steps or -1,
        "bf16": config.bf16 and not config.cpu,
        "gradient_checkpointing": config.gradient_checkpointing,
        "deepspeed": str(config.deepspeed) if config.deepspeed else None,
        "use_cpu": config.cpu,
        "seed": config.seed,
        "save_steps": config.save_every,
        "logging_steps": 1,
        "report_to": config.log_to,
        "disable_tqdm": True,
    }
    known = GRPOConfig.__dataclass_fields__
    wrong = next((name for name in config.trainer if name not in known or name in ours), None)
    if wrong is not None:
        why = "is set by another setting of ours" if wrong in ours else "is none of TRL's GRPOConfig"
        raise UserError(f"trainer.{wrong} {why}")
    if config.trainer.get("use_vllm"):
        raise UserError("trainer.use_vllm: sampling by vLLM is not built here", hint="leave it out")
    return GRPOConfig(**ours, **config.trainer)


def _require_wished(config: TrainingConfig) -> None:
    """BackendUnavailable for a package that one of the settings needs."""
    for name, wanted in (
        ("wandb", config.log_to == "wandb"),
        ("deepspeed", config.deepspeed is not None),
        ("flash_attn", config.attention == "flash_attention_2"),
    ):
        if wanted:
            needs.require((name,), f"pip install {name.replace('_', '-')}")


def _passes(config: TrainingConfig) -> int:
    """Forward passes of one update on each GPU. UserError when the batch does not divide into them."""
    from accelerate import PartialState

    at_a_time: int = config.device_batch * PartialState().num_processes
    if config.batch % at_a_time:
        raise UserError(
            f"batch {config.batch} does not divide into passes of {at_a_time} trajectories on the GPUs here",
            hint="give a batch that is a multiple of device_batch times the number of GPUs",
        )
    return config.batch // at_a_time


def _vision_tokens(processor: Any) -> Sequence[int]:
    names = ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
    return [token for name in names if (token := getattr(processor, name, None)) is not None]
