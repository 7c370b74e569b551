"""How far an answer is trusted by what it comes from, and what a second opinion does to the first.

Knows confidences. Does not know who gave an opinion, nor how.
"""

from __future__ import annotations

from dataclasses import replace

from placecell.agents.reading import Reading

SURE = 0.9
"""A measured answer at least this sure stands by itself; a closer one is shown to the model with the evidence."""
TRUST_EVIDENCE, TRUST_PHOTOS = 0.7, 0.6
"""Confidence of what a model reads out of measured and rendered evidence, and of pictures alone; not calibrated."""


def agreement(measured: Reading, second: Reading, who: str = "the model, asked for itself,") -> Reading:
    """The measured answer, surer because another reader or way came to it independently: their odds multiply."""
    odds = _odds(measured.confidence) * max(1.0, _odds(second.confidence))
    sure = min(0.99, odds / (1.0 + odds))
    return replace(measured, confidence=sure).noting(f"{who} agrees")


def disagreement(measured: Reading, second: Reading, who: str = "the model") -> Reading:
    """The measured answer, less sure because another reader or way came to another one."""
    odds = _odds(measured.confidence) / max(1.0, _odds(second.confidence))
    return replace(measured, confidence=odds / (1.0 + odds)).noting(f"{who} disagrees: it says {second.text!r}")


def _odds(probability: float) -> float:
    return probability / max(1e-6, 1.0 - probability)
