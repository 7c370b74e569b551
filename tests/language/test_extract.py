"""The program is found in whatever a model wraps around it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from placecell.language.check import check
from placecell.language.extract import MAX_REPLY, extract

PROGRAM = """def plan(images):
    memory = build_static_memory(images)
    sign = query_3d_object_location(memory, "a sign, red")
    return [count_objects(memory, sign)]
"""
PROSE = st.text(alphabet=st.characters(categories=("L", "N", "P", "Zs"), exclude_characters='`~<>{}"\\#'), max_size=80)


def test_a_program_alone_comes_back_unchanged():
    found = extract(PROGRAM)
    assert (found.text, found.steps, found.first_line) == (PROGRAM, (), 1)


@given(PROSE, PROSE, st.sampled_from(["```python\n{}```", "```\n{}\n```", "~~~~py\n{}~~~~", "````python\n{}````"]))
@settings(deadline=None)
def test_prose_around_a_fence_does_not_matter(before, after, fence):
    reply = f"{before}\n{fence.format(PROGRAM)}\n{after}"
    report = check(reply, extract=True)
    assert report.text.strip() == PROGRAM.strip()
    assert report.ok


@given(PROSE)
@settings(deadline=None)
def test_spans_can_be_carried_back_to_the_reply(before):
    reply = f"{before}\n\n```python\n{PROGRAM}```\n"
    found = extract(reply)
    line = reply.replace("\r\n", "\n").replace("\r", "\n").split("\n")[found.first_line - 1]
    assert line == "def plan(images):"


@pytest.mark.parametrize("key", ["program", "code", "plan", "python"])
def test_a_json_object_that_holds_code_is_unpacked(key):
    assert check(json.dumps({"note": "x", key: PROGRAM}), extract=True).ok
    assert check(json.dumps(PROGRAM), extract=True).ok


def test_json_without_code_is_no_program():
    assert [d.code for d in check('{"answer": "B"}', extract=True).diagnostics] == ["S121"]


@pytest.mark.parametrize("tag", ["think", "thinking", "reasoning", "analysis", "scratchpad"])
def test_reasoning_is_left_out_whether_closed_or_only_closed(tag):
    draft = PROGRAM.replace("a sign, red", "draft")
    for reply in (f"<{tag}>\n{draft}</{tag}>\n{PROGRAM}", f"{draft}</{tag}>\n{PROGRAM}", f"<{tag}>\n{PROGRAM}"):
        report = check(reply, extract=True)
        assert report.ok
        assert "draft" not in report.text


def test_a_byte_order_mark_and_other_line_ends_are_read():
    assert check("\ufeff" + PROGRAM.replace("\n", "\r\n"), extract=True).ok
    assert check("\ufeff" + PROGRAM).ok


def test_of_two_programs_the_last_whole_one_counts():
    first, last = PROGRAM.replace("red", "first"), PROGRAM.replace("red", "last")
    whole = f"```python\n{first}```\nor\n```python\n{last}```"
    assert "last" in extract(whole).text
    cut = f"```python\n{first}```\nor\n```python\n{last[:-30]}"
    assert [d.code for d in check(cut, extract=True).errors] == ["S120"]


def test_every_way_of_cutting_a_reply_short_is_noticed():
    reply = f"Here:\n```python\n{PROGRAM}```\n"
    start, end = reply.index("def plan") + 8, reply.index("return")
    for cut in range(start, end):
        report = check(reply[:cut], extract=True)
        assert not report.ok, reply[:cut]


def test_a_huge_reply_is_not_searched():
    report = check("x = (" * MAX_REPLY, extract=True)
    assert [d.code for d in report.errors] == ["S100"]


@given(st.text(max_size=200))
def test_extraction_never_fails(text):
    extract(text)
    extract("```python\n" + text)
    extract("<think>" + text + "</think>" + text)
