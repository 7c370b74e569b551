"""Samples: balanced as far as there is something to choose from, from rooms of their own, and kept in a file."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import numpy as np
import pytest

from placecell.errors import UserError
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.benchmarks.synthetic import LEVEL, drawn
from placecell.training.samples import TRAINING_SEED, balanced, read_samples, synthetic_samples, write_samples


def stream(shares, seed=0):
    """An endless stream of samples whose classes come with these probabilities."""
    rng = np.random.default_rng(seed)
    classes, p = list(shares), np.array(list(shares.values()), float)
    number = 0
    while True:
        kind, letter = classes[rng.choice(len(classes), p=p / p.sum())]
        options = ("A. Yes", "B. No") if letter else ()
        yield Sample(f"{number}", "?", letter or "2.5", kind, "room", options)
        number += 1


def test_a_lopsided_stream_gives_as_many_of_each_kind_and_answer():
    shares = {("side", "A"): 10, ("side", "B"): 1, ("seen", "A"): 1, ("seen", "B"): 3, ("far", ""): 20}
    chosen = balanced(stream(shares), 60)
    assert Counter(s.kind for s in chosen) == {"side": 20, "seen": 20, "far": 20}
    assert Counter((s.kind, s.truth) for s in chosen if s.options) == {
        ("side", "A"): 10, ("side", "B"): 10, ("seen", "A"): 10, ("seen", "B"): 10,
    }  # fmt: skip


def test_what_cannot_be_evened_out_is_still_as_many_as_asked_for():
    rare = islice(stream({("side", "A"): 1, ("seen", "A"): 0}), 30)
    assert len(balanced(rare, 20)) == 20
    few = list(islice(stream({("side", "A"): 30, ("side", "B"): 1}, seed=1), 40))
    chosen = balanced(few, 10)
    assert len(chosen) == 10 == len({s.id for s in chosen})
    assert sum(s.truth == "B" for s in chosen) == min(5, sum(s.truth == "B" for s in few))


def test_synthetic_samples_are_balanced_and_of_rooms_that_no_benchmark_list_holds():
    chosen = synthetic_samples(4, families=("closer",))
    assert Counter((s.kind, s.truth) for s in chosen) == {("closer", "A"): 2, ("closer", "B"): 2}
    first_of_training = next(iter(drawn(LEVEL, TRAINING_SEED, ["closer"]))).scene
    rooms = [int(s.scene.rpartition("-")[2]) for s in chosen]
    assert min(rooms) >= int(first_of_training.rpartition("-")[2]) >= 10_000 * TRAINING_SEED > 0


def test_samples_survive_their_file(tmp_path):
    kept = (
        Sample("1", "Wo ist „sie“?", "B", "side", "room", ("A. left", "B. right"), ("a.jpg",), "g", ("A",)),
        Sample("2", "How far?", "2.5", "distance", "room"),
    )
    write_samples(kept, tmp_path / "s.jsonl")
    assert read_samples(tmp_path / "s.jsonl") == kept


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        '{"id": "2"}',
        '{"id": "2", "question": "?", "truth": "C", "kind": "k", "scene": "s", "options": ["A"]}',
        '{"id": "2", "question": "?", "truth": "AB", "kind": "k", "scene": "s", "options": ["A", "B"]}',
        '{"id": "2", "question": "?", "truth": "A", "kind": "k", "scene": "s"}',
    ],
    ids=["no JSON", "no object", "fields missing", "truth is no option", "truth is two options", "truth is no number"],
)
def test_a_line_that_is_no_sample_is_named(tmp_path, line):
    path = tmp_path / "s.jsonl"
    write_samples([Sample("1", "How far?", "2.5", "distance", "room")], path)
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(UserError, match="line 2"):
        read_samples(path)


def test_an_id_that_comes_twice_is_an_error(tmp_path):
    write_samples([Sample("1", "How far?", "2.5", "distance", "room")] * 2, tmp_path / "s.jsonl")
    with pytest.raises(UserError, match="repeated, the first is '1'"):
        read_samples(tmp_path / "s.jsonl")


def test_no_questions_make_no_set():
    with pytest.raises(UserError, match="0 questions"):
        synthetic_samples(0)
