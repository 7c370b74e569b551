"""Whatever a model wraps its answer in, it is read as meant; what holds no answer is a failure with its reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placecell.agents.questions.options import RawOption
from placecell.agents.reply import lettered, read_reply

THINGS = tuple(RawOption(k, t) for k, t in zip("ABCD", ("sofa", "coffee table", "TV", "floor lamp"), strict=True))
SIDES = tuple(RawOption(k, t) for k, t in zip("ABCD", ("left", "front-left", "back", "front"), strict=True))
YES_NO = (RawOption("A", "Yes"), RawOption("B", "No"))
LENGTHS = tuple(RawOption(k, t) for k, t in zip("ABC", ("1.5 m", "2.0 m", "3.2 m"), strict=True))

CHOICES = [
    ("B", "B"),
    ("b", "B"),
    (" (B) ", "B"),
    ("B.", "B"),
    ("**B**", "B"),
    ("B. coffee table", "B"),
    ("The one beside the TV is D.", "D"),
    ("**B. Coffee table**", "B"),
    ("Option B", "B"),
    ("[C]", "C"),
    ("Answer: (B) coffee table", "B"),
    ("**Answer:** D", "D"),
    ("Final Answer:\n\n**C**", "C"),
    ("### Final answer\nThe correct option is **D**.", "D"),
    ("<answer>C</answer>", "C"),
    ("<answer>\n (C) TV \n</answer>", "C"),
    ("<answer>A</answer> no wait. <answer>C</answer>", "C"),
    ("<answer>C", "C"),
    ("I compared them.\n<answer>\\boxed{C}</answer>", "C"),
    ("\\boxed{\\text{B}}", "B"),
    ("The result is $\\boxed{(D)}$.", "D"),
    ("\\[ \\boxed{B. \\text{coffee table}} \\]", "B"),
    ('{"reasoning": "it is near", "answer": "C"}', "C"),
    ('```json\n{"answer": "B", "confidence": 0.7}\n```', "B"),
    ("<think>A? No, B is nearer.</think>C", "C"),
    ("Maybe A, maybe <answer>A</answer></think>\n\nC", "C"),
    ("<thinking>I would say (A).</thinking>\n<answer>D</answer>", "D"),
    ("<think>the answer is A</think>\n\nThe answer is D.", "D"),
    ("<think>all of it, <answer>C</answer></think>", "C"),
    ("◁think▷A or B◁/think▷ B", "B"),
    ("[THINK]hmm (A)[/THINK]B", "B"),
    ("<|begin_of_box|>D<|end_of_box|>", "D"),
    ("<|channel|>analysis<|message|>A looks right<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "B"),
    ("B<|im_end|>", "B"),
    ("The answer is B because the table stands in front of the sofa.", "B"),
    ("A is behind me and C is too far away. Therefore, B.", "B"),
    ("Option A is wrong. Option C is wrong. So the answer is D", "D"),
    ("The answer is A. Wait, I misread the picture. The answer is C.", "C"),
    ("The answer is not A. It must be (C).", "C"),
    ("B (not A)", "B"),
    ("Coffee table", "B"),
    ("The floor lamp.", "D"),
    ("the coffee tables", "B"),
    ("It is the coffee table that stands there.", "B"),
    ("A sofa", "A"),
    ("Turning right, I see a TV.", "C"),
    ("It's not the sofa. The floor lamp is behind you.", "D"),
    ("> **Answer**: `B`", "B"),
    ("Answer → C", "C"),
    ("I would choose option D, the floor lamp.", "D"),
    ("Reasoning: the sofa (A) is left, the TV (C) right.\nConclusion: B", "B"),
    ("The correct answer to the question is: **(C) TV**", "C"),
    ("E. floor lamp", "D"),  # letters may have been dealt anew, the text says which is meant
]


@pytest.mark.parametrize(("reply", "letter"), CHOICES)
def test_the_chosen_option_is_read(reply, letter):
    read = read_reply(reply, THINGS)
    assert read.option is not None, read.reason
    assert read.option.letter == letter


@pytest.mark.parametrize(
    ("reply", "options", "letter"),
    [
        ("front-left", SIDES, "B"),
        ("to the front", SIDES, "D"),
        ("It is to my front-left.", SIDES, "B"),
        ("Yes, it is.", YES_NO, "A"),
        ("No.", YES_NO, "B"),
        ("<answer>no</answer>", YES_NO, "B"),
        ("2 meters", LENGTHS, "B"),
        ("The distance is about 200 cm.", LENGTHS, "B"),
        ("<answer>3.2</answer>", LENGTHS, "C"),
    ],
)
def test_words_sides_and_amounts_find_their_option(reply, options, letter):
    assert read_reply(reply, options).option.letter == letter


NO_CHOICE = [
    ("", "empty"),
    ("   \n", "empty"),
    ("<think>so many things", "unfinished"),
    ("<think>B is left of A", "unfinished"),
    ("<think>done thinking</think>", "empty"),
    ("I cannot determine the answer from these images.", "none"),
    ("A or B", "several"),
    ("<answer>A, C</answer>", "several"),
    ("<answer>A and D</answer>", "several"),
    ("E", "not offered"),
    ("The answer is (F).", "not offered"),
    ("B. sofa", "contradictory"),
    ("<answer>(C) coffee table</answer>", "contradictory"),
    ("The room has a sofa, a TV and a floor lamp.", "none"),
    ("A. sofa\nB. coffee table\nC. TV\nD. floor lamp", "none"),
    ("Based on the pictures, I am looking at a kitchen", "none"),
    ("<tool_call>{}</tool_call>", "none"),
    ("ERROR", "none"),
]


@pytest.mark.parametrize(("reply", "fault"), NO_CHOICE)
def test_a_reply_without_one_option_is_a_failure_and_says_why(reply, fault):
    read = read_reply(reply, THINGS)
    assert (read.option, read.value, read.text) == (None, None, None), read
    assert read.fault == fault and read.reason
    assert read.reading().reason.startswith("the model gave no answer")


NUMBERS = [
    ("2.5", "m", 2.5),
    ("2.5 m", "m", 2.5),
    ("250 cm", "m", 2.5),
    ("2.5 meters", "cm", 250.0),
    ("<answer>2500 mm</answer>", "m", 2.5),
    ("\\boxed{2.5\\,\\text{m}}", "m", 2.5),
    ("The distance is approximately 2.5 meters.", "m", 2.5),
    ("about two and a half metres", "m", 2.5),
    ("two point five meters", "m", 2.5),
    ("half a meter", "m", 0.5),
    ("2½ m", "m", 2.5),
    ("2 1/2 m", "m", 2.5),
    ("2,5 m", "m", 2.5),
    ("5 ft 3 in", "in", 63.0),
    ("5'3\"", "in", 63.0),
    ("3 yards", "ft", 9.0),
    ("1,250 mm", "cm", 125.0),
    ("1.2e3 mm", "m", 1.2),
    ("between 2 and 3 meters", "m", 2.5),
    ("2-3 m", "m", 2.5),
    ("2.5 ± 0.3 m", "m", 2.5),
    ("2.5 m (250 cm)", "m", 2.5),
    ("From image 3 the table is seen best. I estimate 2.5 meters.", "m", 2.5),
    ("1.2 + 1.3 = 2.5 m", "m", 2.5),
    ("1. Find the table.\n2. Measure.\n\nAnswer: 2.5 m", "m", 2.5),
    ("The sofa is 1 m wide. The gap is 0.8 m.", "m", 0.8),
    ("24.5 square meters", "m2", 24.5),
    ("24.5 m²", "m2", 24.5),
    ("$24.5\\ \\text{m}^2$", "m2", 24.5),
    ("100 sq ft", "m2", 9.290304),
    ("90°", "degrees", 90.0),
    ("ninety degrees", "degrees", 90.0),
    ("12 seconds", "s", 12.0),
    ("4 chairs", None, 4),
    ("There are four chairs in the room.", None, 4),
    ("twenty-one", None, 21),
    ("a dozen", None, 12),
    ("one hundred and five", None, 105),
    ("There are none.", None, 0),
    ("0", None, 0),
    ('{"answer": 4}', None, 4),
    ("**Answer: 4**", None, 4),
    ("<think>1, 2, 3... I see 3 or 4</think> The total number is 4.", None, 4),
]


@pytest.mark.parametrize(("reply", "unit", "value"), NUMBERS)
def test_numbers_are_read_in_the_asked_unit(reply, unit, value):
    read = read_reply(reply, unit=unit, number=True)
    assert read.value == pytest.approx(value), read


@pytest.mark.parametrize(
    ("reply", "unit", "fault"),
    [
        ("", "m", "empty"),
        ("quite far", "m", "none"),
        ("I cannot tell the distance.", "m", "none"),
        ("12 square meters", "m", "wrong kind"),
        ("3 meters", None, "wrong kind"),
        ("The table is 1.2 m, the sofa 2.1 m and the door 0.9 m", "m", "none"),
        ("2 or 3 chairs", None, "none"),
        ("3-4 chairs", None, "none"),
        ("one two three", None, "none"),
        ("see image 3", None, "none"),
        ("9" * 400, "m", "none"),
    ],
)
def test_a_reply_without_one_fitting_number_is_a_failure(reply, unit, fault):
    read = read_reply(reply, unit=unit, number=True)
    assert read.value is None and read.fault == fault, read


def test_an_open_question_takes_text_and_bare_numbers():
    assert read_reply("<answer>the red chair</answer>").text == "the red chair"
    assert read_reply("Answer: 3").value == 3


def test_unlettered_options_have_letters_by_place():
    options = (RawOption("", "sofa"), RawOption("", "bed"))
    assert read_reply("B", options).option == RawOption("B", "bed")
    assert [o.letter for o in lettered(options)] == ["A", "B"]


def test_a_reading_keeps_option_value_and_unit():
    assert read_reply("B", THINGS).reading().option.text == "coffee table"
    reading = read_reply("250 cm", unit="m", number=True).reading()
    assert (reading.value, reading.unit, reading.reason) == (2.5, "m", None)
    assert read_reply("four", number=True).reading().value == 4


@given(st.text(max_size=200))
def test_no_reply_breaks_the_reader_and_each_is_answered_or_has_a_reason(text):
    for read in (read_reply(text, THINGS), read_reply(text, unit="m", number=True), read_reply(text)):
        assert read.answered != bool(read.reason)


@pytest.mark.parametrize(
    "piece",
    ["<think>", "<answer>", "\\boxed{", "\n", "{", "1 ", "A or ", "one ", "1 one ", "answer ", "not "],
)
def test_a_model_that_repeats_itself_for_ever_is_read_all_the_same(piece):
    text = piece * (20_000 // len(piece))
    read = read_reply(text, THINGS)
    assert not read.answered and read.reason
    assert read_reply(text, unit="s", number=True).value in (None, 1)


WRAPPERS = ["<answer>{}</answer>", "\\boxed{{{}}}", "Answer: {}", "**{}**", "({})"]


@given(st.sampled_from(THINGS), st.sampled_from(WRAPPERS))
def test_every_wrapper_gives_its_letter_back(option, wrapper):
    assert read_reply(wrapper.format(option.letter), THINGS).option == option
