"""Tables and charts say what the logs say: means as benchmarks define them, same samples, nothing dropped."""

from __future__ import annotations

import csv
import io
import sys

import pytest

from placecell.agents.answer import Attempt, Usage
from placecell.errors import UserError
from placecell.evaluation.report import reasmory, think3d
from placecell.evaluation.report.charts import Bars, Lines, Looks, as_table, charts
from placecell.evaluation.report.figures import Share, compare, overall, pass_at, stages, vsi_weights
from placecell.evaluation.report.logs import read_logs
from placecell.evaluation.report.overview import comparisons, scores, substitutions
from placecell.evaluation.report.table import Missing, Table, as_csv, latex, markdown
from placecell.evaluation.report.writing import report_of, write
from placecell.evaluation.runs.record import Records, RunSettings, SampleRecord
from placecell.evaluation.scoring.aggregate import Row, aggregate, vsi_overall
from placecell.evaluation.statistics import Interval, combined

CUBE = ("among", "around", "rotation")


def record(sample, score=1.0, kind="k", **fields):
    return SampleRecord(
        **{"run": "r", "sample": sample, "kind": kind, "options": 4, "truth": "A", "scorer": "x"}
        | {"scores": {"x": score}}
        | fields
    )


def run(folder, name, records, **settings):
    asked = RunSettings(
        **{"benchmark": "mindcube-tiny", "strategy": "direct", "model": "m", "memory": "build"} | settings
    )
    kept = Records(folder / name, asked)
    for one in records:
        kept.add(one.model_copy(update={"run": asked.digest}))


def read(folder):
    return read_logs([folder])


def filled(tables, name):
    return next(table for table in tables if table.name == name)


def test_overall_of_vsi_bench_is_the_mean_of_eight_tasks():
    kinds = {"object_counting": 3, "object_rel_direction_easy": 1, "object_rel_direction_hard": 5, "route_planning": 2}
    records = [
        record(f"{kind}{number}", float((number * 7 + count) % 3 == 0), kind)
        for kind, count in kinds.items()
        for number in range(count)
    ]
    by_kind = aggregate([Row(one.score, one.kind) for one in records]).by_kind
    found = overall(records, "vsi")
    assert found.value == pytest.approx(vsi_overall(by_kind))
    assert found.interval.low < found.value < found.interval.high
    assert sum(vsi_weights(set(kinds)).values()) == pytest.approx(1)


def test_overall_of_mindcube_leaves_translation_out_and_weighs_questions_alike():
    records = [record("a", 1.0, "among"), record("b", 1.0, "among"), record("c", 0.0, "rotation")]
    assert overall([*records, record("d", 0.0, "translation")], "mindcube").value == pytest.approx(2 / 3)


def test_vlm4d_is_micro_over_both_parts(tmp_path):
    ego, exo = {"group": "real ego"}, {"group": "real exo"}
    run(
        tmp_path,
        "real",
        [record("1", 1.0, **ego), record("2", 0.0, **exo), record("3", 1.0, **exo)],
        benchmark="vlm4d-real",
    )
    run(
        tmp_path,
        "made",
        [record("4", 0.0, "direction"), record("5", 0.0, "false positive")],
        benchmark="vlm4d-synthetic",
    )
    found = list(reasmory.tables(read(tmp_path)))
    assert [cell.value for cell in filled(found, "reasmory-6-vlm4d").rows[0][1:]] == [1.0, 0.5, pytest.approx(2 / 3)]
    assert [cell.value for cell in filled(found, "vlm4d-all").rows[0][1:]] == [0.0, 0.0, 0.0, pytest.approx(2 / 5)]


def test_a_lost_question_counts_and_its_stage_is_told():
    lost = record("b", scores={}, stage="plan", reason="no program")
    assert overall([record("a"), lost], "micro") == Share(0.5, 2, overall([record("a"), lost], "micro").interval)
    assert stages([record("a"), lost, record("c"), lost]) == {"plan": 0.5}


def test_the_interval_of_a_sum_is_that_of_its_only_part_and_keeps_the_width_of_a_part_that_is_all_right():
    sure, half = Interval(0.8, 1.0, "wilson"), Interval(0.3, 0.7, "wilson")
    alone = combined([(1.0, 0.5, half)])
    assert (alone.low, alone.high) == (pytest.approx(0.3), pytest.approx(0.7))
    both = combined([(0.5, 1.0, sure), (0.5, 0.5, half)])
    assert (both.low, both.high) == (pytest.approx(0.75 - (0.1**2 + 0.1**2) ** 0.5), pytest.approx(0.85))


def test_pass_at_k_counts_the_first_k_programs_of_questions_put_to_a_model():
    good, bad = Attempt(program="x", accepted=True), Attempt(program="x", accepted=False)
    mended = Attempt(program="x", accepted=False, repaired=True)
    records = [
        record("a", attempts=(good,)),
        record("b", attempts=(bad, good)),
        record("c", attempts=(mended, bad, bad, good)),
        record("d", stage="model", usage=Usage(calls=2)),
        record("by rules"),
    ]
    assert [pass_at(records, k).value for k in (1, 2, 3)] == [0.25, 0.5, 0.5]
    assert pass_at(records, 1, repaired=True).value == 0.5
    assert pass_at(records, 1).n == 4
    assert pass_at([record("by rules")], 1) is None


def test_runs_are_told_apart_by_what_differs_and_keep_their_names_across_benchmarks(tmp_path):
    for benchmark in ("blink", "mindcube-tiny"):
        run(tmp_path, f"a-{benchmark}", [record("1")], benchmark=benchmark)
        run(tmp_path, f"b-{benchmark}", [record("1")], benchmark=benchmark, strategy="explore", options={"rounds": 2})
    run(tmp_path, "c", [record("1")], debias=("hints",))
    names = {(one.benchmark, one.name) for one in read(tmp_path).runs}
    assert names == {
        ("blink", "direct (m)"),
        ("mindcube-tiny", "direct (m)"),
        ("blink", "explore (m)"),
        ("mindcube-tiny", "explore (m)"),
        ("mindcube-tiny", "direct (m), without hints"),
    }


def test_a_paired_test_refuses_unlike_samples_scorers_and_truths(tmp_path):
    run(tmp_path, "a", [record("1"), record("2", 0.0)])
    run(tmp_path, "b", [record("1"), record("3", 0.0)], seed=1)
    run(tmp_path, "c", [record("1"), record("2", scorer="y", scores={"y": 1.0})], seed=2)
    run(tmp_path, "d", [record("1", truth="B"), record("2", 0.0)], seed=3)
    a, b, c, d = read(tmp_path).runs
    for other, reason in ((b, "2 samples"), (c, "scored by"), (d, "another truth")):
        with pytest.raises(UserError, match=reason):
            compare(a, other)
    table = comparisons((a, b))
    assert table.rows == () and "Not compared" in table.notes[-1]


def test_comparisons_are_of_runs_that_differ_in_one_setting(tmp_path):
    samples = [record(str(number), float(number % 2)) for number in range(8)]
    better = [record(str(number)) for number in range(8)]
    run(tmp_path, "a", samples)
    run(tmp_path, "b", better, strategy="program")
    run(tmp_path, "c", better, strategy="program", model="other")
    table = comparisons(read(tmp_path).runs)
    assert [row[1:5] for row in table.rows] == [
        ("direct (m)", "program (m)", "+50.0", "0.125"),
        ("program (m)", "program (other)", "+0.0", "1.000"),
    ]


def test_a_perfect_memory_in_place_of_a_built_one_says_what_perception_loses(tmp_path):
    run(tmp_path, "a", [record("1", 0.0), record("2")])
    run(tmp_path, "b", [record("1"), record("2")], memory="oracle:boxes.jsonl")
    (row,) = substitutions(read(tmp_path).runs).rows
    assert (row[2], row[3].value, row[4].value, row[5]) == ("memory: oracle", 0.5, 1.0, "+50.0")


def test_the_debiasing_table_has_methods_that_were_run_more_than_once(tmp_path):
    run(tmp_path, "a", [record("1", kind="among"), record("2", kind="among")])
    run(tmp_path, "b", [record("1", 0.0, "among"), record("2", kind="among")], debias=("hints",))
    run(tmp_path, "c", [record("1", kind="among")], strategy="program")
    table = filled(reasmory.tables(read(tmp_path)), "reasmory-3-debias")
    assert [(row[0], row[1].value, row[2].value, row[2].beside) for row in table.rows] == [
        ("direct (m)", 1.0, 0.5, "(-50.0)")
    ]


def explored(folder):
    views = ((45.0, 0.0, "ego"), (0.0, 60.0, "global"), (0.0, 58.0, "global"))
    for rounds in (1, 3):
        looked = [record("1", float(rounds > 1), "among", views=views, rounds=rounds), record("2", 0.0, "around")]
        for benchmark in ("mindcube-tiny", "blink"):
            run(
                folder,
                f"{benchmark}{rounds}",
                looked,
                benchmark=benchmark,
                strategy="explore",
                options={"rounds": rounds},
            )
    run(folder, "off", looked, strategy="explore", options={"rounds": "3", "ego": "no", "temperature": 0.2})


def test_charts_of_explorations_count_what_was_looked_at(tmp_path):
    explored(tmp_path)
    found = {one.name: one for one in charts(read(tmp_path).runs)}
    looks = found["think3d-4-views-by-task"]
    assert isinstance(looks, Looks) and looks.panels["among"] == {(45.0, 0.0): 5, (0.0, 60.0): 10}
    ego = found["think3d-15-ego"]
    assert isinstance(ego, Bars) and ego.series["ego views"]["among"].value == pytest.approx(1 / 3)
    lines = found["think3d-7-rounds"]
    assert isinstance(lines, Lines) and lines.series["blink, m"][3.0].value == 0.5
    taken = found["think3d-16-rounds"].series
    assert taken["0"]["around"].value == 1.0 and taken["3"]["among"].value == pytest.approx(3 / 5)
    assert isinstance(found["think3d-5-training"], Missing)
    assert as_table(looks).rows[0] == ("among", 0.0, 60.0, 10)


def test_tables_of_the_exploration_paper_join_both_benchmarks(tmp_path):
    explored(tmp_path)
    found = list(think3d.tables(read(tmp_path)))
    rows = filled(found, "think3d-1-multiview").rows
    assert rows[0][1].value == 0.0 and {row[0] for row in rows} >= {"explore (m), rounds 1", "explore (m), rounds 3"}
    switched = {row[0]: row[1:5] for row in filled(found, "think3d-3-components").rows}
    assert ("yes", "yes", "yes", "no") in switched.values()
    assert isinstance(filled(found, "think3d-5-temperature"), Missing)


def test_what_the_logs_cannot_fill_says_what_it_needs(tmp_path):
    run(tmp_path, "a", [record("1")], benchmark="synthetic", strategy="program")
    missing = {one.name: one.why for one in report_of(read(tmp_path)).missing}
    assert "vsibench" in missing["reasmory-5-vsibench"] and "--debias" in missing["reasmory-3-debias"]


def test_floors_stand_beside_the_score_in_the_mean_that_is_reported(tmp_path):
    truths = [record(f"d{n}", kind="route_planning", truth="AB"[n == 0]) for n in range(4)]
    counts = [record(f"n{n}", kind="object_counting", options=0, truth="2") for n in range(2)]
    run(tmp_path, "a", [*truths, *counts], benchmark="vsibench")
    (row,) = scores(read(tmp_path).runs).rows
    assert [row[place].value for place in (3, 5)] == [pytest.approx(0.25 / 2), pytest.approx((0.75 + 1) / 2)]


def test_robust_scores_stand_beside_the_official_ones(tmp_path):
    meant = [record(str(n), scores={"x": 0.0, "robust_choice": float(n)}) for n in (0, 1)]
    run(tmp_path, "a", meant)
    (row,) = scores(read(tmp_path).runs).rows
    assert (row[1].value, row[2].value) == (0.0, 0.5)


TABLE = Table(
    "t",
    "100 % of a_b",
    ("run", "x & y"),
    (("one | two", Share(0.5, 10, Interval(0.25, 0.75, "wilson"))), ("three", Share(0.25, 10)), ("four", None)),
    best=True,
)


def test_a_table_is_the_same_in_markdown_csv_and_latex():
    assert "| one \\| two | **50.0 [25.0, 75.0]** |" in markdown(TABLE)
    assert "| four | – |" in markdown(TABLE)
    assert r"\caption{100 \% of a\_b.}" in latex(TABLE) and r"three & 25.0 \\" in latex(TABLE)
    rows = list(csv.DictReader(io.StringIO(as_csv(TABLE))))
    assert rows[0] == {"run": "one | two", "x & y": "0.5", "x & y low": "0.25", "x & y high": "0.75", "x & y n": "10"}


def test_large_figures_are_written_out():
    assert "| 12,345 | 0.123 |" in markdown(Table("cost", "Cost", ("tokens", "seconds"), ((12345.4, 0.1234),)))


def test_a_report_is_written_with_pictures_and_without_matplotlib_with_data_only(tmp_path, monkeypatch):
    run(tmp_path / "logs", "a", [record("1"), record("2", 0.0, stage="plan")])
    report = report_of(read(tmp_path / "logs"))
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "matplotlib.figure", None)
        bare = write(report, tmp_path / "bare")
    assert "matplotlib" in bare.undrawn and (tmp_path / "bare/figures/losses.csv").exists()
    pytest.importorskip("matplotlib")
    written = write(report, tmp_path / "full")
    assert written.undrawn is None and all(file.stat().st_size for file in written.files)
    page = (tmp_path / "full/report.md").read_text()
    assert "![Questions lost, by stage](figures/losses.png)" in page and "Not in these logs" in page


def test_masks_scored_from_the_shell_fill_the_grounding_table(tmp_path):
    file = tmp_path / "sparse.json"
    file.write_text(
        '{"scorer": "scannet", "class_agnostic": true, "ap": 0.121, "ap50": 0.384, "ap25": null, "by_class": {}}\n'
    )
    table = filled(reasmory.tables(read_logs([file])), "reasmory-8a-grounding")
    assert table.rows == (("sparse", "shapes only", "12.1", "38.4", None),)


def test_what_is_no_log_is_refused_by_name(tmp_path):
    (tmp_path / "x.json").write_text("{}")
    Records(tmp_path / "empty", RunSettings(benchmark="b", strategy="s", model="m", memory="o"))
    for path, reason in (("x.json", "no log"), ("nowhere", "no such"), ("empty", "no records")):
        with pytest.raises(UserError, match=reason):
            read_logs([tmp_path / path])
