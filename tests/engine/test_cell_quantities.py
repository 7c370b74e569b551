"""Quantities: errors by source against sampling, dimensions, and the border to the one-shot language's numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.engine.cells.comparing import compare_quantities
from placecell.engine.cells.quantities import (
    SCALE,
    Quantity,
    absolute,
    add,
    core_of,
    divide,
    middle,
    multiply,
    negate,
    plain,
    quantity_of,
    rounded,
    scaled,
    square_root,
    subtract,
    total,
)
from placecell.engine.cells.uncertain import MOST_SOURCES, Uncertain, combined, measured
from placecell.engine.values import Absent, Angle, Area, Count, Length, Number
from placecell.language.dimensions import DEGREES, METRES, PLAIN, UNITS, Dimension

SOURCES = ("a", "b", "c", SCALE)
ZS = np.random.default_rng(3).standard_normal((4000, len(SOURCES)))
EXAMPLES = settings(max_examples=60, deadline=None)

values = st.floats(0.5, 50.0)
errors = st.dictionaries(st.sampled_from(SOURCES), st.floats(1e-4, 5e-3), max_size=4)


@st.composite
def uncertain(draw):
    """A positive number with small errors, so that what is first order is nearly all."""
    value = draw(values)
    return Uncertain(value, tuple(sorted((s, e * value) for s, e in draw(errors).items())))


def drawn(number):
    """Samples of a number from samples of its sources."""
    return number.value + sum(change * ZS[:, SOURCES.index(s)] for s, change in number.errors)


@EXAMPLES
@given(uncertain(), uncertain(), uncertain())
def test_errors_follow_sampling_to_first_order(a, b, c):
    result = (a * b + c * c).over(a + b) - c.root()
    sampled = (drawn(a) * drawn(b) + drawn(c) ** 2) / (drawn(a) + drawn(b)) - np.sqrt(drawn(c))
    assert result.value == pytest.approx((a.value * b.value + c.value**2) / (a.value + b.value) - math.sqrt(c.value))
    second_order = 1e-4 * max(a.value, b.value, c.value)  # all that is left where the first order cancels
    assert result.sd == pytest.approx(float(sampled.std()), rel=0.08, abs=second_order)


@EXAMPLES
@given(uncertain(), uncertain())
def test_what_is_shared_drops_out(a, b):
    assert (a - a).sd == 0 and (a - a).value == 0
    assert ((a + b) - b).sd == pytest.approx(a.sd)
    ratio = a.over(a.times(3.0))
    assert ratio.value == pytest.approx(1 / 3) and ratio.sd < 1e-12


@EXAMPLES
@given(st.lists(st.floats(0.1, 2.0), min_size=MOST_SOURCES + 1, max_size=60))
def test_joining_the_smallest_sources_keeps_the_deviation(changes):
    parts = [(1.0, measured(0.0, change, f"source {k}")) for k, change in enumerate(changes)]
    whole = combined(0.0, parts)
    assert len(whole.errors) == MOST_SOURCES
    assert whole.sd == pytest.approx(math.hypot(*changes))


def length(value=2.0, sd=0.1, scale_sd=0.02, unit="m", ends=None):
    return Length(value, unit, sd, scale_sd, None if ends is None else np.array(ends, float))


def test_the_scale_of_a_memory_cancels_in_a_ratio_of_two_lengths():
    ratio = divide(quantity_of(length(2.0, 0.04, 0.04)), quantity_of(length(5.0, 0.1, 0.1)))
    assert ratio.value == pytest.approx(0.4) and ratio.sd == 0 and ratio.dimension == PLAIN
    difference = subtract(quantity_of(length(2.0, 0.04, 0.04)), quantity_of(length(5.0, 0.1, 0.1)))
    assert difference.sd == pytest.approx(0.06)


def test_measuring_twice_is_no_new_measurement_and_two_things_are_two():
    once, again = quantity_of(length(ends=[[0, 0, 0], [2, 0, 0]])), quantity_of(length(ends=[[0, 0, 0], [2, 0, 0]]))
    other = quantity_of(length(ends=[[9, 0, 0], [7, 0, 0]]))
    assert subtract(once, again).sd == 0
    assert subtract(once, other).sd == pytest.approx(math.sqrt(2 * (0.1**2 - 0.02**2)))


@pytest.mark.parametrize(
    "value",
    [
        length(),
        length(unit="units", scale_sd=0.0),
        Area(12.0, "m", 0.5),
        Angle(-30.0, 2.0),
        Number(0.25),
    ],
    ids=lambda v: type(v).__name__,
)
def test_a_number_of_the_one_shot_language_comes_back_as_it_was(value):
    back = core_of(quantity_of(value, 0.01))
    assert type(back) is type(value) and back.value == value.value
    assert getattr(back, "sd", 0.0) == pytest.approx(getattr(value, "sd", 0.0))
    assert getattr(back, "unit", "") == getattr(value, "unit", "")
    assert getattr(back, "scale_sd", 0.0) == pytest.approx(getattr(value, "scale_sd", 0.0))


def test_a_count_is_as_uncertain_as_compare_takes_it():
    few, many = quantity_of(Count(3, 1)), quantity_of(Count(5, 1))
    assert (many.value - few.value) / subtract(many, few).sd > 1.96 * 0.7
    assert quantity_of(Count(3)).sd == 0


def test_dimensions_follow_products_and_sums_need_equal_ones():
    gap, time = Quantity(Uncertain(2.0), METRES), Quantity(Uncertain(4.0), Dimension(seconds=1))
    assert divide(gap, time).unit == "m/s"
    assert multiply(gap, gap).unit == "m^2" and square_root(multiply(gap, gap)).dimension == METRES
    wrong = add(gap, time)
    assert isinstance(wrong, Absent) and wrong.reason == "degenerate"
    mixed = add(gap, Quantity(Uncertain(1.0), UNITS))
    assert isinstance(mixed, Absent) and mixed.reason == "unknown scale"
    assert isinstance(square_root(gap), Absent)


def test_what_cannot_be_told_from_0_divides_nothing():
    for divisor in (plain(0.0), Quantity(measured(0.1, 0.1, "a"))):
        absent = divide(plain(1.0), divisor)
        assert isinstance(absent, Absent) and absent.reason == "degenerate"
    huge = Quantity(Uncertain(1e29))
    assert isinstance(multiply(huge, huge), Absent)


def test_rounding_says_when_the_uncertainty_reaches_another_number():
    sure, unsure = Quantity(measured(4.2, 0.05, "a")), Quantity(measured(4.45, 0.1, "a"))
    assert rounded(sure).value == 4 and rounded(sure).sd == 0 and not rounded(sure).evidence.flags
    assert rounded(unsure).value == 4 and rounded(unsure).evidence.flags == ("anything from 4 to 5 after rounding",)
    low, high = rounded(unsure).interval()
    assert low < 4 and high >= 4.5
    assert rounded(sure, math.ceil).value == 5


def test_sums_signs_and_nothing():
    parts = [Quantity(measured(v, 0.1, str(v)), DEGREES) for v in (1.0, 2.0, 3.0)]
    assert total(parts).value == 6.0 and total(parts).sd == pytest.approx(0.1 * math.sqrt(3))
    assert total([], DEGREES).value == 0.0 and total([], DEGREES).dimension == DEGREES
    assert absolute(negate(parts[0])).value == 1.0


def bearing(degrees, sd=0.0, source="a"):
    return Quantity(measured(degrees, sd, source), DEGREES, turning="bearing")


ANGLE = st.floats(-180.0, 180.0, exclude_min=True)


@given(ANGLE, ANGLE)
def test_the_difference_of_two_bearings_is_the_shorter_way_round(a, b):
    turn = subtract(bearing(a, 2.0), bearing(b, 3.0, "b"))
    assert -180.0 < turn.value <= 180.0
    assert math.remainder(turn.value - (a - b), 360.0) == pytest.approx(0.0, abs=1e-9)
    assert turn.sd == pytest.approx(math.hypot(2.0, 3.0)), "a full turn is exact"
    back = add(bearing(b), turn)
    assert -180.0 < back.value <= 180.0
    assert math.remainder(back.value - a, 360.0) == pytest.approx(0.0, abs=1e-9)


def test_only_bearings_wrap():
    wide = Quantity(Uncertain(200.0), DEGREES)
    assert subtract(wide, Quantity(Uncertain(-170.0), DEGREES)).value == 370.0
    turns = [subtract(bearing(150.0), bearing(0.0))] * 3
    assert total(turns).value == 450.0 and add(turns[0], turns[1]).value == 300.0
    assert negate(bearing(180.0)).value == 180.0
    assert absolute(subtract(bearing(-170.0), bearing(170.0))).value == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("degrees", "op", "other", "state"),
    [
        (-179.0, "<", 0.0, "too close to call"),
        (179.0, ">", 0.0, "too close to call"),
        (-179.0, "<", 170.0, "too close to call"),
        (-160.0, "<", 0.0, "yes"),
        (160.0, ">", 90.0, "yes"),
        (-179.0, "==", 90.0, "no"),
    ],
)
def test_a_bearing_that_may_be_past_180_may_be_on_either_side(degrees, op, other, state):
    found = compare_quantities(op, bearing(degrees, 5.0), Quantity(Uncertain(other), DEGREES))
    assert found.state == state
    assert found.decided or found.margin < 1.96
    plainly = compare_quantities(
        op, Quantity(measured(degrees, 5.0, "a"), DEGREES), Quantity(Uncertain(other), DEGREES)
    )
    assert plainly.decided, "an angle that is no bearing has no other side"


def test_bearings_have_their_middle_across_180_and_none_all_around():
    behind = [bearing(170.0, 3.0, "a"), bearing(-170.0, 3.0, "b"), bearing(-171.0, 3.0, "c")]
    mean = middle(behind, lambda numbers: scaled(total(numbers), 1 / 3))
    assert mean.value == pytest.approx(-177.0) and mean.turning == "bearing"
    assert mean.sd == pytest.approx(3.0 / math.sqrt(3))
    around = middle([bearing(0.0), bearing(120.0), bearing(-120.0)], lambda numbers: total(numbers))
    assert isinstance(around, Absent) and around.reason == "degenerate"
