"""Random programs from the operation table: mostly well-typed, most of them accepted by the checker."""

from __future__ import annotations

import random

from placecell.language.ops import OPERATIONS
from placecell.language.signature import Viewpoint
from placecell.language.types import FIELDS, Kind

NAMES = ("chair", "table", "sofa", "lamp", "chair", "table", "door", "unicorn")
PHRASES = ("only", "nearest", "leftmost", "largest", "highest", "most_confident", "the red one", "the odd one")
_PLACES = (Kind.POSE, Kind.INSTANCE, Kind.INSTANCES)
_HANDLES = (Kind.POSE, Kind.INSTANCE, Kind.INSTANCES, Kind.LENGTH, Kind.COUNT, Kind.AREA)
_USABLE = {n: op for n, op in OPERATIONS.items() if not n.startswith(("build", "set_", "turn", "step"))}


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
        self._standing = False
        if r.random() < 0.8:
            self._stand()
        for _ in range(r.randint(1, 5)):
            roll = r.random()
            if roll < 0.2 and self._standing:
                self._move()
            elif roll < 0.3:
                self._field()
            else:
                self._use(self._operation())
        picked = r.sample(self._results, min(len(self._results), r.randint(1, 4)))
        last = self._results[-1]
        shown = picked if last in picked else [*picked, last]
        return "\n    ".join(["def plan(images):", *self._lines, f"return [{', '.join(shown)}]"]) + "\n"

    def _operation(self) -> str:
        r = self.random
        while True:
            name = r.choice(list(_USABLE))
            rare = 0.98 if _USABLE[name].needs_time else 0.6 if name.startswith("render") else 0.0
            if r.random() < rare:
                continue
            if self._standing or _USABLE[name].viewpoint is not Viewpoint.READS or r.random() < 0.05:
                return name

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
                return self._assign(kind, self._selection())
        makers = [n for n, op in _USABLE.items() if op.returns is kind]
        return self._use(r.choice(makers)) if makers else '"camera"'

    def _selection(self) -> str:
        by = self.random.choice(PHRASES)
        objects = self._need(Kind.INSTANCES)
        of = ""
        if by == "nearest" and (not self._standing or self.random.random() < 0.5):
            of = f", of={self._need(self.random.choice(_PLACES))}"
        if by == "leftmost" and not self._standing:
            by = "largest"
        return f'select_object({objects}, by="{by}"{of})'

    def _use(self, name: str) -> str:
        operation = OPERATIONS[name]
        arguments = []
        if name == "select_object":
            result = self._assign(operation.returns, self._selection())
            self._results.append(result)
            return result
        same = self.random.choice((Kind.LENGTH, Kind.COUNT, Kind.AREA))
        for parameter in operation.parameters:
            if parameter.name == "memory":
                arguments.append("memory")
            elif name == "compare":
                arguments.append(f"{parameter.name}={self._need(same)}")
            elif self._wanted(name, parameter):
                arguments.append(f"{parameter.name}={self._argument(parameter)}")
        result = self._assign(operation.returns, f"{name}({', '.join(arguments)})")
        self._results.append(result)
        return result

    def _wanted(self, name: str, parameter) -> bool:
        if parameter.required or (name, parameter.name) == ("render_semantic_bev", "objects"):
            return True
        if (name, parameter.name) == ("measure_distance", "b") and not self._standing:
            return True
        return self.random.random() < 0.4

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
        kind = r.choice((Kind.POSE, Kind.POSE, Kind.INSTANCE))
        at = self._need(kind)
        facing = ""
        if kind is Kind.INSTANCE or r.random() < 0.5:
            target = self._need(Kind.INSTANCE if kind is Kind.POSE or r.random() < 0.7 else Kind.POSE)
            facing = f", facing={target}" if target != at else ""
        level = ", level=False" if r.random() < 0.2 else ""
        self._lines.append(f"set_viewpoint(memory, at={at}{facing}{level})")
        self._seen_anew()

    def _move(self) -> None:
        for _ in range(self.random.choice((1, 1, 2))):
            self._motion()
        self._seen_anew()
        self._use(self.random.choice(("locate", "render_egocentric", "find_in_direction", "check_visibility")))

    def _motion(self) -> None:
        r = self.random
        if r.random() < 0.5:
            direction = r.choice(("left", "right", "up", "down", "back"))
            degrees = f", degrees={r.randint(1, 90)}" if direction != "back" and r.random() < 0.4 else ""
            self._lines.append(f'turn_camera(memory, "{direction}"{degrees})')
        else:
            distance = f", distance={r.uniform(0.01, 5):.2f}" if r.random() < 0.3 else ""
            direction = r.choice(("forward", "backward", "left", "right", "up", "down"))
            self._lines.append(f'step_camera(memory, "{direction}"{distance})')

    def _seen_anew(self) -> None:
        """A new viewpoint: what belonged to the old one is not used again."""
        self._standing = True
        self._results = []
        self._pool = {kind: names for kind, names in self._pool.items() if kind in _HANDLES}

    def _field(self) -> None:
        kinds = [k for k in FIELDS if self._pool.get(k) and (self._standing or k not in (Kind.POSE, Kind.INSTANCE))]
        kind = self.random.choice(kinds or [Kind.EXTENTS])
        field = self.random.choice(list(FIELDS[kind]))
        expression = f"{self._need(kind)}.{field}"
        self._results.append(self._assign(FIELDS[kind][field].kind, expression))
