"""Memories of videos: tracks from masks, identity through hiding, what moves told from what stays, bounded storage."""

from dataclasses import replace

import numpy as np
import pytest

from placecell.errors import UserError
from placecell.geometry.camera import Camera
from placecell.geometry.freespace import contradictions, spread_views
from placecell.geometry.transforms import look_at
from placecell.memory.ports import FrameLabels, Labels, Reconstruction
from placecell.memory.scene import DepthMap, Frame, Scale
from placecell.memory.video import UNNAMED, VideoBuilder, VideoSettings, assemble_video, tracks_in

SIZE = (96, 72)
COUNT = 20
NAMES = {1: "ball", 2: "crate"}


def ray_box(eye, rays, low, high):
    """z-depth (h, w) of a box; infinite where it is missed."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (low - eye) / rays, (high - eye) / rays
    near, far = np.minimum(a, b).max(axis=-1), np.maximum(a, b).min(axis=-1)
    return np.where((near <= far) & (near > 0), near, np.inf)


def filmed(boxes, *, pan=0.0, walk=0.0, hidden_by=None, seed=0):
    """An RGB-D video of a floor and a wall with coloured boxes; ``boxes`` maps ids to (COUNT, 3) centres of 0.6 cubes.

    Depth has a noise of 0.5 %. ``hidden_by``: a pillar's (low, high), which is nobody's label.
    """
    rng = np.random.default_rng(seed)
    frames, labels = [], {}
    for k in range(COUNT):
        share = k / (COUNT - 1)
        eye = np.array([walk * share, 1.6, 4.0])
        angle = np.radians(pan * share)
        camera = Camera.from_fov(65, *SIZE, look_at(eye, eye + np.array([np.sin(angle), -0.2, -np.cos(angle)])))
        rays = camera.rays()
        layers = {0: ray_box(eye, rays, np.array([-9, -0.1, -4.0]), np.array([9, 0.0, 4.0]))}
        layers[0] = np.minimum(layers[0], ray_box(eye, rays, np.array([-9, 0, -4.1]), np.array([9, 5, -4.0])))
        if hidden_by:
            layers[0] = np.minimum(layers[0], ray_box(eye, rays, *map(np.array, hidden_by)))
        for id, path in boxes.items():
            layers[id] = ray_box(eye, rays, path[k] - 0.3, path[k] + 0.3)
        ids = np.array(list(layers))
        z = np.stack(list(layers.values()))
        owner = ids[z.argmin(axis=0)]
        depth = np.where(np.isfinite(z.min(axis=0)), z.min(axis=0), 0)
        depth = (depth * rng.normal(1, 0.005, depth.shape)).astype(np.float32)
        colours = np.array([[120, 120, 120], [220, 40, 40], [40, 60, 220], [40, 200, 60]], np.uint8)[owner]
        frames.append(
            Frame(
                k + 1, f"f{k}", f"{k:064x}", *SIZE, lambda c=colours: c, camera, DepthMap(depth, camera), time_s=k / 10
            )
        )
        labels[k + 1] = FrameLabels(owner.astype(np.int32))
    names = {id: NAMES.get(id, "ball") for id in boxes}
    return Reconstruction(
        tuple(frames),
        Scale("metric", "sensor"),
        "test",
        up=np.array([0, 1.0, 0]),
        labels=Labels("instance", names, labels),
        depth_sd=0.005,
    )


def straight(start, end):
    return np.linspace(start, end, COUNT)


def without_ids(video):
    """The masks as a segmenter that follows nothing gives them: by name, in pieces."""
    names = {1: "thing"}
    frames = {n: FrameLabels((f.ids > 0).astype(np.int32)) for n, f in video.labels.frames.items()}
    return replace(video, labels=Labels("class", names, frames))


ACROSS = straight([-1.5, 0.3, 0.0], [1.5, 0.3, 0.0])
RESTS = straight([1.2, 0.3, -2.0], [1.2, 0.3, -2.0])


@pytest.mark.parametrize(("pan", "walk"), [(0, 0), (12, 0), (0, 0.8)])
def test_tracks_follow_the_truth_whatever_the_camera_does(pan, walk):
    ball, crate = tracks_in(filmed({1: ACROSS, 2: RESTS}, pan=pan, walk=walk))
    assert (ball.name, crate.name) == ("ball", "crate")
    moved = ball.centres[-1] - ball.centres[0]
    np.testing.assert_allclose(moved, [3, 0, 0], atol=0.25)
    wandered = crate.centres[-5:].mean(axis=0) - crate.centres[:5].mean(axis=0)
    assert np.linalg.norm(wandered) < 4.5 * np.median(crate.centre_sd) + crate.drift
    np.testing.assert_allclose(np.median(crate.centres - RESTS[: len(crate.centres)], axis=0), 0, atol=0.35)


def test_a_thing_keeps_its_identity_behind_a_pillar_and_is_known_to_be_hidden_there():
    video = without_ids(filmed({1: ACROSS}, hidden_by=([-0.5, 0, 1.2], [0.5, 2, 1.4])))
    (track,) = tracks_in(video)
    assert len(track.visible_intervals) == 2
    hidden = ~track.seen
    assert hidden.sum() >= 3
    np.testing.assert_allclose(track.centres[:, 0], ACROSS[track.frames - 1, 0], atol=0.3)


def test_two_things_of_one_name_that_cross_without_ids_stay_two():
    far = straight([1.5, 0.3, -2.0], [-1.5, 0.3, -2.0])
    tracks = tracks_in(without_ids(filmed({1: ACROSS, 3: far})))
    long = [t for t in tracks if len(t.frames) > COUNT / 2]
    assert sorted(np.sign(t.centres[-1, 0] - t.centres[0, 0]) for t in long) == [-1, 1]


def test_identities_of_one_video_are_not_those_of_the_next():
    first, second = (tracks_in(filmed({1: path})) for path in (ACROSS, ACROSS[::-1]))
    assert first[0].centres[-1, 0] > 1 > -1 > second[0].centres[-1, 0]


def test_a_memory_of_a_video_has_what_stays_in_its_cloud_and_what_rests_among_its_objects():
    memory = assemble_video(filmed({1: ACROSS, 2: RESTS}))
    assert memory.dynamic
    assert [t.name for t in memory.tracks] == ["ball", "crate"]
    assert [i.name for i in memory.instances] == ["crate"]
    red = (memory.cloud.colors[:, 0] > 180) & (memory.cloud.colors[:, 1] < 90)
    blue = (memory.cloud.colors[:, 2] > 180) & (memory.cloud.colors[:, 1] < 90)
    assert red.sum() < 0.1 * blue.sum()


def test_what_moves_is_found_without_any_mask():
    video = replace(filmed({1: ACROSS, 2: RESTS}), labels=None)
    memory = assemble_video(video)
    (track,) = [t for t in memory.tracks if len(t.frames) >= COUNT / 2]
    assert track.name == UNNAMED
    moved = track.centres[-1] - track.centres[0]
    assert moved[np.abs(moved).argmax()] / np.linalg.norm(moved) > 0.95
    assert UNNAMED not in memory.vocabulary


def test_only_keyframes_keep_their_depth():
    video = filmed({1: ACROSS})
    builder = VideoBuilder(COUNT, VideoSettings(keyframes=5))
    for frame in video.frames:
        builder.add(frame)
    memory = builder.finish(video)
    assert sum(f.depth is not None for f in memory.frames) == 5
    assert len(memory.frames) == COUNT


def test_frames_without_ascending_times_are_refused():
    frame = filmed({1: ACROSS}).frames[0]
    builder = VideoBuilder(2)
    with pytest.raises(UserError, match="times that ascend"):
        builder.add(replace(frame, time_s=None))
    builder.add(frame)
    with pytest.raises(UserError, match="times that ascend"):
        builder.add(frame)


def test_a_surface_that_left_is_looked_through_and_a_wall_is_not():
    video = filmed({1: ACROSS}, walk=0.5)
    z = np.stack([f.depth.z for f in video.frames])
    (fx, _, cx), (_, fy, cy), _ = video.frames[0].camera.K.tolist()
    poses = np.stack([f.camera.world_from_cam for f in video.frames])
    through, same = contradictions(z, np.tile([fx, fy, cx, cy], (COUNT, 1)), poses, spread_views(COUNT, 12), 0.05)
    owner = np.stack([video.labels.frames[f.number].ids for f in video.frames])
    known = (through + same) > 0
    assert (through[known & (owner == 1)] >= 2).mean() > 0.8
    assert (through[known & (owner == 0)] >= 2).mean() < 0.02


@pytest.mark.parametrize("count", [2, 3, 7, 50, 500])
def test_every_moment_is_compared_with_others_inside_the_video(count):
    others = spread_views(count, 14)
    assert others.shape[0] == count
    assert others.min() >= 0
    assert others.max() < count
    assert all((others[i] != i).any() for i in range(count))
