"""Real captures build, or refuse with the right reason; what is measured on them stays within what was promised."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pytest

from placecell.backends.auto import build
from placecell.errors import UserError
from placecell.geometry.cloud import robust_extent
from placecell.geometry.proximity import box_distances
from placecell.geometry.raster import render
from placecell.geometry.transforms import rotate
from placecell.memory import storage


def fitted_normal(points):
    """Unit normal (3,) of the plane that most of the points lie on, by refitting to the closest ones."""
    kept = points
    for _ in range(20):
        centre = kept.mean(axis=0)
        normal = np.linalg.svd((kept - centre).T @ (kept - centre))[0][:, 2]
        off = np.abs((points - centre) @ normal)
        kept = points[off < max(0.02, np.quantile(off, 0.3))]
    return normal


def angle(a, b):
    return np.degrees(np.arccos(np.clip(abs(a @ b), 0, 1)))


@pytest.fixture(scope="module")
def built(shared_data):
    """Builds a capture when it is first asked for."""
    return cache(lambda name: build([shared_data / name]))


@pytest.fixture
def kitchen(built):
    return built("sevenscenes_tsdf")


def test_the_kitchen_is_metric_upright_and_plausible(kitchen):
    assert len(kitchen.frames) == len(kitchen.posed_frames) == 40
    assert kitchen.scale.metric
    assert kitchen.scale.source == "sensor"
    assert kitchen.skipped == ()
    assert kitchen.alignment.confident
    points = kitchen.cloud.points
    size = robust_extent(points).size
    assert 3 < size[0] < 7
    assert 1.3 < size[1] < 3
    assert 2 < size[2] < 5
    floor = points[np.abs(points[:, 1]) < 0.08]
    assert len(floor) > 5000
    assert angle(fitted_normal(floor), np.array([0.0, 1.0, 0.0])) < 3
    assert abs(np.median(floor[:, 1])) < 0.02
    assert kitchen.layout.floor_area == pytest.approx(9, abs=4)


def test_two_walls_of_the_kitchen_run_along_the_axes(kitchen):
    """The fronts of the red cupboards, which stand along two walls."""
    points, colors = kitchen.cloud.points, kitchen.cloud.colors.astype(int)
    red = (colors[:, 0] > 90) & (colors[:, 1] < 45) & (colors[:, 2] < 70) & (points[:, 1] > 0.15) & (points[:, 1] < 0.8)
    fronts = points[red].astype(float)
    assert len(fronts) > 10_000
    seen = []
    for axis in (0, 2):
        counts, edges = np.histogram(fronts[:, axis], bins=int(np.ptp(fronts[:, axis]) / 0.02))
        at = edges[np.argmax(counts)] + 0.01
        front = fronts[np.abs(fronts[:, axis] - at) < 0.10]
        seen.append(angle(fitted_normal(front), np.eye(3)[axis]))
    assert max(seen) < 5


def test_the_kitchen_rendered_into_its_cameras_has_their_depth(kitchen):
    voxel = kitchen.provenance.settings["voxel"]
    medians = []
    for frame in kitchen.frames:
        picture = render(frame.depth.camera, kitchen.cloud.points, kitchen.cloud.colors, voxel)
        both = picture.known & (frame.depth.z > 0)
        assert both.mean() > 0.6
        medians.append(np.median(np.abs(picture.depth - frame.depth.z)[both]))
    assert np.median(medians) < 0.015
    assert max(medians) < 0.02


def test_the_kitchen_is_stored_small_and_comes_back(kitchen, tmp_path):
    storage.save(kitchen, tmp_path / "kitchen.pcell")
    assert (tmp_path / "kitchen.pcell").stat().st_size < 60e6
    loaded = storage.load(tmp_path / "kitchen.pcell")
    np.testing.assert_array_equal(loaded.cloud.points, kitchen.cloud.points)
    np.testing.assert_array_equal(loaded.frames[20].rgb, kitchen.frames[20].rgb)
    np.testing.assert_array_equal(loaded.frames[20].depth.z, kitchen.frames[20].depth.z)


@pytest.mark.parametrize(
    ("name", "layout", "frames", "confirmed"),
    [
        ("open3d_rgbd", "open3d", 5, 0.9),
        ("slambook_rgbd", "slambook", 5, 0.3),
        ("record3d_lidar", "record3d", 27, 0.35),
        ("apc_label_fusion", "7-scenes", 8, 0.2),
    ],
)
def test_captures_with_depth_build_and_their_views_agree(built, name, layout, frames, confirmed):
    memory = built(name)
    assert memory.provenance.settings["layout"] == layout
    assert len(memory.posed_frames) == frames
    assert memory.scale.metric
    assert len(memory.cloud) > 100_000
    (agree,) = [n for n in memory.provenance.notes if n.startswith("views agree: ")]
    assert float(agree.split()[2].rstrip("%")) / 100 >= confirmed


def test_arkits_vertical_is_kept(built):
    memory = built("record3d_lidar")
    np.testing.assert_allclose(rotate(memory.alignment.world_from_recon, [0, 1, 0]), [0, 1, 0], atol=1e-9)
    assert memory.frames[0].height == 1920
    assert memory.frames[0].depth.z.shape == (256, 192)


def test_the_shelf_has_one_object_of_each_label_and_they_touch(shared_data, built, tmp_path):
    names = tmp_path / "labels.json"
    names.write_text(json.dumps({"kind": "class", "names": {"48": "straws", "132": "tissue box"}}))
    memory = build([shared_data / "apc_label_fusion"], labels=names)
    assert [i.name for i in memory.instances] == ["straws", "tissue box"]
    straws, tissues = memory.instances
    assert box_distances([straws.box], [tissues.box])[0, 0] < 0.05
    assert 0.1 < tissues.box.longest < 0.2
    assert all(len(i.views) == 8 for i in memory.instances)
    coding = memory.provenance.settings["depth_coding"]
    assert coding.startswith("bit-rotated, 10000 steps a unit (found from the values")
    assert built("apc_label_fusion").object_names == ("object 132", "object 48")


@pytest.mark.parametrize("frame", ["img_0063", "2014-12-18_11-31-54_260595134347"])
def test_a_sun_rgbd_frame_is_levelled_by_its_extrinsics(shared_data, frame):
    memory = build([shared_data / "sunrgbd_boxes" / "images" / frame])
    assert len(memory.frames) == 1
    floor = memory.cloud.points[np.abs(memory.cloud.points[:, 1]) < 0.06].astype(float)
    assert angle(fitted_normal(floor), np.array([0.0, 1.0, 0.0])) < 3


def test_the_fox_has_the_photos_that_are_there_and_names_the_others(shared_data):
    memory = build([shared_data / "ngp_fox"], sweep=False)
    assert [f.number for f in memory.posed_frames] == list(range(1, 14))
    assert len(memory.skipped) == 54
    assert memory.skipped[0].name == "images/0002.jpg"
    assert not memory.scale.metric
    assert "lens distortion removed" in memory.frames[0].notes
    with pytest.raises(UserError, match="is not known, so it cannot be built in metres"):
        build([shared_data / "ngp_fox"], metric=True)


def test_the_bust_uses_the_model_of_its_undistorted_photos(shared_data):
    memory = build([shared_data / "colmap_bust"], sweep=False)
    assert len(memory.posed_frames) == 23
    assert "model dense/0/sparse: fits 23 photos" in memory.provenance.notes[1]
    assert len(memory.cloud) == 1443
    seen = memory.cloud.frame > 0
    for number in (1, 12, 23):
        mine = seen & (memory.cloud.frame == number)
        frame = memory.frame(number)
        pixel = memory.cloud.pixel[mine]
        assert ((pixel > -5) & (pixel < np.array([frame.width, frame.height]) + 5)).all()


@pytest.mark.parametrize("name", ["32c0925b", "26da8aea"])
def test_four_views_are_matched_by_number_and_say_so(shared_data, name):
    memory = build([shared_data / "dl3dv_four_views" / name], sweep=False)
    assert len(memory.posed_frames) == 4
    assert any("photos found by the number in their name" in note for note in memory.provenance.notes)
    data = json.loads((shared_data / "dl3dv_four_views" / name / "transforms.json").read_text())
    listed = {f["file_path"]: np.array(f["transform_matrix"])[:3, 3] for f in data["frames"]}
    centres = {f.name: f.camera.centre for f in memory.frames}
    a, b = sorted(centres)[:2]
    paths = [f"images/frame_{int(n.split('_')[1].split('.')[0]):05d}.png" for n in (a, b)]
    expected = np.linalg.norm(listed[paths[0]] - listed[paths[1]])
    assert np.linalg.norm(centres[a] - centres[b]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dl3dv_four_views", "holds 2 captures: 26da8aea, 32c0925b; build one of them"),
        ("sunrgbd_boxes", "holds 2 captures"),
        ("replica_boxes", "no photos in"),
        ("osd_labelled_clouds", "no photos in"),
    ],
)
def test_what_cannot_be_built_is_refused_with_the_reason(shared_data, name, message):
    with pytest.raises(UserError, match=message):
        build([shared_data / name])


def test_the_kitchen_in_another_coding_is_refused_with_the_right_one(shared_data, tmp_path):
    for file in sorted((shared_data / "sevenscenes_tsdf").iterdir()):
        number = file.name.split(".")[0].removeprefix("frame-")
        if not number.isdigit() or int(number) % 100 == 0:
            (tmp_path / file.name).symlink_to(file)
    (tmp_path / "depth-scale.txt").write_text("5000")
    with pytest.raises(UserError, match=r"do not fit together.*with depth x 5 it would be"):
        build([tmp_path])
