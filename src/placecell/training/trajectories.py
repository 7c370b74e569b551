"""What happened in an episode, as a value, and its export as chat JSONL for supervised fine-tuning.

Knows messages, calls and how the common chat format writes them. Does not know how an episode runs (``env``) or what it
is worth (``rewards``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from placecell.agents.exploring.calls import Called
from placecell.evaluation.benchmarks.sample import Sample
from placecell.language.decomposition import Unit

Kind = Literal["view", "program", "answer", "other"]
_PICTURES = "images"


@dataclass(frozen=True, eq=False)
class Seen:
    """A picture as the policy gets it: ``rgb`` (H, W, 3) uint8 at its final size, and its caption.

    ``image`` is the photo's number, None for a render.
    """

    rgb: NDArray[np.uint8]
    caption: str
    image: int | None = None


@dataclass(frozen=True, eq=False)
class Message:
    """One message of the chat: texts and pictures in order. ``calls`` are an assistant's, ``tool`` is who replies.

    A picture's caption is a text in front of it.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: tuple[str | Seen, ...]
    calls: tuple[Called, ...] = ()
    tool: str = ""

    @property
    def text(self) -> str:
        """Its texts, a line each."""
        return "\n".join(part for part in self.content if isinstance(part, str))

    @property
    def pictures(self) -> tuple[Seen, ...]:
        return tuple(part for part in self.content if isinstance(part, Seen))


@dataclass(frozen=True)
class CellWorth:
    """How well a cell was written: ``written`` 1 as it is, 0.5 after repairs, 0 when it was not accepted.

    ``measured`` 1 when it answered with a measured value, 0.5 with an option that its author chose, 0 when it did not
    answer; ``sure`` is the confidence of that answer, which grows with its margin.
    """

    written: float
    measured: float = 0.0
    sure: float = 0.0


@dataclass(frozen=True)
class CallRecord:
    """What came of a call. ``ok``: the view was made, the program accepted; ``why`` says what was wrong if not.

    ``turn`` counts the assistant's replies from 1. ``kind`` "other" is a call of no known tool, or one that could not
    be read. ``cell`` is what a cell was worth.
    """

    turn: int
    kind: Kind
    name: str
    arguments: Mapping[str, Any]
    ok: bool
    why: str = ""
    cell: CellWorth | None = None


@dataclass(frozen=True, eq=False)
class Trajectory:
    """An episode. ``final`` is the reply with the answer, None when the episode was cut off before there was one.

    ``unit`` is the one a number was asked in. ``tools`` are those offered at the start, as JSON schemas.
    """

    sample: Sample
    profile: str
    messages: tuple[Message, ...]
    calls: tuple[CallRecord, ...] = ()
    final: str | None = None
    truncated: bool = False
    unit: Unit | None = None
    image_tokens: int = 0
    tools: tuple[Mapping[str, Any], ...] = ()

    @property
    def turns(self) -> int:
        """Replies of the assistant."""
        return sum(message.role == "assistant" for message in self.messages)

    @property
    def pictures(self) -> int:
        return sum(len(message.pictures) for message in self.messages)


def write_chats(trajectories: Iterable[Trajectory], path: Path, rewards: Sequence[float] | None = None) -> int:
    """Write one chat a line; pictures go beside the file into ``images/``, each once. Returns the number of lines.

    The format is the one Hugging Face's chat templates take: ``messages`` with ``role`` and ``content`` (parts of type
    "text" and "image"), ``tool_calls`` of assistants, ``tools``; an image part holds the file's path from the JSONL's
    folder. ``rewards``, one a trajectory, go into each line, so that the good ones can be chosen.

    Raises:
        ValueError: another number of rewards than of trajectories.
    """
    done = list(trajectories)
    if rewards is not None and len(rewards) != len(done):
        raise ValueError(f"{len(done)} trajectories, but {len(rewards)} rewards")
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for place, trajectory in enumerate(done):
        record = chat(trajectory, path.parent)
        if rewards is not None:
            record["reward"] = rewards[place]
        lines.append(json.dumps(record, ensure_ascii=False) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    return len(lines)


def chat(trajectory: Trajectory, folder: Path) -> dict[str, Any]:
    """A trajectory as one record of ``write_chats``; its pictures are written below ``folder``."""
    calls = 0
    waiting: list[str] = []
    messages = []
    for message in trajectory.messages:
        record: dict[str, Any] = {"role": message.role}
        record["content"] = [_part(part, folder) for part in message.content]
        if message.calls:
            waiting = [f"call_{calls + place}" for place in range(1, len(message.calls) + 1)]
            calls += len(waiting)
            record["tool_calls"] = [_call(name, call) for name, call in zip(waiting, message.calls, strict=True)]
        if message.role == "tool" and waiting:
            record |= {"tool_call_id": waiting.pop(0), "name": message.tool}
        messages.append(record)
    images = [part["image"] for record in messages for part in record["content"] if part["type"] == "image"]
    return {
        "id": trajectory.sample.id,
        "messages": messages,
        "tools": [dict(tool) for tool in trajectory.tools],
        "images": images,
    }


def _part(part: str | Seen, folder: Path) -> dict[str, str]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    return {"type": "image", "image": _kept(part, folder)}


def _kept(seen: Seen, folder: Path) -> str:
    """The picture's file, named by its pixels, as a path from ``folder``."""
    digest = hashlib.sha256(repr(seen.rgb.shape).encode() + seen.rgb.tobytes()).hexdigest()[:32]
    name = f"{_PICTURES}/{digest}.png"
    target = folder / name
    if not target.exists():
        target.parent.mkdir(exist_ok=True)
        Image.fromarray(seen.rgb).save(target)
    return name


def _call(name: str, call: Called) -> dict[str, Any]:
    return {"type": "function", "id": name, "function": {"name": call.name, "arguments": dict(call.arguments)}}
