"""From what a reconstructor found to a memory: check it, turn it upright, fuse it, and name its objects.

Knows reconstructions in any frame and unit. Does not know files, models or backends. Nothing is repaired silently: what
was measured, thrown away or found odd stands in ``provenance.notes``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from importlib import metadata
from typing import Any

import numpy as np

from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.cloud import Cloud, robust_extent
from placecell.geometry.footprint import footprint
from placecell.geometry.storey import even_surfaces, levels_of
from placecell.geometry.transforms import Array, compose
from placecell.geometry.upright import estimate_upright
from placecell.geometry.walls import find_walls
from placecell.memory.consistency import CrossCheck, Verdict
from placecell.memory.depthmaps import FusionSettings, cloud_of, known_pixels, without_flying_pixels
from placecell.memory.instances import from_boxes, from_labels
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import Alignment, Frame, Instance, Layout, Provenance, SpatialMemory
from placecell.progress import OnProgress, Progress, silent

_CHECKED_VIEWS = 60
_ODD_VIEW = 0.4
# Gaps in the floor up to twice this wide count as floor: VSI-Bench's definition in metres, as much of a room otherwise.
_GAP_M, _GAP_SHARE = 0.2, 0.04


@dataclass(frozen=True)
class BuildSettings:
    """``check_depth``: views whose depth disagrees are an error; without it the disagreement is only noted."""

    fusion: FusionSettings = field(default_factory=FusionSettings)
    check_depth: bool = True


def assemble(
    reconstruction: Reconstruction,
    *,
    settings: BuildSettings | None = None,
    sources: tuple[str, ...] = (),
    progress: OnProgress = silent,
) -> SpatialMemory:
    """The memory of a reconstruction, in an upright world frame.

    Raises:
        UserError: depth and poses contradict each other, with the reading that would agree, when one does.
    """
    settings = settings or BuildSettings()
    stages = ("checking depth", "turning upright", "fusing", "finding objects")

    def stage(number: int) -> None:
        progress(Progress("building the memory", number, len(stages), stages[number - 1]))

    stage(1)
    cleaned = tuple(_cleaned(frame, settings.fusion.edge_jump) for frame in reconstruction.frames)
    notes = [*reconstruction.notes, *_cross_check(cleaned, reconstruction, settings.check_depth)]
    stage(2)
    alignment = _align(cleaned, reconstruction)
    if not alignment.confident:
        up = _axis(alignment.world_from_recon[1, :3])
        notes.append(f"WARNING: what is up is a guess: {up} of the source is taken")
    frames = tuple(_moved(frame, alignment.world_from_recon) for frame in cleaned)
    stage(3)
    cloud, voxel = cloud_of(frames, settings.fusion, reconstruction.depth_sd)
    if len(cloud) == 0 and reconstruction.points is not None:
        cloud = _given_points(reconstruction.points.moved(alignment.world_from_recon), frames)
        came = "came with the cameras" if frames else "were given"
        notes.append(f"no depth: the cloud is the {len(cloud)} points that {came}")
    elif len(cloud) == 0:
        notes.append("no depth and no points: only the cameras are known")
    stage(4)
    instances, object_notes = _objects(frames, reconstruction, alignment.world_from_recon)
    return SpatialMemory(
        frames=frames,
        cloud=cloud,
        scale=reconstruction.scale,
        alignment=alignment,
        provenance=_provenance(reconstruction, settings, voxel, sources, (*notes, *object_notes)),
        instances=instances,
        vocabulary=reconstruction.vocabulary | {instance.name for instance in instances},
        layout=_layout(cloud, frames, reconstruction.scale.metric),
        skipped=reconstruction.skipped,
    )


def _cleaned(frame: Frame, edge_jump: float) -> Frame:
    return frame if frame.depth is None else replace(frame, depth=without_flying_pixels(frame.depth, edge_jump))


def _cross_check(frames: tuple[Frame, ...], reconstruction: Reconstruction, strict: bool) -> list[str]:
    """Notes on how far the views agree. UserError when they do not and ``strict`` is set."""
    views = [(frame.number, frame.depth) for frame in frames if frame.depth is not None]
    views = views[:: max(1, -(-len(views) // _CHECKED_VIEWS))]
    if len(views) < 2:
        return []
    verdict = CrossCheck([depth for _, depth in views]).verdict()
    agreement = verdict.agreement
    if verdict.disagrees:
        message, hint = _disagreement(verdict, reconstruction)
        if strict:
            raise UserError(message, hint=hint)
        return [f"WARNING: {message}; {hint}"]
    if not agreement.checked:
        few = "too few views that look the same way share anything"
        return [f"depth and poses could not be checked against each other: {few}"]
    shares = f"{agreement.confirmed:.0%} of the depth is confirmed by another view, {agreement.contradicted:.0%}"
    notes = [f"views agree: {shares} contradicted ({agreement.pairs} pairs of views)"]
    if verdict.scale != 1.0:
        notes.append(f"depth x {verdict.scale:.2f} would agree a little better with the poses")
    odd = [n for (n, _), ratio in zip(views, verdict.view_ratios, strict=True) if ratio < _ODD_VIEW]
    if odd:
        listed = ", ".join(map(str, odd[:10])) + (f" and {len(odd) - 10} more" if len(odd) > 10 else "")
        notes.append(f"WARNING: the depth or pose of image {listed} contradicts the other views")
    return notes


def _disagreement(verdict: Verdict, reconstruction: Reconstruction) -> tuple[str, str]:
    coding = reconstruction.settings.get("depth_coding")
    read_as = f" read as {coding}" if coding else ""
    agreement, better = verdict.agreement, verdict.better_agreement
    said = f"only {agreement.confirmed:.0%} of the depth is confirmed by another view and {agreement.contradicted:.0%}"
    message = f"depth{read_as} and the poses do not fit together: {said} contradicted"
    if verdict.better and better:
        message += f"; with {verdict.better} it would be {better.confirmed:.0%} confirmed"
    return message, "check the depth scale (depth-scale.txt states it), the unit of the poses and the camera axes"


def _align(frames: tuple[Frame, ...], reconstruction: Reconstruction) -> Alignment:
    """Upright by the source's own vertical where it has one, else by surfaces and cameras."""
    poses = np.array([f.camera.world_from_cam for f in frames if f.camera is not None]).reshape(-1, 4, 4)
    found = estimate_upright(_sparse_points(frames, reconstruction), poses, reconstruction.up)
    method = {
        "given": "vertical given by the source",
        "surfaces": "level and upright surfaces",
        "cameras": "cameras",
        "none": "nothing says what is up: +y is taken",
    }
    parts = [
        method[found.method],
        "floor at y = 0" if found.floor_found else "no floor found: y = 0 is the lowest point",
        "x and z along walls" if found.walls_found else "no walls found: x and z along the smallest rectangle",
    ]
    return Alignment(found.world_from_recon, ", ".join(parts), found.residual_deg, found.confident)


def _axis(direction: Array) -> str:
    """The axis that a direction is nearest to, such as "-y"."""
    nearest = int(np.argmax(np.abs(direction)))
    return ("+" if direction[nearest] > 0 else "-") + "xyz"[nearest]


def _sparse_points(frames: tuple[Frame, ...], reconstruction: Reconstruction) -> Array:
    """(N, 3) points for finding the vertical: an even sample of the depth maps, else the points given, else corners."""
    maps = [frame.depth for frame in frames if frame.depth is not None]
    if maps:
        step = max(2, int(np.ceil(np.sqrt(sum(m.z.size for m in maps) / 400_000))))
        return np.concatenate([m.camera.unproject_pixels(*known_pixels(m, step)) for m in maps])
    if reconstruction.points is not None and len(reconstruction.points):
        return reconstruction.points.points.astype(np.float64)
    corners = [named.box.corners for named in reconstruction.boxes]
    return np.concatenate(corners) if corners else np.zeros((0, 3))


def _moved(frame: Frame, world_from_recon: Array) -> Frame:
    def world(camera: Camera) -> Camera:
        return camera.posed(compose(world_from_recon, camera.world_from_cam))

    depth = frame.depth
    return replace(
        frame,
        camera=None if frame.camera is None else world(frame.camera),
        depth=None if depth is None else replace(depth, camera=world(depth.camera)),
    )


def _given_points(points: Cloud, frames: tuple[Frame, ...]) -> Cloud:
    """The reconstructor's points; where one belongs to a frame, its pixel is where that frame's camera sees it."""
    number, pixel = points.frame.copy(), points.pixel.copy()
    cameras = {frame.number: frame.camera for frame in frames}
    for n in np.unique(number[number > 0]).tolist():
        mine = number == n
        camera = cameras.get(n)
        if camera is None:
            number[mine] = 0
        else:
            pixel[mine] = camera.project(points.points[mine]).pixels
    pixel[number == 0] = np.nan
    return replace(points, frame=number, pixel=pixel)


def _objects(
    frames: tuple[Frame, ...], reconstruction: Reconstruction, world_from_recon: Array
) -> tuple[tuple[Instance, ...], tuple[str, ...]]:
    instances: tuple[Instance, ...] = ()
    notes: tuple[str, ...] = ()
    if reconstruction.labels is not None:
        found = from_labels(frames, reconstruction.labels, depth_sd=reconstruction.depth_sd)
        instances, notes = found.instances, found.notes
    if reconstruction.boxes:
        boxed = from_boxes(reconstruction.boxes, world_from_recon, frames)
        first = max((instance.id for instance in instances), default=0)
        instances += tuple(replace(i, id=first + i.id) for i in boxed.instances)
        notes += boxed.notes
    return instances, notes


def _layout(cloud: Cloud, frames: tuple[Frame, ...], metric: bool) -> Layout:
    """Floor area, height, outline and walls where a floor was seen; a shelf or a door alone is no room."""
    if len(cloud) == 0:
        return Layout()
    surfaces = even_surfaces(cloud.points)
    levels = levels_of(surfaces, np.array([f.camera.centre[1] for f in frames if f.camera is not None]))
    if levels.floor is None:
        return Layout()
    diagonal = float(np.linalg.norm(robust_extent(cloud.points).size))
    found = footprint(cloud.points, _GAP_M if metric else _GAP_SHARE * diagonal)
    outline = found.outlines[0] if found.outlines else None
    walls = find_walls(surfaces, levels.floor, levels.ceiling)
    return Layout(found.area, found.area_sd, levels.height, outline, walls)


def _provenance(
    made: Reconstruction, settings: BuildSettings, voxel: float, sources: tuple[str, ...], notes: tuple[str, ...]
) -> Provenance:
    used = {**made.settings, **asdict(settings), "depth_sd": made.depth_sd} | ({"voxel": voxel} if voxel else {})
    version = metadata.version("placecell")
    return Provenance(made.backend, version, _plain(used), sources, notes, made.licences)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as JSON has them, so that a loaded memory equals the saved one."""
    plain: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, Mapping):
            plain[key] = _plain(value)
        elif isinstance(value, (list, tuple)):
            plain[key] = list(value)
        elif isinstance(value, np.generic):
            plain[key] = value.item()
        else:
            plain[key] = value
    return plain
