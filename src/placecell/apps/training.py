"""``placecell train``: a policy that learns where to look, or to write programs."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from placecell.apps.asking import setting
from placecell.apps.output import Output
from placecell.errors import UserError
from placecell.training import needs

if TYPE_CHECKING:
    from placecell.training.config import TrainingConfig

_CONFIG = "TOML or JSON of settings; what is not in it is the paper's."
_SMOKE = "Two updates of a tiny random model on the CPU, its replies scripted: checks the whole training."
_PLOT = "Draw the curves of the training in this folder, and stop."
_OUT = "Folder of the training (default: training); with --plot, of the figures."
_SHOWN = ("reward", "answer", "turns", "kl", "step_time")


def train(
    out: Output,
    config: Annotated[Path | None, typer.Argument(help=_CONFIG)] = None,
    model: Annotated[str | None, typer.Option(help="Folder or hub name of the model to train.")] = None,
    samples: Annotated[Path | None, typer.Option(help="JSONL of samples (default: synthetic rooms).")] = None,
    profile: Annotated[str | None, typer.Option(help="Tools of an episode: canonical, explore or program.")] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Updates at most, in place of one epoch.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Of samples and sampling.")] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="Any other setting (repeat): lora.rank=16.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the last checkpoint.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the settings, and stop.")] = False,
    smoke: Annotated[bool, typer.Option("--smoke", help=_SMOKE)] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FOLDER", help=_PLOT)] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help=_OUT)] = None,
) -> int:
    """Train a vision-language model by GRPO on episodes of looking around, with one reward at the end of each."""
    needs.require(needs.EPISODES)
    if plot is not None:
        return _plot(out, plot, output or plot / "figures")
    if smoke:
        if any((config, model, samples, profile, steps, set_, resume, dry_run)):
            raise UserError("--smoke has settings of its own", hint="give it --seed and --output at most")
        return _smoke(out, output, seed or 0)
    from placecell.training.config import read_config

    named = {"model": model, "samples": samples, "profile": profile, "steps": steps, "seed": seed, "output": output}
    changes = dict(setting(text) for text in set_ or ()) | {n: v for n, v in named.items() if v is not None}
    chosen = read_config(config, changes)
    if dry_run:
        for name, value in chosen.model_dump(mode="json").items():
            out.text(f"{name} = {value}")
        out.record({"event": "settings", **chosen.model_dump(mode="json")})
        return 0
    return _train(out, chosen, resume=resume)


def _train(out: Output, config: TrainingConfig, *, resume: bool) -> int:
    needs.require(needs.TRAINING)
    from placecell.training import trl_adapter

    with _hushed(out):
        trained = trl_adapter.train(config, resume=resume, on_update=lambda *update: _tell(out, *update))
    out.text(f"{trained.model}: the model after {trained.steps} updates")
    out.record({"event": "end", "model": str(trained.model), "steps": trained.steps})
    return 0


def _tell(out: Output, step: int, steps: int, figures: Mapping[str, float]) -> None:
    shown = ", ".join(f"{name} {figures[name]:.3g}" for name in _SHOWN if name in figures)
    out.notice(f"update {step} of {steps}: {shown}")
    out.record({"event": "update", "step": step, **{name: figures[name] for name in sorted(figures)}})


def _smoke(out: Output, output: Path | None, seed: int) -> int:
    needs.require(needs.TRAINING)
    out.notice("a tiny random Qwen3-VL, two updates on the CPU: a minute or two")
    with tempfile.TemporaryDirectory() as temporary, _hushed(out):
        from placecell.training.scripted import smoke

        found = smoke(output or Path(temporary), seed=seed)
    out.table(
        ["update", "sample", "replies", "views", "image tokens", "in the loss", "reward"],
        [
            [
                str(one.step + 1),
                one.sample,
                str(one.turns),
                str(len(one.views)),
                str(one.image_tokens),
                f"{one.generated} of {one.generated + one.observed} ({100 * one.counted:.0f} %)",
                f"{one.reward:.2f}",
            ]
            for one in found.records
        ],
    )
    trained = found.tensors - found.frozen
    out.text(f"{found.changed} of {trained} weights moved, none of the {found.frozen} of the frozen vision encoder")
    for one in found.records:
        out.record({"event": "rollout", **one.model_dump(mode="json"), "counted": one.counted})
    out.record({"event": "end", "changed": found.changed, "trained": trained, "frozen": found.frozen})
    return 0


def _plot(out: Output, training: Path, figures: Path) -> int:
    from placecell.training.curves import write_curves
    from placecell.training.rollouts import read_rollouts

    records = read_rollouts(training)
    for path in write_curves(records, figures):
        out.text(str(path))
        out.record({"file": str(path)})
    return 0


@contextmanager
def _hushed(out: Output) -> Iterator[None]:
    """Without the libraries' own bars and notes to each other's authors; -v shows them."""
    if out.level > 1:
        yield
        return
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning)
        yield
