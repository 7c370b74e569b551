"""The side that asking words name: "on my left-hand side", "behind", "straight ahead of me"."""

from __future__ import annotations

from placecell.language.decomposition import Side

_WORDS: dict[str, Side] = {
    "front-left": "front-left", "front-right": "front-right", "back-left": "back-left", "back-right": "back-right",
    "left": "left", "left-hand": "left", "right": "right", "right-hand": "right",
    "behind": "back", "back": "back", "rear": "back", "past": "back", "beyond": "back",
    "in_front_of": "front", "ahead": "front", "front": "front", "before": "front", "opposite": "front",
    "above": "up", "over": "up", "overhead": "up",
    "below": "down", "under": "down", "beneath": "down", "underneath": "down",
}  # fmt: skip


def side_of(words: str) -> Side | None:
    """The one side that ``words`` name, None for none or several ("straight right" is right)."""
    found = {_WORDS[word] for word in words.split() if word in _WORDS}
    if len(found) == 2 and "front" in found and "straight" in words:
        found.discard("front")
    return found.pop() if len(found) == 1 else None
