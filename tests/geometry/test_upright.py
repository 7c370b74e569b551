import numpy as np
import pytest
from geometry_rooms import kitchen, room, walk
from geometry_strategies import prove, rigids
from hypothesis import given, settings
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from placecell.geometry import transforms as tf
from placecell.geometry.upright import estimate_upright

TILTED = tf.rigid(Rotation.from_euler("xyz", [130, 35, -60], degrees=True), [7, -2, 4])


def angle(a, b):
    return np.degrees(np.arccos(np.clip(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b), -1, 1)))


def off_vertical(found, recon_from_world):
    """Degrees between the true up and +y of the result."""
    return angle((found.world_from_recon @ recon_from_world)[:3, 1], [0, 1, 0])


def off_walls(found, recon_from_world):
    """Degrees between the true wall direction and the nearest of the result's x and z."""
    x = (found.world_from_recon @ recon_from_world)[:3, 0]
    turn = np.degrees(np.arctan2(x[0], x[2]))
    return abs((turn + 45) % 90 - 45)


def moved(points, cameras, pose):
    return tf.apply(pose, points), pose @ cameras


@settings(prove, max_examples=8)
@given(rigids())
def test_a_furnished_room_is_set_upright_from_any_orientation(pose):
    points, cameras = room("floor", "walls", "table"), walk()
    found = estimate_upright(*moved(points, cameras, pose))
    assert off_vertical(found, pose) < 0.5
    assert off_walls(found, pose) < 0.5
    assert found.floor_found
    assert found.walls_found
    assert found.confident
    heights = tf.apply(found.world_from_recon @ pose, points)[:, 1]
    assert np.median(heights[points[:, 1] < 0.02]) == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("scale", [0.01, 1, 300])
def test_the_unit_of_length_does_not_matter(scale):
    points, cameras = room("floor", "walls", "table"), walk()
    cameras[:, :3, 3] *= scale
    found = estimate_upright(*moved(points * scale, cameras, TILTED))
    assert off_vertical(found, TILTED) < 0.5
    assert found.floor_found


def test_the_first_camera_looks_roughly_north():
    cameras = walk()
    for first in range(0, 12, 3):
        order = np.roll(cameras, -first, axis=0)
        found = estimate_upright(*moved(room("floor", "walls"), order, TILTED))
        assert abs(tf.heading(found.world_from_recon @ TILTED @ order[0])) <= 45.1


@pytest.mark.parametrize("down", [-10, 0, 35, 60])
def test_the_pitch_of_the_cameras_does_not_tilt_the_room(down):
    found = estimate_upright(*moved(room("floor", "walls", "table"), walk(down=down), TILTED))
    assert off_vertical(found, TILTED) < 0.5


def test_a_ceiling_is_not_taken_for_the_floor():
    cameras = walk(down=-30)
    found = estimate_upright(*moved(room("ceiling", "walls"), cameras, TILTED))
    assert off_vertical(found, TILTED) < 1
    assert not found.floor_found
    both = estimate_upright(*moved(room("ceiling", "floor", "walls"), cameras, TILTED))
    assert both.floor_found
    assert (both.world_from_recon @ TILTED)[1, 3] == pytest.approx(0, abs=0.02)


def test_a_table_is_not_taken_for_the_floor_beside_it():
    found = estimate_upright(*moved(room("floor", "table", "mugs"), walk(down=40), TILTED))
    assert found.floor_found
    assert (found.world_from_recon @ TILTED)[1, 3] == pytest.approx(0, abs=0.02)


def test_a_table_top_alone_is_level():
    orbit = np.array(
        [tf.look_at([2.5 + np.cos(a), 1.7, 1.8 + np.sin(a)], [2.5, 0.75, 1.8]) for a in np.linspace(0, 5, 9)]
    )
    found = estimate_upright(*moved(room("table", "mugs"), orbit, TILTED))
    assert off_vertical(found, TILTED) < 1
    assert found.method == "surfaces"


def test_one_camera_that_looks_at_a_wall_is_levelled_by_it():
    camera = tf.turn(tf.look_at([2.5, 1.4, 3], [2.5, 1.4, 0]), up=-12)[None]
    found = estimate_upright(*moved(room("one wall"), camera, TILTED))
    assert off_vertical(found, TILTED) < 1
    assert not found.floor_found


def test_things_that_lie_about_at_all_angles_say_nothing_and_the_cameras_decide():
    cameras = walk(roll=1)
    found = estimate_upright(*moved(room("clutter"), cameras, TILTED))
    assert off_vertical(found, TILTED) < 6
    assert not found.walls_found


def test_cameras_that_look_straight_down_are_not_taken_for_level_ones():
    down = np.array([tf.turn(tf.look_at([x, 2, 1], [x, 0, 1]), right=40 * x) for x in range(5)])
    found = estimate_upright(*moved(room("floor", "mugs"), down, TILTED))
    assert off_vertical(found, TILTED) < 1
    assert found.floor_found


@pytest.mark.parametrize("up", ["y", "-y", "z"])
def test_a_room_without_cameras_stands_on_its_floor_whichever_axis_of_the_file_is_up_and_that_is_a_guess(up):
    points = room("floor", "walls", "table")
    axis = {"y": 0, "-y": 180, "z": 90}[up]
    turned = tf.rigid(Rotation.from_euler("x", axis + 3, degrees=True))
    found = estimate_upright(tf.apply(turned, points), np.zeros((0, 4, 4)))
    assert off_vertical(found, turned) < 0.5
    assert found.floor_found
    assert not found.confident


def test_a_known_vertical_is_kept_as_it_is():
    up = TILTED[:3, :3] @ [0.05, 1, 0]
    found = estimate_upright(*moved(room("floor", "walls"), walk(), TILTED), up=up)
    assert found.method == "given"
    assert_allclose(found.world_from_recon[1, :3], up / np.linalg.norm(up), atol=1e-12)
    assert found.residual_deg == pytest.approx(np.degrees(np.arctan(0.05)), abs=0.3)


@pytest.mark.parametrize("points", [np.zeros((0, 3)), np.zeros((5, 3)), np.zeros((500, 3)), np.eye(3)])
@pytest.mark.parametrize("count", [0, 1, 12])
def test_there_is_always_an_answer_and_it_says_when_it_is_a_guess(points, count):
    found = estimate_upright(points, walk(12)[:count])
    assert tf.is_rigid(found.world_from_recon)
    assert found.method == ("cameras" if count else "none")
    assert found.confident == (count == 12)
    assert not found.floor_found


def test_equal_input_gives_equal_output():
    data = moved(room("floor", "walls", "table"), walk(), TILTED)
    assert np.array_equal(estimate_upright(*data).world_from_recon, estimate_upright(*data).world_from_recon)


def test_a_real_kitchen_stands_upright(shared_data):
    frames = list(kitchen(shared_data / "sevenscenes_tsdf", step=2))
    points = np.concatenate([camera.unproject(z)[::4, ::4].reshape(-1, 3) for _, z, camera in frames])
    points = points[np.isfinite(points).all(axis=1)]
    cameras = np.array([camera.world_from_cam for *_, camera in frames])
    found = estimate_upright(points, cameras)
    assert found.confident
    assert found.floor_found
    world = tf.apply(found.world_from_recon, points)
    eyes = (found.world_from_recon @ cameras)[:, 1, 3]
    assert 1.0 < np.median(eyes) < 1.8  # held at chest height above a floor at 0

    # The floor and the cupboard fronts, fitted here on their own in regions read off the photos' top view.
    floor = world[np.abs(world[:, 1]) < 0.04]
    assert angle(normal_of(floor), [0, 1, 0]) < 3
    for axis in (0, 2):
        fronts = world[(world[:, 1] > 0.25) & (world[:, 1] < 0.75)]
        counts, edges = np.histogram(fronts[:, axis], bins=np.arange(-4, 4, 0.05))
        peak = edges[np.argmax(counts)] + 0.025
        wall = fronts[np.abs(fronts[:, axis] - peak) < 0.06]
        assert len(wall) > 1000
        assert angle(normal_of(wall), np.eye(3)[axis]) < 5


def normal_of(points):
    """Normal of the plane through most of the points, turned to its largest coordinate."""
    for _ in range(5):
        centred = points - points.mean(axis=0)
        normal = np.linalg.eigh(centred.T @ centred)[1][:, 0]
        off = np.abs(centred @ normal)
        points = points[off <= 2 * np.median(off) + 1e-6]
    return normal * np.sign(normal[np.argmax(np.abs(normal))])
