"""Operations that look things up: cameras and objects."""

from __future__ import annotations

from placecell.engine.context import Context
from placecell.engine.grounding import ground
from placecell.engine.registry import implements
from placecell.engine.values import Absent, Evidence, InstancesValue, PoseValue
from placecell.memory.scene import SpatialMemory


@implements("query_camera_pose")
def query_camera_pose(context: Context, memory: SpatialMemory, image: int) -> PoseValue | Absent:
    """The camera of image number ``image``; absent when there is no such image or it could not be placed."""
    frame = next((f for f in memory.frames if f.number == image), None)
    if frame is None:
        return Absent("pose", "no such image", f"there is no image {image}; the memory has {memory.describe_numbers()}")
    if frame.camera is None:
        return Absent("pose", "image not placed", f"where image {image} was taken is not known")
    here = context.standing("pose")
    return PoseValue(
        world_from_cam=frame.camera.world_from_cam,
        label=f"image {image}",
        image=image,
        camera=frame.camera,
        seen_from=None if isinstance(here, Absent) else here.levelled,
        unit=memory.unit,
        evidence=Evidence(frames=(image,)),
    )


@implements("query_3d_object_location")
def query_3d_object_location(context: Context, memory: SpatialMemory, name: str) -> InstancesValue:
    """The objects that ``name`` means, most confident first; empty with the reason when there are none."""
    return ground(memory, name, context.judge)
