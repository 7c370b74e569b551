"""Random programs from the operation table: mostly well-typed, not all of them accepted."""

from __future__ import annotations

import random

from placecell.language.ops import OPERATIONS
from placecell.language.types import FIELDS, Kind

NAMES = ("chair", "table", "sofa", "lamp", "door", "unicorn")
PHRASES = ("only", "nearest", "leftmost", "largest", "highest", "most_confident", "the red one", "the odd one")
_PLACES = (Kind.POSE, Kind.INSTANCE, Kind.INSTANCES)
_COSTLY = ("thousands",)


class Generator:
    """Programs for a memory with images 1..``images``."""

    def __init__(self, seed: int, images: int = 3) -> None:
        self.random = random.Random(seed)
        self.images = images

    def program(self) -> str:
        """The text of one program."""
        r = self.random
        self._lines = ["memory = build_static_memory(images)"]
        self._pool: dict[Kind, list[str]] = {}
        self._results: list[str] = []
        if r.random() < 0.75:
            self._stand()
        for _ in range(r.randint(1, 5)):
            roll = r.random()
            if roll < 0.18 and "set_viewpoint" in "".join(self._lines):
                self._move()
            elif roll < 0.3:
                self._field()
            else:
                name = r.choice([n for n in OPERATIONS if not n.startswith(("build", "set_", "turn", "step"))])
                self._use(name)
        if not self._results:
            self._results.append(self._need(Kind.COUNT))
        picked = r.sample(self._results, min(len(self._results), r.randint(1, 4)))
        last = self._results[-1]
        shown = picked if last in picked else [*picked, last]
        return "\n    ".join(["def plan(images):", *self._lines, f"return [{', '.join(shown)}]"]) + "\n"

    def _assign(self, kind: Kind, expression: str) -> str:
        name = f"v{len(self._lines)}"
        self._lines.append(f"{name} = {expression}")
        self._pool.setdefault(kind, []).append(name)
        return name

    def _need(self, kind: Kind) -> str:
        """A name of that kind: an old one, or a new one made for it."""
        r = self.random
        if self._pool.get(kind) and r.random() < 0.6:
            return r.choice(self._pool[kind])
        match kind:
            case Kind.POSE:
                return self._assign(kind, f"query_camera_pose(memory, image={r.randint(1, self.images)})")
            case Kind.INSTANCES:
                return self._assign(kind, f'query_3d_object_location(memory, "{r.choice(NAMES)}")')
            case Kind.INSTANCE:
                of = f", of={self._need(r.choice(_PLACES))}" if r.random() < 0.3 else ""
                objects = self._need(Kind.INSTANCES)
                return self._assign(kind, f'select_object({objects}, by="{r.choice(PHRASES)}"{of})')
        useful = {n: op for n, op in OPERATIONS.items() if not n.startswith(("build", "turn", "step"))}
        makers = [n for n, op in useful.items() if op.returns is kind]
        return self._use(r.choice(makers)) if makers else '"camera"'

    def _use(self, name: str) -> str:
        operation = OPERATIONS[name]
        arguments = []
        for parameter in operation.parameters:
            if parameter.name == "memory":
                arguments.append("memory")
            elif parameter.required or self.random.random() < 0.4:
                arguments.append(f"{parameter.name}={self._argument(parameter)}")
        result = self._assign(operation.returns, f"{name}({', '.join(arguments)})")
        self._results.append(result)
        return result

    def _argument(self, parameter) -> str:
        r = self.random
        kinds = sorted(parameter.kinds)
        if parameter.many:
            return "[" + ", ".join(self._one(parameter, kinds) for _ in range(r.randint(1, 3))) + "]"
        return self._one(parameter, kinds)

    def _one(self, parameter, kinds) -> str:
        r = self.random
        kind = r.choice(kinds)
        if parameter.choices and (not parameter.open_choices or r.random() < 0.8) and Kind.TEXT in kinds:
            return f'"{r.choice(parameter.choices)}"'
        if kind is Kind.TEXT:
            return f'"{r.choice(PHRASES if parameter.open_choices else NAMES)}"'
        if kind is Kind.NUMBER:
            if parameter.image:
                return str(r.randint(1, self.images))
            low, high = parameter.minimum or 1, parameter.maximum or 100
            return f"{r.uniform(max(low, 0.01), min(high, 100)):.2f}"
        if kind is Kind.BOOL:
            return r.choice(("True", "False"))
        return self._need(kind)

    def _stand(self) -> None:
        r = self.random
        at = self._need(r.choice((Kind.POSE, Kind.POSE, Kind.INSTANCE)))
        facing = f", facing={self._need(r.choice((Kind.POSE, Kind.INSTANCE)))}" if r.random() < 0.5 else ""
        level = ", level=False" if r.random() < 0.2 else ""
        self._lines.append(f"set_viewpoint(memory, at={at}{facing}{level})")

    def _move(self) -> None:
        r = self.random
        if r.random() < 0.5:
            direction = r.choice(("left", "right", "up", "down", "back"))
            degrees = f", degrees={r.randint(1, 90)}" if direction != "back" and r.random() < 0.4 else ""
            self._lines.append(f'turn_camera(memory, "{direction}"{degrees})')
        else:
            distance = f", distance={r.uniform(0.01, 5):.2f}" if r.random() < 0.3 else ""
            direction = r.choice(("forward", "backward", "left", "right", "up", "down"))
            self._lines.append(f'step_camera(memory, "{direction}"{distance})')
        self._use(r.choice(("locate", "render_egocentric", "find_in_direction", "check_visibility")))

    def _field(self) -> None:
        kind = self.random.choice([k for k in FIELDS if self._pool.get(k)] or [Kind.INSTANCE])
        field = self.random.choice(list(FIELDS[kind]))
        expression = f"{self._need(kind)}.{field}"
        self._results.append(self._assign(FIELDS[kind][field].kind, expression))
