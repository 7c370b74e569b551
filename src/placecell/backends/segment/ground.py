"""Looking for named things in the pictures of a memory: a segmenter proposes masks, the memory merges them over views.

Knows segmenters by their port and by the table's names. Does not know models, label files or how objects are asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from placecell.backends.segment.cache import CachedSegmenter, MaskCache
from placecell.backends.table import all_backends, find_backend
from placecell.errors import BackendUnavailable, UserError
from placecell.memory.instances import Found, from_proposals
from placecell.memory.names import canonical, singularise
from placecell.memory.ports import Proposal, Segmenter
from placecell.memory.scene import Edit, Frame, SpatialMemory
from placecell.progress import OnProgress, Progress, silent

HELP = "see docs/segmenters.md"
LONGEST_PHRASE = 80


def open_segmenter(name: str = "auto", *, cache: MaskCache | None = None) -> Segmenter:
    """The named segmenter, or the first of the table that can run, behind the cache of masks on disk.

    A worker's (``remote:``) answers are not kept here: its address does not say which checkpoint gave them.

    Raises:
        UserError: there is no segmenter of this name.
        BackendUnavailable: it, or with "auto" every one, lacks packages or weights; the hint is the line to get them.
    """
    if name != "auto":
        named = find_backend(name, "segmenter").segmenter()
        return named if name.startswith("remote:") else CachedSegmenter(named, cache or MaskCache())
    rows = [backend for backend in all_backends().values() if backend.kind == "segmenter"]
    ready = next((row for row in rows if row.missing() is None), None)
    if ready is None:
        # The first that asks for no agreement is the quickest to get.
        easy = next((row for row in rows if not any(w.gated for w in row.weights)), rows[0])
        steps = [*([] if easy.installed else [easy.install]), *(w.fetch for w in easy.weights if w.missing())]
        raise BackendUnavailable(
            "no segmenter can run, so no object can be looked for", hint=f"{' && '.join(steps)} ({HELP})"
        )
    return CachedSegmenter(ready.segmenter(), cache or MaskCache())


def split_phrases(text: str) -> tuple[str, ...]:
    """The phrases of "chair, coffee table": lower case, singular, each category once, in the order given.

    UserError when there is none, or one is no phrase.
    """
    return clean_phrases(text.split(","))


def clean_phrases(phrases: Sequence[str]) -> tuple[str, ...]:
    """As ``split_phrases``, of phrases already apart."""
    by_category: dict[str, str] = {}
    for phrase in phrases:
        plain = " ".join(phrase.casefold().split())
        if len(plain) > LONGEST_PHRASE or not plain.isprintable():
            raise UserError(f"{plain[:40]!r}... is no name of a thing", hint='for example --objects "chair, table"')
        if plain:
            by_category.setdefault(canonical(plain), singularise(plain))
    if not by_category:
        raise UserError("no object named", hint='for example --objects "chair, table"')
    return tuple(by_category.values())


def find_objects(
    memory: SpatialMemory, phrases: Sequence[str], segmenter: Segmenter, *, progress: OnProgress = silent
) -> SpatialMemory:
    """A new version of the memory in which ``phrases`` were looked for in every picture that has depth.

    Phrases of a category in the vocabulary were looked for already and are left out; when none is left, the memory
    itself comes back. Objects found get the next free ids; every phrase enters the vocabulary, found or not. The edit
    is recorded, the segmenter and its licence stand in the provenance.

    Raises:
        UserError: a phrase is none, or no picture has depth, so nothing could be placed.
        BackendUnavailable: the segmenter's packages or weights are missing.
    """
    new = not_looked_for(memory, phrases)
    if not new:
        return memory
    found = looked_for(memory, new, segmenter, progress)
    made = tuple(instance.id for instance in found.instances[len(memory.instances) :])
    record = Edit(found.version + 1, "find", found.provenance.notes[-1], made=made)
    return found.changed(record.action, record.detail, record=record)


def not_looked_for(memory: SpatialMemory, phrases: Sequence[str]) -> tuple[str, ...]:
    """The phrases, cleaned, of categories that nobody has looked for in this memory."""
    known = {canonical(name) for name in (*memory.vocabulary, *memory.object_names)}
    return tuple(phrase for phrase in clean_phrases(phrases) if canonical(phrase) not in known)


def looked_for(
    memory: SpatialMemory, phrases: Sequence[str], segmenter: Segmenter, progress: OnProgress = silent
) -> SpatialMemory:
    """The memory with the objects found, still of the same version, as ``build`` makes it. Errors as ``find_objects``.

    The last note of the provenance says what was looked for and found.
    """
    frames = [frame for frame in memory.frames if frame.camera is not None and frame.depth is not None]
    if not frames:
        raise UserError(
            f"no picture of the memory has depth, so {', '.join(phrases)} could be seen but not placed",
            hint="use a capture with depth, or give boxes with --labels",
        )
    proposals = _proposals(frames, phrases, segmenter, progress)
    found = from_proposals(frames, proposals, depth_sd=_depth_sd(memory), first_id=memory.next_id)
    provenance = memory.provenance
    return replace(
        memory,
        instances=(*memory.instances, *found.instances),
        vocabulary=memory.vocabulary | set(phrases),
        provenance=replace(
            provenance,
            settings={**provenance.settings, "segmenter": {"name": segmenter.name, **segmenter.settings}},
            licences=tuple(dict.fromkeys((*provenance.licences, *licences_of(segmenter.name)))),
            notes=(*provenance.notes, *found.notes, _summary(found, phrases, segmenter, len(frames))),
        ),
    )


def _proposals(
    frames: Sequence[Frame], phrases: Sequence[str], segmenter: Segmenter, progress: OnProgress
) -> list[Proposal]:
    stage = f"looking for {', '.join(phrases)}"
    proposals: list[Proposal] = []
    progress(Progress(stage, 0, len(frames)))
    for done, (frame, seen) in enumerate(zip(frames, segmenter.segment(frames, phrases), strict=True), 1):
        proposals += seen
        progress(Progress(stage, done, len(frames), frame.name))
    return proposals


def _summary(found: Found, phrases: Sequence[str], segmenter: Segmenter, images: int) -> str:
    count = Counter(instance.name for instance in found.instances)
    listed = ", ".join(f"{count[phrase] or 'no'} {phrase}" for phrase in phrases)
    return f"looked for {', '.join(phrases)} in {images} images with {segmenter.name}: {listed}"


def _depth_sd(memory: SpatialMemory) -> float:
    value = memory.provenance.settings.get("depth_sd", 0.01)
    return float(value) if isinstance(value, (int, float)) else 0.01


def licences_of(name: str) -> tuple[str, ...]:
    """The licences of a backend; none of an unknown one."""
    row = all_backends().get(name)
    return () if row is None else row.licences
