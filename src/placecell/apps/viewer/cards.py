"""What the panel says of an object, an answer or a moment, as HTML in which every text from outside is escaped."""

from __future__ import annotations

from placecell.agents.answer import Answer
from placecell.agents.markup import Markup, tag
from placecell.apps.viewer.moments import Moment
from placecell.engine.describe import describe
from placecell.engine.sizes import extents_of
from placecell.engine.values import Length
from placecell.memory.scene import Frame, Instance, SpatialMemory

_BOX = "padding:0 .6em .6em .6em;font-size:.85em;overflow-wrap:anywhere"
_MOST_NUMBERS = 24


def object_card(memory: SpatialMemory, thing: Instance) -> str:
    """Its measures, where it is and which photos show it."""
    extents = extents_of(memory, thing)
    rows = [
        ("width", describe(extents.width)),
        ("depth", describe(extents.depth)),
        ("height", describe(extents.height)),
        ("longest side", describe(extents.longest)),
        ("centre x, y, z", ", ".join(f"{v:.2f}" for v in thing.centre) + f" {memory.unit}"),
        ("images", _numbers([view.frame for view in thing.views]) or "none"),
        ("confidence", f"{thing.confidence:.2f}" + ("" if thing.certain else ", not certain")),
    ]
    if thing.first_seen_s is not None and thing.last_seen_s is not None:
        rows.append(("seen", f"{thing.first_seen_s:.1f} to {thing.last_seen_s:.1f} s"))
    return _card(f"{thing.name} {thing.id}", _rows(rows))


def objects_card(things: list[Instance]) -> str:
    """Several selected objects."""
    listed = ", ".join(f"{thing.name} {thing.id}" for thing in things)
    return _card(f"{len(things)} objects", tag("p", listed))


def frame_card(memory: SpatialMemory, frame: Frame) -> str:
    """A photo: its file, size, and the objects that show in it."""
    shown = [i for i in memory.instances if any(view.frame == frame.number for view in i.views)]
    rows = [("file", frame.name), ("pixels", f"{frame.width} x {frame.height}")]
    if frame.time_s is not None:
        rows.append(("time", f"{frame.time_s:.2f} s"))
    rows.append(("shows", ", ".join(f"{i.name} {i.id}" for i in shown) or "no object"))
    return _card(f"Image {frame.number}", _rows(rows))


def answer_card(answer: Answer) -> str:
    """An answer with how sure it is and what it rests on, or why there is none."""
    if answer.abstained:
        return _card("No answer", tag("p", answer.reason or ""), *[tag("p", note) for note in answer.notes])
    rows = [("confidence", f"{answer.confidence:.2f}")]
    if answer.interval is not None:
        low, high = answer.interval
        rows.append(("95 % interval", f"{low:.3g} to {high:.3g} {answer.unit or ''}".strip()))
    if answer.evidence.instances:
        rows.append(("rests on objects", _numbers(answer.evidence.instances)))
    if answer.evidence.images:
        rows.append(("rests on images", _numbers(answer.evidence.images)))
    said = f"{answer.letter}. {answer.answer}" if answer.letter else answer.answer
    remarks = [tag("p", note) for note in (*answer.notes, *answer.evidence.remarks)]
    return _card(said or "", _rows(rows), *remarks)


def moment_card(moment: Moment, number: int, count: int) -> str:
    """One step of a recorded run."""
    said = tag("pre", moment.text, style="white-space:pre-wrap;margin:0") if moment.text else None
    return _card(f"{number} of {count}: {moment.title}", said)


def distance_card(length: Length) -> str:
    """A distance measured between two clicks."""
    return _card(describe(length))


def note_card(text: str) -> str:
    """A plain remark."""
    return str(tag("div", tag("p", text), style=_BOX))


def _card(title: str, *parts: Markup | None) -> str:
    """A plain ``str``, which is what viser can send."""
    return str(tag("div", tag("p", tag("b", title), style="margin:.4em 0"), *parts, style=_BOX))


def _rows(rows: list[tuple[str, str]]) -> Markup:
    cells = [
        tag(
            "tr",
            tag("td", name, style="padding-right:1em;opacity:.7;vertical-align:top;white-space:nowrap"),
            tag("td", value),
        )
        for name, value in rows
    ]
    return tag("table", *cells)


def _numbers(numbers: list[int] | tuple[int, ...]) -> str:
    """The numbers, the first of them when they are many."""
    shown = ", ".join(map(str, numbers[:_MOST_NUMBERS]))
    return shown + (f" and {len(numbers) - _MOST_NUMBERS} more" if len(numbers) > _MOST_NUMBERS else "")
