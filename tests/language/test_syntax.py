"""Reading a text: limits first, bounded depth, exact spans, and never an exception."""

import ast
import random
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from language_programs import Programs, broken

from placecell.language.check import check, fix
from placecell.language.diagnostics import Severity
from placecell.language.plan import Assign, Call, children
from placecell.language.rules.syntax import MAX_CHARACTERS, MAX_LINE_LENGTH, MAX_LINES, MAX_NESTING
from placecell.language.source import Source
from placecell.language.syntax import parse
from placecell.language.text import program_text
from placecell.language.tokens import quote, unescape

PATHOLOGICAL = {
    "a sum of 100,000 terms": "def plan(images):\n    x = " + "+".join(["1"] * 100_000) + "\n    return [x]\n",
    "10,000 nested parentheses": "def plan(images):\n    x = " + "(" * 10_000 + ")" * 10_000 + "\n",
    "5 MB of text": "x" * 5_000_000,
    "5 MB of lines": "x\n" * 2_500_000,
    "5 MB of quotes": '"' * 5_000_000,
    "a sum within the limit": "def plan(images):\n    x = " + "+".join(["1"] * 400) + "\n    return [x]\n",
    "nesting within the size limit": "def plan(images):\n    x = " + "[" * 400 + "]" * 400 + "\n",
    "a chain of signs": "def plan(images):\n    x = " + "-" * 900 + "1\n",
    "a chain of nots": "def plan(images):\n    x = " + "not " * 200 + "1\n",
    "a chain of fields": "def plan(images):\n    x = images" + ".a" * 400 + "\n",
    "a chain of calls": "def plan(images):\n    x = images" + "()" * 400 + "\n",
    "a chain of elements": "def plan(images):\n    x = images" + "[0]" * 300 + "\n",
    "a chain of conditions": "def plan(images):\n    x = " + "1 if 1 else " * 80 + "1\n",
    "a chain of lambdas": "def plan(images):\n    x = " + "lambda: " * 120 + "1\n",
    "quotes without end": "def plan(images):\n" + "    x = '\n" * 400,
    "brackets without end": "def plan(images):\n" + "    x = (\n" * 400,
    "backslashes": "\\" * 20_000,
    "only closing brackets": ")" * 900,
}


@pytest.mark.parametrize("text", PATHOLOGICAL.values(), ids=PATHOLOGICAL)
def test_a_pathological_text_is_rejected_with_a_few_diagnostics(text):
    report = check(text)
    assert not report.ok
    assert 1 <= len(report.errors) <= 500


@pytest.mark.parametrize("text", PATHOLOGICAL.values(), ids=PATHOLOGICAL)
def test_a_pathological_text_takes_little_memory(text):
    tracemalloc.start()
    check(text, extract=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * len(text) + 20_000_000


def test_limits_are_exact():
    assert parse("#" * MAX_LINE_LENGTH).diagnostics[0].code == "S121"
    assert parse("#" * (MAX_LINE_LENGTH + 1)).diagnostics[0].code == "S100"
    assert parse("\n" * (MAX_LINES - 1)).diagnostics[0].code == "S121"
    assert parse("\n" * MAX_LINES).diagnostics[0].code == "S100"
    lines = MAX_CHARACTERS // 500
    assert parse(("#" * 499 + "\n") * lines).diagnostics[0].code == "S121"
    assert parse(("#" * 499 + "\n") * lines + "\n").diagnostics[0].code == "S100"


def test_brackets_may_be_nested_to_the_limit_and_no_deeper():
    def nested(depth):
        return [
            d.code
            for d in parse(f"def plan(images):\n    x = {'[' * depth}1{']' * depth}\n    return [x]\n").diagnostics
        ]

    assert nested(MAX_NESTING) == []
    assert nested(MAX_NESTING + 1) == ["S100"]


@given(st.text(max_size=300))
def test_any_text_gives_diagnostics_and_never_an_exception(text):
    for extract in (False, True):
        report = check(text, extract=extract)
        assert report.ok or report.errors
        assert len(fix(text, extract=extract).errors) <= len(report.errors)


@given(st.integers(min_value=0, max_value=2**32))
@settings(max_examples=150, deadline=None)
def test_a_broken_program_gives_ordered_diagnostics_inside_the_text(seed):
    text = broken(Programs(seed).next(), random.Random(seed))
    report = check(text)
    lines = report.text.split("\n")
    assert [d.span for d in report.diagnostics] == sorted(d.span for d in report.diagnostics)
    for d in report.diagnostics:
        assert 1 <= d.span.line <= d.span.end_line <= len(lines)
        assert 1 <= d.span.column <= len(lines[d.span.line - 1]) + 1
        assert d.span[:2] <= d.span[2:]
    assert len({(d.code, d.span, d.message) for d in report.diagnostics}) == len(report.diagnostics)


@given(st.integers(min_value=0, max_value=2**32))
@settings(max_examples=100, deadline=None)
def test_our_parser_agrees_with_pythons_on_what_is_accepted(seed):
    """Python is the reference for the subset: same names, same calls, same spans."""
    text = Programs(seed).next()
    ours, theirs = parse(text).program, ast.parse(text).body[0]
    assert ours is not None
    assert isinstance(theirs, ast.FunctionDef)
    for mine, other in zip(ours.statements, theirs.body, strict=True):
        assert mine.span == (other.lineno, other.col_offset + 1, other.end_lineno, other.end_col_offset + 1)
    calls = [n for n in ast.walk(theirs) if isinstance(n, ast.Call)]
    found = {c.span: c.operation for s in ours.statements for c in _calls(s.value)}
    assert found == {
        (c.lineno, c.col_offset + 1, c.end_lineno, c.end_col_offset + 1): c.func.id  # type: ignore[attr-defined]
        for c in calls
    }


def _calls(node):
    own = [node] if isinstance(node, Call) else []
    return own + [c for child in children(node) for c in _calls(child)]


@given(st.integers(min_value=0, max_value=2**32))
@settings(max_examples=60, deadline=None)
def test_the_canonical_text_of_a_plan_is_a_fixed_point(seed):
    report = check(Programs(seed).next())
    if report.plan is not None:
        again = check(report.plan.text)
        assert again.plan is not None
        assert again.plan.text == report.plan.text
        assert again.plan.program == report.plan.program
        assert not [d for d in again.diagnostics if d.severity is Severity.NOTE]


@given(st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=40))
def test_a_quoted_text_reads_back_as_itself(text):
    assert unescape(quote(text)[1:-1]) == text
    program = parse(f"def plan(images):\n    x = {quote(text)}\n    return [x]\n").program
    assert program is not None
    first = program.statements[0]
    assert isinstance(first, Assign)
    assert first.value.value == text
    assert quote(text) in program_text(program)


@given(st.text(alphabet="ab\ncd ", min_size=1, max_size=60), st.data())
def test_an_edit_replaces_exactly_its_span(text, data):
    source = Source(text)
    offsets = data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted))
    ends = [(text.count("\n", 0, o) + 1, o - (text.rfind("\n", 0, o) + 1) + 1) for o in offsets]
    span = type(parse("").diagnostics[0].span)(*ends[0], *ends[1])
    assert source.slice(span) == text[offsets[0] : offsets[1]]
