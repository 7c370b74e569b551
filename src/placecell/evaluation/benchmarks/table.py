"""The benchmarks: where each comes from, how many rows it has, how it is read, scored and summed up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from placecell.errors import UserError
from placecell.evaluation.benchmarks import readers
from placecell.evaluation.benchmarks.rows import Row, digest, find_file, need_unique, read_rows
from placecell.evaluation.benchmarks.sample import Sample


@dataclass(frozen=True)
class Benchmark:
    """``rows``: how many the published file has (None: it is not published as one). ``files``: names it goes by.

    ``choice`` and ``number`` name the official scorers. ``headline``: which mean the benchmark reports. ``floor``: the
    best score that needs no picture, from the published answers, where it is known.
    """

    name: str
    hub: str
    files: tuple[str, ...]
    rows: int | None
    read: Callable[[Row, Path], Sample]
    choice: str
    number: str | None = None
    headline: Literal["micro", "vsi", "mindcube"] = "micro"
    licence: str = "see the data set's card"
    floor: float | None = None


@dataclass(frozen=True)
class Loaded:
    """Samples of a local copy, with what is needed to know it again. ``complete``: it has the published row count."""

    samples: tuple[Sample, ...]
    path: Path
    sha256: str
    complete: bool


_ALL = (
    Benchmark(
        "vsibench",
        "nyu-visionx/VSI-Bench",
        ("test.jsonl", "test*.parquet", "questions.jsonl"),
        5130,
        readers.vsibench,
        choice="vsi_official_mca",
        number="vsi_official_na",
        headline="vsi",
    ),
    Benchmark(
        "mindcube",
        "MLL-Lab/MindCube",
        ("MindCube.jsonl", "MindCube_test.jsonl"),
        21154,
        readers.mindcube,
        choice="mindcube_official",
        headline="mindcube",
    ),
    Benchmark(
        "mindcube-tiny",
        "MLL-Lab/MindCube",
        ("MindCube_tinybench.jsonl", "tiny*.jsonl", "questions.jsonl"),
        1050,
        readers.mindcube,
        choice="mindcube_official",
        headline="mindcube",
    ),
    Benchmark(
        "blink",
        "BLINK-Benchmark/BLINK",
        ("Multi-view_Reasoning/val*.parquet", "val*.parquet", "multiview_val.jsonl"),
        133,
        readers.blink,
        choice="blink_official",
        floor=74 / 133,
    ),
    Benchmark(
        "vlm4d-real",
        "shijiezhou/VLM4D",
        ("real_mc.json", "real.jsonl"),
        1371,
        readers.vlm4d,
        choice="vlm4d_rule",
    ),
    Benchmark(
        "vlm4d-synthetic",
        "shijiezhou/VLM4D",
        ("synthetic_mc.json", "synthetic.jsonl"),
        445,
        readers.vlm4d,
        choice="vlm4d_rule",
        floor=198 / 445,
    ),
    Benchmark(
        "viewspatial",
        "lidingm/ViewSpatial-Bench",
        ("ViewSpatial-Bench.json", "questions.jsonl"),
        5712,
        readers.viewspatial,
        choice="viewspatial_lmms_eval",
    ),
    Benchmark(
        "mmsi",
        "RunsenXu/MMSI-Bench",
        ("MMSI_Bench.parquet", "test*.parquet"),
        1000,
        readers.mmsi,
        choice="mmsi_lmms_eval",
    ),
    Benchmark(
        "omnispatial",
        "qizekun/OmniSpatial",
        ("data.json",),
        1533,
        readers.omnispatial,
        choice="omnispatial_re",
    ),
)
BENCHMARKS: Mapping[str, Benchmark] = {benchmark.name: benchmark for benchmark in _ALL}


def find_benchmark(name: str) -> Benchmark:
    """The row with this name. UserError with the names there are."""
    if name not in BENCHMARKS:
        raise UserError(f"there is no benchmark {name!r}", hint=f"choose {', '.join(BENCHMARKS)}")
    return BENCHMARKS[name]


def load(benchmark: Benchmark, folder: Path) -> Loaded:
    """Every row of the local copy in ``folder``, in the file's order; a row that cannot be read is an error.

    Raises:
        UserError: no such file, a row without its fields, missing or repeated ids.
    """
    path = find_file(folder, benchmark.files)
    samples = []
    for number, row in enumerate(read_rows(path), 1):
        try:
            samples.append(benchmark.read(row, folder))
        except (UserError, ValueError) as error:
            raise UserError(f"{path}, row {number}: {error}") from None
    need_unique(samples, path)
    return Loaded(tuple(samples), path, digest(path), complete=len(samples) == benchmark.rows)
