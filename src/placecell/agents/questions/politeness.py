"""Words around a question that ask nothing: "could you tell me", "I'd like to know", "hi"."""

from __future__ import annotations

from placecell.agents.questions.grammar import Grammar, Match, rules
from placecell.agents.questions.setup import Clauses, Setup

_LINES = rules("""
    [( can | could | would | will ) you] ( tell | show ) me
    ( can | could | would | will ) you ( tell | say | describe | determine | estimate | find out | help me find |
        figure out | work out | measure | calculate | check | guess ) [me]
    ( can | could | would | will ) you
    ( do | would ) you ( know | happen to know )
    i ( would like | would love | want | need | wish ) to ( know | find out | learn )
    are you able to ( tell | say ) [me]
    i ( wonder | am wondering )
    ( any | do you have any | have you any ) idea
    ( hi | hello | hey | ok | okay | well | so | um | thanks | thank you )
    ( tell | say | estimate | determine | work out | find out | figure out | calculate | measure | guess ) [me]
    in ( total | all ) | all in all | altogether | overall
    ( let me know | for me | or not | be honest | quick question | one more question | question | i mean | if you can |
        if you could | if you know )
    i ( am curious | am curious about | am trying to ( find out | work out | figure out | know ) | was wondering | do
        not know | can not tell | am not sure ) [if | about]
    ( here is | i have ) ( a | my | another ) question
""")


def _nothing(_: Match) -> Setup:
    return Setup()


POLITENESS = (Clauses(Grammar(_LINES), _nothing),)
"""Clauses that say nothing about what is asked."""
