"""HTML that cannot be broken by what is put into it: every text is escaped unless it was made here.

>>> tag("p", "a < b & ", tag("b", "c"), class_="note")
'<p class="note">a &lt; b &amp; <b>c</b></p>'
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

_VOID = frozenset({"br", "hr", "img", "meta"})
_UNSHOWN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]|[\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that turn the reading direction: they would show a text as what it is not."""


class Markup(str):
    """Text that is HTML already. Only ``tag`` and ``join`` make it."""

    __slots__ = ()


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """An element. Children that are not ``Markup`` are escaped, None is left out.

    Attributes: ``class_`` stands for class, ``view_box`` for viewBox, other underscores for hyphens; True is an
    attribute without a value, None and False leave it out.
    """
    said = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    inner = join(children)
    return Markup(f"<{name}{said}>" if name in _VOID else f"<{name}{said}>{inner}</{name}>")


def join(children: Iterable[object]) -> Markup:
    """Children one after the other, escaped unless they are ``Markup``; None is left out."""
    return Markup("".join(c if isinstance(c, Markup) else _escaped(str(c)) for c in children if c is not None))


def _attribute(key: str, value: object) -> str:
    name = {"class_": "class", "view_box": "viewBox"}.get(key, key.replace("_", "-"))
    if isinstance(value, bool):
        return f" {name}" if value else ""
    return f' {name}="{_escaped(str(value))}"'


def _escaped(text: str) -> str:
    return html.escape(_UNSHOWN.sub("\ufffd", text.replace("\r\n", "\n")), quote=True)
