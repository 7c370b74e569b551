"""What structure from motion measured, as shape alone: memories seen from beside a photo, coloured by distance.

    python benchmarks/shapes.py OUT.png A.pcell B.pcell@7 ... [--turn 12]

``@7`` is the photo to stand beside, else the one of which most has depth.

No pixel of a photo goes into the picture, so that it can be published whatever the photos' licences say.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from PIL import Image, ImageDraw
from scipy.spatial.transform import Rotation

from placecell.engine.views import View
from placecell.geometry.cloud import Cloud, estimate_normals
from placecell.geometry.transforms import compose, rigid
from placecell.memory import storage
from placecell.memory.scene import Frame, SpatialMemory

HEIGHT, COLUMNS, GAP = 220, 3, 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("memories", nargs="+")
    parser.add_argument("--turn", type=float, default=12.0, help="Degrees around what the photo shows.")
    parsed = parser.parse_args()
    tiles = [tile(spec, parsed.turn) for spec in parsed.memories]
    rows = [tiles[i : i + COLUMNS] for i in range(0, len(tiles), COLUMNS)]
    width = max(sum(t.width + GAP for t in row) for row in rows) - GAP
    sheet = Image.new("RGB", (width, len(rows) * (HEIGHT + GAP) - GAP), "white")
    for i, row in enumerate(rows):
        left = 0
        for t in row:
            sheet.paste(t, (left, i * (HEIGHT + GAP)))
            left += t.width + GAP
    sheet.quantize(64).save(parsed.out, optimize=True)


def tile(spec: str, turn: float) -> Image.Image:
    """A memory's shape, turned around what a photo shows."""
    path, _, number = spec.partition("@")
    memory, name = storage.load(Path(path)), Path(path).stem
    best = max((f for f in memory.posed_frames if f.depth is not None), key=known)
    frame = memory.frame(int(number)) if number else best
    assert frame.camera is not None and frame.depth is not None
    pose, depth = frame.camera.world_from_cam, frame.depth.z
    target = pose[:3, 3] + pose[:3, 2] * float(np.median(depth[depth > 0]))
    around = Rotation.from_rotvec(np.radians(turn) * -pose[:3, 1]).as_matrix()
    beside = compose(rigid(around, target - around @ target), pose)
    plain = replace(memory, frames=tuple(replace(f, depth=None) for f in memory.frames), cloud=shaded(memory, beside))
    rgb = View.at(plain, beside, camera=frame.camera, level=False).render(size=512).rgb
    shown = Image.fromarray(rgb)
    shown = shown.resize((round(shown.width * HEIGHT / shown.height), HEIGHT))
    ImageDraw.Draw(shown).text((6, 4), f"{name}, image {frame.number} + {turn:g} deg", "black", stroke_width=2)
    ImageDraw.Draw(shown).text((6, 4), f"{name}, image {frame.number} + {turn:g} deg", "white")
    return shown


def known(frame: Frame) -> float:
    assert frame.depth is not None
    return float((frame.depth.z > 0).mean())


def shaded(memory: SpatialMemory, world_from_cam: np.ndarray) -> Cloud:
    """The cloud coloured by distance from the viewpoint, darker where its surface turns away."""
    cloud = memory.cloud
    sight = cloud.points - world_from_cam[:3, 3]
    distance = np.linalg.norm(sight, axis=1)
    low, high = np.percentile(distance, [2, 98])
    level = np.clip((distance - low) / (high - low) * 255, 0, 255).astype(np.uint8)
    colour = cv2.applyColorMap(level[:, None], cv2.COLORMAP_TURBO)[:, 0, ::-1].astype(float)
    facing = np.abs((estimate_normals(cloud.points).directions * sight).sum(axis=1)) / distance
    return replace(cloud, colors=(colour * (0.35 + 0.65 * facing)[:, None]).astype(np.uint8))


if __name__ == "__main__":
    main()
