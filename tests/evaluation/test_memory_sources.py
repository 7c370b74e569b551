"""A memory is made once for its media and settings, and never taken for that of others."""

from __future__ import annotations

import threading
from dataclasses import replace

import pytest
import small_benchmark as small

from placecell.backends.oracle import load_oracle
from placecell.errors import UserError
from placecell.evaluation.benchmarks import synthetic
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.runs import sources
from placecell.evaluation.runs.shelf import Shelf, key_of

SAMPLE = Sample("1", "?", "2", "count", "d/one", media=("a.jpg",))


@pytest.fixture
def memory(tmp_path):
    return load_oracle(small.write(tmp_path / "data") / "oracle_scenes.jsonl", "one")


def test_a_memory_is_made_once_and_read_afterwards(memory, tmp_path):
    made = []

    def make():
        made.append(1)
        return memory

    shelf = Shelf(tmp_path / "shelf")
    first, second = shelf.get({"file": "a"}, make), shelf.get({"file": "a"}, make)
    assert len(made) == 1
    assert [i.name for i in second.instances] == [i.name for i in first.instances] == [i.name for i in memory.instances]
    shelf.get({"file": "b"}, make)
    assert len(made) == 2


def test_threads_that_want_the_same_memory_wait_for_one_that_makes_it(memory, tmp_path):
    made, shelf = [], Shelf(tmp_path / "shelf")

    def make():
        made.append(1)
        return memory

    threads = [threading.Thread(target=shelf.get, args=({"file": "a"}, make)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1


def test_what_cannot_be_made_leaves_nothing_behind(memory, tmp_path):
    def fail():
        raise UserError("no")

    shelf = Shelf(tmp_path / "shelf")
    with pytest.raises(UserError):
        shelf.get({"file": "a"}, fail)
    assert shelf.get({"file": "a"}, lambda: memory).instances


def test_other_pixels_order_settings_or_backends_are_another_memory(memory, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(sources.auto, "build", lambda files, **settings: asked.append((files, settings)) or memory)
    files = [tmp_path / "a.jpg", tmp_path / "b.jpg"]
    for number, file in enumerate(files):
        file.write_bytes(bytes([number]))
    shelf = Shelf(tmp_path / "shelf")

    def makes(files, **settings):
        before = len(asked)
        sources.built(files, shelf, settings)
        return len(asked) > before

    assert makes(files)
    assert not makes(files)
    assert makes(files[::-1])
    assert makes(files, reconstructor="sfm")
    files[0].write_bytes(b"other")
    assert makes(files)
    monkeypatch.setattr(
        sources.choice, "for_pictures", lambda: replace(sources.choice.Choice("x", ""), name="another backend")
    )
    assert makes(files)


def test_a_question_about_what_moves_gets_a_memory_with_time(memory, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(sources.auto, "build", lambda files, **settings: asked.append(settings) or memory)
    (tmp_path / "a.jpg").write_bytes(b"x")
    built = sources.Built(tmp_path, Shelf(tmp_path / "shelf"), reconstructor="flat")
    for sample in (SAMPLE, replace(SAMPLE, dynamic=True), SAMPLE):
        built.make(sample)
    assert asked == [{"reconstructor": "flat"}, {"reconstructor": "flat", "dynamic": True}]


def test_a_segmenter_looks_for_what_all_questions_about_a_medium_name(memory, tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(sources.auto, "build", lambda files, **settings: asked.append(settings) or memory)
    for name in ("a.mp4", "b.mp4"):
        (tmp_path / name).write_bytes(name.encode())
    video = replace(SAMPLE, media=("a.mp4",), dynamic=True, question="Which direction is the car moving?", options=())
    samples = [
        video,
        replace(video, id="2", question="How many dogs are there?"),
        replace(video, id="3", media=("b.mp4",), question="Wie geht es?"),
    ]
    built = sources.Built(tmp_path, Shelf(tmp_path / "shelf"), asked=samples, segmenter="sam3")
    for sample in samples:
        built.make(sample)
    assert asked == [
        {"segmenter": "sam3", "dynamic": True, "objects": ["car", "dogs"]},
        {"segmenter": "sam3", "dynamic": True},
    ]
    plain = sources.Built(tmp_path, Shelf(tmp_path / "shelf"), asked=samples)
    plain.make(video)
    assert asked[-1] == {"dynamic": True}


@pytest.mark.parametrize(
    ("spec", "segmenter"), [("synthetic", "sam3"), ("build", "auto"), ("build", "sfm"), ("build", "nothing")]
)
def test_a_segmenter_that_cannot_look_is_refused_before_anything_is_built(spec, segmenter, tmp_path):
    with pytest.raises(UserError):
        sources.open_source(spec, tmp_path, tmp_path, segmenter=segmenter)
    assert sources.open_source("build", tmp_path, tmp_path, segmenter="sam3").name == 'build:{"segmenter": "sam3"}'


def test_keys_do_not_depend_on_the_order_of_names():
    assert key_of(a=1, b=2) == key_of(b=2, a=1) != key_of(a=2, b=1)


class Source:
    name = "counted"

    def __init__(self, memory, *, fails=False):
        self.memory, self.fails, self.made = memory, fails, 0

    def make(self, sample):
        self.made += 1
        if self.fails:
            raise UserError("damaged")
        return self.memory


def test_scenes_stay_open_and_failures_are_known(memory):
    good, bad = Source(memory), Source(memory, fails=True)
    kept = sources.Kept(good)
    assert kept.make(SAMPLE) is kept.make(replace(SAMPLE, id="2"))
    assert good.made == 1
    kept.make(replace(SAMPLE, scene="d/two"))
    assert good.made == 2
    failing = sources.Kept(bad)
    for _ in range(3):
        with pytest.raises(UserError, match="damaged"):
            failing.make(SAMPLE)
    assert bad.made == 1


def test_an_annotation_file_is_read_again_when_it_has_changed(tmp_path):
    path = small.write(tmp_path / "data") / "oracle_scenes.jsonl"
    assert len(load_oracle(path, "one").instances) == 5
    path.write_text(path.read_text().replace("lamp", "floor lamp"))
    assert "floor lamp" in {i.name for i in load_oracle(path, "one").instances}


def test_a_kept_list_of_questions_is_read_and_a_longer_one_drawn(tmp_path, monkeypatch):
    drawn = []

    def draw(count, *, level, seed):
        drawn.append(count)
        return tuple(replace(SAMPLE, id=f"{level}-{n}", options=("A. x", "B. y"), truth="A") for n in range(count))

    monkeypatch.setattr(synthetic, "samples", draw)
    first = synthetic.kept_samples(3, tmp_path)
    assert synthetic.kept_samples(3, tmp_path) == first
    assert synthetic.kept_samples(2, tmp_path) == first[:2]
    assert len(synthetic.kept_samples(5, tmp_path)) == 5
    assert synthetic.kept_samples(4, tmp_path, seed=1) and drawn == [3, 5, 4]


@pytest.mark.parametrize("spec", ["oracle:", "oracle:nowhere.jsonl", "magic", "synthetic:7"])
def test_a_source_that_is_none_is_refused(spec, tmp_path):
    with pytest.raises(UserError):
        sources.open_source(spec, tmp_path, tmp_path)
