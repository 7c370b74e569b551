"""The log of a session of cells: a JSON line for what it began with, then one for each cell in order.

It holds no times and no paths, so that the same cells over the same memory give the same bytes. What a model perceived
stands in it, so that nobody needs to be asked again; the points and tracks of things that were found stand in a file
beside it (``beside``). Knows the lines; what is in a turn is the session's matter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

from numpy.typing import NDArray
from pydantic import BaseModel, ValidationError

from placecell.engine.cells.context import NO_EFFECTS, Effects
from placecell.engine.context import PictureSettings
from placecell.engine.describe import record
from placecell.engine.perceiving import ADDING, Found, Remembered, digest_of
from placecell.engine.session import Bound, CellSession, SessionLimits, Turn
from placecell.engine.values import Picture
from placecell.errors import UserError
from placecell.memory.scene import SpatialMemory
from placecell.memory.tensors import pack, unpack

VERSION = 1
_Row = TypeVar("_Row", bound=BaseModel)
_HINT = "give a log that `placecell session --log` wrote"


def lines(session: CellSession) -> Iterator[str]:
    """The log of a session up to now, line by line."""
    yield line(head(session))
    yield from (line(entry(turn)) for turn in session.turns)


def beside(path: Path) -> Path:
    """The file with the arrays of what was found, of a log that needs one."""
    return path.with_suffix(".safetensors")


def check_place(path: Path) -> None:
    """UserError when no log can be written there; a log that is there stays as it is."""
    with _writing(path):
        path.open("ab").close()


def write_log(session: CellSession, path: Path) -> None:
    """Write the log of a session up to now, and what was found beside it. UserError when it cannot be written."""
    arrays = {f"{key}/{name}": array for key, found in session.found.items() for name, array in found.items()}
    with _writing(path):
        if session.found:
            beside(path).write_bytes(pack(arrays))
        path.write_text("".join(f"{row}\n" for row in lines(session)), encoding="ascii")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}", hint="choose another place for the log") from None


def replayed(recorded: Recorded, memory: SpatialMemory, effects: Effects = NO_EFFECTS) -> tuple[str, ...]:
    """The lines that the cells of a log give now, over ``memory`` and with what was perceived then.

    ``effects`` are only asked for what is not in the log.
    """
    ports = Remembered(effects, recorded.perceived, recorded.ports, recorded.found)
    session = CellSession(
        memory, limits=recorded.limits, options=recorded.options, effects=ports, pictures=recorded.pictures
    )
    for text in recorded.texts:
        session.run(text)
    return tuple(lines(session))


def line(entry: Mapping[str, Any]) -> str:
    """One line of a log, without its end."""
    return json.dumps(entry, ensure_ascii=True, separators=(",", ":"))


def head(session: CellSession) -> dict[str, Any]:
    """What a session began with."""
    return {
        "kind": "session",
        "version": VERSION,
        "memory": fingerprint(session.began_with),
        "limits": asdict(session.limits),
        "options": list(session.scope.options),
        "pictures": asdict(session.pictures),
        "ports": list(session.ports),
    }


def fingerprint(memory: SpatialMemory) -> str:
    """SHA-256 of what cells can see of a memory: its pictures, cameras, objects, tracks and scale."""
    seen = hashlib.sha256()
    for frame in memory.frames:
        pose = b"" if frame.camera is None else frame.camera.world_from_cam.tobytes()
        seen.update(f"{frame.number} {frame.digest} {frame.time_s} {frame.width}x{frame.height}".encode() + pose)
    for thing in memory.instances:
        seen.update(f"{thing.id} {thing.name} {thing.certain}".encode() + thing.box.centre.tobytes())
        seen.update(thing.box.axes.tobytes() + thing.box.size.tobytes())
    for track in memory.tracks:
        seen.update(f"{track.id} {track.name}".encode() + track.frames.tobytes() + track.centres.tobytes())
    seen.update(f"{memory.scale} {memory.version} {len(memory.cloud)} {sorted(memory.vocabulary)}".encode())
    return seen.hexdigest()


def entry(turn: Turn) -> dict[str, Any]:
    """One cell as it was written, what became of it, and what was left afterwards."""
    return {
        "kind": "cell",
        "number": turn.number,
        "text": turn.text,
        "accepted": turn.accepted,
        "program": turn.program,
        "at most": None if turn.report.cell is None else asdict(turn.report.cell.cost),
        "used": None if turn.run is None else asdict(turn.run.used),
        "repairs": [repair.description for repair in turn.report.repairs],
        "faults": [diagnostic.record() for diagnostic in turn.faults],
        "warnings": [diagnostic.record() for diagnostic in turn.warnings],
        "bound": [_bound(bound) for bound in turn.bound],
        "answer": None if turn.answer is None else record(turn.answer),
        "perceived": dict(turn.perceived),
        "memory": turn.memory_version,
        "left": asdict(turn.left),
    }


def _bound(bound: Bound) -> dict[str, Any]:
    pixels = {"pixels": digest_of(bound.value.rgb)} if isinstance(bound.value, Picture) else {}
    return {"name": bound.name, "type": str(bound.type), "value": record(bound.value)} | pixels


@dataclass(frozen=True)
class Recorded:
    """A log as it was read: how the session began, the text of every cell, what was perceived and found, the lines."""

    limits: SessionLimits
    options: tuple[str, ...]
    pictures: PictureSettings
    ports: tuple[str, ...]
    texts: tuple[str, ...]
    perceived: Mapping[str, Any]
    lines: tuple[str, ...]
    found: Found

    def first_difference(self, again: Iterable[str]) -> int | None:
        """Number of the first cell that came out differently (0: the memory is another one); None when none did."""
        repeated = tuple(again)
        for number, (then, now) in enumerate(zip(self.lines, repeated, strict=False)):
            if then != now:
                return number
        return None if len(self.lines) == len(repeated) else min(len(self.lines), len(repeated))


class _Head(BaseModel):
    kind: Literal["session"]
    version: Literal[1]
    limits: SessionLimits
    options: tuple[str, ...]
    pictures: PictureSettings
    ports: tuple[str, ...]


class _Cell(BaseModel):
    kind: Literal["cell"]
    text: str
    perceived: dict[str, dict[str, Any]]


def read(path: Path) -> Recorded:
    """A log from its file. UserError when it is none, or of another version; the message names the line."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}", hint=_HINT) from None
    except UnicodeDecodeError:
        text = ""
    if not text:
        raise UserError(f"{path}: not a log of a session", hint=_HINT)
    rows = text.removesuffix("\n").split("\n")  # JSON may hold other ends of lines inside a text
    head = _parsed(path, 1, rows[0], _Head)
    cells = [_parsed(path, number, row, _Cell) for number, row in enumerate(rows[1:], 2)]
    perceived = {key: value for cell in cells for key, value in cell.perceived.items()}
    texts = tuple(cell.text for cell in cells)
    found = _found(path, [key for key, value in perceived.items() if key.startswith(ADDING) and "gave" in value])
    return Recorded(head.limits, head.options, head.pictures, head.ports, texts, perceived, tuple(rows), found)


def _found(path: Path, keys: Sequence[str]) -> Found:
    """The arrays of what was found, under these keys, from the file beside the log."""
    found: dict[str, dict[str, NDArray[Any]]] = {key: {} for key in keys}
    if not found:
        return found
    try:
        arrays = unpack(memoryview(beside(path).read_bytes()))
    except OSError:
        message = f"{beside(path)} is missing: it holds the objects that this session found"
        raise UserError(message, hint="put it beside the log again") from None
    except ValueError as error:
        raise UserError(f"{beside(path)} is damaged: {error}", hint=_HINT) from None
    for name, array in arrays.items():
        key, _, part = name.partition("/")
        if key in found:
            found[key][part] = array
    return found


def _parsed(path: Path, number: int, row: str, kind: type[_Row]) -> _Row:
    try:
        return kind.model_validate_json(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise UserError(f"{path}, line {number}: {f'{where}: ' if where else ''}{first['msg']}", hint=_HINT) from None
