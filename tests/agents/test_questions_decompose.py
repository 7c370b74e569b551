"""What is not understood says so, with the nearest kind of question and why; names are cut only where it is certain."""

from __future__ import annotations

import pytest

from placecell.agents.questions.decompose import FAMILIES, NotUnderstood, Understood, decompose, understand
from placecell.agents.questions.family import Family
from placecell.agents.questions.grammar import Grammar, Rule, rules
from placecell.agents.questions.names import is_thing, split_names
from placecell.agents.questions.text import tokenise
from placecell.language.decomposition import Decomposition


@pytest.mark.parametrize(
    ("question", "options", "nearest", "part_of_the_reason"),
    [
        ("", None, None, "no question"),
        ("Hello there", None, None, "asked like this"),
        ("How far is the chair with respect to gravity waves away?", None, "distance", "wording is not known"),
        ("Which hand holds the cup?", None, "beyond geometry", "recognised"),
        ("Where is the lamp relative to the desk?", ["A. red", "B. blue"], "direction", "not directions"),
        ("What is behind the sofa?", ["A. left", "B. right"], "what is there", "not things"),
        ("Will I get closer to the door?", None, "closer after a motion", "states no turn"),
        ("From the last image, what is behind me?", ["sofa", "door"], None, "how many images"),
        ("From image 9, what is behind me?", ["sofa", "door"], "what is there", "no image 9"),
        ("How long is the table if I turn left?", None, "size", "no part in"),
        ("What is the distance between the bed and lamp and rug and door?", None, "distance", "which two"),
        ("How many cups on the table?", None, "count", "judged"),
    ],
)
def test_a_question_that_is_not_understood_says_why(
    question: str, options: list[str] | None, nearest: str | None, part_of_the_reason: str
) -> None:
    found = decompose(question, options, image_count=4 if "image 9" in question else None)
    assert isinstance(found, NotUnderstood)
    assert found.nearest == nearest
    assert part_of_the_reason in found.reason
    assert part_of_the_reason in str(found)
    if found.example:
        assert str(found).endswith(f'(nearest kind: {nearest}); try: "{found.example}"')
        assert question not in str(found)


def test_what_was_understood_names_its_family_line_and_slots() -> None:
    found = understand("How far is the sofa from the door?")
    assert isinstance(found, Understood)
    assert found.family == "distance"
    assert found.slots == {"a": "the sofa", "b": "the door"}
    assert "{a}" in found.rule


def test_known_names_decide_where_a_pair_is_cut() -> None:
    question = "What is the distance between the bed and blanket and lamp?"
    assert isinstance(decompose(question), NotUnderstood)
    found = decompose(question, known_names=["bed and blanket", "lamp", "door"])
    assert isinstance(found, Decomposition)
    assert found.comparison.entities == ("bed and blanket", "lamp")


def test_a_relation_that_is_part_of_a_known_name_may_be_counted() -> None:
    found = decompose("How many plugs on the wall are there?", known_names=["plugs on the wall"])
    assert isinstance(found, Decomposition)
    assert found.comparison.entities == ("plugs on the wall",)


@pytest.mark.parametrize(
    ("phrase", "expected", "names"),
    [
        ("the lamp, the desk and the bed", None, ("lamp", "desk", "bed")),
        ("lamp, desk, bed", None, ("lamp", "desk", "bed")),
        ("the lamp or the bed", None, ("lamp", "bed")),
        ("the bed and red blanket and the door", 2, ("bed and red blanket", "door")),
        ("bed and red blanket and door", 2, None),
        ("bed and red blanket and door", 3, ("bed", "red blanket", "door")),
        ("lamp, desk, and the sofa with the cushion", None, ("lamp", "desk", "sofa with the cushion")),
    ],
)
def test_lists_of_names(phrase: str, expected: int | None, names: tuple[str, ...] | None) -> None:
    assert split_names(phrase, expected=expected) == names


@pytest.mark.parametrize(
    "name", ["trash can", "man who is skiing", "desk chair with the blue tape on its arm", "corner of the bed", "swing"]
)
def test_names_of_things(name: str) -> None:
    assert is_thing(name)


@pytest.mark.parametrize(
    "name",
    ["left", "same direction", "sign pointing", "sofa the door", "man on in", "two meters", "reason", "door open",
     "boy's perspective", "bed with the window on your left", "sitting on the sofa", ""],
)  # fmt: skip
def test_words_that_name_no_thing(name: str) -> None:
    assert not is_thing(name)


def test_a_rule_accounts_for_every_word() -> None:
    rule = Rule("how far <is> {a} [away] from {b}")
    text = tokenise("how far is the red chair away from the door")
    match = rule.match(text, 0, len(text))
    assert match is not None
    assert (match.phrase("a"), match.phrase("b")) == ("red chair", "door")
    assert rule.match(text, 1, len(text)) is None
    unsaid = tokenise("how far is the red chair away from the door if it moves")
    assert rule.match(unsaid, 0, len(unsaid)) is None


def test_a_block_of_rules_has_notes_classes_and_continuations() -> None:
    lines = rules("""
        colour := red | blue

        painted:
        is {a} <colour>
            [indeed]
        # a comment
        other:
        who
    """)
    assert [(rule.note, rule.pattern) for rule in lines] == [
        ("painted", "is {a} ( red | blue ) [indeed]"),
        ("other", "who"),
    ]
    text = tokenise("is the door blue indeed")
    assert next(Grammar(lines).match(text, 0, len(text))).phrase("a") == "door"


@pytest.mark.parametrize("pattern", ["how ( far", "how ] far", "( a | b"])
def test_a_rule_with_unbalanced_brackets_is_a_mistake(pattern: str) -> None:
    text = tokenise("how far")
    with pytest.raises(ValueError, match="unbalanced"):
        Rule(pattern).match(text, 0, len(text))


def test_every_family_says_what_it_asks_and_can_be_suggested() -> None:
    assert len({family.name for family in FAMILIES}) == len(FAMILIES)
    assert all(family.asks and family.cues and family.grammar.rules for family in FAMILIES)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family.name != "beyond geometry"])
def test_every_familys_example_is_understood_as_its_own(family: Family) -> None:
    found = understand(family.example)
    assert isinstance(found, Understood), str(found)
    assert found.family == family.name


def test_images_go_by_the_numbers_they_have():
    known = {"image_numbers": {31, 1, 16}}
    assert decompose("From image 31, what is behind me?", ["sofa", "door"], **known).reference.image == 31
    assert decompose("From the last image, what is behind me?", ["sofa", "door"], **known).reference.image == 31
    assert "no image 2; images are 1, 16, 31" in str(decompose("From image 2, what is behind me?", ["a", "b"], **known))
    assert decompose("What is on my left?", image_numbers={7}).reference.image == 7
    two = decompose("Which way did I move?", ["left", "right"], image_numbers={15, 8})
    assert two.comparison.images == (8, 15)


def test_a_long_chain_of_turns_is_read_in_time_that_grows_with_its_length_and_no_endless_one_is() -> None:
    chain = "If I am standing by the door " + "and turn left " * 60 + ", where is the lamp?"
    found = decompose(chain)
    assert isinstance(found, Decomposition) and len(found.motions) == 60
    endless = understand("? " + "(a) x " * 3_000)
    assert isinstance(endless, NotUnderstood) and "it has 18,002 characters" in endless.reason
    endless = understand("Where is the bed?", ["left", "( " * 3_000])
    assert isinstance(endless, NotUnderstood) and "its options have 6,004 characters" in endless.reason
