"""What ``placecell doctor`` looks at. Knows names of keys, never their values."""

from __future__ import annotations

import importlib
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata


@dataclass(frozen=True)
class Finding:
    """One thing that was checked; ``fix`` is the line that mends it, or how to get an optional part."""

    check: str
    ok: bool
    found: str
    fix: str | None = None


CORE = (
    "numpy",
    "scipy",
    "numba",
    "pillow",
    "av",
    "pycolmap",
    "opencv-python-headless",
    "pydantic",
    "safetensors",
    "OpenEXR",
)
OPTIONAL = {
    "pillow-heif": "heif",
    "pydantic-ai-slim": "vlm",
    "inspect-ai": "eval",
    "ray": "ray",
    "torch": "models",
    "trl": "train",
    "mcp": "mcp",
    "viser": "viewer",
    "rerun-sdk": "rerun",
    "trimesh": "mesh",
}
_REPORT = "this is a bug: report it with the versions above"
KEYS = ("OPENAI_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "ANTHROPIC_API_KEY", "PLACECELL_API_KEY")


def examine() -> Iterator[Finding]:
    """Every check, in the order they are shown."""
    yield Finding("placecell", True, metadata.version("placecell"))
    supported = sys.version_info >= (3, 11)
    yield Finding("python", supported, platform.python_version(), None if supported else "install Python 3.11 or newer")
    for name in CORE:
        yield _package(name)
    for name, extra in OPTIONAL.items():
        found = _version(name)
        yield Finding(name, True, found or "not installed (optional)", None if found else _install(extra))
    yield _kernels()
    yield Finding("processor", True, f"{os.cpu_count()} cores; {_gpu()}")
    free = shutil.disk_usage(".").free / 1e9
    yield Finding("disk", free > 1, f"{free:.1f} GB free here", None if free > 1 else "free some space")
    yield from _models()


def _models() -> Iterator[Finding]:
    """What a vision-language model would need: keys by name, a server's address, and whether it may be reached."""
    from placecell.agents.models.names import is_loopback
    from placecell.agents.models.settings import is_offline
    from placecell.agents.redaction import redactor

    keys = [k for k in KEYS if os.environ.get(k)]
    yield Finding("keys", True, f"{', '.join(keys)} set" if keys else "none set; needed by cloud models only")
    url = os.environ.get("PLACECELL_BASE_URL")
    if url:
        place = "on this machine" if is_loopback(url) else "beyond this machine"
        yield Finding("model server", True, f"{redactor()(url)} (PLACECELL_BASE_URL, {place})")
    offline = is_offline()
    allowed = "offline: nothing beyond this machine is reached (PLACECELL_OFFLINE)"
    yield Finding("network", True, allowed if offline else "used only when a cloud model or another machine is named")


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _install(extra: str) -> str:
    return f"pip install 'placecell[{extra}]'"


def _package(name: str) -> Finding:
    found = _version(name)
    return Finding(name, found is not None, found or "missing", None if found else "pip install --upgrade placecell")


def _kernels() -> Finding:
    """Whether numba can compile here and keep what it compiled."""
    import numpy as np

    from placecell.geometry.boxes import OrientedBox
    from placecell.geometry.proximity import closest_points

    cube, away = (OrientedBox(np.array([x, 0.0, 0.0]), np.eye(3), np.ones(3)) for x in (0.0, 3.0))
    works = closest_points(cube, away).distance == 2.0
    return Finding("compiled kernels", works, "work" if works else "give wrong results", None if works else _REPORT)


def _gpu() -> str:
    if importlib.util.find_spec("torch") is None:
        return "no torch, so no GPU is used"
    torch = importlib.import_module("torch")
    return str(torch.cuda.get_device_name(0)) if torch.cuda.is_available() else "torch without a GPU"
