"""Loading pycolmap takes nothing from the process that loads it."""

from __future__ import annotations

import subprocess
import sys

_TERMINATED = """
import signal
from placecell.media.native import load_pycolmap
signal.signal(signal.SIGTERM, lambda *_: print("heard"))
load_pycolmap()
signal.raise_signal(signal.SIGTERM)
"""


def test_who_listened_for_sigterm_still_does():
    done = subprocess.run([sys.executable, "-c", _TERMINATED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "heard\n", "")
