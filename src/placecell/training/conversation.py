"""An episode as chat messages, for a trainer that samples replies, calls tools one by one and scores at the end.

Messages are the common chat format: ``role``, ``content`` as text and image parts, ``tool_calls``. Knows ``env`` and
that format; no trainer and no tokens.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

from PIL import Image

from placecell.agents.exploring.calls import Called
from placecell.training.env import ANSWER, Action, SpatialEnv
from placecell.training.profiles import Schema
from placecell.training.rewards import Rewards, rewards_of
from placecell.training.samples import Sample
from placecell.training.trajectories import Message, Trajectory

Chat = dict[str, Any]
_OVER = "The episode has ended."


class Conversation:
    """One episode. ``prompt`` opens it; ``tools`` are the schemas to offer beside it.

    An answer is a reply without a call, so the tool ``answer`` is not offered; tools that the system prompt tells of
    already are not offered a second time.
    """

    def __init__(self, env: SpatialEnv, sample: Sample) -> None:
        """Begin an episode. UserError when there is no memory for the sample."""
        first = env.reset(sample)
        self.env = env
        self._done = False
        self._reply: Mapping[str, Any] | None = None
        self._waiting: deque[list[Chat]] = deque()
        self._inside = False
        self.prompt = [_chat(message) for message in first.messages]
        system = first.messages[0].text
        self.tools: tuple[Schema, ...] = tuple(
            tool for tool in first.tools if tool != ANSWER and json.dumps(tool["function"]) not in system
        )

    @property
    def trajectory(self) -> Trajectory:
        return self.env.trajectory

    def call(self, reply: Mapping[str, Any]) -> list[Chat] | str:
        """What the next call of a reply brings, as content of a tool message: the first call of a reply carries out all
        of them, as one step of the environment. ``reply`` is the assistant's message, the same object for each call.
        """
        if reply is not self._reply:
            self._reply = reply
            self._waiting = deque() if self._done else deque(self._take(reply))
        return self._waiting.popleft() if self._waiting else _OVER

    def finish(self, completion: Sequence[Mapping[str, Any]]) -> float:
        """End the episode with the messages after the prompt, and the reward of the whole.

        A last reply without a call is the answer. Where there is none (the reply was cut off, or the trainer gave up)
        the episode is worth no answer.

        Raises:
            RuntimeError: a tool broke; a reward would hide that.
        """
        if self._inside:
            raise RuntimeError(f"a tool broke on sample {self.trajectory.sample.id}: {completion[-1:]}")
        last = completion[-1] if completion else None
        if not self._done and last is not None and last["role"] == "assistant" and last is not self._reply:
            self._take(last)
        return self.rewards.total(self.env.weights)

    @property
    def rewards(self) -> Rewards:
        """The parts of the reward as the episode stands."""
        return rewards_of(self.trajectory)

    def _take(self, reply: Mapping[str, Any]) -> list[list[Chat]]:
        calls = [_called(call.get("function", call)) for call in reply.get("tool_calls") or ()]
        self._inside = True  # a trainer hands errors of tools to the model: ``finish`` must know of them
        step = self.env.step(Action(reply["content"], tuple(calls)))
        self._inside = False
        self._done = step.done
        return [_parts(message) for message in step.observation.messages]


def _called(call: Mapping[str, Any]) -> Called:
    arguments = call.get("arguments")
    return Called(call["name"], arguments if isinstance(arguments, dict) else {"arguments": arguments})


def _chat(message: Message) -> Chat:
    return {"role": message.role, "content": message.text if message.role == "system" else _parts(message)}


def _parts(message: Message) -> list[Chat]:
    """Texts and pictures in order."""
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image", "image": Image.fromarray(part.rgb)}
        for part in message.content
    ]
