"""Cells: what is accepted with which types, what is refused where, what it costs, and what earlier cells make known."""

import random
import re
from pathlib import Path

import pytest

from placecell.language.cells.check import CellCost, CellScope, KnownName, check_cell, fix_cell
from placecell.language.cells.scope import MOST_FOUND
from placecell.language.check import check, fix
from placecell.language.dimensions import METRES, PLAIN, UNITS, Dimension
from placecell.language.plan import MemoryFacts
from placecell.language.types import Kind, StaticType

OBJECTS = {"chair": 4, "table": 1, "door": 1}
FACTS = MemoryFacts(image_count=6, objects=OBJECTS, vocabulary=frozenset({"stool"}), scale="metric")
IN_UNITS = MemoryFacts(image_count=6, objects=OBJECTS, scale="relative")
BEGIN = (
    'chairs = query_3d_object_location("chair")\ntable = select_object(query_3d_object_location("table"), by="only")\n'
)


def scope(facts=FACTS, **more):
    """A session in which four chairs and a table were found."""
    start = CellScope(facts=facts)
    after = start.after(check_cell(BEGIN, start).cell, sizes={"chairs": 4}, used=CellCost())
    return CellScope(**{**{f: getattr(after, f) for f in ("names", "facts", "budget", "view")}, **more})


def accepted(text, **more):
    report = check_cell(text, scope(**more))
    assert [d.message for d in report.diagnostics] == []
    return report.cell


def refused(text, **more):
    """The one fault of a text: its code and the text it points at."""
    report = check_cell(text, scope(**more))
    assert not report.ok
    ((fault),) = report.errors
    line, column, end_line, end_column = fault.span
    assert line == end_line
    return fault.code, text.split("\n")[line - 1][column - 1 : end_column - 1]


@pytest.mark.parametrize(
    ("expression", "kind", "unit"),
    [
        ("measure_size(table).height", Kind.LENGTH, "m"),
        ("measure_size(table).height * measure_size(table).width", Kind.AREA, "m^2"),
        ("measure_size(table).height / seconds(2)", Kind.SPEED, "m/s"),
        ("measure_room() / measure_size(table).width", Kind.LENGTH, "m"),
        ("measure_room() * metres(2.5)", Kind.QUANTITY, "m^3"),
        ("sqrt(measure_room())", Kind.LENGTH, "m"),
        ("degrees(90) / seconds(3)", Kind.QUANTITY, "degrees/s"),
        ("count(chairs) / 2", Kind.NUMBER, ""),
        ("count(chairs)", Kind.COUNT, ""),
        ("-measure_size(table).height + metres(1)", Kind.LENGTH, "m"),
        ("max([measure_distance(c, table) for c in chairs])", Kind.LENGTH, "m"),
        ("mean([measure_size(c).height for c in chairs if measure_size(c).height > metres(0.5)])", Kind.LENGTH, "m"),
        ("length_of(centre_of(table) - midpoint(chairs[0], chairs[1]))", Kind.LENGTH, "m"),
        ("1 if count(chairs) > 2 else 0", Kind.NUMBER, ""),
        ("select_object(chairs, by='largest').size.height or_else metres(1)", Kind.LENGTH, "m"),
    ],
)
def test_a_quantity_has_the_dimension_that_its_arithmetic_gives(expression, kind, unit):
    type_ = accepted(f"x = {expression}").types["x"]
    assert (type_.kind, type_.dimension.unit) == (kind, unit)
    assert type_.measured == ("(" in expression.removeprefix("degrees(90) / seconds(3)"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x = [c for c in chairs if measure_size(c).height > metres(1)]", Kind.INSTANCES),
        ("x = sorted(chairs, by=lambda c: measure_size(c).height)", Kind.INSTANCES),
        ("x = together(chairs, [table])", Kind.INSTANCES),
        ("x = [measure_size(c).height for c in chairs]", Kind.SET),
        ("x = [centre_of(a) - centre_of(b) for a, b in pairs(chairs)]", Kind.SET),
        (
            "x = min(chairs, by=measure_size)" and "x = max(chairs, by=lambda c: measure_distance(c, table))",
            Kind.INSTANCE,
        ),
        ("x = first(chairs) == table", Kind.VERDICT),
        ("x = any([fits_on(c, table) for c in chairs]) and not blocked(table, chairs[0])", Kind.VERDICT),
        ("x = metres(1) < measure_size(table).height < metres(2)", Kind.VERDICT),
        ("x = side_of(table, frame=camera_frame(1))", Kind.DIRECTION),
        ("x = side_of(table, frame=camera_frame(1)).words", Kind.TEXT),
        ("x = table.name", Kind.UNTRUSTED),
        ("x = centre_of(table)", Kind.POINT),
        ("x = turned(camera_frame(1), count(chairs))", Kind.FRAME),
        ("x = 2 * (centre_of(table) - centre_of(chairs[0])) / 3", Kind.VECTOR),
        ("x = centre_of(table).up", Kind.LENGTH),
        ("x = (chairs[0] if count(chairs) > 3 else table)", Kind.INSTANCE),
    ],
)
def test_an_expression_has_its_kind(text, kind):
    assert accepted(text).types["x"].kind is kind


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("x = metres(1) + degrees(3)", "C201", "metres(1) + degrees(3)"),
        ("x = measure_size(table).height < count(chairs)", "C201", "measure_size(table).height < count(chairs)"),
        ("x = table * 2", "C202", "table"),
        ('x = "a" + "b"', "C202", '"a"'),
        ("x = measure_size(table) + metres(1)", "C202", "measure_size(table)"),
        ("x = sqrt(measure_size(table).height)", "C203", "measure_size(table).height"),
        ("x = [c for c in chairs if c]", "C204", "c"),
        ("x = 1 if True else 0", "C204", "True"),
        ("x = table if 1 < 2 else chairs", "C205", "table if 1 < 2 else chairs"),
        ("x = [1] if 1 < 2 else [table]", "C205", "[1] if 1 < 2 else [table]"),
        ("x = [1, 2][0] and 1 < 2", "C204", "[1, 2][0]"),
        ("x = [o for o in metres(3)]", "C207", "metres(3)"),
        ("x = sorted(chairs, by=lambda c: c)", "C208", "sorted(chairs, by=lambda c: c)"),
        ("x = query_3d_object_location(table.name)", "T209", "table.name"),
        ("x = lambda o: o", "C206", "lambda o: o"),
        ("x = count", "C206", "count"),
        ("x = pairs(chairs)", "C206", "pairs(chairs)"),
        ("x = floor(measure_size(table).height)", "C206", "measure_size(table).height"),
        ("x = chairs[4]", "D303", "chairs[4]"),
        ("x = chairs[1:2]", "S113", "chairs[1:2]"),
        ("x = chairs.append(table)", "T201", "chairs.append"),
        ("x = table.__class__", "D302", "__class__"),
        ("x = stool", "D301", "stool"),
        ("x = __import__('os')", "T202", "__import__"),
        ("x = 2 ** 3", "S113", "2 ** 3"),
        ("x = yield 3", "S113", "yield 3"),
        ("while True: pass", "S112", "while True: pass"),
        ("for c in chairs: x = c", "S112", "for c in chairs: x = c"),
        ("import os", "S112", "import os"),
        ("chairs = table", "C301", "chairs"),
        ("memory = table", "S116", "memory"),
        ("count = 3", "S116", "count"),
        ("def f(o): return g(o)", "T202", "g"),
        ("def f(o, o): return 1", "C102", "def f(o, o): return 1"),
        ("x = locate(table)", "V403", "locate(table)"),
        ("turn_camera('left')", "V402", "turn_camera('left')"),
        ("x = [set_viewpoint(at=c) for c in chairs]", "C502", "set_viewpoint(at=c)"),
        ("x = camera_frame(9)", "T212", "9"),
        ("x = track_object('chair')", None, None),
        ("x = movers_of(track_object('chair'))", None, None),
        ("answer('chair')", "C602", "'chair'"),
        ("answer(camera_frame(1))", "C604", "camera_frame(1)"),
        ("answer(table.name)", "C604", "table.name"),
        ("answer(3)", "C603", "3"),
        ("x = answer(table)", "C601", "answer(table)"),
        ("x = {1: 2}", "S113", "{1: 2}"),
        ("x = (table", "S120", "("),
        ("x = [c for c in chairs", "S120", "["),
        ("x = a if 1 < 2", "S101", ""),
        ("x == 3", "D301", "x"),
        ("x = [memory for memory in chairs]", "S116", "[memory for memory in chairs]"),
        ("x = max(chairs, by=lambda sum: sum.confidence)", "S116", "lambda sum: sum.confidence"),
        ("x = max(chairs, of=table)", "C206", "of=table"),
        ("x = round(measure_room(), digits=9)", "C206", "9"),
        ("table, x = 1, 2", "S115", "table, x = 1, 2"),
    ],
)
def test_a_fault_is_refused_where_it_is(text, code, place):
    if code is None:
        still = MemoryFacts(image_count=6, objects=OBJECTS, scale="metric", dynamic=False)
        assert not check_cell(text, scope(still)).ok
        assert check_cell(text, scope()).ok
    else:
        assert refused(text) == (code, place)


def test_metres_mean_nothing_to_a_memory_without_scale_but_a_known_size_does():
    code, place = refused("x = measure_size(table).height + metres(1)", facts=IN_UNITS)
    assert code == "C201" and place.endswith("metres(1)")
    assert refused("x = walked(camera_frame(1), metres(1))", facts=IN_UNITS)[0] == "C201"
    text = "x = metres(0.75) * measure_distance(table, chairs[0]) / measure_size(table).height"
    assert accepted(text, facts=IN_UNITS).types["x"].dimension == METRES
    same = "x = rescaled(measure_distance(table, chairs[0]), measured=measure_size(table).height, known=metres(0.75))"
    assert accepted(same, facts=IN_UNITS).types["x"].dimension == METRES
    assert accepted("x = measure_size(table).height", facts=IN_UNITS).types["x"].dimension == UNITS
    assert accepted("x = measure_room()", facts=IN_UNITS).types["x"].dimension == Dimension(units=2)
    assert (
        accepted("x = measure_size(table).width / measure_size(table).height", facts=IN_UNITS).types["x"].dimension
        == PLAIN
    )


def test_points_of_two_frames_meet_only_after_one_is_told_in_the_others():
    frames = "f = camera_frame(1)\ng = standing_at(table, facing=chairs[0])\np = point_at(f, forward=metres(1))\n"
    ahead = "q = point_at(g, forward=metres(1))\n"
    assert check_cell(frames + ahead + "v = p - q", scope()).errors[0].code == "C401"
    cell = accepted(frames + ahead + "v = p - in_frame(q, f)\nw = in_frame(p, g) - q")
    assert cell.types["v"].frame == cell.types["f"].frame != cell.types["w"].frame
    assert check_cell(frames + "v = p - centre_of(table)", scope()).errors[0].fix.edits[0].text == (
        "in_frame(centre_of(table), f)"
    )


def test_the_same_call_is_the_same_frame_but_not_for_each_member_of_a_set():
    assert accepted("v = point_at(camera_frame(2), forward=metres(1)) - in_frame(centre_of(table), camera_frame(2))")
    inside = "point_at(object_frame(c), up=metres(1)) - in_frame(centre_of(table), object_frame(c))"
    assert accepted(f"d = [length_of({inside}) for c in chairs]")
    points = "ps = [point_at(object_frame(c), up=metres(1)) for c in chairs]\n"
    assert check_cell(points + "v = ps[0] - ps[1]", scope()).errors[0].code == "C401"
    assert accepted(points + "w = world_frame()\nv = in_frame(ps[0], w) - in_frame(ps[1], w)")
    helper = "def ahead(o): return point_at(object_frame(o), forward=metres(1))\n"
    assert check_cell(helper + "v = ahead(chairs[0]) - ahead(chairs[1])", scope()).errors[0].code == "C401"


def test_a_bearing_of_an_earlier_viewpoint_is_stale_and_one_of_a_frame_is_not():
    stand = "set_viewpoint(at=query_camera_pose(1))\nwhere = locate(table)\nturn_camera('left')\n"
    assert check_cell(stand + "b = where.bearing + degrees(1)", scope()).errors[0].code == "V401"
    framed = stand + "f = camera_frame(1)\nside = side_of(table, frame=f)\nturn_camera('left')\n"
    assert accepted(framed + "b = side.bearing + degrees(1)")


@pytest.mark.parametrize(
    ("text", "cost"),
    [
        ("x = measure_room()", (1, 0, 0)),
        ("x = [measure_size(c).height for c in chairs]", (4, 0, 0)),
        ("x = [measure_distance(a, b) for a, b in pairs(chairs)]", (6, 0, 0)),
        ("x = [measure_distance(a, b) for a, b in pairs(chairs, chairs)]", (16, 0, 0)),
        ("x = min(chairs, by=lambda c: measure_distance(c, table))", (4, 0, 0)),
        ("def f(o): return measure_distance(o, table)\nx = f(chairs[0]) + f(chairs[1])", (2, 0, 0)),
        ("def f(o): return measure_distance(o, table)\nx = [f(c) for c in chairs if f(c) > metres(1)]", (8, 0, 0)),
        ("x = photo_of(1)", (1, 1, 0)),
        ("x = judge('Open?', pictures=[photo_of(1), photo_of(2)], options=['yes', 'no'])", (3, 2, 1)),
        ("x = measure_room() if count(chairs) > 2 else measure_room()", (2, 0, 0)),
        (
            "y = [c for c in chairs if measure_size(c).height > metres(1)]\nx = [measure_size(c).width for c in y]",
            (8, 0, 0),
        ),
    ],
)
def test_the_cost_of_known_sets_is_exact_and_known_beforehand(text, cost):
    counted = accepted(text).cost
    assert (counted.operations, counted.pictures, counted.model_calls) == cost


def test_what_costs_more_than_is_left_is_refused_with_the_number():
    left = CellCost(operations=12, pictures=0, model_calls=1, evaluations=1000)
    report = check_cell("x = [measure_distance(a, b) for a, b in pairs(chairs, chairs)]", scope(budget=left))
    (fault,) = report.errors
    assert fault.code == "C501"
    assert "16 operations, and 12 are left" in fault.message
    assert check_cell("x = photo_of(1)", scope(budget=left)).errors[0].message == (
        "the cell needs up to 1 pictures, and 0 are left"
    )


def test_helpers_that_use_each_other_twice_are_checked_once_and_counted_as_often_as_they_run():
    first = "def f0(o): return measure_size(o).height\n"
    more = "".join(f"def f{n}(o): return f{n - 1}(o) + f{n - 1}(o)\n" for n in range(1, 11))
    report = check_cell(first + more + "x = f10(table)", scope())
    assert [d.code for d in report.errors] == ["C501"] or report.cell.cost.operations == 1024


def doubling(start):
    lines = [
        f"def f{n}(o): return " + (f"f{n - 1}(o) + f{n - 1}(o)" if n else "measure_size(o).height")
        for n in range(start, start + 12)
    ]
    return "\n".join(lines)


def test_helpers_that_double_over_cells_cost_no_time_to_refuse():
    known = scope()
    known = known.after(check_cell(doubling(0), known).cell)
    assert refused_in("x = turned(camera_frame(1), degrees(f11(table) / f0(table)))", known) == "C501"
    assert refused_in(doubling(12), known) == "C101"


def refused_in(text, known):
    return check_cell(text, known).errors[0].code


def test_a_helper_of_an_earlier_cell_is_checked_for_what_it_is_given_now():
    known = scope()
    after = known.after(check_cell("def gap(o): return measure_distance(o, table) + metres(1)", known).cell)
    assert check_cell("x = gap(chairs[0])", after).ok
    (fault,) = check_cell("ok = 1\nx = gap(metres(2))", after).errors
    assert fault.span[:2] == (2, 5)
    assert fault.message.startswith("in gap: ")
    further = after.after(check_cell("def twice(o): return gap(o) * 2", after).cell)
    (fault,) = check_cell("ok = 1\nx = twice(metres(2))", further).errors
    assert fault.span[:2] == (2, 5)
    assert fault.message.startswith("in twice: a is a length")


def test_a_helper_sees_the_session_and_not_the_variables_around_its_use():
    text = "def f(o): return measure_distance(o, c)\nx = [f(c) for c in chairs]"
    assert [d.code for d in check_cell(text, scope()).errors] == ["D301"]


def test_what_a_cell_found_is_a_type_for_the_next():
    known = scope()
    cell = check_cell("d = [measure_distance(c, table) for c in chairs]\nstool = first(chairs)", known).cell
    after = known.after(cell, sizes={"d": 3}, absent={"stool": "not found: there is no stool"})
    assert after.names["d"].type.size == 3
    assert check_cell("x = d[3]", after).errors[0].code == "D303"
    (fault,) = check_cell("x = measure_size(stool)", after).errors
    assert fault.code == "C302"
    assert "there is no stool" in fault.message
    assert check_cell("x = measure_size(stool or_else table)", after).ok
    assert after.budget.operations == known.budget.operations - cell.cost.operations


def test_a_name_whose_object_is_gone_is_absent_from_then_on():
    known = scope()
    after = known.after(check_cell("x = measure_room()", known).cell, stale=("table",))
    (fault,) = check_cell("y = measure_size(table)", after).errors
    assert (fault.code, "no longer in the memory" in fault.message) == ("C302", True)


def test_a_position_in_the_viewers_terms_is_for_reading_only():
    stand = "set_viewpoint(at=query_camera_pose(1))\np = table.centre\n"
    assert accepted(stand + "y = p")
    for use in ("p - p", "moved(table, by=p)", "-p", "p * 2", "length_of(p)"):
        assert check_cell(stand + f"y = {use}", scope()).errors, use


def test_what_perception_may_add_counts_for_the_rest_of_the_cell():
    few = 'x = [measure_size(c).height for c in query_3d_object_location("chair")]'
    assert accepted(few).cost.operations == 1 + sum(OBJECTS.values())
    assert accepted(f'found = find("stool")\n{few}').cost.operations == 2 + MOST_FOUND


def test_a_set_of_unknown_size_counts_as_the_most_it_can_be():
    cell = check_cell('x = [measure_size(c).height for c in query_3d_object_location("chair")]', CellScope()).cell
    assert cell.cost.operations == 1 + MOST_FOUND
    cell = check_cell(
        'x = [measure_size(c).height for c in query_3d_object_location("chair")]', CellScope(facts=FACTS)
    ).cell
    assert cell.cost.operations == 1 + sum(OBJECTS.values())


def test_an_effect_that_nothing_serves_is_told_and_one_inside_an_expression_refused():
    report = check_cell('x = find("stool")', scope(effects=frozenset()))
    assert report.ok and [d.code for d in report.diagnostics] == ["C503"]
    cell = accepted('x = find("stool")\ny = find("lamp")', effects=frozenset({"find"}))
    assert cell.effects == ("find", "find")
    assert (cell.version, cell.cost.model_calls) == (2, 2)
    assert refused('x = chairs or_else find("stool")') == ("C502", 'find("stool")')


def test_untrusted_text_reaches_perception_and_nothing_else():
    assert accepted(
        "words = read_text(1)\nx = find(words)\ny = judge(words, pictures=[photo_of(1)], options=['a', 'b'])"
    )
    for use in ("query_3d_object_location(words)", 'words == "exit"', "select_object(chairs, by=words)", "words"):
        text = f"words = read_text(1)\n{'answer(words)' if use == 'words' else f'x = {use}'}"
        assert {d.code for d in check_cell(text, scope()).errors} <= {"T209", "C209", "C604"}
        assert not check_cell(text, scope()).ok


OPTIONS = ("A. the chair", "B. the table", "left", "right")


@pytest.mark.parametrize("value", ['"the chair"', '"B. the table"', '"a"', '"left" if count(chairs) > 2 else "right"'])
def test_an_option_may_be_answered_as_it_is_written(value):
    assert accepted(f"answer({value})", options=OPTIONS).answers


def test_an_option_that_is_misspelt_is_mended_and_one_that_is_none_refused():
    assert fix_cell('answer("the tabel")', scope(options=OPTIONS)).cell.text == 'answer("B. the table")\n'
    assert refused('answer("left" if count(chairs) > 2 else "behind")', options=OPTIONS) == ("C602", '"behind"')
    assert refused('answer("left")') == ("C602", '"left"')
    side = 'side = "left" if count(chairs) > 2 else "{}"\nanswer(side)'
    assert accepted(side.format("right"), options=OPTIONS)
    assert refused(side.format("behind"), options=OPTIONS) == ("C602", "side")


def test_what_a_judge_may_say_is_compared_with_the_options_before_it_is_asked():
    judge = "judge('Where?', pictures=[photo_of(1)], options={})"
    for options in ("['left', 'right']", "['The Chair', 'b']"):
        assert accepted(f"answer({judge.format(options)})", options=OPTIONS)
    wrong = judge.format("['left', 'behind']")
    assert refused(f"answer({wrong})", options=OPTIONS) == ("C602", wrong)
    assert refused(f"seen = {wrong}\nanswer(seen)", options=OPTIONS) == ("C602", "seen")
    mixed = f"'left' if count(chairs) > 2 else {wrong}"
    assert refused(f"answer({mixed})", options=OPTIONS) == ("C602", mixed)
    assert accepted(f"seen = {wrong}\nanswer('left' if seen == 'left' else 'right')", options=OPTIONS)
    assert accepted(f"answer({wrong})"), "an open question takes what was judged"
    later = scope(options=OPTIONS).after(check_cell(f"seen = {wrong}", scope(options=OPTIONS)).cell)
    assert [d.code for d in check_cell("answer(seen)", later).errors] == ["C602"]


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("x = measure_size(table).height + 1", "x = measure_size(memory, table).height + metres(1)"),
        ("x = len(chairs) // 2", "x = floor(count(chairs) / 2)"),
        ("x = max(chairs, key=lambda c: measure_size(c).height)", None),
        ("chairs = measure_room()\nanswer(chairs * 2)", "chairs_2 = measure_room(memory)\nanswer(chairs_2 * 2)"),
        ("m = build_static_memory(images)\nx = measure_room(m)", "x = measure_room(memory)"),
        ("x = measure_room()\nprint(x)\nreturn [x]", "x = measure_room(memory)"),
        ("build_static_memory(images)\nx = measure_room()", "x = measure_room(memory)"),
        ("x = centre_of(table) - chairs[0].centre", "x = centre_of(table) - centre_of(chairs[0])"),
        ("x = measure_size(chairs[0]).heigth", "x = measure_size(memory, chairs[0]).height"),
        ("x = mesure_room()", "x = measure_room(memory)"),
        ("x = walked(camera_frame(1), 2)", "x = walked(frame=camera_frame(1), forward=metres(2))"),
        ("answer(table.name)", "answer(table)"),
        ("x = chairs + 1", "x = count(chairs) + 1"),
        ("x = math.sqrt(measure_room())", "x = sqrt(measure_room(memory))"),
        (
            "x = np.mean([measure_size(c).height.value for c in chairs])",
            "x = mean([measure_size(memory, c).height for c in chairs])",
        ),
        ("x = chairs.count()", "x = count(chairs)"),
        ("x = measure_size(chairs)", 'x = measure_size(memory, select_object(chairs, by="only"))'),
        ("x = chairs.size", 'x = select_object(chairs, by="only").size'),
        (
            "x = [measure_distance(a, b) for a in chairs for b in [table] if a != b]",
            "x = [measure_distance(memory, a, b=b) for a, b in pairs(chairs, [table]) if a != b]",
        ),
        ("x = measure_size(table).height.value", "x = measure_size(memory, table).height"),
        ("x = measure_room(spatial_memory)", "x = measure_room(memory)"),
    ],
)
def test_what_has_one_repair_is_mended_and_told(text, mended):
    report = fix_cell(text, scope())
    assert report.ok, report.diagnostics
    assert report.repairs
    if mended is not None:
        assert report.cell.text == mended + "\n"


def test_what_has_several_repairs_is_left_to_its_author():
    assert not fix_cell("x = metres(1) + degrees(3)", scope()).ok
    assert not fix_cell("x = [c for c in chairs", scope()).ok
    assert not fix_cell("x = measure_room(); print(x)", scope()).ok
    assert not fix_cell("x = measure_size(table1)", scope()).ok
    assert not fix_cell("chairs = measure_room()\ny = chairs", scope()).ok


def test_canonical_text_is_read_as_the_same_cell():
    text = (
        "def gap(o): return measure_distance(o, table)\n"
        "x = -(gap(chairs[0]) - metres(1)) * 2 / (3 - 1)"
        " if not (gap(chairs[1]) < metres(1) or count(chairs) > 2) and 1 < 2"
        " else gap(first([c for c in chairs if gap(c) > metres(1)])) or_else metres(2)\n"
        "y = sorted(chairs, by=gap, reverse=True)\n"
        "z = [(a == b) for a, b in pairs(chairs, [table])]\n"
    )
    cell = accepted(text)
    again = accepted(cell.text)
    assert again.text == cell.text
    assert again.statements[1:] == cell.statements[1:]
    assert again.types == cell.types


def test_a_one_shot_program_is_checked_by_the_papers_rules_unchanged():
    good = "def plan(images):\n    memory = build_static_memory(images)\n    return [render_rgb_bev(memory)]\n"
    for text in (good, good.replace("render_rgb_bev", "centre_of"), "def plan(images):\n    return [1 + 1]\n"):
        program, cell = check(text, facts=FACTS), check_cell(text, scope())
        assert (cell.text, cell.diagnostics) == (program.text, program.diagnostics)
        assert (cell.cell.program if cell.cell else None) == program.plan
        assert fix_cell(text, scope()).text == fix(text, facts=FACTS).text
    assert "only in cells" in check(good.replace("render_rgb_bev", "centre_of")).errors[0].message


def test_a_session_has_no_operation_that_is_not_in_the_table_and_no_name_of_another():
    assert "memory" not in scope().names
    assert KnownName(StaticType(Kind.LENGTH)).absent is None


def test_the_cells_of_the_documentation_are_accepted_one_after_the_other():
    page = (Path(__file__).resolve().parents[2] / "docs" / "cells.md").read_text(encoding="utf-8")
    section = page.split("## The language")[1].split("\n## ")[0]
    texts = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    known = CellScope(facts=FACTS)
    for text in texts:
        report = check_cell(text, known)
        assert report.diagnostics == ()
        known = known.after(report.cell, sizes={n: 4 for n in ("chairs", "order") if n in report.cell.types})
    assert len(texts) >= 3
    assert check_cell("x = order[7]", known).errors[0].code == "D303"


PIECES = (
    "x", "y", "chairs", "table", "=", "+", "-", "*", "/", "(", ")", "[", "]", ",", ":", ".", " for ", " in ", " if ",
    " else ", " or_else ", " and ", " not ", "lambda o: ", "def f(o): return ", "def ", "\n", "\n    ", "1", "2.5", "'",
    '"a"', "measure_size", "count", "min", "by=", "pairs", "metres", "answer", "return ", "<", "==", "centre_of", "f(",
    "memory", "#", "camera_frame(1)", "{", "}", "@", "\\", "\t", "é", "**", "//", ";", "...", "None", "True", ".height",
    "sorted(chairs, ",
)  # fmt: skip


def test_whatever_the_text_is_there_are_diagnostics_and_nothing_else():
    rng = random.Random(4)
    known = scope()
    whole = [
        "d = [measure_distance(a, b) for a, b in pairs(chairs)]\nx = min(chairs, by=lambda c: c.confidence)\n",
        "def gap(o): return measure_distance(o, table)\nx = gap(table) + metres(1) if 1 < 2 else 2\nanswer(x)\n",
    ]
    for number in range(600):
        if number % 2:
            text = "".join(rng.choice(PIECES) for _ in range(rng.randint(1, 40)))
        else:
            text = rng.choice(whole)
            for _ in range(rng.randint(1, 4)):
                at = rng.randrange(len(text))
                text = text[:at] + rng.choice(("", rng.choice(PIECES))) + text[at + rng.randint(0, 6) :]
        report = fix_cell(text, known)
        assert report.ok or report.errors


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "+".join(["1"] * 300),
        "x = " + "-" * 900 + "1",
        "x = " + "not " * 240 + "(1 < 2)",
        "x = " + "1 if 1 < 2 else " * 60 + "1",
        "x = " + "1 or_else " * 95 + "1",
        "x = " + "lambda a: " * 95 + "1",
        "x = " + "(" * 400 + "1" + ")" * 400,
        "x = " + "[" * 12 + "1" + "]" * 12,
        "x = " + "abs(" * 12 + "1" + ")" * 12,
        "x = 1\n" * 400,
        "def f(o): return f(f(f(o)))\nx = f(f(f(table)))",
    ],
    ids=lambda text: text[:24].replace("\n", " "),
)
def test_large_and_deep_texts_are_refused_or_read_within_bounds(text):
    report = check_cell(text, scope())
    assert report.ok or report.errors
