"""The strategy ``imagine``: a search over camera moves in a world model (after MindJourney), then an answer.

From each starting photo, every move is tried on every view of the beam; the model scores what it would see, the best
few are kept, and the best of all depths are shown beside the photos when the answer is asked for. Knows the search and
its budget; what is seen is the world model's (``worlds``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, ConfigDict, Field

from placecell.agents.events import NoteEvent, ViewEvent
from placecell.agents.exploring.photos import keep
from placecell.agents.models.failures import Failure
from placecell.agents.models.pictures import Shown
from placecell.agents.prompting import prompt
from placecell.agents.reading import no_answer
from placecell.agents.recording import keep_picture
from placecell.agents.strategy import Outcome, Task
from placecell.agents.strategy_options import settings_of, within
from placecell.agents.wanted import Wanted
from placecell.agents.worlds import Move, open_world
from placecell.engine.interpreter import RunResult, RunStats
from placecell.engine.values import Picture

_ATTEMPTS = 3
MOVES: tuple[Move, ...] = (
    Move("turn", "left", 45.0),
    Move("turn", "right", 45.0),
    Move("turn", "back"),
    Move("step", "forward"),
)
"""What is tried at each depth. Two turns of 45 degrees look to the side; a step is a tenth of the scene."""


@dataclass(frozen=True)
class Search:
    """``beam``: views kept at each depth; ``depth``: moves in a row; ``starts``: photos to start from; ``evidence``:
    views shown for the answer; ``views``: the most that are imagined in all; ``size``: pixels of a view's longer side.
    """

    beam: int = 2
    depth: int = 2
    starts: int = 1
    evidence: int = 3
    views: int = 24
    size: int = 512
    world: str = "points"

    def __post_init__(self) -> None:
        limits = {"beam": (1, 16), "depth": (0, 8), "starts": (1, 16), "evidence": (0, 16), "views": (0, 200)}
        for name, (low, high) in (limits | {"size": (64, 2048)}).items():
            within("imagine", name, getattr(self, name), low, high)


@dataclass(frozen=True, eq=False)
class Imagined:
    """A node of the search: the view after ``moves`` from photo ``image``, and the score the model gave it, 0 to 10."""

    image: int
    moves: tuple[Move, ...]
    picture: Picture
    score: float = 0.0

    @property
    def words(self) -> str:
        return f"image {self.image}, {', '.join(move.words for move in self.moves)}"


class Scores(BaseModel):
    """One score, 0 to 10, for each candidate, in their order."""

    model_config = ConfigDict(extra="forbid")

    scores: list[float] = Field(description="one number from 0 to 10 for each candidate, in the order they were shown")


class Imagine:
    """Answers by imagined views. Options are the fields of ``Search``."""

    name = "imagine"

    def answer(self, task: Task) -> Outcome:
        """One question. UserError for options that do not fit, an unknown world model, or without a model."""
        search = settings_of(Search, task.options, self.name)
        world = open_world(search.world)
        wanted = Wanted.of(task.asked, task.facts)
        kept = keep(task, search.views, wanted.images)
        most = min(search.views, kept.left)
        photos = list(kept.pictures(task, legend=False))
        beam = _starts(task, wanted, kept.shown, search.starts)
        seen: list[Imagined] = []
        for _ in range(search.depth):
            candidates = []
            for image, moves in _further(beam, {(i.image, i.moves) for i in seen})[: most - len(seen)]:
                candidates.append(Imagined(image, moves, world.imagine(task.memory, image, moves, size=search.size)))
            if not candidates:
                break
            scored = _scored(task, wanted, photos, candidates)
            if isinstance(scored, Failure):
                reason = no_answer(f"the imagined views could not be judged: {scored}", scored.stuck("answer"))
                return Outcome(reason, "vlm", result=_result(task, [*seen, *candidates]))
            seen += scored
            beam = [(i.image, i.moves) for i in sorted(scored, key=lambda i: -i.score)[: search.beam]]
        best = sorted(seen, key=lambda i: -i.score)[: search.evidence]
        task.log.add(NoteEvent(text=f"{len(seen)} views imagined, {len(best)} shown for the answer",
                               facts={"shown": [i.words for i in best], "world": world.name}))  # fmt: skip
        talk = task.talk(prompt("imagine_answer"), role="imagine")
        told = [part for part in (kept.told(), wanted.told()) if part]
        shown = [_shown(i) for i in best]
        said = talk.ask(*photos, *shown, *told, output=str, check=wanted.missing(), attempts=_ATTEMPTS)
        return Outcome(wanted.reading(said), "vlm", result=_result(task, seen))


_Node = tuple[int, tuple[Move, ...]]


def _starts(task: Task, wanted: Wanted, shown: Sequence[int], most: int) -> list[_Node]:
    """The placed photos the question names, else those shown, evenly."""
    placed = {f.number for f in task.memory.posed_frames}
    named = sorted(wanted.images & placed)
    others = [n for n in (shown or sorted(placed)) if n in placed]
    chosen = named or [others[i * len(others) // min(most, len(others))] for i in range(min(most, len(others)))]
    return [(image, ()) for image in chosen[:most]]


def _further(beam: Sequence[_Node], known: set[_Node]) -> list[_Node]:
    """Every move on every view of the beam, without going back and without what is known."""
    nodes = [(image, (*moves, move)) for image, moves in beam for move in MOVES if not _undoes(moves, move)]
    return [node for node in dict.fromkeys(nodes) if node not in known]


def _undoes(moves: Sequence[Move], move: Move) -> bool:
    opposite = {"left": "right", "right": "left", "back": "back"}
    return bool(moves) and move.kind == moves[-1].kind == "turn" and opposite.get(moves[-1].direction) == move.direction


def _scored(
    task: Task, wanted: Wanted, photos: Sequence[Shown], candidates: Sequence[Imagined]
) -> list[Imagined] | Failure:
    """The candidates with the model's scores, all judged side by side in one request."""
    talk = task.talk(prompt("imagine_score"), role="judge")
    shown = [_shown(c, f"Candidate {number}. ") for number, c in enumerate(candidates, 1)]
    said = talk.ask(
        *photos, wanted.told_alone(), *shown, output=Scores, check=_fits(len(candidates)), attempts=_ATTEMPTS
    )
    if isinstance(said, Failure):
        return said
    scored = [replace(c, score=score) for c, score in zip(candidates, said.scores, strict=True)]
    for one in scored:
        asked = {"image": one.image, "moves": [move.words for move in one.moves], "score": one.score}
        task.log.add(ViewEvent(round=len(one.moves), asked=asked, picture=keep_picture(task.log, one.picture)))
    return scored


def _fits(count: int) -> Callable[[Scores], str | None]:
    def check(said: Scores) -> str | None:
        if len(said.scores) != count:
            return f"There are {count} candidates, you gave {len(said.scores)} scores."
        wrong = [score for score in said.scores if not 0 <= score <= 10]
        return f"A score of {wrong[0]:g} is not from 0 to 10." if wrong else None

    return check


def _shown(one: Imagined, prefix: str = "") -> Shown:
    return Shown(one.picture.rgb, f"{prefix}{one.picture.caption}.", camera=one.picture.sidecar)


def _result(task: Task, seen: Sequence[Imagined]) -> RunResult:
    """The imagined views as a run, for evidence and usage."""
    pictures = tuple(one.picture for one in seen)
    stats = RunStats(operations=len(seen), pictures=len(seen))
    return RunResult(pictures, {f"view_{i}": p for i, p in enumerate(pictures, 1)}, (), stats, task.memory)
