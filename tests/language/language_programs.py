"""Random programs from the operation table: well-typed ones, most of which the checker accepts, and broken ones."""

from __future__ import annotations

import random

from placecell.language.ops import OPERATIONS
from placecell.language.signature import Category, Operation, Parameter
from placecell.language.types import Kind

NAMES = ("chair", "table", "red sofa", "lamp", "door")
PHRASES = ("only", "nearest", "largest", "leftmost", "the red one")
_MADE_BY = {
    Kind.POSE: "query_camera_pose",
    Kind.INSTANCES: "query_3d_object_location",
    Kind.INSTANCE: "select_object",
    Kind.TRACK: "track_object",
    Kind.LENGTH: "measure_distance",
    Kind.AREA: "measure_room",
    Kind.COUNT: "count_objects",
}
_OBSERVERS = tuple(
    name for name, op in OPERATIONS.items() if op.category in (Category.RENDER, Category.MEASURE) and name != "compare"
)
_MOTIONS = ("turn_camera", "step_camera", "set_viewpoint")
IMAGES = 4


class Programs:
    """Endless programs for a memory with images 1 to ``IMAGES``; the same seed gives the same ones."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def next(self) -> str:
        """The text of one well-typed program."""
        self.lines = ["memory = build_static_memory(images)"]
        self.pool: dict[Kind, list[str]] = {}
        self.results: list[str] = []
        here = self.call("query_camera_pose")
        self.lines.append(f"set_viewpoint(memory, at={here})")
        for _ in range(self.random.randint(0, 4)):
            self.call(self.random.choice(_MOTIONS))
            if self.random.random() < 0.3:
                self.call("render_egocentric")
        for _ in range(self.random.randint(0, 3)):
            self.call(self.random.choice(_OBSERVERS))
        self.call(self.random.choice(("locate", "check_visibility", "find_in_direction")))
        return self.text(self.results)

    def text(self, results: list[str]) -> str:
        body = [*self.lines, f"return [{', '.join(results)}]"]
        return "def plan(images):\n" + "".join(f"    {line}\n" for line in body)

    def call(self, name: str) -> str:
        """Add a call with random arguments; returns the name of its result."""
        operation = OPERATIONS[name]
        arguments = [self.argument(operation, p) for p in operation.parameters]
        text = f"{name}({', '.join(a for a in arguments if a)})"
        if operation.category is Category.TRANSFORM:
            self.lines.append(text)
            return ""
        target = f"v{len(self.lines)}"
        self.lines.append(f"{target} = {text}")
        self.pool.setdefault(operation.returns, []).append(target)
        if operation.category in (Category.RENDER, Category.MEASURE):
            self.results.append(target)
        return target

    def argument(self, operation: Operation, parameter: Parameter) -> str:
        r = self.random
        if parameter.kinds == {Kind.MEMORY}:
            return "memory"
        drawn = operation.name == "render_semantic_bev" and parameter.name == "objects"
        if not parameter.required and not drawn and r.random() < 0.6:
            return ""
        if operation.name == "turn_camera" and parameter.name == "degrees":
            return ""
        if parameter.many:
            values = ", ".join(dict.fromkeys(self.value(parameter) for _ in range(r.randint(1, 3))))
            return f"{parameter.name}=[{values}]"
        value = self.value(parameter)
        return (
            value if parameter.required and r.random() < 0.3 and not parameter.by_name else f"{parameter.name}={value}"
        )

    def value(self, parameter: Parameter) -> str:
        r = self.random
        if parameter.choices:
            return f'"{r.choice(PHRASES if parameter.open_choices else parameter.choices)}"'
        kind = r.choice(sorted(parameter.kinds))
        if parameter.name in ("a", "b") and Kind.LENGTH in parameter.kinds:
            kind = Kind.LENGTH
        if kind is Kind.NUMBER:
            low, high = parameter.minimum or 1, parameter.maximum or IMAGES
            return str(r.randint(1, IMAGES)) if parameter.image else f"{r.uniform(low + 0.1, min(high, 90)):.2f}"
        if kind is Kind.TEXT:
            return f'"{r.choice(NAMES)}"'
        if kind is Kind.BOOL:
            return r.choice(("True", "False"))
        if self.pool.get(kind) and r.random() < 0.6:
            return r.choice(self.pool[kind])
        return self.call(_MADE_BY[kind])


_SNIPPETS = (
    "(", ")", "[", "]", ",", "=", ":", '"', "'", "\n", "    ", "for i in x:", "1 + 2", "lambda x: x", "memory",
    "chairs",
    "turn_camera", "import os", "return", "def", "images", "[0]", '["a"]', ".centre", ".x", "-1", "0", "99", "None",
    "f''",
    "*", "**", "#", "\\", "\t", "“", "\u00a0", "é", "x.y.z", "render_egocentric(memory)", "degrees=-90", "image=0", ";",
)  # fmt: skip


def broken(text: str, rng: random.Random) -> str:
    """The text with up to four random places deleted, doubled, swapped or replaced."""
    for _ in range(rng.randint(1, 4)):
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[rng.randrange(len(lines))])
            case 2:
                other = rng.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                lines[at] = lines[at].replace("memory", "", 1)
            case 4:
                words = lines[at].split(", ")
                rng.shuffle(words)
                lines[at] = ", ".join(words)
            case _:
                column = rng.randint(0, len(lines[at]))
                cut = rng.randint(0, 6)
                lines[at] = lines[at][:column] + rng.choice(_SNIPPETS) + lines[at][column + cut :]
        text = "\n".join(lines)
    return text
