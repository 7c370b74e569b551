"""The rules of cells: each one's own examples, and its page."""

import pytest

from placecell.language.cells.check import check_cell, fix_cell
from placecell.language.diagnostics import Severity
from placecell.language.reference import explain_rule
from placecell.language.rules.book import CELL_RULES, RULES
from placecell.language.rules.cells import CellCategory

EVERY_RULE = pytest.mark.parametrize("rule", CELL_RULES.values(), ids=CELL_RULES)


@EVERY_RULE
def test_the_bad_cell_triggers_the_rule_and_no_other(rule):
    report = check_cell(rule.bad, rule.scope)
    assert [d.code for d in report.diagnostics] == [rule.code]
    assert report.ok == (rule.severity is not Severity.ERROR)


@EVERY_RULE
def test_the_good_cell_is_accepted_without_a_word(rule):
    report = check_cell(rule.good, rule.scope)
    assert report.ok
    assert report.diagnostics == ()


@EVERY_RULE
def test_a_diagnostic_says_what_is_allowed_and_where_the_fault_is(rule):
    diagnostic = check_cell(rule.bad, rule.scope).diagnostics[0]
    assert diagnostic.category == str(rule.category)
    assert diagnostic.message and diagnostic.hint
    assert diagnostic.span.line <= rule.bad.count("\n")


@EVERY_RULE
def test_a_rule_that_promises_a_repair_has_one_for_its_example_or_a_test_of_its_own(rule):
    fix = check_cell(rule.bad, rule.scope).diagnostics[0].fix
    assert bool(fix) <= bool(rule.repair)


@EVERY_RULE
def test_a_rule_explains_itself(rule):
    page = explain_rule(rule.code.lower())
    for part in (rule.code, str(rule.category), rule.what, rule.why, rule.allowed):
        assert part in page


def test_codes_are_those_of_cells_alone_and_every_category_has_rules():
    assert all(code[0] == "C" for code in CELL_RULES)
    assert not CELL_RULES.keys() & RULES.keys()
    assert {rule.category for rule in CELL_RULES.values()} == set(CellCategory)


@pytest.mark.parametrize("code", ["C103", "C104", "C105", "C107", "C301", "C401"])
def test_a_repair_that_is_the_only_one_makes_the_bad_cell_a_good_one(code):
    rule = CELL_RULES[code]
    report = fix_cell(rule.bad, rule.scope)
    assert report.ok
    assert report.repairs
