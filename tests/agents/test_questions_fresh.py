"""Questions as people type them, in batches written before their first run: what is understood is understood right.

``wordings/fresh/*.toml`` gives each question what matters of its decomposition, or "refused". A question may stay not
understood; a wrong decomposition is never accepted.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from test_questions_wordings import summary

from placecell.agents.questions.decompose import Understood, understand

BATCHES = sorted((Path(__file__).parent / "wordings" / "fresh").glob("*.toml"))
SHARE = 0.95
"""Of the questions of a batch that are to be understood. First-sight shares are in the files."""


def _questions(batch: Path) -> list[dict[str, Any]]:
    return list(tomllib.loads(batch.read_text(encoding="utf-8"))["questions"])


@pytest.mark.parametrize("batch", BATCHES, ids=lambda batch: batch.stem)
def test_nothing_is_understood_wrongly_and_nearly_everything_is_understood(batch: Path) -> None:
    wrong, missed, asked = [], [], 0
    for case in _questions(batch):
        question, options, want = case["ask"], case.get("options", ()), case["want"]
        found = understand(question, options)
        asked += want != "refused"
        if not isinstance(found, Understood):
            missed += [question] if want != "refused" else []
            continue
        got = summary(found.decomposition)
        problems = found.decomposition.validate_against(question, options)
        if want == "refused" or problems or any(got[key] != value for key, value in want.items()):
            wrong.append((question, got, problems))
    assert wrong == []
    assert len(missed) <= (1 - SHARE) * asked, missed
