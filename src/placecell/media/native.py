"""pycolmap, loaded so that the rest of the process does not suffer from it (as of pycolmap 4.2)."""

from __future__ import annotations

import signal
import threading
from typing import Any


def load_pycolmap() -> Any:
    """The module ``pycolmap``; only from here.

    It brings a zlib of its own, with which Pillow crashes when it saves a PNG, unless Pillow's is bound before. And it
    takes SIGTERM for itself, to print a stack and die; the signal is given back to whom it belonged.
    """
    import PIL._imaging  # noqa: F401

    terminated = signal.getsignal(signal.SIGTERM)
    import pycolmap

    if terminated is not None and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, terminated)
    return pycolmap
