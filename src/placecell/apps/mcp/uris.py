"""Addresses of resources, written and read in one place.

placecell://memories/PATH/manifest        what a memory holds, JSON
placecell://memories/PATH/top-view        a plan from above
placecell://memories/PATH/frames/NUMBER   a photo
placecell://traces/ID                     how a question was answered, HTML
placecell://language                      how programs are written
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, unquote

TEMPLATES = {
    "manifest": "placecell://memories/{+memory}/manifest",
    "top-view": "placecell://memories/{+memory}/top-view",
    "frame": "placecell://memories/{+memory}/frames/{number}",
    "trace": "placecell://traces/{id}",
}
LANGUAGE = "placecell://language"
_MEMORY = re.compile(r"placecell://memories/(.+)/(manifest|top-view|frames/([1-9][0-9]{0,6}))")
_TRACE = re.compile(r"placecell://traces/([0-9a-f]{16})")


@dataclass(frozen=True)
class Wanted:
    """What an address names: ``name`` is a memory's path, or a trace's id."""

    kind: Literal["manifest", "top-view", "frame", "trace", "language"]
    name: str = ""
    number: int = 0


def parse(uri: str) -> Wanted | None:
    """What an address names, None when it is none of ours."""
    if uri == LANGUAGE:
        return Wanted("language")
    if found := _TRACE.fullmatch(uri):
        return Wanted("trace", found[1])
    found = _MEMORY.fullmatch(uri)
    if found is None:
        return None
    name = unquote(found[1])
    if found[3]:
        return Wanted("frame", name, int(found[3]))
    return Wanted("manifest" if found[2] == "manifest" else "top-view", name)


def memory_uris(name: str) -> tuple[str, str]:
    """Manifest and top view of a memory."""
    base = f"placecell://memories/{quote(name)}"
    return f"{base}/manifest", f"{base}/top-view"


def trace_uri(id: str) -> str:
    """How a question was answered."""
    return f"placecell://traces/{id}"
