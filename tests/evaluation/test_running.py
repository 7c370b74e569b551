"""Runs: every sample ends in a record, finished ones are never asked again, failures stay in the count."""

from __future__ import annotations

import gc
import json
import threading
from collections import Counter

import pytest
import small_benchmark as small
from inspect_ai.log import read_eval_log
from pydantic_ai.models.wrapper import WrapperModel

from placecell.agents.models.doubles.readers import blind
from placecell.agents.models.doubles.scripted import http_error
from placecell.errors import UserError
from placecell.evaluation.runs.record import SampleRecord, read_records
from placecell.evaluation.runs.request import Shard, prepare
from placecell.evaluation.runs.summary import summarise

pytestmark = pytest.mark.filterwarnings(*small.LEFT_BY_INSPECT)


@pytest.fixture(scope="module", autouse=True)
def tidy():
    """What inspect-ai leaves open is collected here, not in somebody else's test."""
    yield
    gc.collect()


@pytest.fixture
def folder(tmp_path):
    return small.write(tmp_path / "data")


class Server(WrapperModel):
    """Another model that keeps how often it answered each question; while it is not ``up`` it turns everybody away."""

    def __init__(self, wrapped, *, up):
        super().__init__(wrapped)
        self.up = up
        self.asked = Counter()
        self._lock = threading.Lock()

    async def request(self, messages, model_settings, model_request_parameters):
        if not self.up:
            raise http_error(503)
        with self._lock:
            self.asked[str(messages[0].parts[-1].content)] += 1
        return await self.wrapped.request(messages, model_settings, model_request_parameters)


def contents(records):
    return {record.sample: record.content() for record in records}


def test_a_run_answers_every_sample_and_its_log_holds_the_same_records(folder, tmp_path):
    finished = small.run_all(small.request(folder), tmp_path / "run")
    by_id = {record.sample: record for record in finished.records}
    assert sorted(by_id) == [str(number) for number in range(8)]
    assert {record.score for record in finished.records if record.sample != "7"} == {1.0}
    assert (by_id["7"].stage, by_id["7"].score) == ("memory", 0.0)
    assert by_id["1"].scorer == "vsi_official_na" and by_id["2"].scorer == "vsi_official_mca"
    kept = [SampleRecord.model_validate(one.metadata["placecell"]) for one in read_eval_log(str(finished.log)).samples]
    assert contents(kept) == contents(finished.records)
    assert contents(read_records(tmp_path / "run")) == contents(finished.records)
    assert (finished.asked, finished.unfinished) == (8, 0)


def test_a_finished_run_asks_nothing_again(folder, tmp_path):
    first = small.run_all(small.request(folder), tmp_path / "run")
    again = small.run_all(small.request(folder), tmp_path / "run")
    assert (again.asked, again.log) == (0, None)
    assert again.records == first.records


def test_the_means_count_what_was_lost(folder, tmp_path):
    made = [r | {"scene_name": "nowhere"} if r["id"] == 0 else r for r in small.rows()]
    small.write(folder, made)
    finished = small.run_all(small.request(folder), tmp_path / "run")
    found = summarise(finished.records, "vsi")
    assert dict(found.stages) == {"memory": 2}
    assert found.all.n == 8 and found.all.lost == 2
    assert found.all.score == pytest.approx((0.5 + 1 + 1 + 1 + 0) / 5)
    counting = next(line for line in found.kinds if line.kind == "object_counting")
    assert (counting.n, counting.score, counting.lost) == (2, 0.5, 1)
    assert finished.unfinished == 0


def test_media_that_are_missing_are_lost_at_media(folder, tmp_path):
    finished = small.run_all(small.request(folder, memory="build", limit=2), tmp_path / "run")
    assert {record.stage for record in finished.records} == {"media"}
    assert all("is missing" in record.reason for record in finished.records)


def test_a_server_that_was_down_is_asked_again_and_what_was_answered_is_not(folder, tmp_path):
    steady = small.run_all(small.request(folder, strategy="direct", model="blind"), tmp_path / "steady")
    server = Server(blind(), up=False)
    asked = small.request(folder, strategy="direct", model="played")
    first = small.run_all(asked, tmp_path / "run", model=server)
    assert first.unfinished == 8
    assert all(record.score == 0 and record.stage == "model" for record in first.records)
    server.up = True
    second = small.run_all(asked, tmp_path / "run", model=server)
    assert (second.asked, second.unfinished) == (8, 0)
    replies = {record.sample: record.reply for record in steady.records}
    assert {record.sample: record.reply for record in second.records} == replies
    before = server.asked.copy()
    assert small.run_all(asked, tmp_path / "run", model=server).asked == 0
    assert server.asked == before


def test_a_reply_without_an_answer_is_final(folder, tmp_path):
    finished = small.run_all(small.request(folder, strategy="direct", model="garbage"), tmp_path / "run")
    assert finished.unfinished == 0
    assert {record.stage for record in finished.records} == {"answer"}


def test_an_error_nobody_foresaw_costs_its_sample_only_and_is_tried_again(folder, tmp_path):
    prepared = prepare(small.request(folder))
    solver = prepared.solver()

    class Breaking(small.Threads):
        async def solve(self, sample):
            if sample.id == "3":
                raise ZeroDivisionError("nobody foresaw this")
            return await super().solve(sample)

    finished = small.run(prepared, lambda: Breaking(solver, 2), tmp_path / "run")
    lost = next(record for record in finished.records if record.sample == "3")
    assert (lost.stage, lost.score, lost.final) == ("crash", 0.0, False)
    assert "nobody foresaw this" in lost.reason
    assert (len(finished.records), finished.unfinished) == (8, 1)
    assert small.run_all(small.request(folder), tmp_path / "run").unfinished == 0


def test_shards_share_a_folder_and_are_the_run(folder, tmp_path):
    whole = small.run_all(small.request(folder), tmp_path / "whole")
    for number in (1, 2, 3):
        small.run_all(small.request(folder, shard=Shard(number, 3)), tmp_path / "parts")
    assert contents(read_records(tmp_path / "parts")) == contents(whole.records)
    assert len(list((tmp_path / "parts").glob("records-*.jsonl"))) == 3


@pytest.mark.parametrize("count", [1, 3, 5, 8, 11])
def test_each_sample_is_in_one_shard(folder, count):
    shards = [prepare(small.request(folder, shard=Shard(n, count))).samples for n in range(1, count + 1)]
    assert sorted(s.id for part in shards for s in part) == [str(number) for number in range(8)]
    assert max(map(len, shards)) - min(map(len, shards)) <= 1


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "/", "1/0", "-1/2"])
def test_what_is_no_shard_is_refused(text):
    with pytest.raises(UserError, match="no shard"):
        Shard.parse(text)


def test_a_larger_limit_goes_on_with_the_samples_of_a_smaller_one(folder, tmp_path):
    small.run_all(small.request(folder, limit=3), tmp_path / "run")
    finished = small.run_all(small.request(folder, limit=5), tmp_path / "run")
    assert (finished.asked, len(finished.records)) == (2, 5)
    other = prepare(small.request(folder, limit=3, seed=1)).samples
    assert {s.id for s in other} != {s.id for s in prepare(small.request(folder, limit=3)).samples}


def test_two_processes_never_write_one_folder(folder, tmp_path):
    from placecell.evaluation.runs.shelf import locked

    with locked(tmp_path / "run" / ".run.lock"), pytest.raises(UserError, match="another process"):
        small.run_all(small.request(folder), tmp_path / "run")


def test_an_exploration_keeps_the_views_it_chose_and_their_rounds(tmp_path):
    from placecell.agents.events import ViewEvent
    from placecell.agents.log import Log
    from placecell.evaluation.runs.answering import looks_of

    log = Log()
    for turn, azimuth in ((1, 45.0), (1, 90.0), (3, -30.0)):
        asked = {"camera": 1, "azimuth": azimuth, "elevation": 10.0, "mode": "ego"}
        log.add(ViewEvent(round=turn, asked=asked))
    log.add(ViewEvent(round=4, asked={"azimuth": "far"}, refused="no angle"))
    assert looks_of(log) == {
        "views": ((45.0, 10.0, "ego"), (90.0, 10.0, "ego"), (-30.0, 10.0, "ego")),
        "rounds": 2,
    }


def test_settings_hold_what_shapes_the_answers_and_only_that(folder):
    def digest(**fields):
        return prepare(small.request(folder, **fields)).settings.digest

    same = digest()
    assert digest(limit=3) == digest(shard=Shard(1, 2)) == same
    changed = [digest(seed=1), digest(strategy="direct", model="blind"), digest(debias=("options",)), digest(images=3)]
    annotations = folder / "oracle_scenes.jsonl"
    annotations.write_text(annotations.read_text().replace("3.0", "3.1"))
    changed.append(digest())
    questions = folder / "questions.jsonl"
    questions.write_text("".join(json.dumps(r) + "\n" for r in small.rows()[:7]))
    changed.append(digest())
    assert len({same, *changed}) == 1 + len(changed)
