"""A served folder for the tests of ``placecell serve``: a small room as a capture and as a memory."""

from __future__ import annotations

import pytest

from placecell.backends import auto
from placecell.backends.synthetic.capture import default_views, make_room, photograph, write_capture
from placecell.memory import storage


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """``capture`` (24 photos with depth, poses and labels) and ``room.pcell``, made of it."""
    root = tmp_path_factory.mktemp("served")
    room = make_room(3)
    write_capture(photograph(room, default_views(room), size=(160, 120), lit=False), root / "capture")
    memory = auto.build([root / "capture"], labels=root / "capture" / "labels")
    storage.save(memory, root / "room.pcell")
    return root
