"""Every family: many ways to ask one thing give one decomposition, and questions that only look alike do not match.

The wordings are in ``wordings/FAMILY.toml``: ``[[same]]`` groups with the fields they all have, ``[[near_miss]]``
groups of questions that must not be read as the family's.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from placecell.agents.questions.decompose import FAMILIES, Understood, understand
from placecell.language.decomposition import Decomposition

FOLDER = Path(__file__).parent / "wordings"
FILES = sorted(FOLDER.glob("*.toml"))


def summary(d: Decomposition) -> dict[str, Any]:
    """A decomposition in the plain words the files use."""
    c, r = d.comparison, d.reference
    places = {"image": f"image {r.image}", "object": f"object {r.object}", "none": "none"}
    facings = {
        "same_as_image": f"same as image {r.facing.image}",
        "towards_object": f"towards {r.facing.object}",
        "away_from_object": f"away from {r.facing.object}",
        "same_way_as_object": f"same way as {r.facing.object}",
        "free": "free",
    }
    motions = []
    for m in d.motions:
        amount = f" {m.degrees:g}" if m.degrees else f" {m.distance:g} {m.unit}" if m.distance else ""
        motions.append(f"{m.kind} {m.direction}{amount}")
    route = []
    for s in c.route:
        where = f" on the {s.side}" if s.side else " past" if s.past else ""
        route.append(f"turn {s.direction or '?'}" if s.kind == "turn" else f"go {s.until}{where}")
    return {
        "function": c.function.value,
        "entities": list(c.entities),
        "relative_to": c.relative_to,
        "side": c.side,
        "frame": c.frame,
        "form": c.form,
        "attribute": c.attribute,
        "unit": c.unit,
        "images": list(c.images) if c.images else None,
        "event": c.event,
        "during": c.during,
        "when": c.when,
        "answers": [o.answer for o in c.options],
        "sequences": [list(o.sequence) for o in c.options],
        "reference": places[r.kind],
        "facing": facings[r.facing.kind],
        "motions": motions,
        "route": route,
    }


def _cases(kind: str) -> list[Any]:
    out = []
    for file in FILES:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        for group in content.get(kind, ()):
            questions = group["wordings" if kind == "same" else "questions"]
            out += [pytest.param(content["family"], group, q, id=f"{file.stem}: {q[:70]}") for q in questions]
    return out


@pytest.mark.parametrize(("family", "group", "question"), _cases("same"))
def test_every_wording_gives_the_same_decomposition(family: str, group: dict[str, Any], question: str) -> None:
    found = understand(question, group.get("options"), image_count=group.get("image_count"))
    assert isinstance(found, Understood), str(found)
    got = summary(found.decomposition)
    assert {key: got[key] for key in group["want"]} == group["want"]
    assert found.family == family
    numbers = range(1, group["image_count"] + 1) if "image_count" in group else None
    problems = found.decomposition.validate_against(question, group.get("options", ()), numbers)
    assert problems == ()


@pytest.mark.parametrize(("family", "group", "question"), _cases("near_miss"))
def test_what_only_looks_alike_is_not_read_as_the_family(family: str, group: dict[str, Any], question: str) -> None:
    found = understand(question, group.get("options"))
    assert not isinstance(found, Understood) or found.family != family, found


def test_every_family_that_answers_has_fifteen_wordings_and_near_misses() -> None:
    counted = {}
    for file in FILES:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
        wordings = [q for group in content["same"] for q in group["wordings"]]
        misses = [q for group in content["near_miss"] for q in group["questions"]]
        assert len(set(wordings)) == len(wordings), f"{file.name} repeats a wording"
        counted[content["family"]] = (len(wordings), len(misses))
    assert set(counted) == {family.name for family in FAMILIES} - {"beyond geometry"}
    assert {name: n for name, n in counted.items() if n[0] < 15 or n[1] < 5} == {}
