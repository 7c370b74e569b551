"""Annotations as a perfect memory: boxes without photos, or cameras known by a stated rule.

Knows how an annotation becomes a memory, and how one is named: ``oracle:FILE`` or ``oracle:FILE#SCENE``. Does not know
the file formats (``oracle_files``). What no file states (depth, points, time) stays unknown.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from placecell.backends.oracle_files import Annotation, Read, scenes
from placecell.errors import UserError
from placecell.geometry.boxes import gravity_box
from placecell.geometry.cloud import Cloud
from placecell.geometry.transforms import rigid
from placecell.memory.scene import Alignment, Frame, Instance, Layout, Provenance, Scale, SpatialMemory

PREFIX = "oracle:"


def load_spec(spec: str) -> SpatialMemory:
    """The memory named by ``oracle:FILE`` (a file of one scene) or ``oracle:FILE#SCENE``.

    Raises:
        UserError: no such file or scene, several scenes and none named, or a file that is none of the known formats.
    """
    file, _, scene = spec.removeprefix(PREFIX).partition("#")
    if not spec.startswith(PREFIX) or not file:
        raise UserError(f"{spec!r} names no annotation file", hint="write oracle:FILE#SCENE")
    return load_oracle(Path(file), scene or None)


def load_oracle(path: Path, scene: str | None = None) -> SpatialMemory:
    """The memory of one scene of an annotation file; ``scene`` may be left out when there is only one.

    Raises:
        UserError: as `load_spec`.
    """
    known = _scenes(path)
    if scene is None and len(known) == 1:
        scene = next(iter(known))
    if scene is None:
        raise UserError(f"{path} holds {len(known)} scenes", hint=f"name one: {PREFIX}{path}#{min(known, default='')}")
    if scene not in known:
        near = difflib.get_close_matches(scene, known, n=3, cutoff=0.5) or sorted(known)[:3]
        raise UserError(f"{path} has no scene {scene!r}", hint=f"did you mean {', '.join(near)}? It has {len(known)}")
    return _memory(known[scene](), path)


def _scenes(path: Path) -> Mapping[str, Read]:
    """The scenes of a file, which is read once for all of them, and again when it has changed."""
    if not path.is_file():
        return scenes(path)
    status = path.stat()
    return _read(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int) -> Mapping[str, Read]:
    return scenes(path)


def load_all(path: Path) -> Iterator[tuple[str, SpatialMemory]]:
    """Every scene of an annotation file with its name, one at a time."""
    for name, read in scenes(path).items():
        yield name, _memory(read(), path)


def _memory(annotation: Annotation, path: Path) -> SpatialMemory:
    upright = [b.box.moved(annotation.world_from_file) for b in annotation.boxes]
    floor = min((float(box.corners[:, 1].min()) for box in upright), default=0.0) if annotation.metric else 0.0
    to_floor = rigid(translation=np.array([0.0, -floor, 0.0]))
    world_from_file = to_floor @ annotation.world_from_file
    instances = []
    for number, (named, box) in enumerate(zip(annotation.boxes, upright, strict=True), 1):
        moved = box.moved(to_floor)
        front = None if named.front is None else world_from_file[:3, :3] @ named.front
        instances.append(Instance(number, named.name, moved, gravity_box(moved.corners), front=front))
    return SpatialMemory(
        frames=tuple(_moved(f, world_from_file) for f in annotation.frames),
        cloud=Cloud.empty(),
        scale=Scale("metric", "annotation", 0.0) if annotation.metric else Scale(),
        alignment=Alignment(world_from_file, "annotation: its up axis, floor at the lowest box"),
        provenance=Provenance(
            backend="oracle",
            placecell=metadata.version("placecell"),
            settings={"scene": annotation.scene},
            sources=(path.name,),
            notes=annotation.notes,
        ),
        instances=tuple(instances),
        vocabulary=annotation.vocabulary | {b.name for b in annotation.boxes},
        layout=Layout(floor_area=annotation.floor_area),
    )


def _moved(frame: Frame, world_from_file: NDArray[np.float64]) -> Frame:
    if frame.camera is None:
        return frame
    return replace(frame, camera=frame.camera.posed(world_from_file @ frame.camera.world_from_cam))
