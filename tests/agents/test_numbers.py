"""Measured numbers in the asked unit."""

import pytest

from placecell.agents.numbers import area_reading, count_reading, length_reading
from placecell.engine.values import Area, Count, Length
from placecell.language.decomposition import Option


def numbered(*texts):
    return [Option(letter=letter, text=t) for letter, t in zip("ABCD", texts, strict=False)]


@pytest.mark.parametrize(
    ("unit", "value"),
    [(None, 1.53), ("m", 1.53), ("cm", 153.0), ("mm", 1530.0), ("in", 60.2), ("ft", 5.02), ("steps", 2.0)],
)
def test_a_length_is_given_in_the_asked_unit(unit, value):
    reading = length_reading(Length(1.53, "m"), unit, ())
    assert reading.value == value
    assert reading.unit == (unit or "m")
    assert reading.notes == (("a step taken as 0.75 m",) if unit == "steps" else ())


def test_the_interval_is_95_percent_and_in_the_same_unit():
    reading = length_reading(Length(1.0, "m", sd=0.05), "cm", ())
    assert reading.interval == (90.0, 110.0)
    assert reading.text == "100 cm"
    assert reading.confidence == pytest.approx(0.954, abs=1e-3)  # within 10 % is within 2 sd


def test_metres_are_never_made_out_of_units():
    reading = length_reading(Length(1.53, "units"), "cm", ())
    assert reading.value is None
    assert reading.reason.startswith("unknown scale")
    assert length_reading(Length(1.53, "units"), None, ()).unit == "units"
    assert area_reading(Area(12.0, "units"), "m2", ()).stage == "memory"


def test_a_length_is_not_an_area():
    assert length_reading(Length(1.0, "m"), "m2", ()).reason == "a length cannot be given in m2"


def test_areas_come_in_square_metres_and_feet():
    assert area_reading(Area(26.37104, "m"), None, ()).value == 26.4
    assert area_reading(Area(10.0, "m"), "ft2", ()).value == 108.0


def test_numeric_options_are_chosen_by_the_nearest_number():
    reading = length_reading(Length(1.53, "m", 0.01), "m", numbered("0.5 m", "2.6 m", "1.4 m"))
    assert reading.option.letter == "C"
    assert reading.confidence == pytest.approx(0.99)
    near = length_reading(Length(1.5, "m", 0.1), "m", numbered("1.4 m", "1.6 m"))
    assert near.confidence < 0.9


def test_doubtful_objects_widen_the_count_downwards():
    assert count_reading(Count(4), ()).interval == (4.0, 4.0)
    reading = count_reading(Count(4, uncertain=1), ())
    assert reading.interval == (3.0, 4.0)
    assert reading.confidence < 0.8
    assert reading.notes == ("1 of them uncertain",)


def test_counts_in_words_are_read_from_the_option_s_meaning():
    options = [Option(letter="A", text="three", answer="3"), Option(letter="B", text="two", answer="2")]
    assert count_reading(Count(2), options).option.letter == "B"


@pytest.mark.parametrize(("metres", "unit", "value"), [(0.0123, "m", 0.012), (0.0123, "cm", 1.2), (12.345, "m", 12.35)])
def test_small_lengths_keep_two_significant_digits(metres, unit, value):
    assert length_reading(Length(metres, "m"), unit, ()).value == value
