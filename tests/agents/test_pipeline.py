"""Questions in words over a room whose answers are plain to see from its layout (``conftest``)."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placecell.agents.pipeline import Asker, How, ask, explain
from placecell.engine.interpreter import Budget
from placecell.errors import UserError

SIDES = ["A. left", "B. right", "C. back"]
QUADRANTS = ["A. front-left", "B. front-right", "C. back-left", "D. back-right"]
WAYS = ["A. forward", "B. backward", "C. left", "D. right"]
YES_NO = ["A. Yes", "B. No"]
THINGS = ["A. sofa", "B. lamp", "C. door", "D. plant"]

CHOICES = [
    ("If I am standing by the table and facing the door, is the lamp to my left, right, or back?", SIDES, "B"),
    ("If I am standing by the door and facing the table, is the lamp to my left, right, or back?", SIDES, "A"),
    ("Standing at the table with my back to the door, is the sofa to my left, right, or back?", SIDES, "B"),
    ("If I stand by the plant facing the table, where is the sofa?", QUADRANTS, "A"),
    ("Which of these objects (sofa, lamp, door, plant) is the closest to the table?", THINGS, "A"),
    ("Which of the sofa, lamp, door and plant is farthest from the table?", THINGS, "D"),
    ("From image 1, what is to my left?", THINGS, "A"),
    ("From image 1, I turn around. What is in front of me?", THINGS, "D"),
    ("At image 3, what is behind me?", THINGS, "C"),
    ("From the viewpoint of image 1, what is to the right of the table?", THINGS, "B"),
    ("In which direction did I move from image 1 to image 2?", WAYS, "C"),
    ("In which direction did I move from image 1 to image 3?", WAYS, "A"),
    ("From image 1, if I move forward, will I get closer to the door?", YES_NO, "A"),
    ("From image 1, if I turn around and move forward, will I get closer to the door?", YES_NO, "B"),
    ("From image 1, is the door behind the table?", YES_NO, "A"),
    ("Is the plant visible from image 1?", YES_NO, "B"),
    ("How many chairs are there?", ["A. 1", "B. 2", "C. 3"], "B"),
]

NUMBERS = [
    ("How many chairs are in this room?", 2, None),
    ("What is the distance between the table and the sofa in meters?", 0.95, "m"),
    ("How far apart are the table and the sofa, in cm?", 95.0, "cm"),
    ("How tall is the lamp in feet?", 5.25, "ft"),
    ("What is the length of the longest dimension of the sofa, in centimeters?", 200.0, "cm"),
    ("What is the size of this room (in square meters)?", 24.0, "m2"),
]


@pytest.mark.parametrize(("question", "options", "letter"), CHOICES)
def test_a_choice_has_the_letter_that_the_layout_gives(room, question, options, letter):
    answer = ask(room(), question, options)
    assert answer.letter == letter, explain(answer)
    assert answer.method == "geometry"
    assert not answer.abstained


@pytest.mark.parametrize(("question", "options", "letter"), CHOICES)
def test_the_order_of_options_does_not_matter(room, question, options, letter):
    texts = [o[3:] for o in options]
    wanted = texts["ABCD".index(letter)]
    turned = [*texts[1:], texts[0]]
    answer = ask(room(), question, [f"({c}) {t}" for c, t in zip("abcd", turned, strict=False)])
    assert answer.letter == "ABCD"[turned.index(wanted)]
    assert answer.answer == wanted


@pytest.mark.parametrize(("question", "value", "unit"), NUMBERS)
def test_a_number_comes_in_the_asked_unit(room, question, value, unit):
    answer = ask(room(), question)
    assert answer.value == value, explain(answer)
    assert answer.unit == unit
    assert answer.interval == (value, value)


def test_noise_of_the_memory_widens_the_interval_and_lowers_the_confidence(room):
    question = "What is the distance between the table and the sofa in meters?"
    sharp, blurred = ask(room(sd=0.01), question), ask(room(sd=0.1), question)
    assert sharp.interval[0] > blurred.interval[0]
    assert sharp.confidence > blurred.confidence


def test_a_choice_too_close_to_call_is_made_with_low_confidence(room):
    # The sofa's near side is 0.95 m from the table, the lamp's 1.25 m.
    options = ["A. sofa", "B. lamp"]
    question = "Which of these objects (sofa, lamp) is closest to the table?"
    assert ask(room(), question, options).confidence == 0.99
    unsure = ask(room(sd=0.3), question, options)
    assert unsure.letter == "A"
    assert unsure.confidence < 0.8
    assert "too close to call" in unsure.notes[0]


def test_metres_are_refused_without_a_scale_but_sides_are_not(room):
    far = ask(room(metric=False), "What is the distance between the table and the sofa in meters?")
    assert far.abstained
    assert far.reason.startswith("unknown scale")
    assert far.stage == "memory"
    assert ask(room(metric=False), CHOICES[0][0], SIDES).letter == "B"
    assert ask(room(metric=False), "How far apart are the table and the sofa?").unit == "units"


@pytest.mark.parametrize(
    ("question", "stage", "reason"),
    [
        ("What is the meaning of life?", "decomposition", "not understood"),
        ("", "decomposition", "not understood"),
        ("How many pianos are there?", "grounding", "not in memory: nobody looked for"),
        ("How far is the chair from the piano?", "grounding", "not in memory: nobody looked for"),
        ("From image 9, what is to my left?", "decomposition", "there is no image 9"),
        ("How long is the chair?", "grounding", "ambiguous: there are 2 of chair"),
    ],
)
def test_what_cannot_be_answered_says_where_it_stopped_and_why(room, question, stage, reason):
    answer = ask(room(), question)
    assert answer.abstained
    assert answer.stage == stage
    assert reason in answer.reason
    assert answer.answer is None
    assert answer.method is None


def test_an_object_that_was_looked_for_and_not_found_counts_zero(room):
    memory = room(vocabulary=["piano"])
    assert ask(memory, "How many pianos are there?").value == 0
    assert ask(memory, "Is there a piano?").answer == "No"


def test_an_object_s_own_side_needs_its_front(room):
    question = "From the sofa's perspective, where is the lamp?"
    assert "front of the sofa is not known" in ask(room(), question, QUADRANTS).reason
    memory = room(fronts={"sofa": (1.0, 0.0, 0.3)})
    assert ask(memory, question, QUADRANTS).letter == "A"


SCRAPS = """what which where is the how far many table sofa chair from image 1 2 9 left right behind of me I turn and
    , ? . closest to nearest between standing at facing A. (b) 90 degrees 3.5 m [fill in] not \u201c \u2019s"""


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from(SCRAPS.split()), max_size=25).map(" ".join) | st.text(max_size=60),
    st.none() | st.lists(st.text(max_size=12), max_size=4),
)
def test_nothing_a_question_says_raises(room, question, options):
    answer = ask(room(), question, options)
    assert answer.abstained == (answer.reason is not None) == (answer.answer is None)
    json.dumps(answer.record(), allow_nan=False)


def test_a_budget_that_is_too_small_is_the_reason(room):
    answer = ask(room(), CHOICES[0][0], SIDES, How(budget=Budget(operations=2)))
    assert answer.reason.startswith("over budget")
    assert answer.stage == "execution"


def test_the_record_is_json_with_what_scripts_rely_on(room):
    answer = ask(room(), CHOICES[0][0], SIDES)
    record = json.loads(json.dumps(answer.record(), allow_nan=False))
    assert record["letter"] == "B"
    assert record["value"] == "right"
    assert record["decomposition"]["comparison"]["function"] == "direction"
    assert record["program"].startswith("def plan(images):")
    assert record["usage"]["operations"] > 0
    assert {"answer", "unit", "interval", "confidence", "method", "abstained", "reason", "trace"} < set(record)


def test_a_trace_is_written_with_pictures(room, tmp_path):
    path = tmp_path / "how.html"
    answer = ask(room(), "From image 1, what is to my left?", THINGS, trace=path)
    assert answer.trace == str(path)
    assert answer.letter == "A"
    assert answer.usage.pictures == 2
    assert path.read_text().count('<use href="#p-') == 3  # the place from above, and both pictures


def test_many_questions_are_answered_in_order(room):
    asker = Asker(room())
    assert [asker.ask(q, o).letter for q, o, _ in CHOICES] == [letter for _, _, letter in CHOICES]


LONG = "9" * 5000
"""More digits than Python reads as a number."""


@pytest.mark.parametrize(
    ("question", "options"),
    [
        (f"How far is image {LONG} from the chair?", None),
        (f"What is on the left in images 1 and {LONG}?", None),
        (f"Which image shows the chair, image{LONG}?", None),
        (f"In image 1, turn {LONG} degrees right. What is in front of you?", None),
        (f"If I move forward {LONG} meters from image 1, is the chair closer?", None),
        ("How many chairs are there?", [LONG, "2"]),
        ("Which one is closest to the chair?", [f"thing {n}" for n in range(40)]),
        ("How many chairs \ud800are\x00 there?", None),
    ],
    ids=["image", "images", "joined", "turn", "step", "option", "forty options", "half a surrogate"],
)
@pytest.mark.parametrize(("strategy", "model"), [("program", "rules"), ("cells", "rules"), ("direct", "blind")])
def test_no_number_and_no_text_is_too_odd_to_be_asked(room, question, options, strategy, model):
    answer = ask(room(), question, options, How(strategy, model))
    assert answer.abstained == (answer.reason is not None)
    assert json.loads(answer.model_dump_json())["question"]


def test_unknown_strategies_and_models_are_the_caller_s_mistake(room):
    with pytest.raises(UserError, match="unknown strategy 'guess'"):
        ask(room(), "How many chairs are there?", how=How(strategy="guess"))
    with pytest.raises(UserError, match="unknown model 'gpt'"):
        ask(room(), "How many chairs are there?", how=How(model="gpt"))


def test_an_explanation_tells_slots_program_values_and_answer(room):
    text = explain(ask(room(), CHOICES[2][0], SIDES))
    assert "standing at the table, with the back to the door" in text
    assert "set_viewpoint(" in text
    assert "answer: B. right" in text


def test_an_answer_names_the_kind_of_question_and_a_refusal_what_to_ask_instead(room):
    assert ask(room(), "How far apart are the table and the sofa?").family == "distance"
    assert ask(room(), "From image 1, what is on my left?").family == "what is there"
    refused = ask(room(), "How far can I throw the lamp?")
    assert refused.family is None
    assert refused.reason.endswith('(nearest kind: distance); try: "How far is the sofa from the door?"')
