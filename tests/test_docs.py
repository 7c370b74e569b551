"""The written pages: links lead somewhere, commands exist, and the layers drawn are those that are checked."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from placecell.apps.cli import COMMANDS
from placecell.backends import clouds
from placecell.backends.posed.layouts import LAYOUTS
from placecell.memory.interchange.table import FORMATS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_local_link_leads_to_a_file(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_command_shown_exists(page):
    known = set(COMMANDS) | {name.split()[0] for name in COMMANDS}
    for name in re.findall(r"\$ placecell (\w+)", page.read_text(encoding="utf-8")):
        assert name in known


def test_the_readme_sets_up_with_two_commands_that_the_makefile_has():
    commands = re.findall(r"^make (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert commands == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{name}:", makefile, flags=re.MULTILINE) for name in commands)


def test_ci_runs_what_the_readme_says():
    assert (ROOT / ".ci" / "run").read_text(encoding="utf-8").rstrip().endswith("make test test-models")


def test_the_formats_page_lists_every_format_with_its_losses_and_every_layout():
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    for format_ in FORMATS.values():
        assert f"| `{format_.name}` | {format_.what} | {format_.loses} |" in page
    for name in (*(layout.name for layout in LAYOUTS), *clouds.SUFFIXES):
        assert f"\n| `{name}` | " in page


def test_every_layer_that_is_checked_is_drawn_in_its_order():
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    checked = [name.strip().removeprefix("placecell.") for row in contract["layers"] for name in row.split("|")]
    drawing = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").split("```")[1]
    places = [drawing.index(name) for name in checked if name not in ("api", "evaluation")]
    assert places == sorted(places)
