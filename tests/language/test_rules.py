"""The rule table: each rule's own examples, its page, and that codes and categories hold."""

import pytest

from placecell.errors import UserError
from placecell.language.check import check
from placecell.language.diagnostics import Severity
from placecell.language.reference import explain_rule
from placecell.language.rules.base import RuleCategory
from placecell.language.rules.book import RULES

EVERY_RULE = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


@EVERY_RULE
def test_the_bad_example_triggers_the_rule_and_no_other(rule):
    report = check(rule.bad, facts=rule.facts, decomposition=rule.decomposition)
    assert [d.code for d in report.diagnostics] == [rule.code]
    assert report.ok == (rule.severity is not Severity.ERROR)


@EVERY_RULE
def test_the_good_example_is_accepted_without_a_word(rule):
    report = check(rule.good, facts=rule.facts, decomposition=rule.decomposition)
    assert report.ok
    assert report.diagnostics == ()


@EVERY_RULE
def test_a_diagnostic_carries_the_rule_and_says_what_is_allowed(rule):
    diagnostic = check(rule.bad, facts=rule.facts, decomposition=rule.decomposition).diagnostics[0]
    assert diagnostic.category == str(rule.category)
    assert diagnostic.severity is rule.severity
    assert diagnostic.message
    assert diagnostic.hint


@EVERY_RULE
def test_a_rule_explains_itself(rule):
    page = explain_rule(rule.code.lower())
    for part in (rule.code, str(rule.category), rule.what, rule.why, rule.allowed):
        assert part in page


def test_the_first_letter_of_a_code_names_one_of_the_papers_six_categories():
    assert {r.category for r in RULES.values()} == set(RuleCategory)
    words = {"S": "syntax", "T": "tool", "D": "dependency", "V": "viewpoint", "E": "execution", "P": "plan"}
    for rule in RULES.values():
        assert str(rule.category).startswith(words[rule.code[0]])


def test_what_a_rule_says_is_said_once():
    for text in ("what", "why"):
        said = [getattr(r, text) for r in RULES.values()]
        assert all(said)
    assert len({r.what for r in RULES.values()}) == len(RULES)


def test_an_unknown_code_is_refused_with_the_nearest_ones():
    with pytest.raises(UserError, match="V409") as caught:
        explain_rule("V409")
    assert "V401" in str(caught.value)
