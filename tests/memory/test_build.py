"""Assembling: upright, fused, checked; what a reconstruction says is kept, what contradicts itself is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import room_capture as room
from placecell.errors import UserError
from placecell.geometry.cloud import Cloud
from placecell.geometry.raster import render
from placecell.geometry.transforms import invert, look_at, rigid, rotation_angle
from placecell.memory.build import BuildSettings, assemble
from placecell.memory.ports import Reconstruction
from placecell.memory.scene import DepthMap, Frame, Scale

TURN = look_at([3.0, -2.0, 1.0], [0.3, 0.4, 0.1])  # some recon frame, neither upright nor at the floor


def frame(number, shot, recon_from_world=TURN, depth=True):
    camera = shot.camera.posed(recon_from_world @ shot.camera.world_from_cam)
    return Frame(
        number=number,
        name=f"{number}.png",
        digest=f"{number:064x}",
        width=room.WIDTH,
        height=room.HEIGHT,
        read_rgb=lambda: shot.rgb,
        camera=camera,
        depth=DepthMap(shot.z.astype(np.float32), camera) if depth else None,
    )


def reconstruction(shots, **changes):
    frames = changes.pop("frames", None) or tuple(frame(i, s) for i, s in enumerate(shots, 1))
    made = Reconstruction(frames, Scale("metric", "sensor", 0.01), "test", settings={"a": (1, 2)}, depth_sd=0.001)
    return replace(made, **changes)


@pytest.fixture(scope="module")
def shots():
    return room.views(6)


@pytest.fixture(scope="module")
def memory(shots):
    return assemble(reconstruction(shots), sources=("room",))


def test_the_world_is_upright_with_the_floor_at_zero_and_walls_along_the_axes(memory, shots):
    world_from_room = memory.alignment.world_from_recon @ TURN
    up = world_from_room[:3, 1]
    assert np.degrees(np.arccos(up[1])) < 0.5
    assert abs(world_from_room[1, 3]) < 0.02
    along = np.abs(world_from_room[:3, 0])
    assert min(np.degrees(np.arccos(np.clip(along[[0, 2]], 0, 1)))) < 1.0
    assert memory.alignment.confident
    for f, shot in zip(memory.frames, shots, strict=True):
        truth = world_from_room @ shot.camera.world_from_cam
        assert rotation_angle(invert(truth) @ f.camera.world_from_cam) < 1e-5
        np.testing.assert_allclose(f.camera.world_from_cam, f.depth.camera.world_from_cam)


def test_the_memory_rendered_into_its_cameras_shows_their_depth(memory):
    for f in memory.frames:
        picture = render(f.depth.camera, memory.cloud.points, memory.cloud.colors, memory.provenance.settings["voxel"])
        both = picture.known & (f.depth.z > 0)
        assert both.mean() > 0.9
        assert np.median(np.abs(picture.depth - f.depth.z)[both]) < memory.provenance.settings["voxel"]


def test_a_room_seen_all_round_has_its_floor_area():
    around = [room.view((0.9 * np.sin(a), 1.4, 0.9 * np.cos(a)), (0, 0.6, 0), 0) for a in np.linspace(0, 6, 12)]
    memory = assemble(reconstruction(around))
    assert memory.layout.floor_area == pytest.approx(12.0, rel=0.1)
    assert memory.layout.outline.shape[1] == 2


def test_building_twice_gives_the_same_memory(memory, shots):
    again = assemble(reconstruction(shots), sources=("room",))
    np.testing.assert_array_equal(again.cloud.points, memory.cloud.points)
    np.testing.assert_array_equal(again.cloud.colors, memory.cloud.colors)
    assert again.provenance == memory.provenance
    np.testing.assert_array_equal(again.alignment.world_from_recon, memory.alignment.world_from_recon)


def test_provenance_says_what_was_done_without_a_clock(memory):
    made = memory.provenance
    assert made.backend == "test"
    assert made.sources == ("room",)
    assert made.settings["a"] == [1, 2]
    assert made.settings["fusion"]["edge_jump"] == 0.03
    assert any(note.startswith("views agree: ") for note in made.notes)


def test_depth_that_contradicts_the_poses_is_an_error_with_the_reading_that_fits(shots):
    wrong = tuple(
        replace(f, depth=replace(f.depth, z=f.depth.z * np.float32(5)))
        for f in (frame(i, s) for i, s in enumerate(shots, 1))
    )
    made = reconstruction(shots, frames=wrong, settings={"depth_coding": "1000 steps a unit (millimetres)"})
    with pytest.raises(UserError, match=r"read as 1000 steps a unit .*with depth x 0\.2 it would be \d\d% confirmed"):
        assemble(made)
    noted = assemble(made, settings=BuildSettings(check_depth=False))
    assert any("WARNING: depth read as" in note for note in noted.provenance.notes)


def test_one_wrong_pose_is_named(shots):
    frames = [frame(i, s) for i, s in enumerate(shots, 1)]
    moved = frames[3].camera.posed(rigid(translation=[0.0, 0.0, 1.2]) @ frames[3].camera.world_from_cam)
    frames[3] = replace(frames[3], camera=moved, depth=replace(frames[3].depth, camera=moved))
    memory = assemble(reconstruction(shots, frames=tuple(frames)))
    assert "WARNING: the depth or pose of image 4 contradicts the other views" in memory.provenance.notes


def test_a_sources_own_vertical_is_kept_as_it_is(shots):
    tilted = rigid(look_at([0, 0, 0], [0.1, 0.1, 1])[:3, :3])
    up = (tilted @ [0, 1, 0, 0])[:3]
    frames = tuple(frame(i, s, tilted) for i, s in enumerate(shots, 1))
    memory = assemble(reconstruction(shots, frames=frames, up=up))
    np.testing.assert_allclose(memory.alignment.world_from_recon[:3, :3] @ up, [0, 1, 0], atol=1e-9)
    assert memory.alignment.method.startswith("vertical given by the source")


def test_points_stand_in_where_there_is_no_depth(shots):
    points = np.concatenate([s.camera.unproject(s.z)[::8, ::8].reshape(-1, 3) for s in shots]).astype(np.float32)
    which = np.repeat(np.arange(1, len(shots) + 1), len(points) // len(shots)).astype(np.int32)
    which[:10] = 77  # a photo that was left out
    cloud = replace(Cloud.of_points(points), frame=which).moved(TURN)
    frames = tuple(frame(i, s, depth=False) for i, s in enumerate(shots, 1))
    memory = assemble(reconstruction(shots, frames=frames, points=cloud, scale=Scale()))
    assert len(memory.cloud) == len(points)
    assert (memory.cloud.frame[:10] == 0).all()
    assert np.isnan(memory.cloud.pixel[:10]).all()
    second = memory.cloud.frame == 2
    expected = memory.frame(2).camera.project(memory.cloud.points[second]).pixels
    np.testing.assert_allclose(memory.cloud.pixel[second], expected, atol=1e-3)
    assert memory.unit == "units"


def test_cameras_alone_make_a_memory_that_says_so(shots):
    frames = tuple(frame(i, s, depth=False) for i, s in enumerate(shots, 1))
    memory = assemble(reconstruction(shots, frames=frames, scale=Scale()))
    assert len(memory.cloud) == 0
    assert memory.layout.floor_area is None
    assert "no depth and no points: only the cameras are known" in memory.provenance.notes


def test_an_unplaced_photo_stays_in_the_memory(shots):
    frames = [frame(i, s) for i, s in enumerate(shots, 1)]
    frames[2] = replace(frames[2], camera=None, depth=None)
    memory = assemble(reconstruction(shots, frames=tuple(frames)))
    assert memory.frame(3).camera is None
    assert [f.number for f in memory.posed_frames] == [1, 2, 4, 5, 6]


def test_progress_counts_to_its_total(shots):
    events = []
    assemble(reconstruction(shots), progress=events.append)
    assert [e.done for e in events] == [1, 2, 3, 4]
    assert {e.total for e in events} == {4}
