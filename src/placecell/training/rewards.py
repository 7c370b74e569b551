"""What an episode is worth: pure functions of its trajectory, each with its exact rule.

The paper's reward is R(tau) = R_ans + R_fmt, given once, at the end, for every turn (Think3D equation 10); it does not
say how large the bonus is: ``RewardWeights`` does. No part is ever None or NaN: ``finite`` raises instead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, fields

from placecell.errors import UserError
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.scoring import robust
from placecell.language.decomposition import Unit
from placecell.training.trajectories import CallRecord, CellWorth, Trajectory

_WASTED = 0.5
_WASTED_AT_MOST = 1.0
_LINE = re.compile(r"^answer:[ \t]*\S.*$", re.IGNORECASE)
_ANY_LINE = re.compile(r"^[ \t]*answer:", re.IGNORECASE | re.MULTILINE)
_TAG = re.compile(r"<answer>(.*?)</answer>", re.IGNORECASE | re.DOTALL)
_ANY_TAG = re.compile(r"</?answer>", re.IGNORECASE)


@dataclass(frozen=True)
class RewardWeights:
    """What each part counts. The defaults are the paper's two parts; the others are switched on by a weight."""

    answer: float = 1.0
    format: float = 0.1
    wasted_view: float = 0.0
    plan: float = 0.0
    cells: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not math.isfinite(value) or value < 0:
                raise UserError(f"reward weight {field.name} = {value}", hint="give a finite number, 0 or more")


@dataclass(frozen=True)
class Rewards:
    """The parts of a reward before they are weighted; ``wasted_view`` is 0 or negative."""

    answer: float
    format: float
    wasted_view: float
    plan: float
    cells: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            finite(field.name, getattr(self, field.name))

    def total(self, weights: RewardWeights) -> float:
        """The weighted sum, which every reply of the trajectory is credited with."""
        return finite("the reward", sum(getattr(weights, f.name) * getattr(self, f.name) for f in fields(self)))


def answer_reward(sample: Sample, reply: str | None, unit: Unit | None = None) -> float:
    """1 for the right option and 0 for any other; for a number its mean relative accuracy (VSI-Bench), 0 to 1.

    The reply is read as everywhere (``agents.reply``): one that names no option, or several, is wrong; numbers in
    another unit are converted to ``unit``. No reply is worth 0.

    Raises:
        ValueError: the sample's truth is 0, of which no relative accuracy exists.
    """
    if reply is None:
        return 0.0
    if not sample.options:
        return robust.number(reply, sample.truth, (), unit).value
    rights = (sample.truth, *sample.also_right)
    return max(robust.choice(reply, right, sample.options, None).value for right in rights)


def format_reward(reply: str | None) -> float:
    """1 when the reply marks its answer once and ends with it, else 0.

    A mark is a line ``Answer: ...`` or a pair of tags ``<answer>...</answer>``, neither empty; text before it is free.
    """
    text = (reply or "").strip()
    lines, tags = len(_ANY_LINE.findall(text)), len(_ANY_TAG.findall(text))
    if tags == 2 and lines == 0:
        pairs = list(_TAG.finditer(text))
        return float(len(pairs) == 1 and pairs[0].end() == len(text) and bool(pairs[0][1].strip()))
    last = text.rpartition("\n")[2].strip()
    return float(lines == 1 and tags == 0 and _LINE.match(last) is not None)


def wasted_view_penalty(calls: Sequence[CallRecord]) -> float:
    """-0.5 for each call that brought nothing new to see, no lower than -1.

    That is a view that was refused (seen already, the photo itself, an angle that does not exist), a tool that does not
    exist, and a call that could not be read. A rejected program is no wasted view.
    """
    wasted = sum(not call.ok for call in calls if call.kind in ("view", "other"))
    return 0.0 - min(_WASTED_AT_MOST, _WASTED * wasted)


def plan_reward(calls: Sequence[CallRecord]) -> float:
    """1 when the last program written was accepted, else 0; also 0 when none was written."""
    programs = [call for call in calls if call.kind == "program"]
    return float(bool(programs) and programs[-1].ok)


def cells_reward(calls: Sequence[CallRecord]) -> float:
    """How well an answer was measured step by step, 0 to 1; 0 when no cell was written.

    The mean of three parts: how well the cells were written (the mean of ``CellWorth.written``), whether the last
    answer is a measured value, and how sure it is.
    """
    cells = [call.cell for call in calls if call.cell is not None]
    if not cells:
        return 0.0
    answer = next((cell for cell in reversed(cells) if cell.measured), CellWorth(0.0))
    return (sum(cell.written for cell in cells) / len(cells) + answer.measured + answer.sure) / 3


def rewards_of(trajectory: Trajectory) -> Rewards:
    """All parts of a finished trajectory. One that was cut off has no answer, and its answer and format are 0."""
    return Rewards(
        answer=answer_reward(trajectory.sample, trajectory.final, trajectory.unit),
        format=format_reward(trajectory.final),
        wasted_view=wasted_view_penalty(trajectory.calls),
        plan=plan_reward(trajectory.calls),
        cells=cells_reward(trajectory.calls),
    )


def group_advantages(rewards: Sequence[float]) -> tuple[float, ...]:
    """Rewards of one sample's rollouts as GRPO's advantages: less their mean, over their standard deviation.

    All zero when the rewards are equal: a group that agrees teaches nothing (DeepSeekMath, section 4.1.1).
    """
    known = [finite("a reward", reward) for reward in rewards]
    mean = sum(known) / len(known)
    deviation = math.sqrt(sum((reward - mean) ** 2 for reward in known) / len(known))
    return tuple((reward - mean) / deviation if deviation > 1e-8 else 0.0 for reward in known)


def finite(name: str, value: float | None) -> float:
    """The value. ValueError for None, NaN and infinity: a broken reward must not become a gradient."""
    if value is None or not math.isfinite(value):
        raise ValueError(f"{name} is {value}; a reward is a finite number")
    return float(value)
