"""The part of the operation table that only cells have is consistent in itself, and every example is accepted."""

import re

import pytest

from placecell.language.cell_ops import CELL_OPERATIONS, CELLS_ONLY
from placecell.language.cells.builtins import BUILTINS, SYNONYMS
from placecell.language.cells.check import CellScope, KnownName, check_cell
from placecell.language.cells.functions import _RULES
from placecell.language.check import check
from placecell.language.dimensions import METRES
from placecell.language.ops import ALIASES, OPERATIONS
from placecell.language.plan import MemoryFacts
from placecell.language.types import CELL_FIELDS, FIELDS, Kind, StaticType

EVERY_OPERATION = pytest.mark.parametrize("operation", CELLS_ONLY.values(), ids=CELLS_ONLY)
THINGS = ["table", "sofa", "chair", "lamp", "door", "window", "picture", "bed", "screen", "wall", "shelf", "desk"]
KINDS = {
    **dict.fromkeys(THINGS, Kind.INSTANCE), "chairs": Kind.INSTANCES, "car": Kind.TRACK, "gap": Kind.LENGTH,
    "shot": Kind.PICTURE, "f": Kind.FRAME, "f0": Kind.FRAME, "v": Kind.VECTOR,
}  # fmt: skip


def known(name):
    frame = "world_frame()" if KINDS[name] is Kind.VECTOR else name if KINDS[name] is Kind.FRAME else None
    dimension = METRES if KINDS[name] is Kind.LENGTH else None
    return KnownName(StaticType(KINDS[name], frame=frame, dimension=dimension, measured=True))


@EVERY_OPERATION
def test_its_example_is_an_accepted_cell(operation):
    target = operation.example.split(" = ")[0]
    names = {name: known(name) for name in KINDS if name != target}
    scope = CellScope(names=names, facts=MemoryFacts(image_count=9, scale="metric", dynamic=True))
    report = check_cell(operation.example, scope)
    assert [d.message for d in report.diagnostics] == []
    type_ = report.cell.types[target]
    wanted = Kind.INSTANCES if operation.element is Kind.INSTANCE else operation.returns
    assert type_.kind is wanted
    assert type_.measured


@EVERY_OPERATION
def test_a_one_shot_program_is_told_that_only_cells_have_it(operation):
    text = f"def plan(images):\n    memory = build_static_memory(images)\n    return [{operation.name}(memory)]\n"
    assert f"{operation.name} is only in cells" in check(text).errors[0].message


@EVERY_OPERATION
def test_it_is_described_and_its_arguments_are_unambiguous(operation):
    assert operation.summary.endswith(".") and operation.documentation.endswith(".")
    names = [n for p in operation.parameters for n in (p.name, *p.aliases)]
    assert len(set(names)) == len(names)
    required = [p.required for p in operation.parameters]
    assert required == sorted(required, reverse=True)
    for parameter in operation.parameters:
        assert parameter.summary
        assert set(parameter.choice_aliases.values()) <= set(parameter.choices)
        if parameter.choices and not parameter.required:
            assert parameter.default in parameter.choices


def test_the_table_holds_each_name_once():
    assert not CELLS_ONLY.keys() & OPERATIONS.keys()
    assert not CELL_OPERATIONS.keys() & (BUILTINS.keys() | ALIASES.keys())
    assert all(operation.cells_only for operation in CELLS_ONLY.values())
    assert not any(operation.cells_only or operation.effect for operation in OPERATIONS.values())


def test_every_function_has_its_typing_rule_and_a_signature_that_names_it():
    assert _RULES.keys() == BUILTINS.keys()
    for builtin in BUILTINS.values():
        assert re.search(rf"\b{builtin.name}\(", builtin.signature)
        assert builtin.summary.endswith(".")
        assert builtin.least <= builtin.most
    assert set(SYNONYMS.values()) <= {*BUILTINS, "by"}
    assert not SYNONYMS.keys() & (BUILTINS.keys() | CELL_OPERATIONS.keys())


def test_cells_read_every_field_that_programs_read():
    assert FIELDS.items() <= CELL_FIELDS.items()
