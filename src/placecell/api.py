"""The Python surface: a handful of functions and one class, all thin."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from placecell.agents import known_lengths, pipeline
from placecell.agents.answer import Answer
from placecell.agents.models.budget import Limits
from placecell.backends import auto
from placecell.engine import interpreter
from placecell.engine.facts import facts_of
from placecell.engine.grounding import ground
from placecell.engine.interpreter import RunResult
from placecell.engine.views import View
from placecell.errors import BackendUnavailable, ProgramError, UserError
from placecell.geometry.boxes import OrientedBox
from placecell.language import check as checker
from placecell.language.check import CheckReport
from placecell.language.plan import CheckedPlan
from placecell.media.gps import read_fixes
from placecell.memory import corrections, positions, storage
from placecell.memory.corrections import Plane, Which
from placecell.memory.scene import Instance, SpatialMemory
from placecell.memory.seen import Region
from placecell.progress import OnProgress, silent

if TYPE_CHECKING:
    from pydantic_ai import FunctionToolset
    from pydantic_ai.models import Model

    from placecell.engine.session import CellSession

PathLike = str | os.PathLike[str]


class Memory:
    """A spatial memory with the things one does to it. ``scene`` is the immutable value underneath."""

    def __init__(self, scene: SpatialMemory) -> None:
        self.scene = scene

    def __repr__(self) -> str:
        s = self.scene
        return f"<placecell.Memory: {len(s.frames)} frames, {len(s.cloud.points):,} points, {len(s.instances)} objects>"

    def find(self, name: str) -> tuple[Instance, ...]:
        """The objects a name means here, "the red chair" too; empty when there is none."""
        return ground(self.scene, name).instances

    def add(self, name: str, *, box: OrientedBox | None = None, image: int = 1, region: Region | None = None) -> Memory:
        """A new version with one more object: by its ``box``, or by what ``image`` shows in a rectangle or mask.

        Raises:
            UserError: the region has no depth or lies outside the image.
        """
        if (box is None) == (region is None):
            raise UserError("an object is added by a box, or by a region of an image")
        if region is not None:
            return Memory(corrections.add_seen(self.scene, name, image, region))
        return Memory(corrections.add_box(self.scene, name, cast(OrientedBox, box)))

    def rename(self, which: Which, name: str) -> Memory:
        """A new version in which an object (id, or a name only it has), or all called ``which``, have another name."""
        return Memory(corrections.rename(self.scene, which, name))

    def merge(self, *which: Which) -> Memory:
        """A new version in which several objects are one, under a new id."""
        return Memory(corrections.merge(self.scene, which))

    def split(self, which: Which, into: int | Plane | None = None) -> Memory:
        """A new version in which an object is several: at its gaps, in a number of parts, or at a plane."""
        return Memory(corrections.split(self.scene, which, into))

    def remove(self, which: Which) -> Memory:
        """A new version without an object."""
        return Memory(corrections.remove(self.scene, which))

    def undo(self) -> Memory:
        """A new version without the last correction that still stands; ``scene.edits`` keeps both."""
        return Memory(corrections.undo(self.scene))

    def scaled(self, *known: str, anew: bool = False) -> Memory:
        """A new version in metres: ``memory.scaled("door height 2.03 m", "image 1 to image 5 1.2 m")``.

        ``known_lengths.solve`` says how well the lengths agree; ``scene.scale.relative_error`` is as wide as they do.

        Raises:
            UserError: a text states no length, the memory lacks what it is about, or it has metres (see ``anew``).
        """
        return Memory(known_lengths.scaled(self.scene, known, anew=anew)[0])

    def scaled_by_gps(self, *photos: str | Path, anew: bool = False) -> Memory:
        """A new version in metres by the GPS positions that its photos state (files or folders); for outdoors.

        Raises:
            UserError: fewer than 4 photos of the memory state one, they lie too close together for the error of GPS,
                or the memory has metres (see ``anew``).
        """
        return Memory(positions.scaled_by_gps(self.scene, read_fixes([Path(p) for p in photos]), anew=anew)[0])

    def view(self, *, image: int) -> View:
        """The viewpoint of a photo, a value: ``memory.view(image=3).turn("right").step("forward", 0.5).render()``.

        Raises:
            UserError: there is no such image, or it could not be placed.
        """
        return View.of_image(self.scene, image)

    def ask(
        self,
        question: str,
        options: Sequence[str] | None = None,
        *,
        strategy: str = "program",
        model: str | Model[Any] = "rules",
        budget: str | Limits | None = None,
        trace: PathLike | None = None,
        **settings: str | int | float | bool,
    ) -> Answer:
        """Answer a spatial question; see ``placecell.ask``."""
        return ask(self, question, options, strategy=strategy, model=model, budget=budget, trace=trace, **settings)

    def save(self, path: PathLike) -> None:
        """Write ``NAME.pcell`` atomically; an existing memory there is replaced only when the new one is complete."""
        storage.save(self.scene, Path(path), overwrite=True)


def build(  # noqa: PLR0913 - one name for each wish
    sources: PathLike | Sequence[PathLike],
    *,
    reconstructor: str = "auto",
    frames: int | None = None,
    sampling: str = "uniform",
    labels: PathLike | None = None,
    objects: str | Sequence[str] = (),
    segmenter: str = "auto",
    metric: bool = False,
    strict: bool = False,
    sweep: bool = True,
    dynamic: bool = False,
    fps: float | None = None,
    progress: OnProgress = silent,
) -> Memory:
    """Build a memory from photos, a folder, an RGB-D capture or a posed dataset.

    Args:
        sources: one path or several.
        reconstructor: "auto" or a backend's name.
        frames: use at most this many frames.
        sampling: how frames are chosen: "uniform", "coverage", "sharpest" or "clip:TEXT".
        labels: label images or masks by photo, a COCO or LabelMe file, or a boxes file.
        objects: things to look for in the pictures: "chair, coffee table", or a name each.
        segmenter: what looks for them: "auto" or a name from ``placecell backends``.
        metric: fail unless the memory comes out in metres.
        strict: fail on the first unusable file instead of naming and skipping it.
        sweep: measure depth between pictures that come with poses but without depth.
        dynamic: with time: tracks of what moves, from one video or RGB-D capture.
        fps: frames a second of a capture that states no times, for ``dynamic``.
        progress: called with events while it works.

    Raises:
        UserError: the sources cannot be used; the message says why and what to do.
        BackendUnavailable: something optional is missing.
    """
    paths = [Path(sources)] if isinstance(sources, (str, os.PathLike)) else [Path(s) for s in sources]
    scene = auto.build(
        paths,
        reconstructor=reconstructor,
        frames=frames,
        sampling=sampling,
        labels=None if labels is None else Path(labels),
        objects=objects.split(",") if isinstance(objects, str) else objects,
        segmenter=segmenter,
        metric=metric,
        strict=strict,
        sweep=sweep,
        dynamic=dynamic,
        fps=fps,
        progress=progress,
    )
    return Memory(scene)


def load(path: PathLike) -> Memory:
    """Open a saved memory; arrays stay on disk until used. UserError when it is damaged or of another schema."""
    return Memory(storage.load(Path(path)))


def ask(
    memory: Memory | SpatialMemory,
    question: str,
    options: Sequence[str] | None = None,
    *,
    strategy: str = "program",
    model: str | Model[Any] = "rules",
    budget: str | Limits | None = None,
    trace: PathLike | None = None,
    **settings: str | int | float | bool,
) -> Answer:
    """Answer a spatial question from the memory, with interval, confidence, program and evidence.

    A question that cannot be answered gives an Answer that abstains and says why; it never raises for a question, nor
    for what a model says. Nothing leaves this machine unless a cloud model is named.

    Args:
        memory: what is known of the place.
        question: in plain English; it may contain its options.
        options: the offered answers, lettered or not.
        strategy: "program", "cells", "explore", "primitives", "imagine" or "direct".
        model: "rules", "openai:NAME", "google:NAME", "anthropic:NAME", any of them with "@URL", "auto:NAME" (rules
            first), or a pydantic-ai model.
        budget: limits such as "calls=10,usd=0.5,seconds=60,pictures=20,tokens=50000".
        trace: write how it was answered to this HTML file.
        settings: the strategy's own, such as ``rounds=3``.

    Raises:
        UserError: an unknown strategy, model or limit, or a trace file that cannot be written.
        BackendUnavailable: the model needs an extra or a key.
    """
    named, given = (model, None) if isinstance(model, str) else ("rules", model)
    how = pipeline.How(strategy, named, _limits(budget), options=settings)
    asker = pipeline.Asker(_scene(memory), how, model=given)
    return asker.ask(question, options, trace=None if trace is None else Path(trace))


def toolset(
    memory: Memory | SpatialMemory,
    *,
    strategy: str = "program",
    model: str = "rules",
    budget: str | Limits | None = None,
    **settings: str | int | float | bool,
) -> FunctionToolset[Any]:
    """The memory as tools for a pydantic-ai agent: ``Agent(..., toolsets=[placecell.toolset(memory)])``.

    The agent can ask spatial questions, which are answered as ``ask`` does with these arguments, list objects, and look
    at photos and renders.

    Raises:
        BackendUnavailable: the extra [vlm] is not installed.
    """
    try:
        from placecell.agents.toolset import toolset as made
    except ImportError:
        raise BackendUnavailable("a toolset needs pydantic-ai", hint="pip install 'placecell[vlm]'") from None
    return made(_scene(memory), pipeline.How(strategy, model, _limits(budget), options=settings))


def check(text: str, memory: Memory | SpatialMemory | None = None) -> CheckReport:
    """Check a program; with a memory, also against its images, objects and scale."""
    return checker.check(text, facts=None if memory is None else facts_of(_scene(memory)), extract=True)


def run(plan: CheckedPlan | str, memory: Memory | SpatialMemory) -> RunResult:
    """Interpret a program over a memory.

    Raises:
        ProgramError: the text was not accepted; its diagnostics are attached.
    """
    if isinstance(plan, str):
        report = check(plan, memory)
        if report.plan is None:
            raise ProgramError("the program was not accepted", report.errors, hint="see its diagnostics")
        plan = report.plan
    return interpreter.run(plan, _scene(memory))


def session(
    memory: Memory | SpatialMemory,
    *,
    cells: int = 8,
    options: Sequence[str] = (),
    model: str | None = None,
    segmenter: str | None = None,
    budget: str | Limits | None = None,
) -> CellSession:
    """Begin a session of cells: programs written step by step, each checked before it runs.

    >>> session = placecell.session(memory)
    >>> turn = session.run('chairs = query_3d_object_location("chair")')
    >>> print(*turn.told(), sep="\\n")

    Args:
        memory: what is known of the place.
        cells: at most this many may be written, rejected ones included.
        options: the answers that ``answer(...)`` may name besides what was measured.
        model: who looks at pictures for ``judge``, ``facing_of`` and ``read_text``; without one they are absent.
        segmenter: what ``find`` looks with, "auto" or a name; without one only what is in the memory is found.
        budget: limits of the model's use.

    Raises:
        UserError: an unknown model, segmenter or limit.
        BackendUnavailable: one of them needs an extra, weights or a key.
    """
    from placecell.agents.stepping.perception import perception_by
    from placecell.engine.session import CellSession, SessionLimits

    effects = perception_by(model, segmenter, _limits(budget))
    return CellSession(_scene(memory), limits=SessionLimits(cells=cells), options=options, effects=effects)


def _limits(budget: str | Limits | None) -> Limits:
    return budget if isinstance(budget, Limits) else Limits.parse(budget or "")


def _scene(memory: Memory | SpatialMemory) -> SpatialMemory:
    return memory.scene if isinstance(memory, Memory) else memory
