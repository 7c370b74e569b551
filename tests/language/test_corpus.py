"""Every program of tests/programs gets exactly the diagnostics it must get, in source order, once each."""

import pytest
from language_corpus import Case, all_cases

from placecell.language.check import CheckReport, check, fix
from placecell.language.diagnostics import Severity
from placecell.language.rules.book import RULES

CASES = all_cases()
MENDED = [(i, c) for i, c in CASES if c.fix is not None]


def run(case: Case, tool=check) -> CheckReport:
    return tool(case.text, facts=case.facts, decomposition=case.question, extract=case.is_reply)


def codes(report: CheckReport) -> tuple[str, ...]:
    return tuple(d.code for d in report.diagnostics)


@pytest.mark.parametrize("case", [c for _, c in CASES], ids=[i for i, _ in CASES])
def test_a_program_gets_its_expected_diagnostics(case):
    report = run(case)
    assert codes(report) == case.expect
    if case.at is not None:
        assert report.diagnostics[0].span == case.at


@pytest.mark.parametrize("case", [c for _, c in MENDED], ids=[i for i, _ in MENDED])
def test_a_program_is_repaired_as_far_as_expected(case):
    report = run(case, fix)
    assert codes(report) == case.fix
    assert bool(report.repairs) == (case.fix != case.expect)


@pytest.mark.parametrize("case", [c for _, c in CASES], ids=[i for i, _ in CASES])
def test_repairing_never_makes_more_errors(case):
    assert len(run(case, fix).errors) <= len(run(case).errors)


def test_there_are_at_least_250_programs_with_names_of_their_own():
    names = [i for i, _ in CASES]
    assert len(names) >= 250
    assert len(set(names)) == len(names)


def test_every_rule_has_a_program_that_triggers_it():
    triggered = {code for _, case in CASES for code in case.expect}
    assert triggered == set(RULES)


def test_every_repair_that_a_rule_promises_is_shown_by_a_program():
    shown = set()
    for _, case in CASES:
        if case.fix is not None:
            shown |= {r.name for r in run(case, fix).repairs}
    promised = {code for code, rule in RULES.items() if rule.repair and rule.severity is not Severity.WARNING}
    mended = {code for _, case in CASES if case.fix is not None for code in set(case.expect) - set(case.fix)}
    assert promised - mended == set()
    assert len(shown) >= 30
