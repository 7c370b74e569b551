"""The comparison with the paper's rules names rules that exist, and leaves none of theirs out."""

import re
from pathlib import Path

import pytest

from placecell.language.rewrite import REWRITES
from placecell.language.rules.book import RULES

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "rules-compared.md").read_text(encoding="utf-8")
THEIRS = [
    *(f"SYN-{n:02d}" for n in (*range(1, 11), *range(12, 17))), "SYN-11a", "SYN-11b",
    *(f"TOOL-{n:02d}" for n in range(1, 20)),
    *(f"DEP-{n:02d}" for n in range(1, 5)),
    *(f"VIEW-{n:02d}" for n in range(1, 4)),
    "EXEC-01", "EXEC-02",
    *(f"PLAN-{n:02d}" for n in range(1, 7)),
    *(f"REP-{n}" for n in range(6)),
]  # fmt: skip


@pytest.mark.parametrize("name", THEIRS)
def test_every_rule_of_the_other_verifier_has_a_row(name):
    assert re.search(rf"^\| {name}( \(off\))? \|", PAGE, re.MULTILINE)


def test_every_code_on_the_page_is_a_rule():
    mentioned = set(re.findall(r"\b[STDVEP]\d{3}\b", PAGE))
    assert mentioned <= set(RULES)
    assert len(mentioned) > 50


def test_every_rewrite_is_named():
    for rule in REWRITES:
        assert f"`{rule.__name__.replace('_', ' ')}`" in PAGE
