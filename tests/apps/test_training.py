"""`placecell train` without torch, and the comparison of a policy before and after its training."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from placecell.apps.cli import app
from placecell.evaluation.report.charts import charts
from placecell.evaluation.report.logs import read_logs
from placecell.training import needs
from placecell.training.rollouts import Rollout, RolloutLog

sys.path.insert(0, str(Path(__file__).parent.parent / "evaluation"))
from small_benchmark import LEFT_BY_INSPECT

pytestmark = pytest.mark.filterwarnings(*LEFT_BY_INSPECT)


@pytest.fixture(scope="module", autouse=True)
def tidy():
    """What inspect-ai leaves open is collected here, not in somebody else's test."""
    yield
    gc.collect()


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLACECELL_CACHE", str(tmp_path / "cache"))


def call(*words, code=0):
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == code, result.output
    return result


def test_a_dry_run_shows_every_setting_and_who_has_the_last_word(tmp_path):
    (tmp_path / "t.toml").write_text('model = "folder"\nkl = 0.01\nsteps = 7\n')
    result = call("train", "t.toml", "--steps", 3, "--set", "lora.rank=4", "--dry-run", "--json")
    said = json.loads(result.stdout)
    assert (said["model"], said["kl"], said["steps"], said["lora"]["rank"]) == ("folder", 0.01, 3, 4)
    assert "learning_rate = 1e-06" in call("train", "--dry-run").stdout
    assert not (tmp_path / "training").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["nowhere.toml"], "nowhere.toml: No such file"),
        (["--set", "colour=red"], "a training has no setting 'colour'"),
        (["--set", "temperature=hot"], "temperature = 'hot'"),
        (["--profile", "dance"], "profile 'dance' is none of"),
        (["t.toml", "--smoke"], "--smoke has settings of its own"),
        (["--smoke", "--set", "kl=0.1"], "--smoke has settings of its own"),
        (["--plot", "nowhere"], "nowhere holds no rollouts"),
    ],
)
def test_what_is_wrong_is_one_line(words, says):
    result = call("train", *words, code=2)
    assert says in result.stderr and result.stderr.count("\n") == 1


@pytest.mark.parametrize("words", [["--smoke"], ["--model", "m"]])
def test_without_the_extra_a_training_says_what_installs_it(words, monkeypatch):
    monkeypatch.setattr(needs, "TRAINING", ("json", "a_package_that_is_not_here"))
    result = call("train", *words, code=3)
    assert result.stderr == ("placecell: training needs a_package_that_is_not_here; pip install 'placecell[train]'\n")


def test_the_curves_of_a_training_are_drawn_from_its_folder(tmp_path):
    RolloutLog(tmp_path / "done").add(
        Rollout(
            step=step, sample="s", kind="k", turns=2, views=((0.0, 60.0, "global"),), reward=0.1 * step,
            parts={"answer": 0.0}, answered=True, generated=10, observed=5, image_tokens=3,
        )
        for step in range(4)
    )  # fmt: skip
    files = [json.loads(line)["file"] for line in call("train", "--plot", "done", "--json").stdout.splitlines()]
    assert Path("done/figures/think3d-5-training.png") in map(Path, files) and all(Path(f).exists() for f in files)


def test_a_policy_is_compared_by_rounds_of_looking_in_the_harness_of_every_other_model():
    """Its stand-in reads every caption perfectly, but must look to find one."""
    for rounds in (0, 1):
        how = ["--strategy", "explore", "--model", "perfect", "--set", f"rounds={rounds}", "-o", f"rounds-{rounds}"]
        call("eval", "synthetic", "--limit", 1, *how, "-q")
    drawn = {chart.name: chart for chart in charts(read_logs([Path("rounds-0"), Path("rounds-1")]).runs)}
    scores = drawn["think3d-7-rounds"].series["synthetic, perfect"]
    assert {rounds: score.value for rounds, score in scores.items()} == {0: 0, 1: 1}
