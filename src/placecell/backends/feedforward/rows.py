"""The feed-forward models' rows in the table of backends. Importing this imports no model.

None of their packages is on PyPI in a form that others can live with, so none is an extra: ``setup`` is the line that
installs each, and docs/models.md says what was run.
"""

from __future__ import annotations

from placecell.backends.row import Backend
from placecell.backends.weights import Weights

NOT_STATED = "not stated"
_NC = "CC BY-NC 4.0"
_PI3_CODE = "BSD-3-Clause"
_VGGT_CODE = "VGGT License"
_PI3 = "pip install torch huggingface-hub 'pi3 @ git+https://github.com/yyfz/Pi3'"
_FLOW3R = "git clone https://github.com/Kidrauh/flow3r && export PYTHONPATH=$PWD/flow3r"
_VGGT = (
    "pip install torch torchvision einops huggingface-hub && "
    "pip install --no-deps 'vggt @ git+https://github.com/facebookresearch/vggt'"
)
_DA3 = "pip install --no-deps depth-anything-3, and what it needs (docs/models.md)"
_MAPANYTHING = "pip install 'mapanything @ git+https://github.com/facebookresearch/map-anything'"

_PLAIN = "plain photos or a video"


def _row(factory: str, what: str, module: str, setup: str, code: str, weights: Weights) -> Backend:
    """A row named as its factory is; metric when its ``what`` says metres."""
    return Backend(
        factory.partition(":")[2].replace("_", "-"),
        what,
        factory=f"placecell.backends.feedforward.{factory}",
        modules=("torch", module),
        weights=(weights,),
        code_licence=code,
        needs_gpu=True,
        setup=setup,
        plain=what.startswith(_PLAIN),
        metric="in metres" in what,
    )


def _nc(hub_id: str, size: str) -> Weights:
    return Weights(hub_id, _NC, size=size, non_commercial=True)


# In the order in which auto prefers them: metres first, then by what their papers report.
ROWS = (
    _row("pi3:pi3x", f"{_PLAIN}, in metres, by Pi3X", "pi3", _PI3, _PI3_CODE, _nc("yyfz233/Pi3X", "5.4 GB")),
    _row(
        "mapanything:mapanything",
        f"{_PLAIN}, in metres, by MapAnything",
        "mapanything",
        _MAPANYTHING,
        "Apache-2.0",
        Weights("facebook/map-anything-apache", "Apache-2.0"),
    ),
    _row(
        "mapanything:mapanything_nc",
        f"{_PLAIN}, in metres, by MapAnything's research weights",
        "mapanything",
        _MAPANYTHING,
        "Apache-2.0",
        _nc("facebook/map-anything", ""),
    ),
    _row(
        "depth_anything3:da3_nested",
        f"{_PLAIN}, in metres, by Depth Anything 3 nested",
        "depth_anything_3",
        _DA3,
        "Apache-2.0",
        _nc("depth-anything/DA3NESTED-GIANT-LARGE-1.1", "5.6 GB"),
    ),
    _row("pi3:pi3", f"{_PLAIN}, by Pi3", "pi3", _PI3, _PI3_CODE, _nc("yyfz233/Pi3", "3.8 GB")),
    _row(
        "vggt:vggt_commercial",
        f"{_PLAIN}, by VGGT",
        "vggt",
        _VGGT,
        _VGGT_CODE,
        Weights("facebook/VGGT-1B-Commercial", "VGGT License", size="5 GB", gated=True),
    ),
    _row(
        "vggt:vggt",
        f"{_PLAIN}, by VGGT's research weights",
        "vggt",
        _VGGT,
        _VGGT_CODE,
        _nc("facebook/VGGT-1B", "5 GB"),
    ),
    _row(
        "depth_anything3:da3_giant",
        f"{_PLAIN}, by Depth Anything 3 giant",
        "depth_anything_3",
        _DA3,
        "Apache-2.0",
        _nc("depth-anything/DA3-GIANT-1.1", "4.6 GB"),
    ),
    _row(
        "depth_anything3:da3",
        f"{_PLAIN}, by Depth Anything 3 base",
        "depth_anything_3",
        _DA3,
        "Apache-2.0",
        Weights("depth-anything/DA3-BASE", "Apache-2.0", size="0.5 GB"),
    ),
    _row(
        "pi3:flow3r",
        f"{_PLAIN} with moving things, by Flow3r",
        "flow3r",
        _FLOW3R,
        "MIT",
        Weights("Clara211111/flow3r", NOT_STATED, files=("flow3r.bin",)),
    ),
    _row(
        "depth_anything3:da3_metric",
        "one photo with a known focal length, in metres, by Depth Anything 3 metric",
        "depth_anything_3",
        _DA3,
        "Apache-2.0",
        Weights("depth-anything/DA3METRIC-LARGE", "Apache-2.0", size="1.4 GB"),
    ),
)
