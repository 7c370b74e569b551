"""What a reply means, for those who measure a model and not its manners: read like a reply to placecell itself.

Nothing is guessed (``agents.reply``): a reply that names two options, or none, is wrong. The published rules differ by
what they miss and what they guess; a figure of these scorers compares with theirs only beside theirs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from placecell.agents.questions.options import RawOption
from placecell.agents.reply import read_reply
from placecell.evaluation.benchmarks.sample import LETTERS, bare
from placecell.evaluation.scoring.accuracy import mean_relative_accuracy
from placecell.evaluation.scoring.letters import truth_letter
from placecell.evaluation.scoring.scorer import Score
from placecell.language.decomposition import Unit

_UNNAMED = 4
"""Options taken to be offered when the line does not say how many; more when the truth is a later letter."""


def choice(reply: str, truth: str, options: Sequence[str], unit: Unit | None) -> Score:
    """The option a reply names, by letter or by text when the texts are given; of two equal texts either counts."""
    right = truth_letter(truth)
    texts = [bare(option) for option in options] or [""] * max(_UNNAMED, LETTERS.index(right) + 1)
    offered = tuple(RawOption(letter, text) for letter, text in zip(LETTERS, texts, strict=False))
    chosen = read_reply(reply, offered).option
    if chosen is None:
        return Score(0.0)
    wanted = next((option for option in offered if option.letter == right), None)
    if wanted is None:
        raise ValueError(f"{truth!r} is none of the {len(offered)} options")
    same = chosen.letter == right or (bool(chosen.text) and chosen.text == wanted.text)
    return Score(float(same), chosen.letter)


def number(reply: str, truth: str, options: Sequence[str], unit: Unit | None) -> Score:
    """Mean relative accuracy of the number a reply gives: words, fractions and ranges too, converted to ``unit``.

    Without ``unit`` only a bare number is one: nobody knows whether "230 cm" means 230 or 2.3.
    """
    value = read_reply(reply, unit=unit, number=True).value
    known = value is not None and math.isfinite(value)
    return Score(mean_relative_accuracy(value, float(truth)), value if known else None)
