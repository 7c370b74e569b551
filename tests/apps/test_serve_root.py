"""The served folder: which names of a client become paths, and which never do."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.apps.mcp.root import Root
from placecell.errors import UserError


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A root with a capture, beside things that are nobody's business."""
    above = tmp_path_factory.mktemp("place")
    root = above / "root"
    for folder in (root / "capture", above / "root-sibling", above / "secret"):
        folder.mkdir(parents=True)
        (folder / "a.png").write_bytes(b"x")
    (root / "room.pcell").write_bytes(b"x")
    (above / "secret" / "room.pcell").write_bytes(b"x")
    (root / "to-file").symlink_to(above / "secret" / "a.png")
    (root / "to-folder").symlink_to(above / "secret")
    (root / "to-inside").symlink_to(root / "capture")
    (root / "loop").symlink_to(root / "loop")
    return root


OUTSIDE = [
    "..",
    "../secret/a.png",
    "capture/../../secret",
    "../root-sibling/a.png",
    "/etc/passwd",
    "to-file",
    "to-folder/a.png",
    "to-folder/not-there-yet.pcell",
    "../not-there-yet.pcell",
    "to-folder/../root-sibling",
]


@pytest.mark.parametrize("name", OUTSIDE)
def test_what_lies_outside_is_refused_whether_it_exists_or_not(place, name):
    with pytest.raises(UserError, match="outside the served folder"):
        Root(place).inside(name)


@pytest.mark.parametrize("name", ["", " ", "a\0b", "a\nb", "x" * 1001, "y" * 300, "loop/x"])
def test_what_is_no_usable_path_is_an_error_and_nothing_else(place, name):
    root = Root(place)
    with pytest.raises(UserError):
        root.memory(name)


@pytest.mark.parametrize("name", ["capture", "./capture", "capture/../capture", "new/room.pcell", "to-inside"])
def test_what_lies_inside_is_found_whether_it_exists_or_not(place, name):
    assert Root(place).inside(name).is_relative_to(place.resolve())


def test_an_absolute_path_inside_and_a_root_reached_over_a_link_mean_the_same_file(place):
    assert Root(place).inside(str(place / "room.pcell")) == place.resolve() / "room.pcell"
    link = place.parent / "link-to-root"
    link.symlink_to(place)
    assert Root(link).memory("room.pcell") == place.resolve() / "room.pcell"


@given(st.lists(st.sampled_from(["..", ".", "capture", "to-folder", "to-inside", "root", "x", "/"]), max_size=8))
def test_no_path_leads_out(place, parts):
    root = Root(place)
    try:
        found = root.inside("/".join(parts))
    except UserError:
        return
    assert found == root.path or root.path in found.parents


def test_a_capture_with_a_link_that_leads_out_is_no_source(place):
    capture = place / "linked"
    capture.mkdir()
    (capture / "b.png").symlink_to(place / "capture" / "a.png")
    assert Root(place).source("linked") == capture.resolve()
    (capture / "c.png").symlink_to(place.parent / "secret" / "a.png")
    with pytest.raises(UserError, match="outside"):
        Root(place).source("linked")


def test_listing_follows_no_link_and_shows_nothing_hidden(place):
    (place / ".hidden").mkdir()
    (place / ".hidden" / "h.pcell").write_bytes(b"x")
    (place / "linked.pcell").symlink_to(place.parent / "secret" / "room.pcell")
    root = Root(place)
    assert [root.name(p) for p in root.memories(10)] == ["room.pcell"]
    assert not any(name.startswith(".") for name in root.top(100))


def test_messages_do_not_say_where_the_root_is(place):
    root = Root(place)
    assert root.hidden(f"{root.path}{os.sep}room.pcell is damaged") == "room.pcell is damaged"


CONFINED = """
import sys
from pathlib import Path
from placecell.apps.mcp.confinement import confine
root, work = Path(sys.argv[1]), Path(sys.argv[2])
confine(root, work)
def tried(path, mode="rb"):
    try:
        path.open(mode).close()
        return "yes"
    except PermissionError:
        return "no"
(work / "w").write_bytes(b"x")
print(tried(root / "capture" / "a.png"), tried(root / "to-file"), tried(root.parent / "secret" / "a.png"),
      tried(root.parent / "root-sibling" / "a.png"), tried(root / "new", "wb"), tried(work / "w", "r+b"))
import json, email.mime.text
"""


def test_a_confined_process_reads_the_root_writes_its_work_folder_and_nothing_else(place, tmp_path):
    said = subprocess.run(
        [sys.executable, "-c", CONFINED, str(place), str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["yes", "no", "no", "no", "no", "yes"]
    assert not (place / "new").exists()
