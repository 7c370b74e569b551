"""GLB, for whatever shows glTF: the points, and each object's box as lines under its name. Needs the extra [mesh].

glTF's world is +y up and in metres, as the memory's own. Lost: pictures, cameras, depth, and everything but the names
and boxes of objects.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from placecell.errors import BackendUnavailable, UserError
from placecell.memory.interchange.content import Content, Files

MOST_POINTS = 5_000_000
_EDGES = ((0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 6), (5, 7), (6, 7))


def glb(content: Content) -> Files:
    """One file ``scene.glb``; of very many points, every second, third, ... is kept.

    Raises:
        UserError: there are neither points nor boxes.
    """
    if not len(content.cloud) and not content.boxes:
        raise UserError("GLB holds points and boxes, and this memory has neither", hint="write --to rrd or nerfstudio")
    try:
        trimesh: Any = importlib.import_module("trimesh")
    except ImportError:
        raise BackendUnavailable("GLB needs trimesh: pip install 'placecell[mesh]'") from None
    scene = trimesh.Scene()
    cloud = content.cloud
    step = max(1, -(-len(cloud) // MOST_POINTS))
    if len(cloud):
        opaque = np.full((len(cloud.points[::step]), 1), 255, np.uint8)
        colors = np.hstack([cloud.colors[::step], opaque])
        scene.add_geometry(trimesh.PointCloud(cloud.points[::step], colors), node_name="points")
    for number, (name, box) in enumerate(content.boxes, 1):
        lines = trimesh.load_path(np.array([[box.corners[a], box.corners[b]] for a, b in _EDGES]))
        scene.add_geometry(lines, node_name=f"{name} {number}", geom_name=f"{name} {number}")
    yield "scene.glb", scene.export(file_type="glb")
