"""The trace page: complete, escaped, self-contained, and readable in a real browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from trace_logs import NASTY, fill

from placecell.agents.events import QuestionEvent
from placecell.agents.log import Log
from placecell.agents.markup import tag
from placecell.agents.pipeline import ask
from placecell.agents.trace_page import page, write_page
from placecell.errors import UserError

LOADING = ("src", "href", "srcset", "action", "data", "poster", "xlink:href", "background")


class Page(HTMLParser):
    """Tags, the addresses they load or link, and the visible text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.text, self.handlers = [], [], "", []
        self.feed(text)

    def handle_starttag(self, name, attributes):
        self.tags.append(name)
        self.links += [value for key, value in attributes if key in LOADING]
        self.handlers += [key for key, _ in attributes if key.startswith("on")]

    def handle_data(self, data):
        self.text += data


def test_the_page_loads_nothing_and_runs_nothing():
    text = page(fill(Log()))
    shown = Page(text)
    assert not {"script", "iframe", "link", "object", "embed", "form", "base"} & set(shown.tags)
    assert not shown.handlers
    assert shown.links and all(re.match(r"data:image/(png|jpeg);base64,|#", link) for link in shown.links)
    style = text[text.index("<style>") : text.index("</style>")]
    assert "url(" not in style and "@import" not in style


def test_hostile_text_is_shown_as_it_is_wherever_it_comes_from():
    text = page(fill(Log()))
    assert "<script" not in text and "<img" not in text
    # Question, option, memory's object, prompt, tool result, tool, reply, program, diagnostic, run, view, note, ...
    assert Page(text).text.count(NASTY) >= 20


def test_a_markup_attribute_cannot_be_left():
    assert tag("p", None, title='" onclick="x') == '<p title="&quot; onclick=&quot;x"></p>'
    assert tag("p", "a\x00\u202eb") == "<p>a\ufffd\ufffdb</p>"


def test_a_picture_is_in_the_page_once_however_often_it_is_shown():
    log = Log()
    fill(log)
    fill(log)
    text = page(log)
    assert text.count("data:image/png;base64,") == 3
    assert len(re.findall(r'<use href="#p-', text)) == 6


def test_a_diagnostic_stands_below_its_line_with_carets_below_its_place():
    lines = Page(page(fill(Log()))).text.splitlines()
    at = next(n for n, line in enumerate(lines) if "    locate(" in line)
    column = lines[at].index("loca")
    assert lines[at + 1].strip() == "^^^^" and lines[at + 1].index("^") == column
    assert "V401" in lines[at + 2]


def test_a_viewpoint_is_drawn_where_it_stands_and_opens_where_it_looks():
    text = page(fill(Log()))
    points = re.search(r'<polygon points="([^"]+)"', text)[1]
    tip, left, right = [tuple(map(float, pair.split(","))) for pair in points.split()]
    assert tip == (10.0, 8.0)  # x 1, z 1 at half a metre a pixel from the middle of a map of 16 x 12
    assert left[1] < tip[1] and right[1] < tip[1] and left[0] < tip[0] < right[0]  # north is up


def test_costs_are_told_call_by_call_and_an_unknown_price_is_not_nothing():
    assert "0.0125 USD" in Page(page(fill(Log()))).text
    unknown = Page(page(fill(Log(), usd=None))).text
    assert "not known" in unknown and "price not known" in unknown


def test_many_questions_have_a_list_that_links_to_each():
    log = Log()
    fill(log)
    log.asking().add(QuestionEvent(text="And then?", strategy="program", model="rules"))
    shown = Page(page(log))
    assert "#q1" in shown.links and "#q2" in shown.links
    assert "unfinished" in shown.text


def test_one_question_of_many_has_a_page_of_its_own():
    log = Log()
    fill(log)
    log.asking().add(QuestionEvent(text="And then?", strategy="program", model="rules"))
    assert "alert" not in page(log.only(2)) and "And then?" in page(log.only(2))
    with pytest.raises(UserError):
        log.only(3)


def test_an_empty_log_has_a_page():
    assert "Nothing was recorded" in page(Log())


def test_pages_are_written_as_html_or_json(tmp_path):
    log = fill(Log())
    write_page(log, tmp_path / "deep" / "trace.html")
    assert (tmp_path / "deep" / "trace.html").read_text(encoding="utf-8") == page(log)
    write_page(log, tmp_path / "trace.json")
    kinds = [event["kind"] for event in json.loads((tmp_path / "trace.json").read_text())]
    assert kinds[0] == "question" and kinds[-1] == "answer"
    with pytest.raises(UserError):
        write_page(log, tmp_path / "trace.json" / "under a file.html")


def test_a_question_answered_by_rules_leaves_every_stage_on_its_page(room, tmp_path):
    question = "If I am standing by the table and facing the door, is the lamp to my left, right, or back?"
    answer = ask(room(), question, ["A. left", "B. right", "C. back"], trace=tmp_path / "t.html")
    shown = Page((tmp_path / "t.html").read_text(encoding="utf-8"))
    for text in ("Understood by rules", "Program, attempt 1", "locate", "B. right", "The place, from above", "Costs"):
        assert text in shown.text, text
    assert answer.trace == str(tmp_path / "t.html")
    assert all(words in shown.text for words in answer.values.values())


def test_a_browser_shows_the_page_without_asking_anybody_for_anything(tmp_path):
    browser = next((b for name in ("chromium", "chromium-browser", "google-chrome") if (b := shutil.which(name))), None)
    if browser is None:
        pytest.skip("needs chromium (apt-get install chromium)")
    write_page(fill(Log()), tmp_path / "trace.html")
    netlog = tmp_path / "net.json"
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", f"--log-net-log={netlog}", "--dump-dom"]
    done = subprocess.run(
        [*command, (tmp_path / "trace.html").as_uri()], capture_output=True, text=True, timeout=60, check=False
    )
    assert NASTY in Page(done.stdout).text
    assert "example.com" not in netlog.read_text(encoding="utf-8", errors="replace")
