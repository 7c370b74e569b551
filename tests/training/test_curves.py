"""Curves of a training out of its records."""

from __future__ import annotations

import csv
from pathlib import Path

from placecell.evaluation.report.charts import Curves, Looks
from placecell.training.curves import charts, write_curves
from placecell.training.rollouts import Rollout

LEFT, TOP = (-45.0, 0.0, "global"), (0.0, 60.0, "global")


def learning(steps: int = 40) -> list[Rollout]:
    """Two trajectories a step; the second learns, half way, to look from the top, and is right from then on."""
    records = []
    for step in range(steps):
        learnt = step >= steps // 2
        for views, right in (((LEFT,), False), ((TOP, TOP) if learnt else (), learnt)):
            records.append(
                Rollout(
                    step=step, sample=f"s{step}", kind="k", turns=1 + len(views), views=views, reward=float(right),
                    parts={"answer": float(right), "format": 1.0}, answered=True, generated=10, observed=5,
                    image_tokens=3,
                )
            )  # fmt: skip
    return records


def test_reward_and_replies_are_means_over_the_last_samplings() -> None:
    training = next(c for c in charts(learning()) if isinstance(c, Curves))
    reward = training.panels["reward"]["reward"]
    assert (reward[0.0], reward[19.0], reward[24.0], reward[39.0]) == (0.0, 0.0, 0.25, 0.5)
    assert training.panels["replies"]["replies"][39.0] == 2.5
    assert set(training.panels["reward"]) == {"reward", "answer", "format"}


def test_views_are_counted_by_name_and_first_and_last() -> None:
    found = {chart.name: chart for chart in charts(learning())}
    share = found["views-while-training"]
    assert isinstance(share, Curves)
    assert share.panels["share of views"]["left"][0.0] == 1
    assert share.panels["share of views"]["top"][39.0] == 0.5
    looks = found["think3d-6-training"]
    assert isinstance(looks, Looks)
    assert looks.panels == {
        "updates 0 to 9": {(-45, 0): 10},
        "updates 30 to 39": {(-45, 0): 10, (0, 60): 20},
    }


def test_a_training_that_never_looked_has_one_figure() -> None:
    blind = [record.model_copy(update={"views": ()}) for record in learning(3)]
    assert [chart.name for chart in charts(blind)] == ["think3d-5-training"]


def test_figures_are_written_with_their_data(tmp_path: Path) -> None:
    files = write_curves(learning(8), tmp_path)
    assert sorted({path.suffix for path in files}) == [".csv", ".png", ".svg"]
    assert len(files) == 9 and all(path.stat().st_size for path in files)
    with (tmp_path / "think3d-5-training.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["curve"] == "reward"]
    assert [float(row["updates"]) for row in rows] == list(range(8))
