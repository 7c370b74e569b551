"""`placecell eval`: what it says, what it writes, and how it ends."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from placecell.apps.cli import app

sys.path.insert(0, str(Path(__file__).parent.parent / "evaluation"))
import small_benchmark as small

pytestmark = pytest.mark.filterwarnings(*small.LEFT_BY_INSPECT)


@pytest.fixture(scope="module", autouse=True)
def tidy():
    """What inspect-ai leaves open is collected here, not in somebody else's test."""
    yield
    gc.collect()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PLACECELL_CACHE", str(tmp_path / "cache"))
    return small.write(tmp_path / "data")


def call(place, *more, code=0):
    words = ["eval", "vsibench", "--data-dir", str(place), "--memory", f"oracle:{place}", *more]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == code, result.output
    return result


def records(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_dry_run_says_what_would_be_run_and_writes_nothing(place, tmp_path):
    (only,) = records(call(place, "--dry-run", "--json"))
    assert (only["samples"], only["scenes"], only["complete"]) == (8, 2, False)
    assert only["kinds"]["object_counting"] == 2 and only["settings"]["strategy"] == "program"
    assert not (tmp_path / "runs").exists()


def test_a_run_ends_in_a_table_with_floors_and_its_folder_can_be_gone_on_with(place, tmp_path):
    first = call(place, "-o", "out", "--limit", "5")
    for word in ("object_counting", "chance", "constant", "prior", "95 %"):
        assert word in first.stdout
    again = records(call(place, "-o", "out", "--json"))
    scores = {r["kind"]: r for r in again if r["event"] == "score"}
    end = again[-1]
    assert (end["asked"], end["unfinished"]) == (3, 0)
    assert scores["object_counting"]["n"] == 2 and scores["object_counting"]["score"] == 1.0
    assert scores["all"]["lost"] == 1 and scores["all"]["score"] == pytest.approx(4 / 5)
    assert list((tmp_path / "out" / "inspect").glob("*.eval"))
    assert "leave out --no-resume" in call(place, "-o", "out", "--no-resume", code=2).stderr


def test_a_server_that_takes_no_key_ends_in_exit_1_and_what_to_do(place, tmp_path):
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"status": 401}]))
    more = ("--strategy", "direct", "--model", f"scripted:{script}", "--limit", "1", "-o", "out")
    assert "the same command tries them again" in call(place, *more, code=1).stderr


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--shard", "9/8"], "no shard"),
        (["--debias", "colours"], "unknown debiasing step"),
        (["--split", "medium"], "unknown split"),
        (["--strategy", "explore"], "needs a model"),
        (["--strategy", "magic"], "unknown strategy"),
        (["--memory", "magic"], "unknown memory source"),
        (["--budget", "call=3"], "unknown limit"),
    ],
)
def test_what_cannot_be_run_is_exit_2_with_the_next_step(place, more, says):
    assert says in call(place, *more, code=2).stderr


def test_a_benchmark_that_is_none_and_one_without_its_folder_are_told_apart():
    unknown = CliRunner().invoke(app, ["eval", "imagenet"])
    assert unknown.exit_code == 2 and "synthetic" in unknown.stderr
    missing = CliRunner().invoke(app, ["eval", "vsibench"])
    assert missing.exit_code == 2 and "--data-dir" in missing.stderr
