"""Every scorer by name. A figure is worth nothing without the name of the rule that made it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from placecell.errors import UserError
from placecell.evaluation.scoring import letters, numbers, robust, spar
from placecell.evaluation.scoring.accuracy import mean_relative_accuracy
from placecell.evaluation.scoring.mindcube import mindcube
from placecell.evaluation.scoring.scorer import Score, Scorer
from placecell.evaluation.scoring.vlmevalkit import vlmevalkit
from placecell.language.decomposition import Unit


def _mra(reply: str, truth: str) -> Score:
    """Mean relative accuracy of a bare number."""
    try:
        value = float(reply)
    except ValueError:
        return Score(0.0)
    return Score(mean_relative_accuracy(value, float(truth)), value if math.isfinite(value) else None)


def _blink(reply: str, truth: str, options: Sequence[str], unit: Unit | None) -> Score:
    """BLINK's reading depends on how many options were offered; five where the line does not say."""
    letter = letters.blink_official(reply, len(options) or 5)
    return letters.scored(lambda _: letter)(reply, truth)


def _published(name: str, kind: Literal["choice", "number"], source: str, rule: Callable[[str, str], Score]) -> Scorer:
    return Scorer(name, kind, source, lambda reply, truth, options, unit: rule(reply, truth))


_ALL = (
    _published("vsi_official_mca", "choice", "thinking-in-space 51e089c", letters.vsi_official),
    _published("vsi_official_na", "number", "thinking-in-space 51e089c", numbers.scored(numbers.vsi_official)),
    _published("vsi_lmms_eval_main_na", "number", "lmms-eval 75571cf", numbers.scored(numbers.lmms_eval_main)),
    _published("vsi_vlmevalkit_na", "number", "VLMEvalKit e8e78f0", numbers.scored(numbers.vlmevalkit)),
    _published("mra", "number", "thinking-in-space 51e089c, the number alone", _mra),
    _published("mindcube_official", "choice", "MindCube 6d8fd9a", letters.scored(mindcube)),
    Scorer("blink_official", "choice", "BLINK 2d6a779, without its language model", _blink),
    _published("blink_lmms_eval", "choice", "lmms-eval 75571cf", letters.scored(letters.blink_lmms_eval)),
    _published("mmsi_lmms_eval", "choice", "lmms-eval 75571cf", letters.scored(letters.mmsi)),
    _published("viewspatial_lmms_eval", "choice", "lmms-eval 75571cf", letters.scored(letters.viewspatial)),
    _published("vlmevalkit_mcq", "choice", "VLMEvalKit e8e78f0", letters.scored(vlmevalkit)),
    _published(
        "vlm4d_rule", "choice", "the form VLM4D's prompt asks for (its judge is a model)", letters.scored(letters.vlm4d)
    ),
    _published("omnispatial_re", "choice", "OmniSpatial 208bac2", letters.scored(letters.omnispatial)),
    _published("spar_lmms_eval_choice", "choice", "lmms-eval 1741440", spar.choice),
    _published("spar_lmms_eval_number", "number", "lmms-eval 1741440, one picture", spar.number_first),
    _published("spar_lmms_eval_number_mv", "number", "lmms-eval 1741440, several pictures", spar.number_last),
    Scorer("robust_choice", "choice", "placecell: the option the reply means", robust.choice),
    Scorer("robust_number", "number", "placecell: the number the reply means", robust.number),
)
SCORERS: Mapping[str, Scorer] = {scorer.name: scorer for scorer in _ALL}


def find_scorer(name: str) -> Scorer:
    """The scorer of this name. UserError with the names there are."""
    if name not in SCORERS:
        raise UserError(f"there is no scorer {name!r}", hint=f"choose {', '.join(sorted(SCORERS))}")
    return SCORERS[name]
