"""How a policy changed while it was trained: Think3D's figures 5 (reward and turns) and 6 (views chosen).

Computed from the records of ``rollouts`` alone. Does not draw (``evaluation.report.plots``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from placecell.agents.exploring.published import CANONICAL
from placecell.errors import BackendUnavailable, UserError
from placecell.evaluation.report.charts import Curves, Looks, as_table, rounded
from placecell.evaluation.report.plots import draw
from placecell.evaluation.report.table import as_csv
from placecell.training.rollouts import Rollout

Points = Mapping[float, float]
_SMOOTH = 10
"""Samplings that a point of a curve is the mean of, itself and those before."""
_NAMED = dict(zip(CANONICAL, ("left", "right", "top"), strict=True))
_SHOWN = 5
"""Kinds of views with a curve of their own; all others share one."""


def charts(records: Sequence[Rollout]) -> Iterator[Curves | Looks]:
    """The figures of a training; those of views only where it looked at any."""
    parts = [name for name in records[0].parts if any(record.parts[name] for record in records)]
    yield Curves(
        "think3d-5-training",
        "Think3D figure 5: reward and turns while training",
        {
            "reward": {"reward": _over(records, lambda r: r.reward)}
            | {name: _over(records, lambda r, n=name: r.parts[n]) for name in parts},  # type: ignore[misc]
            "replies": {"replies": _over(records, lambda r: r.turns), "views": _over(records, lambda r: len(r.views))},
        },
        "updates",
    )
    if not any(record.views for record in records):
        return
    yield Curves("views-while-training", "Views chosen while training", {"share of views": _shares(records)}, "updates")
    steps = sorted({record.step for record in records})
    early, late = steps[: max(1, len(steps) // 4)], steps[-max(1, len(steps) // 4) :]
    panels = {
        f"updates {part[0]} to {part[-1]}": Counter(
            rounded(view) for record in records if part[0] <= record.step <= part[-1] for view in record.views
        )
        for part in ((early, late) if len(steps) > 1 else (early,))
    }
    yield Looks("think3d-6-training", "Think3D figure 6: views chosen, first and last", panels)


def write_curves(records: Sequence[Rollout], folder: Path) -> tuple[Path, ...]:
    """Write each figure as CSV, PNG and SVG into a folder.

    Raises:
        UserError: the folder cannot be written.
        BackendUnavailable: matplotlib is missing; the CSV files are there.
    """
    written: list[Path] = []
    drawn = list(charts(records))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for chart in drawn:
            path = folder / f"{chart.name}.csv"
            path.write_text(as_csv(as_table(chart)), encoding="utf-8")
            written.append(path)
        for chart in drawn:
            written += draw(chart, folder / chart.name)
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror or error}", hint="choose another folder") from None
    except BackendUnavailable as error:
        raise BackendUnavailable(str(error), hint=f"the figures' data are in {folder}") from None
    return tuple(written)


def _over(records: Sequence[Rollout], value: Callable[[Rollout], float]) -> Points:
    """Mean value at each step, smoothed over those before."""
    by_step: dict[int, list[float]] = {}
    for record in records:
        by_step.setdefault(record.step, []).append(value(record))
    means = [float(np.mean(found)) for found in by_step.values()]
    smooth = [float(np.mean(means[max(0, at + 1 - _SMOOTH) : at + 1])) for at in range(len(means))]
    return dict(zip(map(float, by_step), smooth, strict=True))


def _shares(records: Sequence[Rollout]) -> Mapping[str, Points]:
    """Share of each kind of view among those looked at, by step, the most frequent kinds by name."""
    looked = [record for record in records if record.views]
    counts = Counter(_name(view) for record in looked for view in record.views)
    named = [name for name, _ in counts.most_common(_SHOWN)]
    share = {name: _over(looked, lambda r, n=name: _share(r, lambda v: v == n)) for name in named}  # type: ignore[misc]
    if len(counts) > _SHOWN:
        share["others"] = _over(looked, lambda r: _share(r, lambda v: v not in named))
    return share


def _share(record: Rollout, wanted: Callable[[str], bool]) -> float:
    return sum(wanted(_name(view)) for view in record.views) / len(record.views)


def _name(view: tuple[float, float, str]) -> str:
    azimuth, elevation = rounded(view)
    return _NAMED.get((azimuth, elevation), f"{azimuth:g}, {elevation:g}") + (" ego" if view[2] == "ego" else "")
