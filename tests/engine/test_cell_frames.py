"""Frames as values: round trips, the sides of the one-shot language, and errors against sampling."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cell_running import bindings, blurred
from engine_memories import boxes_only, memory, relative, room, thing
from engine_running import values
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.engine.cells.context import CellContext
from placecell.engine.cells.frames import components, walked
from placecell.engine.cells.quantities import Quantity
from placecell.engine.cells.uncertain import Uncertain
from placecell.engine.cells.values import FrameValue, PointValue
from placecell.engine.cells.vectors import Axes, Vec, angle_between
from placecell.engine.context import Budget, PictureSettings
from placecell.engine.values import Absent, Direction
from placecell.geometry.transforms import wrap_degrees
from placecell.geometry.walls import walls_around
from placecell.language.dimensions import METRES

EXAMPLES = settings(max_examples=60, deadline=None)
coordinates = st.tuples(*[st.floats(-8, 8)] * 3)
headings = st.floats(-180, 179)
THINGS = """
    table = select_object(query_3d_object_location("table"), by="only")
    sofa = select_object(query_3d_object_location("sofa"), by="only")
    lamp = select_object(query_3d_object_location("lamp"), by="only")
    chairs = query_3d_object_location("chair")
"""


def axes(origin, heading):
    return Axes(Vec.exact(np.array(origin)), Uncertain(heading))


@EXAMPLES
@given(coordinates, headings, coordinates)
def test_a_point_told_in_a_frame_is_the_same_point(origin, heading, place):
    frame = FrameValue(axes(origin, heading), "somewhere", "m")
    point = PointValue(Vec.exact(np.array(place)), "m", frame=frame)
    back = frame.axes.origin.plus(frame.axes.direction(*components(point)))
    np.testing.assert_allclose(back.array, place, atol=1e-9)
    length = np.sqrt(sum(part.value**2 for part in components(point)))
    assert length == pytest.approx(float(np.linalg.norm(np.subtract(place, origin))), abs=1e-9)


@EXAMPLES
@given(coordinates, headings, st.floats(-179, 179), st.floats(0.5, 5))
def test_turning_right_and_walking_ahead_end_at_a_positive_azimuth(origin, heading, degrees, far):
    start = axes(origin, heading)
    turned = start.turned(Uncertain(degrees))
    ahead = start.origin.plus(turned.direction(Uncertain(0.0), Uncertain(0.0), Uncertain(far)))
    seen = ahead.minus(start.origin).heading().value - heading
    assert float(wrap_degrees(seen - degrees)) == pytest.approx(0.0, abs=1e-6)
    right, _, forward = start.components(ahead.minus(start.origin))
    assert np.degrees(np.arctan2(right.value, forward.value)) == pytest.approx(degrees, abs=1e-6)


def test_headings_lengths_and_angles_have_the_deviation_of_samples():
    rng = np.random.default_rng(4)
    for _ in range(10):
        a, b = rng.uniform(-4, 4, (2, 3))
        a += np.sign(a)
        sd_a, sd_b = rng.uniform(0.01, 0.06, 2)
        first, second = Vec.around(a, sd_a, "a"), Vec.around(b, sd_b, "b")
        many_a, many_b = a + sd_a * rng.standard_normal((20_000, 3)), b + sd_b * rng.standard_normal((20_000, 3))
        way, ways = first.minus(second), many_a - many_b
        assert way.length().sd == pytest.approx(np.linalg.norm(ways, axis=1).std(), rel=0.05)
        off = wrap_degrees(np.degrees(np.arctan2(ways[:, 0], -ways[:, 2])) - way.heading().value)
        assert way.heading().sd == pytest.approx(off.std(), rel=0.1)
        cosine = (many_a * many_b).sum(1) / np.linalg.norm(many_a, axis=1) / np.linalg.norm(many_b, axis=1)
        assert angle_between(first, second).sd == pytest.approx(np.degrees(np.arccos(cosine)).std(), rel=0.12)


def test_what_a_frame_shares_with_a_place_drops_out():
    names = bindings(blurred(room()), THINGS, """
        f = standing_at(table, facing=sofa)
        ahead = in_frame(centre_of(sofa), f)
        right = ahead.right
        far = ahead.forward
        way = length_of(horizontal(centre_of(sofa) - centre_of(table)))
    """)  # fmt: skip
    assert names["right"].value == pytest.approx(0.0, abs=1e-9)
    assert names["right"].sd == pytest.approx(0.0, abs=1e-9), "what is faced is ahead, however it is off"
    assert names["far"].value == pytest.approx(names["way"].value)
    assert names["far"].sd == pytest.approx(names["way"].sd)


def test_an_angle_told_in_two_ways_is_one_measurement():
    names = bindings(blurred(room()), THINGS, """
        to_sofa = horizontal(centre_of(sofa) - centre_of(table))
        one = angle_between(to_sofa, horizontal(centre_of(lamp) - centre_of(table)))
        two = abs(side_of(lamp, frame=standing_at(table, facing=sofa)).bearing)
        apart = one - two
    """)  # fmt: skip
    assert names["one"].sd > 0.5 and names["two"].sd == pytest.approx(names["one"].sd)
    assert names["apart"].value == pytest.approx(0, abs=1e-9) and names["apart"].sd == pytest.approx(0, abs=1e-9)


def test_the_turn_from_one_thing_to_another_is_the_same_however_one_faces():
    turns = [
        f"t{k} = side_of(sofa, frame=turned(f, {k})).bearing - side_of(lamp, frame=turned(f, {k})).bearing"
        for k in range(0, 360, 45)
    ]
    names = bindings(blurred(room()), THINGS, "f = standing_at(table, facing=sofa)", *turns)
    first = names["t0"]
    assert first.sd > 0.5 and abs(first.value) > 10
    for k in range(0, 360, 45):
        assert names[f"t{k}"].value == pytest.approx(first.value)
        assert names[f"t{k}"].sd == pytest.approx(first.sd)


def test_components_in_a_frame_made_of_two_things_have_the_deviation_of_samples():
    made, sd, rng = room(), 0.06, np.random.default_rng(6)
    names = bindings(blurred(made, sd, 0.0), THINGS, """
        f = standing_at(table, facing=sofa)
        p = in_frame(centre_of(lamp), f)
        right = p.right
        ahead = p.forward
    """)  # fmt: skip
    at, facing, lamp = (made.instances[k].centre + sd * rng.standard_normal((20_000, 3)) for k in (0, 1, 4))
    forward = (facing - at) * [1, 0, 1]
    forward /= np.linalg.norm(forward, axis=1)[:, None]
    right = np.stack([-forward[:, 2], 0 * forward[:, 0], forward[:, 0]], axis=-1)
    scale = 0.01  # of the room's scale, shared by all lengths
    for name, along in (("right", right), ("ahead", forward)):
        sampled = ((lamp - at) * along).sum(1)
        expected = np.hypot(sampled.std(), scale * sampled.mean())
        assert names[name].sd == pytest.approx(expected, rel=0.06)


@pytest.mark.parametrize("target", ["lamp", "chairs", "sofa"])
def test_sides_are_those_of_the_one_shot_language_from_the_same_standing(target):
    cells = bindings(room(), THINGS, f"""
        from_photo = side_of({target}, frame=camera_frame(1))
        from_table = side_of({target}, frame=standing_at(table, facing=lamp))
    """)  # fmt: skip
    looked_for = target.removesuffix("s")
    programs = [
        values(
            f"""
            table = select_object(query_3d_object_location(memory, "table"), by="only")
            lamp = select_object(query_3d_object_location(memory, "lamp"), by="only")
            target = query_3d_object_location(memory, "{looked_for}")
            {standing}
            return [locate(memory, target)]
            """,
            room(),
        )[0]
        for standing in (
            "set_viewpoint(memory, at=query_camera_pose(memory, image=1))",
            "set_viewpoint(memory, at=table, facing=lamp)",
        )
    ]
    for cell, program in zip((cells["from_photo"], cells["from_table"]), programs, strict=True):
        assert isinstance(cell, Direction)
        assert cell.words == program.words and cell.viewpoint == program.viewpoint
        assert cell.bearing == pytest.approx(program.bearing) and cell.elevation == pytest.approx(program.elevation)
        assert (cell.distance.value, cell.distance.sd) == (program.distance.value, program.distance.sd)


def test_a_side_is_told_with_its_margin_and_a_line_of_sight_is_neither():
    names = bindings(blurred(room(), 0.1), THINGS, """
        f = camera_frame(1)
        right = on_side(sofa, frame=f, side="right")
        left = on_side(sofa, frame=f, side="left")
        front = on_side(table, frame=f, side="front")
        corner = on_side(table, frame=f, side="front-left")
        above = on_side(lamp, frame=f, side="up")
    """)  # fmt: skip
    states = {name: names[name].state for name in ("right", "left", "front", "corner", "above")}
    assert states == {
        "right": "yes", "left": "no", "front": "yes", "corner": "too close to call", "above": "yes",
    }  # fmt: skip
    assert names["above"].margin == pytest.approx(0.8 / np.hypot(0.1, 0.008), rel=0.02)


def test_a_compass_knows_every_direction_from_one():
    names = bindings(room(), THINGS, """
        f = compass(table, towards=lamp, word="south")
        sofa_at = side_of(sofa, frame=compass(table, towards=lamp, word="south"))
        west = on_side(chairs[0], frame=f, side="west")
        lamp_south = on_side(lamp, frame=f, side="south")
        nonsense = on_side(lamp, frame=camera_frame(1), side="west")
    """)  # fmt: skip
    assert names["sofa_at"].words == ("southeast",)
    assert names["west"].state == names["lamp_south"].state == "yes"
    assert isinstance(names["nonsense"], Absent) and names["nonsense"].reason == "degenerate"


def test_turned_and_walked_frames_are_where_a_viewpoint_would_be():
    names = bindings(room(), THINGS, """
        f = walked(turned(camera_frame(1), 90), metres(1.5))
        p = centre_of(f)
        g = turned(walked(camera_frame(1), metres(1), metres(-0.5)), degrees(-90))
        q = in_frame(centre_of(camera_frame(1)), g)
        right = q.right
        ahead = q.forward
    """)  # fmt: skip
    np.testing.assert_allclose(names["p"].place.array, [1.5, 1.5, 0.0], atol=1e-9)
    assert names["right"].value == pytest.approx(-1.0) and names["ahead"].value == pytest.approx(-0.5)


def test_a_frame_whose_baseline_is_below_its_noise_is_absent():
    near = memory([], [thing(1, "cup", (0, 1, 0)), thing(2, "plate", (0.1, 1, 0))])
    text = """
        cup = select_object(query_3d_object_location("cup"), by="only")
        plate = select_object(query_3d_object_location("plate"), by="only")
        f = standing_at(cup, facing=plate)
        side = side_of(plate, frame=f)
    """
    assert isinstance(bindings(near, text)["f"], FrameValue)
    names = bindings(blurred(near, 0.05), text)
    assert isinstance(names["f"], Absent) and names["f"].reason == "degenerate"
    assert "0.1 ± 0.071" in names["f"].message
    assert isinstance(names["side"], Absent) and names["side"].cause == names["f"]


def test_own_fronts_flat_faces_and_walls_make_frames():
    screen = thing(6, "screen", (0, 1.5, -2.45), (1.2, 0.8, 0.1), front=np.array([0.0, 0.0, 1.0]))
    made = replace(room(), instances=(*room().instances, screen))
    outline = np.array([[-2, -2.5], [2, -2.5], [2, 2.5], [-2, 2.5]], float)
    made = replace(made, layout=replace(made.layout, outline=outline, walls=walls_around(outline, 0.0, 2.5)))
    names = bindings(made, THINGS, """
        screen = select_object(query_3d_object_location("screen"), by="only")
        own = side_of(sofa, frame=object_frame(screen))
        out = side_of(sofa, frame=normal_frame(screen))
        no_front = object_frame(lamp)
        not_flat = normal_frame(lamp)
        wall = wall_frame(chairs[0])
        away = distance_to_plane(chairs[0], wall)
    """)  # fmt: skip
    assert names["own"].words[:2] == names["out"].words[:2] == ("front", "left")
    assert {names["no_front"].reason, names["not_flat"].reason} == {"not in memory", "degenerate"}
    assert names["away"].value == pytest.approx(0.5), "the wall at x = -2"
    assert isinstance(bindings(room(), THINGS, "w = wall_frame(table)")["w"], Absent)


def test_metres_are_not_laid_out_in_a_memory_without_scale():
    frame = FrameValue(axes((0, 0, 0), 0.0), "here", "units")
    context = CellContext(lambda _: relative(), Budget(), PictureSettings(), memory=relative())
    absent = walked(context, frame, Quantity(Uncertain(1.0), METRES), None)
    assert isinstance(absent, Absent) and absent.reason == "unknown scale"


def test_an_exact_memory_has_exact_frames():
    names = bindings(boxes_only(), THINGS, "p = in_frame(centre_of(lamp), standing_at(table, facing=sofa))")
    assert all(part.sd == 0 for part in components(names["p"]))
