"""Tool profiles: which tools an episode offers, found by name.

A profile is a function from an ``Episode`` to ``Tools``; to add one, write it and add its line to ``PROFILES``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

from placecell.agents.exploring.calls import Called
from placecell.agents.exploring.gallery import Renderer
from placecell.agents.exploring.photos import Kept
from placecell.agents.wanted import Wanted
from placecell.errors import UserError
from placecell.evaluation.benchmarks.sample import Sample
from placecell.language.plan import MemoryFacts
from placecell.memory.scene import SpatialMemory
from placecell.training.limits import Limits
from placecell.training.trajectories import CellWorth, Kind, Seen

Schema = Mapping[str, Any]
"""A tool in the form of OpenAI's ``tools``: ``{"type": "function", "function": {...}}``."""


@dataclass(frozen=True, eq=False)
class Episode:
    """What a profile may use: the sample, its memory, the photos that are shown, and how views are rendered."""

    sample: Sample
    memory: SpatialMemory
    facts: MemoryFacts
    wanted: Wanted
    photos: Kept
    limits: Limits
    render: Renderer


@dataclass(frozen=True, eq=False)
class Told:
    """What a tool replies. ``ok``: it did what was asked, else ``text`` says why not. ``cell``: what that was worth."""

    text: str
    kind: Kind
    ok: bool
    pictures: tuple[Seen, ...] = ()
    cell: CellWorth | None = None


class Tools(Protocol):
    """The tools of one episode."""

    def instructions(self) -> str:
        """The system prompt."""
        ...

    def schemas(self) -> tuple[Schema, ...]:
        """The tools as JSON schemas."""
        ...

    def call(self, call: Called, turn: int) -> Told:
        """Carry a call out; ``turn`` counts replies from 1. Nothing a model writes raises."""
        ...


class Profile(Protocol):
    """Opens the tools of an episode."""

    def __call__(self, episode: Episode, /) -> Tools: ...


PROFILES: Mapping[str, str] = {
    "explore": "placecell.training.looking:explore",
    "canonical": "placecell.training.looking:canonical",
    "program": "placecell.training.planning:Planning",
    "cells": "placecell.training.stepping:Stepping",
}
"""Name to module and what opens the tools there."""


def open_profile(name: str) -> Profile:
    """A profile by its name. UserError for one that does not exist."""
    if name not in PROFILES:
        raise UserError(f"unknown profile {name!r}", hint=f"choose {', '.join(PROFILES)}")
    module, _, opener = PROFILES[name].partition(":")
    return cast("Profile", getattr(import_module(module), opener))


def schema(name: str, description: str, parameters: Mapping[str, Any]) -> Schema:
    """A tool's schema from its parts."""
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": dict(parameters)},
    }


@dataclass(frozen=True)
class WritingTool:
    """The one tool of a profile in which the policy writes a text: ``argument`` is its name, ``what`` it holds."""

    name: str
    description: str
    argument: str
    what: str

    @property
    def schema(self) -> Schema:
        """The tool as JSON schema."""
        text = {"type": "string", "description": self.what}
        parameters = {
            "type": "object",
            "properties": {self.argument: text},
            "required": [self.argument],
            "additionalProperties": False,
        }
        return schema(self.name, self.description, parameters)

    def text_of(self, call: Called) -> str | Told:
        """What the policy wrote, or what it is told when that is no call of this tool."""
        if call.name != self.name:
            return Told(f"There is no tool {call.name!r}; use {self.name}.", "other", ok=False)
        text = call.arguments.get(self.argument)
        if not isinstance(text, str) or set(call.arguments) != {self.argument}:
            return Told(f"Not run: {self.name} takes one argument, {self.argument}, a text.", "program", ok=False)
        return text
