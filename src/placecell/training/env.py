"""The environment of Think3D-RL: a question, tools over its memory, pictures in return, a reward at the end.

Gym's course of an episode without its package: ``reset`` gives what the policy sees first, ``step`` takes its reply
and gives what it sees next. Knows turns, budgets and when an episode ends. Tools are a profile's (``profiles``),
rewards are ``rewards``'s; nothing here knows a model or a trainer.

>>> env = SpatialEnv("explore", open_source("synthetic", None, cache))
>>> seen = env.reset(sample)
>>> step = env.step(Action(calls=(Called("view", {"camera": 1, "azimuth": 45, "elevation": 0, "mode": "ego"}),)))
>>> step = env.step("Answer: B")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from placecell.agents.author import Asked
from placecell.agents.exploring.calls import Called, read_calls
from placecell.agents.exploring.gallery import Renderer
from placecell.agents.exploring.photos import kept_of
from placecell.agents.models.pictures import fitted
from placecell.agents.quoting import as_data
from placecell.agents.wanted import Wanted
from placecell.engine.facts import facts_of
from placecell.engine.renders import render_view
from placecell.evaluation.benchmarks.sample import Sample
from placecell.evaluation.runs.sources import MemorySource
from placecell.memory.scene import SpatialMemory
from placecell.training.limits import Limits
from placecell.training.profiles import Episode, Schema, Told, Tools, open_profile, schema
from placecell.training.rewards import Rewards, RewardWeights, rewards_of
from placecell.training.trajectories import CallRecord, Message, Seen, Trajectory

__all__ = ["ANSWER", "Action", "Called", "Info", "Observation", "SpatialEnv", "Step"]

_ANSWER_NAME = "answer"
_CALL_BEGINS = "<tool_call"

ANSWER: Schema = schema(
    _ANSWER_NAME,
    "Give the answer and end.",
    {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "the letter of an option, or the number asked for"}},
        "required": ["text"],
        "additionalProperties": False,
    },
)
"""A policy may answer by this tool; one that simply replies without a call answers too."""


@dataclass(frozen=True)
class Action:
    """A reply of the policy: its text and its calls. Without calls the text is the answer and ends the episode."""

    text: str = ""
    calls: tuple[Called, ...] = ()


@dataclass(frozen=True, eq=False)
class Observation:
    """New messages for the policy, and the tools it may use in its next reply: none when only an answer is left."""

    messages: tuple[Message, ...] = ()
    tools: tuple[Schema, ...] = ()

    @property
    def pictures(self) -> tuple[Seen, ...]:
        return tuple(picture for message in self.messages for picture in message.pictures)


@dataclass(frozen=True)
class Info:
    """The state of an episode: replies so far, pictures shown and their tokens, and at its end the reward's parts."""

    turns: int
    pictures: int
    image_tokens: int
    rewards: Rewards | None = None


class Step(NamedTuple):
    """What gym's ``step`` returns. ``truncated``: the episode was cut off because it used up its turns."""

    observation: Observation
    reward: float
    terminated: bool
    truncated: bool
    info: Info

    @property
    def done(self) -> bool:
        return self.terminated or self.truncated


class SpatialEnv:
    """One episode at a time; make one environment a rollout. ``source`` and ``render`` may be shared by many.

    Args:
        profile: "explore", "canonical", "program" or "cells" (``profiles.PROFILES``).
        source: where the memory of a sample comes from (``evaluation.runs.sources.open_source``).
        limits: turns, pictures and their tokens.
        weights: what the parts of the reward count.
        render: what makes views: ``ViewCache(...).render`` reads those made before from disk.

    Raises:
        UserError: no such profile.
    """

    def __init__(
        self,
        profile: str,
        source: MemorySource,
        *,
        limits: Limits = Limits(),  # noqa: B008 - frozen
        weights: RewardWeights = RewardWeights(),  # noqa: B008 - frozen
        render: Renderer = render_view,
    ) -> None:
        self.profile, self.source, self.limits, self.weights, self.render = profile, source, limits, weights, render
        self._open = open_profile(profile)
        self._trajectory: Trajectory | None = None
        self._tools: Tools | None = None
        self._done = True

    @property
    def trajectory(self) -> Trajectory:
        """The episode so far. RuntimeError before the first ``reset``."""
        if self._trajectory is None:
            raise RuntimeError("reset the environment first")
        return self._trajectory

    def reset(self, sample: Sample) -> Observation:
        """Begin an episode: the system prompt, and the photos with the question.

        Raises:
            UserError: there is no memory for the sample.
        """
        memory = self.source.make(sample)
        facts = facts_of(memory)
        wanted = Wanted.of(Asked(sample.question, sample.options), facts)
        numbers = [frame.number for frame in memory.frames]
        photos = kept_of(numbers, self.limits.fits, self.limits.renders, wanted.images)
        self._tools = self._open(Episode(sample, memory, facts, wanted, photos, self.limits, self.render))
        self._trajectory = Trajectory(sample, self.profile, (), unit=wanted.unit, tools=self._offered())
        self._done = False
        note = [photos.told()] if photos.dropped else []
        shown = self._shown(_photo(memory, number) for number in photos.shown)
        first = (*shown, *note, wanted.told())
        system = Message("system", (self._tools.instructions(),))
        self._add(system, Message("user", first))
        return Observation(self.trajectory.messages, self.trajectory.tools)

    def step(self, action: Action | str) -> Step:
        """Take a reply, as text in the plain protocol or taken apart.

        Text may hold calls between <tool_call> tags; what cannot be read is told back and costs the turn. RuntimeError
        when the episode has ended.
        """
        if self._done:
            raise RuntimeError("the episode has ended: reset the environment")
        calls: tuple[Called, ...] | str
        if isinstance(action, str):
            text, calls = action, _calls(action)
            shown = _before_calls(text) if calls and not isinstance(calls, str) else text
        else:
            text, calls, shown = action.text, action.calls, action.text
        readable = () if isinstance(calls, str) else calls
        self._add(Message("assistant", (shown,) if shown else (), readable))
        answers = [call for call in readable if call.name == _ANSWER_NAME]
        if answers:
            return self._answered(f"Answer: {answers[0].arguments.get('text', '')}", answers[0])
        if not calls:
            return self._answered(text)
        if self.trajectory.turns > self.limits.turns:
            self._trajectory = replace(self.trajectory, truncated=True)
            return self._ended(terminated=False)
        told = self._carried_out(calls)
        self._add(*told)
        return Step(Observation(told, self._offered()), 0.0, False, False, self._info())

    def _carried_out(self, calls: tuple[Called, ...] | str) -> tuple[Message, ...]:
        """The tools' replies, the last of which says what may come next."""
        turn = self.trajectory.turns
        if isinstance(calls, str):
            self._record(CallRecord(turn, "other", "", {}, ok=False, why=calls))
            return (Message("user", (calls, self._rest())),)
        told = [self._told(call, place, turn) for place, call in enumerate(calls)]
        messages = [
            Message("tool", (reply.text, *self._shown(reply.pictures)), tool=call.name)
            for call, reply in zip(calls, told, strict=True)
        ]
        last = messages[-1]
        return (*messages[:-1], replace(last, content=(*last.content, self._rest())))

    def _told(self, call: Called, place: int, turn: int) -> Told:
        most = self.limits.looks
        if place >= most:
            told = Told(f"Not made: at most {most} {'call' if most == 1 else 'calls'} in one reply.", "other", ok=False)
        elif self._tools is None:
            raise RuntimeError("reset the environment first")
        else:
            told = self._tools.call(call, turn)
        why = "" if told.ok else told.text
        self._record(CallRecord(turn, told.kind, call.name, call.arguments, told.ok, why, told.cell))
        return told

    def _answered(self, final: str, call: Called | None = None) -> Step:
        if call is not None:
            self._record(CallRecord(self.trajectory.turns, "answer", call.name, call.arguments, ok=True))
        self._trajectory = replace(self.trajectory, final=final)
        return self._ended(terminated=True)

    def _ended(self, *, terminated: bool) -> Step:
        self._done = True
        rewards = rewards_of(self.trajectory)
        info = replace(self._info(), rewards=rewards)
        return Step(Observation(), rewards.total(self.weights), terminated, not terminated, info)

    def _offered(self) -> tuple[Schema, ...]:
        turns = self._trajectory.turns if self._trajectory else 0
        if self._tools is None or turns >= self.limits.turns:
            return ()
        return (*self._tools.schemas(), ANSWER)

    def _rest(self) -> str:
        left = self.limits.turns - self.trajectory.turns
        if left <= 0:
            return "That was the last round: answer now, from what you have seen."
        return f"{left} more {'round' if left == 1 else 'rounds'} to look, or answer."

    def _shown(self, pictures: Iterable[Seen]) -> Iterator[str | Seen]:
        """Pictures at their size, each with its caption in front."""
        for picture in pictures:
            yield as_data("caption", picture.caption)
            yield replace(picture, rgb=np.asarray(fitted(picture.rgb, self.limits.side)))

    def _add(self, *messages: Message) -> None:
        tokens = sum(self._tokens(picture) for message in messages for picture in message.pictures)
        so_far = self.trajectory
        self._trajectory = replace(
            so_far, messages=(*so_far.messages, *messages), image_tokens=so_far.image_tokens + tokens
        )

    def _tokens(self, picture: Seen) -> int:
        height, width = picture.rgb.shape[:2]
        return self.limits.tokens_of(width, height)

    def _record(self, call: CallRecord) -> None:
        self._trajectory = replace(self.trajectory, calls=(*self.trajectory.calls, call))

    def _info(self) -> Info:
        so_far = self.trajectory
        return Info(so_far.turns, so_far.pictures, so_far.image_tokens)


def _photo(memory: SpatialMemory, number: int) -> Seen:
    return Seen(memory.frame(number).rgb, f"Image {number}", number)


def _calls(reply: str) -> tuple[Called, ...] | str:
    found = read_calls(reply)
    return found if isinstance(found, str) else tuple(found)


def _before_calls(reply: str) -> str:
    """The words of a reply before its calls, which a chat keeps apart from them."""
    return reply.partition(_CALL_BEGINS)[0].strip()
