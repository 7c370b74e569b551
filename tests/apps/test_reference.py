"""The generated pages say what the code says."""

from __future__ import annotations

from pathlib import Path

import pytest

from placecell.apps.reference import pages

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name", sorted(pages()))
def test_a_generated_page_is_up_to_date(name):
    assert (DOCS / name).read_text(encoding="utf-8") == pages()[name], "run: make docs"
