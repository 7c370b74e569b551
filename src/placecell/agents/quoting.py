"""Text of others put before a model: marked as data, so that it cannot pass for an instruction.

Questions, labels, file names and text found in pictures go through here on their way into a prompt.
"""

from __future__ import annotations

import unicodedata

_ESCAPES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;"})


def as_data(tag: str, text: str) -> str:
    """``<tag>text</tag>`` with the text's own angle brackets escaped, so that it cannot close the tag.

    Control and format characters, which can hide text from a person but not from a model, are taken out.
    """
    return f"<{tag}>\n{plain(text).translate(_ESCAPES)}\n</{tag}>"


def as_list(tag: str, items: list[str]) -> str:
    """Each item on its own line inside one tag, line breaks within an item made spaces."""
    return as_data(tag, "\n".join(" ".join(item.split()) for item in items))


def writable(text: str) -> str:
    """The text as UTF-8 can hold it: half a surrogate pair, from a model's JSON or a terminal's bytes, becomes "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")


def plain(text: str) -> str:
    """The text without control and format characters other than line breaks and tabs."""
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Co", "Cn", "Cs"))
