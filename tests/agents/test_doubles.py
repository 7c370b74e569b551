"""The shipped test doubles behave as they say, and what rests on them holds on synthetic rooms."""

import json
import threading

import numpy as np
import pytest

from placecell.agents.answering import How
from placecell.agents.log import Log
from placecell.agents.models.budget import Account
from placecell.agents.models.channel import Channel
from placecell.agents.models.doubles.scripted import scripted
from placecell.agents.models.doubles.table import open_double
from placecell.agents.models.names import DOUBLES
from placecell.agents.models.open import open_model
from placecell.agents.models.pictures import Shown
from placecell.agents.models.settings import Settings
from placecell.agents.pipeline import Asker
from placecell.agents.talk import Failure, Talk
from placecell.backends.synthetic.capture import default_views
from placecell.backends.synthetic.furnish import make_room
from placecell.backends.synthetic.perfect import perfect_memory
from placecell.backends.synthetic.questions import questions_about
from placecell.errors import UserError

SIZE = (96, 72)
SETTINGS = Settings(retries=2, backoff=0.001)


@pytest.fixture(scope="module")
def asked():
    """A synthetic room's perfect memory and one question of each family."""
    room = make_room(11)
    views = default_views(room)
    return perfect_memory(room, views, size=SIZE), questions_about(room, views, per_family=1, size=SIZE)


def is_right(question, answer):
    if question.value is None:
        return answer.letter == question.answer
    return isinstance(answer.value, (int, float)) and answer.value == pytest.approx(question.value, rel=0.03)


def talk_to(model):
    return Talk(Channel(model, SETTINGS, Account(), Log()))


def test_the_perfect_reader_answers_a_room_by_programs_it_wrote(asked):
    memory, questions = asked
    asker = Asker(memory, How(model="perfect", settings=SETTINGS))
    for question in questions:
        answer = asker.ask(question.question, question.options)
        assert is_right(question, answer), (question, answer)
        assert answer.attempts[0].accepted
        assert answer.usage.calls >= 2


def test_garbage_fails_cleanly_on_every_question(asked):
    memory, questions = asked
    asker = Asker(memory, How(model="garbage", settings=SETTINGS))
    for question in questions:
        answer = asker.ask(question.question, question.options)
        assert answer.abstained, (question, answer)
        assert (answer.answer, answer.letter, answer.value) == (None, None, None)
        assert answer.reason


def test_the_blind_guesser_answers_every_choice_alike_each_time(asked):
    memory, questions = asked
    asker = Asker(memory, How(model="blind", settings=SETTINGS))
    for question in (q for q in questions[:3] if q.options):
        first, second = (asker.ask(question.question, question.options) for _ in range(2))
        assert first.letter == second.letter
        assert first.letter is not None
        assert first.method == "vlm"


def test_a_flaky_server_changes_nothing_but_the_attempts(asked):
    memory, questions = asked
    steady = Asker(memory, How(model="perfect", settings=SETTINGS)).ask(questions[0].question, questions[0].options)
    flaky = Asker(memory, How(model="flaky:2:perfect", settings=SETTINGS))
    answer = flaky.ask(questions[0].question, questions[0].options)
    assert (answer.letter, answer.value, answer.usage.calls) == (steady.letter, steady.value, steady.usage.calls)


def test_a_refusing_model_is_refused():
    assert talk_to(open_double("refusing")).ask("?").kind == "refused"


def test_a_slow_model_runs_into_the_timeout():
    use = Settings(timeout=0.05)
    talk = Talk(Channel(open_model("slow:5:blind", use), use, Account(), Log()))
    assert talk.ask("?").kind == "timeout"


def test_a_script_is_played_line_by_line(tmp_path):
    path = tmp_path / "script.json"
    lines = ["one", {"cut off": "tw"}, {"refuse": "no"}, {"status": 400}, {"call": "nothing", "arguments": {}}, "six"]
    path.write_text(json.dumps(lines))
    talk = talk_to(open_model(f"scripted:{path}", SETTINGS))
    said = [talk.ask(str(n)) for n in range(6)]
    assert said[0] == "one"
    assert [s.kind if isinstance(s, Failure) else s for s in said[1:]] == [
        "cut off",
        "refused",
        "rejected",
        "six",
        "empty",
    ]


def test_a_line_of_a_script_may_listen():
    talk = talk_to(scripted(lambda heard: f"you said {heard.data('question')[0]}"))
    assert talk.ask("<question>\nwhere?\n</question>") == "you said where?"


@pytest.mark.parametrize("text", ["", "{}", '{"a": 1}', "[1]", '[{"say": "x"}]'])
def test_a_script_that_is_none_says_so(text, tmp_path):
    path = tmp_path / "script.json"
    path.write_text(text)
    with pytest.raises(UserError, match="script"):
        open_model(f"scripted:{path}", SETTINGS)


def test_a_missing_script_is_named():
    with pytest.raises(UserError, match=r"nowhere\.json"):
        open_model("scripted:nowhere.json", SETTINGS)


@pytest.mark.parametrize("name", [n for n in DOUBLES if n not in ("scripted", "recorded")])
def test_every_double_opens_by_its_name_without_a_key(name):
    assert open_model(name, Settings(offline=True)).base_url is None


def test_doubles_answer_threads_alike(asked):
    memory, questions = asked
    asker = Asker(memory, How(model="perfect", settings=SETTINGS))
    alone = [asker.ask(q.question, q.options).letter for q in questions[:4]]
    together: dict[int, str | None] = {}

    def work(place):
        together[place] = asker.ask(questions[place].question, questions[place].options).letter

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[place] for place in range(4)] == alone


def test_a_double_counts_a_picture_as_a_provider_would_not_by_its_bytes():
    channel = Channel(scripted("Answer: A"), SETTINGS, Account(), Log())
    picture = np.random.default_rng(0).integers(0, 255, (240, 320, 3), np.uint8)
    Talk(channel).ask("Which?", Shown(picture, "image 1"))
    assert 258 < channel.account.spent.tokens < 400


@pytest.mark.parametrize("strategy", ["direct", "program"])
def test_a_length_may_be_told_in_metres_though_the_question_names_no_unit(asked, strategy):
    memory, _ = asked
    first, second = list(dict.fromkeys(i.name for i in memory.instances))[:2]
    model = scripted(*["The sofa looks close. Answer: about 120 cm"] * 9)
    answer = Asker(memory, How(strategy, settings=SETTINGS), model=model).ask(
        f"How far is the {first} from the {second}?"
    )
    assert (answer.value, answer.unit) == (1.2, "m")
