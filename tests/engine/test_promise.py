"""The promise: every accepted program gives typed values on every memory, and never raises.

``PLACECELL_PROGRAMS=1000000 pytest tests/engine/test_promise.py`` runs as many accepted programs as it says.
"""

from __future__ import annotations

import json
import os
import re

import numpy as np
import pytest
from engine_memories import ADVERSARIAL
from engine_programs import Generator

from placecell.engine.describe import record
from placecell.engine.facts import facts_of
from placecell.engine.interpreter import Budget, PictureSettings, run
from placecell.engine.values import Absent, Picture
from placecell.language.check import check
from placecell.language.rewrite import rewrite

PROGRAMS = int(os.environ.get("PLACECELL_PROGRAMS", "20000"))
SHARES = 4
TINY = PictureSettings(size=24)
KINDS = {"InstanceValue": "instance", "InstancesValue": "instances", "PoseValue": "pose", "MemoryValue": "memory"}
RARE = "thousands"  # takes fifty times as long as the others; every fiftieth program meets it


def accepted(seed, count):
    """That many accepted programs, as (plan, number)."""
    generator = Generator(seed)
    found = 0
    while found < count:
        plan = check(generator.program()).plan
        if plan is not None:
            found += 1
            yield plan, found


@pytest.fixture(scope="module")
def memories():
    return {name: make() for name, make in ADVERSARIAL.items()}


def kind_of(value):
    if isinstance(value, Absent):
        return str(value.kind)
    name = type(value).__name__
    return KINDS.get(name, name.lower())


@pytest.mark.parametrize("share", range(SHARES))
def test_every_accepted_program_gives_typed_values_on_every_memory(share, memories):
    usual = [name for name in memories if name != RARE]
    for plan, number in accepted(seed=1000 + share, count=PROGRAMS // SHARES):
        name = RARE if number % 50 == 0 else usual[number % len(usual)]
        result = run(plan, memories[name], pictures=TINY)
        assert len(result.values) == len(plan.results), plan.text
        for value, expected in zip(result.values, plan.results, strict=True):
            assert kind_of(value) == str(expected.kind), (name, plan.text)
            json.dumps(record(value), allow_nan=False)
            if isinstance(value, Picture):
                assert value.rgb.dtype == np.uint8 and max(value.rgb.shape[:2]) <= TINY.size


def test_programs_checked_against_a_memorys_facts_run_on_it_too(memories):
    for name, memory in memories.items():
        generator, facts = Generator(7), facts_of(memory)
        for _ in range(40):
            plan = check(generator.program(), facts=facts).plan
            if plan is not None:
                assert len(run(plan, memory, pictures=TINY).values) == len(plan.results), name


def test_runs_stay_within_their_budgets(memories):
    budget = Budget(operations=6, pictures=1, bytes=3000, seconds=30.0)
    for plan, _ in accepted(seed=5, count=300):
        stats = run(plan, memories["room"], budget=budget, pictures=TINY).stats
        assert stats.operations <= 6 and stats.pictures <= 1 and stats.bytes <= 3000


def test_equal_runs_give_equal_values(memories):
    for plan, number in accepted(seed=6, count=200):
        memory = memories[list(memories)[number % 8]]
        first, second = (run(plan, memory, pictures=TINY) for _ in range(2))
        assert [record(v) for v in first.values] == [record(v) for v in second.values]
        assert all(np.array_equal(a.rgb, b.rgb) for a, b in zip(first.pictures, second.pictures, strict=True))


def same(a, b):
    """Whether two records say the same, numbers to nine digits."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, float) and isinstance(b, float):
        return a == pytest.approx(b, rel=1e-9, abs=1e-9)
    return a == b


def test_rewrites_keep_the_results(memories):
    rewritten = 0
    for plan, number in accepted(seed=9, count=600):
        other, changes = rewrite(plan)
        if not changes:
            continue
        rewritten += 1
        memory = memories[("room", "relative", "gaps_in_numbers", "strange_depth")[number % 4]]
        before, after = run(plan, memory, pictures=TINY), run(other, memory, pictures=TINY)
        for a, b in zip(before.values, after.values, strict=True):
            assert same(record(a), record(b)), plan.text
            if isinstance(a, Picture) and isinstance(b, Picture):
                assert (a.rgb == b.rgb).all(axis=-1).mean() > 0.99, plan.text
    assert rewritten > 20


def test_messages_name_what_is_missing_in_plain_words(memories):
    for plan, number in accepted(seed=8, count=400):
        for step in run(plan, memories[list(memories)[number % 8]], pictures=TINY).steps:
            if isinstance(step.result, Absent):
                assert step.result.message and not re.search(r"\bNone\b|\[\]|object at 0x", step.result.message)
