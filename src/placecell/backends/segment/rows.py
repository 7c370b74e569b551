"""The segmenters' and trackers' rows in the table of backends, as auto prefers them. Importing this imports no model.

SAM 3 takes a phrase and gives masks. The others are two models each: one finds boxes of a phrase, one draws the mask.
A tracker follows what it finds through a video.
"""

from __future__ import annotations

from placecell.backends.row import Backend, Kind
from placecell.backends.weights import Weights

_SAM3 = Weights("facebook/sam3", "SAM License", size="3.4 GB", gated=True)
_OWLV2 = Weights("google/owlv2-base-patch16-ensemble", "Apache-2.0", size="0.6 GB")
_GROUNDING_DINO = Weights("IDEA-Research/grounding-dino-tiny", "Apache-2.0", size="0.7 GB")
_SAM2 = Weights("facebook/sam2.1-hiera-large", "Apache-2.0", size="0.9 GB")
_SAM = Weights("facebook/sam-vit-base", "Apache-2.0", size="0.4 GB")


def _row(factory: str, what: str, *weights: Weights, kind: Kind = "segmenter") -> Backend:
    """A row named as its factory is."""
    return Backend(
        factory.partition(":")[2].replace("_", "-").lower(),
        what,
        factory=f"placecell.backends.segment.{factory}",
        modules=("torch", "torchvision", "transformers"),
        extra="models",
        weights=weights,
        kind=kind,
    )


ROWS = (
    _row("sam3:Sam3", "phrases: masks of every instance, by SAM 3", _SAM3),
    _row("boxed:groundingdino_sam2", "phrases: boxes by Grounding DINO, their masks by SAM 2", _GROUNDING_DINO, _SAM2),
    _row("boxed:owlv2_sam2", "phrases: boxes by OWLv2, their masks by SAM 2", _OWLV2, _SAM2),
    _row("boxed:groundingdino_sam", "phrases: boxes by Grounding DINO, their masks by SAM", _GROUNDING_DINO, _SAM),
    _row("boxed:owlv2_sam", "phrases: boxes by OWLv2, their masks by SAM", _OWLV2, _SAM),
)
TRACKERS = (_row("sam3_video:sam3_video", "phrases in a video: every instance followed", _SAM3, kind="tracker"),)
WEIGHTS = {row.name: row.weights for row in (*ROWS, *TRACKERS)}
