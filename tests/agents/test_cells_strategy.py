"""The strategy ``cells``: by rules, and by models that read perfectly, slip every time, or talk nonsense."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from asking_tasks import task

from placecell.agents.answering import How
from placecell.agents.author import Asked
from placecell.agents.events import ProgramEvent, RequestEvent, TextPart
from placecell.agents.log import Log
from placecell.agents.models.budget import Limits
from placecell.agents.models.doubles.scripted import scripted
from placecell.agents.models.settings import Settings
from placecell.agents.pipeline import Asker
from placecell.agents.questions.decompose import FAMILIES
from placecell.agents.replaying import replay
from placecell.agents.stepping.arithmetic import cell_for
from placecell.agents.strategy import open_strategy
from placecell.agents.trace_page import page
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.backends.synthetic.questions import questions_about
from placecell.engine.facts import facts_of

SIZE = (96, 72)
SETTINGS = Settings(retries=1, backoff=0.001)
GOAL = json.dumps({"frame": "none", "answer": "number", "entities": ["table", "sofa"]})

CHOICE = json.dumps({"frame": "none", "answer": "option", "entities": ["lamp"]})
NEARER = """```python
table = select_object(query_3d_object_location("table"), by="only")
lamp = select_object(query_3d_object_location("lamp"), by="only")
sofa = select_object(query_3d_object_location("sofa"), by="only")
def gap(o): return distance_between(o, table)
answer(sorted([lamp, sofa], by=gap)[0])
```"""


@pytest.fixture(scope="module")
def asked():
    room = make_room(11)
    views = default_views(room)
    return perfect_memory(room, views, size=SIZE), questions_about(room, views, per_family=1, size=SIZE)


def answers(asked, model, log=None, **options):
    memory, questions = asked
    asker = Asker(memory, How("cells", model, settings=SETTINGS, options=options))
    return [asker.ask(q.question, q.options, log=log) for q in questions]


def cell(text):
    return f"Let me see.\n```python\n{text}\n```"


def outcome(room, *lines, question="How far is the table from the sofa?", options=(), **how):
    t = replace(task(scripted(*lines), room, question, options, **how), author="vlm")
    return open_strategy("cells").answer(t), t


def said_to_model(t):
    """Every text of the last request."""
    last = t.log.of(RequestEvent)[-1]
    return "\n".join(p.text for m in last.messages for p in m.parts if isinstance(p, TextPart))


def test_by_rules_every_family_is_answered_as_by_a_program(asked):
    memory, questions = asked
    programs = Asker(memory, How("program", "rules", settings=SETTINGS))
    for question, answer in zip(questions, answers(asked, "rules"), strict=True):
        other = programs.ask(question.question, question.options)
        assert (answer.answer, answer.value, answer.interval) == (other.answer, other.value, other.interval)
        assert answer.confidence == other.confidence and answer.attempts[0].accepted
        assert answer.usage.calls == 0


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_example_of_every_family_comes_to_the_same_by_cells_as_by_a_program(room, family):
    cells, program = (
        Asker(room(), How(strategy, "rules", settings=SETTINGS)).ask(family.example)
        for strategy in ("cells", "program")
    )
    assert (cells.answer, cells.value, cells.stage) == (program.answer, program.value, program.stage)
    assert (cells.program is None) == (program.program is None or not program.values)


def test_the_perfect_reader_answers_a_room_cell_by_cell(asked):
    for question, answer in zip(asked[1], answers(asked, "perfect"), strict=True):
        if question.value is None:
            assert answer.letter == question.answer, (question, answer)
        else:
            assert answer.value == pytest.approx(question.value, rel=0.03), (question, answer)
        assert [a.accepted for a in answer.attempts] == [True]


def test_one_mistake_a_turn_costs_turns_and_leaves_only_its_diagnostic(asked):
    memory, questions = asked
    log = Log()
    slips = answers((memory, questions[:6]), "slipping:perfect", log)
    for question, answer in zip(questions[:6], slips, strict=True):
        right = answer.letter == question.answer if question.value is None else answer.value is not None
        assert right, (question, answer)
        assert [(a.accepted, a.repaired) for a in answer.attempts] == [(False, False), (True, False)]
    for request in log.of(RequestEvent):
        written = [
            p.text for m in request.messages if m.role == "assistant" for p in m.parts if isinstance(p, TextPart)
        ]
        assert not any("never_bound" in text for text in written)
    assert [e.accepted for e in log.of(ProgramEvent)] == [False, True] * 6


@pytest.mark.parametrize("model", ["garbage", "refusing"])
def test_nonsense_ends_with_the_budget_and_a_reason(asked, model):
    memory, questions = asked
    for answer in answers((memory, questions[:2]), model, cells=4):
        assert answer.abstained and answer.value is None
        assert answer.stage == {"garbage": "plan", "refusing": "decomposition"}[model]
        assert len(answer.attempts) <= 4


def test_arithmetic_that_no_program_can_say_is_answered_by_rules(asked):
    memory, _ = asked
    names = [thing.name for thing in memory.instances]
    alone = [thing for thing in memory.instances if names.count(thing.name) == 1][:2]
    a, b = sorted(alone, key=lambda t: -t.box.size[1])
    ask = Asker(memory, How("cells", "rules", settings=SETTINGS)).ask
    higher = ask(f"How much taller is the {a.name} than the {b.name}?")
    assert higher.value == pytest.approx(a.box.size[1] - b.box.size[1], abs=0.02) and higher.unit == "m"
    total = ask(f"What is the total height of the {a.name} and the {b.name} in cm?")
    assert total.value == pytest.approx(100 * (a.box.size[1] + b.box.size[1]), abs=2) and total.unit == "cm"
    ratio = ask(f"How many times taller is the {a.name} than the {b.name}?")
    assert ratio.value == pytest.approx(a.box.size[1] / b.box.size[1], rel=0.02) and ratio.unit is None
    program = Asker(memory, How("program", "rules", settings=SETTINGS)).ask(
        f"How much taller is the {a.name} than the {b.name}?"
    )
    assert program.abstained and program.stage == "decomposition"


@pytest.mark.parametrize(
    ("question", "cell"),
    [
        (
            "How much taller is the lamp than the sofa?",
            "answer(measure_size(thing_1).height - measure_size(thing_2).height)",
        ),
        ("What is the difference in width between the lamp and the sofa?", "answer(abs(measure_size(thing_1).width - "),
        ("What is the average height of the chairs?", "answer(mean([measure_size(thing).height for thing in things]))"),
        ("How much closer is the lamp to the door than the sofa?", "answer(to_b - to_a)"),
        ("How much farther from the door is the lamp than the sofa?", "answer(to_a - to_b)"),
        (
            "How much longer is the way from the door to the sofa via the lamp than the direct way?",
            "around - measure_dist",
        ),
    ],
)
def test_wordings_of_arithmetic_become_the_cell_for_them(room, question, cell):
    facts = facts_of(room())
    assert cell in cell_for(Asked(question), facts)


@pytest.mark.parametrize(
    "question", ["How tall is the lamp?", "How far is the lamp from the sofa?", "How much taller is it?", "Who sleeps?"]
)
def test_what_a_program_says_is_no_arithmetic(room, question):
    assert cell_for(Asked(question), facts_of(room())) is None


def test_a_model_measures_and_answers_in_cells(room):
    lines = (
        GOAL,
        cell('table = query_3d_object_location("table")\nsofa = query_3d_object_location("sofa")'),
        cell("apart = measure_distance(table, sofa)\nanswer(apart)"),
    )
    got, t = outcome(room(), *lines)
    assert got.reading.value == pytest.approx(0.95, abs=0.01) and got.method == "geometry"
    assert "table : instances" in said_to_model(t)
    assert got.program.count("---") == 1


def test_measuring_the_same_again_makes_an_unsure_answer_no_surer_and_another_result_makes_it_less_sure(room):
    measured = cell(
        'table = query_3d_object_location("table")\nsofa = query_3d_object_location("sofa")\n'
        "answer(measure_distance(table, sofa))"
    )
    alone, t = outcome(room(sd=0.1), GOAL, measured, "That is it.")
    assert "% sure" in said_to_model(t)
    same, _ = outcome(room(sd=0.1), GOAL, measured, cell("answer(distance_between(sofa, table))"))
    assert same.reading.confidence == alone.reading.confidence
    assert any("the same one" in note for note in same.reading.notes)
    other = cell("answer(5 * measure_distance(sofa, table))")
    torn, _ = outcome(room(sd=0.1), GOAL, measured, other)
    assert torn.reading.confidence <= alone.reading.confidence
    assert any("another way disagrees" in note for note in torn.reading.notes)


def test_a_second_independent_way_makes_an_unsure_answer_surer(room):
    looked = cell('shot = photo_of(1)\nanswer(judge("Which is nearer?", pictures=[shot], options=["sofa", "lamp"]))')
    lines = CHOICE, NEARER, looked, "Answer: A"
    got, _ = outcome(room(sd=0.4), *lines, question="Which is nearer to the table?", options=("A. sofa", "B. lamp"))
    assert got.reading.option.letter == "A" and got.reading.confidence > 0.6
    assert any("a second way agrees" in note for note in got.reading.notes)


def test_an_answer_of_another_type_than_the_goal_is_told_back(room):
    lines = GOAL, cell('table = query_3d_object_location("table")\nanswer(table)'), "That is all."
    got, t = outcome(room(), *lines, cells=2)
    assert "That is no answer" in said_to_model(t) and "asks for a number" in said_to_model(t)
    assert got.reading.reason is not None


def test_at_the_end_of_the_cells_the_best_value_is_given_with_low_confidence(room):
    lines = (
        GOAL,
        cell('table = query_3d_object_location("table")\nsofa = query_3d_object_location("sofa")'),
        cell("apart = measure_distance(table, sofa)"),
    )
    got, _ = outcome(room(), *lines, cells=2)
    assert got.reading.value == pytest.approx(0.95, abs=0.01)
    assert got.reading.confidence <= 0.3 and "low confidence" in got.reading.notes[-1]


def test_an_answer_that_is_absent_is_given_with_its_reason_when_nothing_can_be_done_about_it(room):
    lines = (
        GOAL,
        cell('yeti = query_3d_object_location("yeti")\nanswer(measure_size(yeti[0]).height)'),
        "Nothing helps.",
    )
    got, t = outcome(room(), *lines, question="How tall is the yeti?")
    assert got.reading.stage == "grounding" and "yeti" in got.reading.reason
    assert "That is no answer" in said_to_model(t)


def test_without_a_measured_value_the_end_of_the_cells_is_no_answer(room):
    got, _ = outcome(room(), GOAL, cell('unicorn = query_3d_object_location("unicorn")'), cells=1)
    assert got.reading.reason is not None and got.reading.stage == "answer"


def test_an_option_the_model_chooses_is_its_reading_not_a_measurement(room):
    lines = CHOICE, cell('lamp = query_3d_object_location("lamp")'), cell('answer("sofa")')
    got, _ = outcome(room(), *lines, "I stay with it.", question="Which is softer?", options=("A. sofa", "B. lamp"))
    assert (got.reading.option.letter, got.method) == ("A", "vlm")
    assert got.reading.confidence <= 0.7


def test_an_option_said_in_words_is_what_is_left_when_no_cell_was_written(room):
    got, _ = outcome(room(), CHOICE, *["Answer: B"] * 3, question="Which is larger?", options=("A. sofa", "B. table"))
    assert (got.reading.option.letter, got.method) == ("B", "vlm")
    assert got.reading.confidence <= 0.3
    assert [a.accepted for a in got.attempts] == [False] * 3


@pytest.mark.parametrize(("sd", "sure"), [(0.0, True), (0.4, False)])
def test_a_place_in_an_order_that_may_be_another_s_is_not_sure(room, sd, sure):
    asked = {"question": "Which is nearer to the table?", "options": ("A. sofa", "B. lamp")}
    got, _ = outcome(room(sd=sd), CHOICE, NEARER, "I stay with it.", **asked)
    assert got.reading.option.letter == "A"
    assert (got.reading.confidence > 0.9) == sure


def test_numbers_are_never_typed_in(room):
    got, t = outcome(room(), GOAL, cell("answer(3.2)"), cell("answer(metres(3.2))"), cells=2)
    assert got.reading.reason is not None
    assert [e.accepted for e in t.log.of(ProgramEvent)] == [False, False]


def test_at_most_two_small_pictures_of_a_cell_are_shown(room):
    shots = "\n".join(f"shot_{n} = photo_of({n})" for n in (1, 2, 3))
    _, t = outcome(room(), GOAL, cell(shots), "I do not know.", cells=2)
    sent = [len(r.pictures) for r in t.log.of(RequestEvent)]
    assert sent == [0, 0, 2]
    assert "Not shown" in said_to_model(t) and "shot_3" in said_to_model(t)


def test_a_model_that_cannot_be_reached_ends_the_question(room):
    got, _ = outcome(room(), GOAL, {"status": 401})
    assert (got.reading.stage, got.reading.value) == ("model", None)


def test_the_limits_of_a_question_hold(room):
    got, t = outcome(room(), GOAL, cell('lamp = query_3d_object_location("lamp")'), "more", limits=Limits(calls=2))
    assert got.reading.stage == "budget"
    assert len(t.log.of(RequestEvent)) == 2


def test_auto_asks_the_model_only_for_what_rules_cannot_answer(asked):
    memory, questions = asked
    asker = Asker(memory, How("cells", "auto:perfect", settings=SETTINGS))
    assert asker.ask(questions[0].question, questions[0].options).usage.calls == 0
    assert asker.ask("Why do people dream?").usage.calls > 0


def test_a_recorded_session_of_cells_replays_to_the_same_answer_and_its_page_shows_the_cells(asked, tmp_path):
    memory, questions = asked
    path = tmp_path / "log.jsonl"
    with Log(path) as log:
        answers((memory, questions[:2]), "slipping:perfect", log)
    for again in replay(Log.read(path), memory):
        assert again.difference is None
    html = page(Log.read(path))
    assert "Cell 1, by vlm" in html and "Cell 2, by vlm" in html and "never_bound" in html
