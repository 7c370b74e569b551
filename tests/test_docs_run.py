"""What the pages of the site tell people to type is typed here, in their order, on a small synthetic room.

``console`` blocks are run, and lines shown below a command must be said by it, numbers aside. ``python`` blocks are
run, one after the other in one session. Commands in other blocks need weights, servers or a browser: they are parsed.
"""

from __future__ import annotations

import json
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml
from PIL import Image
from typer.testing import CliRunner

from placecell.apps.cli import app
from placecell.backends.synthetic.capture import make_room, photograph, write_capture
from placecell.backends.synthetic.path import around, orbit

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^(?:\$ )?(placecell .*)$", re.MULTILINE)
SHELL = re.compile(r" (?:&&|\||>) ")
NUMBER = re.compile(r"\d[\d.,]*")
RUN = ["tour.md", *sorted(p.relative_to(DOCS).as_posix() for p in (DOCS / "howto").glob("*.md"))]
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


@pytest.fixture(scope="module")
def captures(tmp_path_factory):
    """What a reader has: the capture of the demo, a scan of their own, photos of their own."""
    folder = tmp_path_factory.mktemp("captures")
    room = make_room(7)
    write_capture(photograph(room, around(room, 12), size=(160, 120), lit=False), folder / "my_scan")
    (folder / "demo-out").mkdir()
    shutil.copytree(folder / "my_scan", folder / "demo-out" / "capture")
    room = make_room(4)
    target = max((o for o in room.objects if o.mount == "floor"), key=lambda o: o.box.size.prod())
    (folder / "my_photos").mkdir()
    for frame in photograph(room, orbit(target, 5, arc=32.0), size=(320, 240)).frames:
        Image.fromarray(frame.rgb).save(folder / "my_photos" / f"{frame.number}.jpg", quality=95)
    return folder


def said_by(line):
    result = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
    assert result.exit_code == 0, f"{line}: exit {result.exit_code}\n{result.output}\n{result.exception!r}"
    return NUMBER.sub("N", result.output)


def run_console(block):
    said = ""
    for line in block.splitlines():
        if line.startswith("$ "):
            said = said_by(line.removeprefix("$ "))
        else:
            for part in filter(None, line.split("...")):
                assert NUMBER.sub("N", part).strip() in said, f"{part!r} is not said:\n{said}"


def run_python(code, names, path):
    path.write_text(code, encoding="utf-8")
    return runpy.run_path(str(path), init_globals=names)


@pytest.mark.parametrize("page", RUN)
def test_what_a_page_shows_is_what_happens(captures, tmp_path, monkeypatch, page):
    shutil.copytree(captures, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    names = {}
    blocks = BLOCK.findall((DOCS / page).read_text(encoding="utf-8"))
    for language, block in blocks:
        if language == "console":
            run_console(block)
        elif language == "python":
            names = run_python(block, names, tmp_path / "block.py")
    assert {"console", "python"} & {language for language, _ in blocks}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_every_command_shown_is_accepted_with_its_options(page):
    for _, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        lines = COMMAND.findall(block.replace("\\\n", " "))
        parts = [part for line in lines for part in SHELL.split(line) if part.startswith("placecell ")]
        for part in parts:
            words = shlex.split(part, comments=True)[1:]
            command = typer.main.get_command(app)
            context = command.make_context("placecell", words)
            while hasattr(command, "resolve_command"):
                name, command, rest = command.resolve_command(context, [*context._protected_args, *context.args])
                context = command.make_context(name, rest, parent=context)


def test_the_notebook_says_what_its_cells_say_when_they_are_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names = {}
    cells = json.loads((DOCS / "tour.ipynb").read_text(encoding="utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert len(code) > 4
    for cell in code:
        names = run_python("".join(cell["source"]), names, tmp_path / "cell.py")
        shown = "".join(line for o in cell["outputs"] if o["output_type"] == "stream" for line in o["text"])
        assert NUMBER.sub("N", capsys.readouterr().out) == NUMBER.sub("N", shown)


def test_the_site_builds_and_every_page_is_in_its_menu(tmp_path):
    config = ROOT / "mkdocs.yml"
    menu = [page for part in yaml.safe_load(config.read_text())["nav"] for pages in part.values() for page in pages]
    assert sorted(menu) == sorted(p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")), "add it to mkdocs.yml"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", config, "-d", tmp_path / "site"]
    built = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert built.returncode == 0, built.stderr
    assert "Five-minute tour" in (tmp_path / "site" / "tour.html").read_text(encoding="utf-8")
