"""Operations as tools: every one of them, with the arguments of the table, in a form that model servers take."""

from __future__ import annotations

import json
import re

import pytest

from placecell.agents.tool_schemas import HANDLE, openai_tools, parameters_schema
from placecell.language.ops import OPERATIONS
from placecell.language.signature import Category
from placecell.language.types import Kind


def test_every_operation_but_the_builders_is_a_tool():
    offered = {tool["function"]["name"] for tool in openai_tools(dynamic=True)}
    assert offered == {o.name for o in OPERATIONS.values() if o.category is not Category.CONSTRUCT}
    still = {tool["function"]["name"] for tool in openai_tools()}
    assert offered - still == {o.name for o in OPERATIONS.values() if o.category is Category.DYNAMIC}


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=lambda o: o.name)
def test_a_schema_asks_for_every_argument_but_the_memory(operation):
    schema = parameters_schema(operation)
    asked = [p for p in operation.parameters if not p.kinds & {Kind.MEMORY, Kind.SOURCE}]
    assert list(schema["properties"]) == [p.name for p in asked]
    assert schema["required"] == [p.name for p in asked if p.required]
    assert schema["additionalProperties"] is False
    json.dumps(schema)
    for parameter in asked:
        shown = schema["properties"][parameter.name]
        assert parameter.summary in shown["description"]
        assert (shown.get("type") == "array") == parameter.many


def test_limits_and_choices_are_in_the_schema():
    turn = parameters_schema(OPERATIONS["turn_camera"])["properties"]
    assert turn["direction"]["enum"] == ["left", "right", "up", "down", "back"]
    assert turn["degrees"]["exclusiveMinimum"] == 0 and turn["degrees"]["maximum"] == 360
    assert parameters_schema(OPERATIONS["query_camera_pose"])["properties"]["image"]["type"] == "integer"
    criteria = parameters_schema(OPERATIONS["select_object"])["properties"]["by"]
    assert "enum" not in criteria and "nearest" in json.dumps(criteria)


@pytest.mark.parametrize(
    ("text", "fits"), [("r1", True), ("r12[0].longest", True), ("table", False), ("r1 or r2", False)]
)
def test_handles_look_like_results(text, fits):
    assert bool(re.match(HANDLE, text)) == fits
