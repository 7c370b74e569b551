"""Whether a value answers: its kind, that it was measured, and that a choice is one of the options."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from placecell.language.cells.scope import CellScope
from placecell.language.diagnostics import Edit, Fix
from placecell.language.environment import Environment
from placecell.language.phrases import normalise_phrase, strip_letter
from placecell.language.plan import Conditional, Expr, Field, Literal, OrElse
from placecell.language.rules import cells as rule
from placecell.language.tokens import quote, shorten
from placecell.language.types import SCALARS, Kind, StaticType, with_article

_ANSWERS = frozenset(
    {
        *SCALARS, Kind.VERDICT, Kind.DIRECTION, Kind.INSTANCE, Kind.INSTANCES, Kind.ORDER, Kind.TEXT, Kind.VISIBILITY,
        Kind.ROUTE, Kind.MOTION, Kind.EXTENTS, Kind.POINT, Kind.VECTOR, Kind.SET,
    }
)  # fmt: skip
"""Kinds that answer a question; a set answers when its members do."""


def check_answer(env: Environment, scope: CellScope, node: Expr, type_: StaticType) -> None:
    """Report why a value is no answer."""
    if type_.kind is Kind.UNKNOWN:
        return
    literals = [leaf for leaf in _leaves(node) if isinstance(leaf, Literal) and isinstance(leaf.value, str)]
    for literal in literals:
        _check_option(env, scope, str(literal.value), literal)
    if type_.kind is Kind.TEXT:
        texts = {str(t.value): None for t in type_.items or (type_,) if isinstance(t.value, str)}
        for text in texts.keys() - {literal.value for literal in literals}:
            _check_option(env, scope, text, node)
    if type_.kind is Kind.LIST:
        for inner, item in zip(getattr(node, "items", ()), type_.items, strict=False):
            check_answer(env, scope, inner, item)
        return
    if type_.kind not in _ANSWERS or (type_.element is not None and type_.element.kind not in _ANSWERS):
        mend = None
        if type_.kind is Kind.UNTRUSTED and isinstance(node, Field):
            text = env.source.slice(node.value.span)
            mend = Fix("the thing itself", f"answer with {text}", (Edit(node.span, text),))
        env.report(rule.NO_ANSWER.at(node.span, f"{with_article(type_)} answers nothing", "", mend))
    elif not type_.measured and not (isinstance(node, Literal) and literals):
        env.report(rule.NOT_MEASURED.at(node.span, "nothing in this was measured"))


def judged(scope: CellScope, type_: StaticType, options: StaticType) -> StaticType:
    """The type of what `judge` chooses of these options: one of them, for a question that has options itself."""
    texts = options.items or (options,)
    written_out = all(text.kind is Kind.TEXT and isinstance(text.value, str) for text in texts)
    return type_._replace(items=texts) if written_out and scope.options else type_


def _leaves(node: Expr) -> Iterator[Expr]:
    """The values an answer may turn out to be."""
    match node:
        case Conditional():
            yield from _leaves(node.then)
            yield from _leaves(node.otherwise)
        case OrElse():
            yield from _leaves(node.value)
            yield from _leaves(node.otherwise)
        case _:
            yield node


def _check_option(env: Environment, scope: CellScope, text: str, node: Expr) -> None:
    options = scope.options
    wanted = normalise_phrase(strip_letter(text))
    plain = {normalise_phrase(strip_letter(option)): option for option in options}
    letters = {chr(ord("a") + i) for i in range(len(options))}
    if wanted in plain or normalise_phrase(text) in letters:
        return
    close = get_close_matches(wanted, plain, n=2, cutoff=0.75)
    mend = None
    if len(close) == 1 and isinstance(node, Literal):
        option = plain[close[0]]
        mend = Fix("misspelling", f"write {quote(option)}", (Edit(node.span, quote(option)),))
    hint = f"the options are {', '.join(map(quote, options))}" if options else "the question is open: answer a value"
    env.report(rule.NO_OPTION.at(node.span, f"{quote(shorten(text))} is no option of this question", hint, mend))
