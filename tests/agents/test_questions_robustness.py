"""A question rewritten mechanically - case, spacing, option order, option style, synonyms - means the same."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewriting import REWRITES, meaning

from placecell.agents.questions.decompose import NotUnderstood, decompose
from placecell.agents.questions.notation import words
from placecell.language.decomposition import Decomposition

WORDINGS = Path(__file__).parent / "wordings"


Wording = tuple[str, tuple[str, ...] | None, int | None]


def _own_wordings() -> Iterator[Wording]:
    for file in sorted(WORDINGS.glob("*.toml")):
        for group in tomllib.loads(file.read_text(encoding="utf-8"))["same"]:
            options = tuple(group["options"]) if "options" in group else None
            for question in group["wordings"]:
                yield question, options, group.get("image_count")


OWN = list(_own_wordings())


@cache
def as_written(wording: Wording) -> object:
    """The meaning before anything is rewritten."""
    question, options, count = wording
    return meaning(decompose(question, options, image_count=count))


@pytest.mark.parametrize("rewrite", REWRITES)
def test_a_rewritten_wording_means_the_same(rewrite: str) -> None:
    rng = random.Random(7)
    changed = []
    for wording in OWN:
        question, options, count = wording
        again, offered = REWRITES[rewrite](question, list(options) if options else None, rng)
        after = decompose(again, offered, image_count=count)
        if isinstance(after, NotUnderstood) or meaning(after) != as_written(wording):
            changed.append((again, offered, str(after)))
    assert len(changed) <= 0.01 * len(OWN), changed[:10]


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(OWN), st.lists(st.sampled_from(sorted(REWRITES)), min_size=1, max_size=3), st.integers(0, 2**16))
def test_rewrites_combine(case: Wording, chain: Sequence[str], seed: int) -> None:
    question, options, count = case
    chain = sorted(chain, key=["case", "synonyms", "option order", "option style", "spacing"].index)
    rng = random.Random(seed)
    again, offered = question, list(options) if options else None
    for name in chain:
        again, offered = REWRITES[name](again, offered, rng)
    assert meaning(decompose(again, offered, image_count=count)) == as_written(case)


NAMES = st.sampled_from(
    [
        "sofa",
        "trash can",
        "desk lamp",
        "tv",
        "red office chair",
        "man with the hat",
        "table",
        "white board",
        "nightstand",
    ]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(NAMES, min_size=4, max_size=4, unique=True), st.integers(1, 9))
def test_names_go_where_the_question_puts_them(names: list[str], image: int) -> None:
    a, b, c, d = names
    found = decompose(f"Standing by the {a} and facing the {b}, is the {c} to my left or right?")
    assert isinstance(found, Decomposition)
    assert (found.reference.object, found.reference.facing.object, found.comparison.entities) == (a, b, (c,))
    found = decompose(f"Which of these objects ({a}, {b}, {c}) is the closest to the {d}?")
    assert isinstance(found, Decomposition)
    assert (found.comparison.entities, found.comparison.relative_to) == ((a, b, c), d)
    found = decompose(f"From image {image}, what is behind the {a}?", [b, c])
    assert isinstance(found, Decomposition)
    assert (found.reference.image, found.comparison.relative_to, found.comparison.entities) == (image, a, (b, c))
    found = decompose(f"How far is the {a} from the {b}?")
    assert isinstance(found, Decomposition)
    assert found.comparison.entities == (a, b)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.lists(st.text(max_size=30), max_size=4))
def test_no_text_raises(question: str, options: list[str]) -> None:
    found = decompose(question, options)
    assert isinstance(found, Decomposition | NotUnderstood)


JUMBLE = words("""
    is it there that the a what which how far from to me i you in image 2 left right behind of sofa door red lamp and
    or , ? : turn walk forward closer closest distance between many do see visible would be now then moved way where on
""")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(JUMBLE), min_size=5, max_size=80), st.integers(1, 30))
def test_telling_words_in_a_heap_are_dealt_with(heap: list[str], times: int) -> None:
    for question in (" ".join(heap), " ".join(heap[:5] * times)):
        found = decompose(question)
        assert isinstance(found, NotUnderstood) or found.validate_against(question) == ()
