"""Every scorer by name. A figure is worth nothing without the name of the rule that made it."""

from __future__ import annotations

import math
from collections.abc import Mapping

from placecell.errors import UserError
from placecell.evaluation.scoring import letters, numbers
from placecell.evaluation.scoring.accuracy import mean_relative_accuracy
from placecell.evaluation.scoring.mindcube import mindcube
from placecell.evaluation.scoring.scorer import Score, Scorer
from placecell.evaluation.scoring.vlmevalkit import vlmevalkit


def _mra(reply: str, truth: str) -> Score:
    """Mean relative accuracy of a bare number."""
    try:
        value = float(reply)
    except ValueError:
        return Score(0.0)
    return Score(mean_relative_accuracy(value, float(truth)), value if math.isfinite(value) else None)


_ALL = (
    Scorer("vsi_official_mca", "choice", "thinking-in-space 51e089c", letters.vsi_official),
    Scorer("vsi_official_na", "number", "thinking-in-space 51e089c", numbers.scored(numbers.vsi_official)),
    Scorer("vsi_lmms_eval_main_na", "number", "lmms-eval 75571cf", numbers.scored(numbers.lmms_eval_main)),
    Scorer("vsi_vlmevalkit_na", "number", "VLMEvalKit e8e78f0", numbers.scored(numbers.vlmevalkit)),
    Scorer("mra", "number", "thinking-in-space 51e089c, the number alone", _mra),
    Scorer("mindcube_official", "choice", "MindCube 6d8fd9a", letters.scored(mindcube)),
    Scorer(
        "blink_official", "choice", "BLINK 2d6a779, without its language model", letters.scored(letters.blink_official)
    ),
    Scorer("blink_lmms_eval", "choice", "lmms-eval 75571cf", letters.scored(letters.blink_lmms_eval)),
    Scorer("mmsi_lmms_eval", "choice", "lmms-eval 75571cf", letters.scored(letters.mmsi)),
    Scorer("viewspatial_lmms_eval", "choice", "lmms-eval 75571cf", letters.scored(letters.viewspatial)),
    Scorer("vlmevalkit_mcq", "choice", "VLMEvalKit e8e78f0", letters.scored(vlmevalkit)),
    Scorer(
        "vlm4d_rule", "choice", "the form VLM4D's prompt asks for (its judge is a model)", letters.scored(letters.vlm4d)
    ),
    Scorer("omnispatial_re", "choice", "OmniSpatial 208bac2", letters.scored(letters.omnispatial)),
)
SCORERS: Mapping[str, Scorer] = {scorer.name: scorer for scorer in _ALL}


def find_scorer(name: str) -> Scorer:
    """The scorer of this name. UserError with the names there are."""
    if name not in SCORERS:
        raise UserError(f"there is no scorer {name!r}", hint=f"choose {', '.join(sorted(SCORERS))}")
    return SCORERS[name]
