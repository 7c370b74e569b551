"""What a training did, trajectory by trajectory, as JSON lines beside its checkpoints.

Each process of a training writes its own file. Does not know TRL, and keeps no texts or pictures: those are
``trajectories``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from placecell.agents.exploring.asking import read_number
from placecell.errors import UserError
from placecell.training.rewards import Rewards, RewardWeights
from placecell.training.trajectories import CallRecord, Trajectory

FOLDER = "rollouts"


class Rollout(BaseModel):
    """One trajectory as it was trained on. ``step``: updates done when it was sampled.

    ``views``: (azimuth, elevation, mode) of the views it looked at, in its profile's convention. ``parts`` are those of
    the reward, before they are weighted. After the prompt, ``generated`` tokens enter the loss and ``observed`` ones,
    which tools said, do not; ``image_tokens`` are those of all pictures, the prompt's and the tools'.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    step: int
    sample: str
    kind: str
    turns: int
    views: tuple[tuple[float, float, str], ...] = ()
    reward: float
    parts: Mapping[str, float]
    answered: bool
    generated: int
    observed: int
    image_tokens: int

    @classmethod
    def of(
        cls, trajectory: Trajectory, rewards: Rewards, weights: RewardWeights, step: int, tokens: tuple[int, int, int]
    ) -> Self:
        """The record of a finished trajectory. ``tokens``: generated, observed, of images."""
        generated, observed, image_tokens = tokens
        return cls(
            step=step,
            sample=trajectory.sample.id,
            kind=trajectory.sample.kind,
            turns=trajectory.turns,
            views=tuple(_view(call) for call in trajectory.calls if call.kind == "view" and call.ok),
            reward=rewards.total(weights),
            parts=asdict(rewards),
            answered=trajectory.final is not None,
            generated=generated,
            observed=observed,
            image_tokens=image_tokens,
        )

    @property
    def counted(self) -> float:
        """Share of the tokens after the prompt that enter the loss."""
        return self.generated / max(1, self.generated + self.observed)


class RolloutLog:
    """The file of one process. It is opened for a training that begins, or goes on after ``step`` updates."""

    def __init__(self, output: Path, process: int = 0, step: int = 0) -> None:
        """Records of updates that a checkpoint does not hold are dropped: they are made again."""
        self.path = output / FOLDER / f"{process}.jsonl"
        kept = [record for record in _read(self.path) if record.step < step] if self.path.exists() else []
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(_line(record) for record in kept), encoding="utf-8")

    def add(self, records: Iterable[Rollout]) -> None:
        """Append, and hand over to the system at once."""
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(_line(record) for record in records)


def read_rollouts(output: Path) -> list[Rollout]:
    """Every record of a training's folder, by step.

    Raises:
        UserError: there are none, or a line is damaged; the message names it.
    """
    files = sorted((output / FOLDER).glob("*.jsonl"))
    found = sorted((record for path in files for record in _read(path)), key=lambda record: record.step)
    if not found:
        raise UserError(f"{output} holds no rollouts of a training", hint="give the folder that `train -o` wrote")
    return found


def _view(call: CallRecord) -> tuple[float, float, str]:
    """Angles and mode of a view that was made, under the names of either profile that looks."""
    said = call.arguments
    azimuth, elevation = (
        read_number(said.get(name, said.get(f"{name}_angle", 0))) for name in ("azimuth", "elevation")
    )
    return azimuth or 0.0, elevation or 0.0, str(said.get("mode", "global"))


def _line(record: Rollout) -> str:
    return record.model_dump_json() + "\n"


def _read(path: Path) -> list[Rollout]:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines.pop()  # the training ended while it was written
    records = []
    for number, line in enumerate(lines, 1):
        try:
            records.append(Rollout.model_validate_json(line))
        except ValidationError as error:
            raise UserError(f"{path}, line {number}: {error.errors()[0]['msg']}") from None
    return records
