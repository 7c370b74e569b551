"""A run from its samples to its records: what is finished is not asked again, what is lost stays in the count.

inspect-ai carries the samples out (``inspecting``), an engine answers them (``engines``), and each record is on disk
before the next sample takes its place (``record``).
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from placecell.errors import BackendUnavailable
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.runs.engines import Engine
from placecell.evaluation.runs.record import Records, SampleRecord
from placecell.evaluation.runs.request import Prepared
from placecell.evaluation.runs.shelf import locked
from placecell.progress import OnProgress, Progress, silent

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

EXTRA = "pip install 'placecell[eval]'"
LOGS = "inspect"
"""Folder of inspect-ai's logs inside a run's folder."""
_LOG_BUFFER = 100
"""Samples that inspect-ai writes to its log at a time."""


@dataclass(frozen=True)
class Finished:
    """``records`` of all samples, in their order. ``asked`` of them now, ``unfinished`` to be tried again.

    ``log`` is inspect-ai's, for `inspect view`; None when everything had been finished before.
    """

    records: tuple[SampleRecord, ...]
    asked: int
    unfinished: int
    log: Path | None


def run(prepared: Prepared, engine: Callable[[], Engine], folder: Path, *, progress: OnProgress = silent) -> Finished:
    """Answer every sample that has no final record in ``folder`` yet.

    Raises:
        UserError: the folder holds another run, is damaged, or is being written by another process.
        BackendUnavailable: the extra [eval] is missing.
    """
    part = str(prepared.request.shard) if prepared.request.shard else ""
    with locked(folder / f".{part or 'run'}.lock", wait=False):
        records = Records(folder, prepared.settings, part)
        pending = [sample for sample in prepared.samples if records.finished(sample.id) is None]
        log = _carry_out(prepared, engine, records, len(pending), progress) if pending else None
        kept = records.latest()
    ordered = tuple(kept[sample.id] for sample in prepared.samples if sample.id in kept)
    unfinished = len(prepared.samples) - sum(record.final for record in ordered)
    return Finished(ordered, len(pending), unfinished, Path(log.location) if log is not None else None)


def _carry_out(
    prepared: Prepared, engine: Callable[[], Engine], records: Records, pending: int, progress: OnProgress
) -> EvalLog:
    try:
        import inspect_ai

        from placecell.evaluation.runs.inspecting import task_of
    except ImportError:
        raise BackendUnavailable("runs need inspect-ai", hint=EXTRA) from None
    opened = engine()
    done = 0

    async def solve(sample: Sample) -> SampleRecord:
        """What was finished before comes back at once, so that the log of a resumed run is whole."""
        nonlocal done
        known = records.finished(sample.id)
        if known is not None:
            return known
        record = await opened.solve(sample)
        if done == 0:
            # By now everything is loaded. Looking through half a million objects that stay for those that may go would
            # stop all samples for a third of a second, again and again.
            gc.freeze()
        records.add(record)
        done += 1
        progress(Progress("samples", done, pending))
        return record

    try:
        log = inspect_ai.eval(
            task_of(prepared.settings, prepared.samples, solve),
            model=None,
            max_samples=opened.places,
            log_dir=str(records.folder / LOGS),
            display="none",
            # What a crash would lose of the log is in the records; who watches a run watches those.
            log_realtime=False,
            log_buffer=_LOG_BUFFER,
            ctl_server=False,
            log_level="error",
            score_display=False,  # nor does anybody see scores on the way
        )[0]
    finally:
        gc.unfreeze()
        opened.close()
    if log.status == "cancelled":
        raise KeyboardInterrupt  # inspect-ai has taken it to end its samples and write its log
    _keep_crashes(prepared, log, records)
    return log


def _keep_crashes(prepared: Prepared, log: EvalLog, records: Records) -> None:
    """Samples that ended in an error nobody foresaw are records too, to be tried again."""
    errors: Mapping[str, str] = {str(s.id): s.error.message for s in log.samples or () if s.error is not None}
    lost = prepared.solver().lost if errors else None
    for sample in prepared.samples:
        if sample.id in errors and lost is not None:
            records.add(lost(sample, "crash", errors[sample.id], final=False))
