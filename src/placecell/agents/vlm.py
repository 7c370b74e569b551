"""The author that is a vision-language model: takes questions apart, writes programs, reads values and pictures.

The same interface as the rules (``author``). What a model writes is held to the same classes and the same checker, and
goes back to it with the reasons when it does not pass. Knows prompts and attempts; the question's way is ``program``'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from placecell.agents import answers
from placecell.agents.answer import Attempt, Finding, Method, Stage
from placecell.agents.author import Asked, Understanding
from placecell.agents.events import NoteEvent, ProgramEvent
from placecell.agents.models.failures import Failure
from placecell.agents.models.pictures import Shown
from placecell.agents.opinions import SURE, TRUST_EVIDENCE, TRUST_PHOTOS, agreement
from placecell.agents.prompting import prompt, told_decomposition, told_memory, told_question
from placecell.agents.quoting import as_data
from placecell.agents.reading import Reading, no_answer
from placecell.agents.strategy import Task
from placecell.agents.wanted import Wanted
from placecell.engine.describe import describe
from placecell.engine.evidence import rests_on
from placecell.engine.filmstrip import filmstrip
from placecell.engine.interpreter import RunResult
from placecell.engine.values import MemoryValue, Picture, TrackValue
from placecell.language.check import CheckReport, check, fix
from placecell.language.decomposition import Decomposition
from placecell.language.diagnostics import render_compact
from placecell.language.plan import MemoryFacts

ATTEMPTS = 3
"""Decompositions, and programs, asked for until one is accepted."""


class Vlm:
    """The model of one task as an author; ``attempts`` are the programs it wrote."""

    name = "vlm"

    def __init__(self, task: Task) -> None:
        self.task = task
        self.method: Method = "geometry"
        self.attempts: list[Attempt] = []

    def decompose(self, asked: Asked, facts: MemoryFacts) -> Understanding | Reading:
        """The question taken apart by the model, quotes, images and options checked."""

        def wrong(found: Decomposition) -> str | None:
            problems = found.validate_against(asked.question, asked.options, facts.numbers)
            return "\n".join(["This does not fit the question:", *map(str, problems)]) if problems else None

        talk = self.task.talk(prompt("decomposer"), role="decomposer")
        told = f"{told_question(asked)}\n{told_memory(facts)}"
        said = talk.ask(told, output=Decomposition, check=wrong, attempts=ATTEMPTS)
        if isinstance(said, Failure):
            return _failed(said, "decomposition")
        return Understanding(said, str(said.comparison.function).replace("_", " "))

    def plan(self, decomposition: Decomposition, facts: MemoryFacts, *, pictures: bool) -> str | Reading:
        """A program the checker accepts, as written or after its own repairs; else what was wrong with the last one."""
        accepted: list[CheckReport] = []

        def wrong(reply: str) -> str | None:
            report, problem = self._judged(reply, decomposition, facts)
            if report is not None:
                accepted.append(report)
            return problem

        talk = self.task.talk(prompt("planner"), role="planner")
        asked = self.task.asked
        told = "\n".join([told_question(asked), told_decomposition(decomposition), told_memory(facts)])
        said = talk.ask(told, check=wrong, attempts=ATTEMPTS)
        if isinstance(said, Failure):
            if said.kind == "malformed" and self.attempts:
                said = Failure("malformed", f"no program was accepted in {len(self.attempts)} attempts")
            return _failed(said, "plan")
        return accepted[-1].text

    def read(self, asked: Asked, decomposition: Decomposition, result: RunResult) -> Reading:
        """The measured answer when it decides the question, else what the model makes of the evidence."""
        measured = answers.read(decomposition, result)
        if measured.reason is None and measured.confidence >= SURE:
            return measured
        why = measured.reason or f"measured, but only {measured.confidence:.0%} sure"
        self._note(f"the measured values do not decide it ({why}); the model reads the evidence")
        self.method = "vlm"
        reading = self.reason(evidence(result), decomposition, trust=TRUST_EVIDENCE)
        if reading.reason is None:
            agrees = measured.reason is None and measured.text == reading.text
            self.method = "both" if agrees else "vlm"
            return agreement(measured, reading) if agrees else reading.noting(f"measured values did not decide: {why}")
        if measured.reason is None:
            self._note(f"the model gave no answer ({reading.reason}); the measured one stands")
            self.method = "geometry"
            return measured.noting(f"no second opinion: {reading.reason}")
        return reading.noting(f"measured values did not decide: {why}")

    def reason(self, shown: Sequence[str | Shown], decomposition: Decomposition | None, *, trust: float) -> Reading:
        """The model's answer from the photos within the image budget and what else it is shown."""
        wanted = Wanted.of(self.task.asked, self.task.facts)
        if decomposition is not None and not wanted.options:
            wanted = wanted.after(decomposition.comparison, self.task.facts)
        talk = self.task.talk(prompt("reasoner"), role="reasoner")
        said = talk.ask(wanted.told(), *self.task.photos(), *shown, check=wanted.missing(), attempts=2)
        if isinstance(said, Failure):
            return _failed(said, "answer")
        return _as_offered(wanted.reading(said), trust, decomposition)

    def from_photos(self, understanding: Understanding | None) -> Reading:
        """The model's answer from the photos alone."""
        return self.reason([], understanding.decomposition if understanding else None, trust=TRUST_PHOTOS)

    def opinion(self, understanding: Understanding | None, result: RunResult | None) -> Reading:
        """The model's answer from photos and renders, without the measured values: independent of them."""
        shown = evidence(result, values=False) if result else []
        return self.reason(shown, understanding.decomposition if understanding else None, trust=TRUST_PHOTOS)

    def _judged(
        self, reply: str, decomposition: Decomposition, facts: MemoryFacts
    ) -> tuple[CheckReport | None, str | None]:
        """The accepted program, or what to tell the model.

        A program that does not do what the question says (P) goes back to its author while attempts are left, as in the
        paper; slips of writing are repaired at once.
        """
        written = check(reply, facts=facts, decomposition=decomposition, extract=True)
        last = len(self.attempts) + 1 >= ATTEMPTS
        mended = written if written.ok else fix(reply, facts=facts, decomposition=decomposition, extract=True)
        astray = any(d.code.startswith("P") for d in written.errors) and not last
        accepted = None if not mended.ok or astray else mended
        codes = tuple(dict.fromkeys(d.code for d in written.errors))
        names = tuple(r.name for r in mended.repairs) if mended.ok else ()
        attempt = Attempt(
            program=written.text, accepted=written.ok, repaired=mended.ok and not written.ok, codes=codes, repairs=names
        )
        self.attempts.append(attempt)
        self.task.log.add(
            ProgramEvent(
                attempt=len(self.attempts),
                author=self.name,
                text=written.text,
                diagnostics=tuple(Finding.of(d) for d in written.diagnostics),
                accepted=accepted is not None,
                repaired=accepted is not None and not written.ok,
            )
        )
        problem = f"The program is not accepted:\n{render_compact(written.errors)}" if accepted is None else None
        return accepted, problem

    def _note(self, text: str) -> None:
        self.task.log.add(NoteEvent(text=text))


def _failed(failure: Failure, stage: Stage) -> Reading:
    return no_answer(str(failure), failure.stuck(stage))


def evidence(result: RunResult, *, values: bool = True) -> list[str | Shown]:
    """What a run found, for a model: the values with what they rest on, and every returned picture with its caption."""
    parts: list[str | Shown] = []
    measured = [v for v in result.values if not isinstance(v, Picture)]
    if values and measured:
        names = {id(value): name for name, value in result.bindings.items()}
        lines = [
            f"{names.get(id(v), 'value')} = {describe(v)}" + (f" [from {rests}]" if (rests := rests_on(v)) else "")
            for v in measured
        ]
        parts.append(as_data("values", "\n".join(lines)))
    parts += [Shown.of_picture(v) for v in result.values if isinstance(v, Picture)]
    return [*parts, *_filmed(result)]


def _filmed(result: RunResult) -> list[Shown]:
    """For a video: its frames on one sheet with the boxes of what was tracked."""
    tracks = [track for v in result.values if isinstance(v, TrackValue) for track in v.tracks]
    memory = next((v.memory for v in result.bindings.values() if isinstance(v, MemoryValue)), None)
    if memory is None or not tracks or not memory.dynamic:
        return []
    return [Shown.of_picture(filmstrip(memory, tracks))]


def _as_offered(reading: Reading, trust: float, decomposition: Decomposition | None) -> Reading:
    """A read reply with the confidence it is given, its option the decomposition's own where there is one."""
    reading = replace(reading, confidence=trust)
    if reading.option is None or decomposition is None:
        return reading
    own = next((o for o in decomposition.comparison.options if o.text == reading.text), reading.option)
    return replace(reading, option=own)
