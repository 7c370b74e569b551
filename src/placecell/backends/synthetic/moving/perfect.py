"""The memory a perfect tracker would build of a synthetic video: true tracks, cameras, and what stands.

Knows: the truth. Does not know: tracking. A wrong answer from it is the language's, the engine's or the reader's fault.
"""

from __future__ import annotations

from importlib import metadata

import numpy as np
from numpy.typing import NDArray

from placecell.backends.synthetic.moving.film import shown, true_tracks, vocabulary
from placecell.backends.synthetic.moving.scene import MovingScene
from placecell.backends.synthetic.scene import SyntheticObject
from placecell.geometry.boxes import gravity_box
from placecell.geometry.cloud import Cloud
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import Alignment, Instance, InstanceView, Provenance, Scale, SpatialMemory
from placecell.memory.track import Track


def perfect_video(scene: MovingScene, video: Reconstruction, tracks: tuple[Track, ...] | None = None) -> SpatialMemory:
    """The memory of a filmed scene in its own world; ``tracks`` take the place of the true ones. Its cloud is empty."""
    if video.labels is None:
        raise ValueError("a video without true masks has no perfect memory")
    owners = [video.labels.frames[f.number].ids for f in video.frames]
    return SpatialMemory(
        frames=video.frames,
        cloud=Cloud.empty(),
        scale=Scale("metric", "synthetic", 0.0),
        alignment=Alignment(np.eye(4), "the scene's own axes", 0.0),
        provenance=Provenance(
            backend="synthetic", placecell=metadata.version("placecell"), settings={**video.settings, "perfect": True}
        ),
        instances=tuple(i for p in scene.props if (i := _instance(scene, p, *shown(owners, p.id))) is not None),
        vocabulary=vocabulary(),
        dynamic=True,
        tracks=true_tracks(scene, video) if tracks is None else tracks,
    )


def _instance(
    scene: MovingScene, prop: SyntheticObject, pixels: NDArray[np.int64], boxes: NDArray[np.int64]
) -> Instance | None:
    seen = np.flatnonzero(pixels).tolist()
    if not seen:
        return None
    views = tuple(InstanceView(k + 1, int(pixels[k]), tuple(boxes[k].tolist())) for k in seen)
    first, last = float(scene.times[seen[0]]), float(scene.times[seen[-1]])
    return Instance(
        prop.id, prop.name, prop.box, gravity_box(prop.box.corners), views=views, first_seen_s=first, last_seen_s=last
    )
