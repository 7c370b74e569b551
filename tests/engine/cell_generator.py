"""Random cells from the table of operations and functions: well-typed ones, nearly all of them accepted, and ill-typed.

Every expression is made for a wanted kind and dimension; arguments, members and scores are made the same way, a few
levels deep. Names of the session are used by the types that the scope knows.
"""

from __future__ import annotations

import random

from placecell.language.cell_ops import CELL_OPERATIONS, CELLS_ONLY
from placecell.language.cells.scope import CellScope
from placecell.language.dimensions import DEGREES, METRES, PLAIN, SECONDS, UNITS, Dimension
from placecell.language.signature import Category, Viewpoint
from placecell.language.types import SCALARS, Kind

NAMES = ("chair", "table", "sofa", "lamp", "chair", "table", "door", "unicorn")
_WORDS = ("the red one", "the odd one")
_LEAVES = {METRES: "metres", SECONDS: "seconds", DEGREES: "degrees"}
_SPEED, _AREA = Dimension(metres=1, seconds=-1), Dimension(metres=2)
_DIMENSIONS = (METRES, METRES, METRES, PLAIN, PLAIN, DEGREES, _AREA, SECONDS, _SPEED)
_OBJECTS = (Kind.INSTANCE, Kind.INSTANCES)
_OTHERS = (
    Kind.INSTANCE, Kind.INSTANCES, Kind.POINT, Kind.VECTOR, Kind.FRAME, Kind.DIRECTION, Kind.ORDER, Kind.VISIBILITY,
    Kind.ROUTE, Kind.POSE, Kind.EXTENTS, Kind.PICTURE, Kind.TRACK, Kind.MOTION, Kind.UNTRUSTED, Kind.TEXT,
)  # fmt: skip
_RARE = frozenset({Kind.PICTURE, Kind.ROUTE, Kind.MOTION, Kind.UNTRUSTED, Kind.TEXT, Kind.TRACK})
_CALLED = {
    name: op for name, op in CELL_OPERATIONS.items()
    if op.category not in (Category.CONSTRUCT, Category.TRANSFORM) and not op.adds and name != "compare"
}  # fmt: skip


class CellWriter:
    """Writes cells for sessions; ``scope`` is that of the next cell and must be kept up to date."""

    def __init__(self, seed: int, scope: CellScope) -> None:
        self.random = random.Random(seed)
        self.begin(scope)

    def begin(self, scope: CellScope) -> None:
        """A new session."""
        self.scope = scope
        self.images = sorted(scope.facts.image_numbers or range(1, 4))
        self.video = bool(scope.facts.dynamic)
        self._count = self._marks = 0

    def cell(self) -> str:
        """The text of one well-typed cell."""
        r = self.random
        self._variables: list[tuple[str, Kind]] = []
        self._standing = self.scope.view.stamp > 0
        lines = []
        self._defined: list[str] = []
        if r.random() < 0.08:
            lines.append(self._helper())
        for _ in range(r.choice((1, 1, 1, 1, 1, 2))):
            if r.random() < 0.06:
                lines.append(self._motion())
            elif r.random() < 0.05:
                lines.append(self._adds())
            else:
                lines.append(self._statement())
        if r.random() < 0.1:
            lines.append(f"answer({self._answered()})")
        return "\n".join(lines) + "\n"

    def _helper(self) -> str:
        """A function of an object that gives a length, to be used from the next line on."""
        self._count += 1
        variable, body = self._within(Kind.INSTANCE, lambda: self._scalar(self.length, 2))
        self._defined.append(f"h{self._count}")
        return f"def h{self._count}({variable}): return {body}"

    def wrong(self) -> str:
        """One statement with a fault of type, name, frame or effect somewhere in it."""
        r = self.random
        self._variables, self._defined = [], []
        self._standing = self.scope.view.stamp > 0
        a, b = r.sample((self.length, DEGREES, SECONDS, PLAIN), 2)
        left, right = self._scalar(a, 2), self._scalar(b, 2)
        thing, things = self._thing(2), self._things(2)
        wrongs = (
            f"x = ({left}) + ({right})",
            f"x = ({left}) < ({right})",
            f"x = {thing} * 2",
            f"x = {left} if {thing} else {left}",
            f"x = {left} if 1 < 2 else {thing}",
            f"x = [o for o in {thing}]",
            f"x = min({things})",
            f"x = sorted({things}, by=lambda o: o)",
            f"x = sum({things})",
            f"x = centre_of({thing}) - point_at(camera_frame(1), forward={self._scalar(self.length, 1)})",
            f"x = nothing_{r.randint(0, 9)}",
            f"x = measure_size({left})",
            f"x = [find({thing}.name) for o in {things}]",
            f"x = query_3d_object_location({thing}.name)",
            f"x = sqrt({self._scalar(self.length, 1)})",
            f"def f(o): return f(o)\nx = f({thing})",
            f"x = side_of({thing})",
            "answer(metres(2))\nx = 1",
        )
        return r.choice(wrongs) + "\n"

    @property
    def length(self) -> Dimension:
        return UNITS if self.scope.facts.scale == "relative" else METRES

    def _statement(self) -> str:
        r = self.random
        if r.random() < 0.55:
            dimension = self._of_memory(r.choice(_DIMENSIONS))
            made = self._scalar(dimension, r.choice((1, 1, 1, 1, 2, 2, 3)))
            return self._bind(made)
        if r.random() < 0.25:
            return self._bind(self._verdict(r.choice((0, 0, 1, 1, 2))))
        kind = r.choice(_OTHERS)
        if kind in _RARE and r.random() < 0.7:
            kind = Kind.INSTANCE
        return self._bind(self._of(kind, r.choice((0, 0, 1, 1, 2))))

    def _bind(self, text: str) -> str:
        self._count += 1
        return f"v{self._count} = {text}"

    def _of_memory(self, dimension: Dimension) -> Dimension:
        return dimension._replace(metres=0, units=dimension.metres) if self.length == UNITS else dimension

    def _motion(self) -> str:
        self._standing = True
        return self.random.choice((
            f"set_viewpoint(at=query_camera_pose({self._image()}))",
            f"set_viewpoint(at={self._of(Kind.POSE, 0)}, facing={self._thing(1)})",
        ))  # fmt: skip

    def _adds(self) -> str:
        self._count += 1
        name = f'"{self.random.choice(NAMES)}"'
        return f"v{self._count} = " + self.random.choice((f"find({name})", f"look({name}, images=[{self._image()}])"))

    def _answered(self) -> str:
        if self.random.random() < 0.5:
            return self._of(self.random.choice((Kind.INSTANCE, Kind.INSTANCES)), 1)
        return f"abs(measure_distance({self._thing(1)}, {self._thing(1)}))"

    def _image(self) -> int:
        return self.random.choice(self.images)

    def _known(self, kind: Kind, dimension: Dimension | None = None) -> list[str]:
        """Names and variables of that kind which have a value."""
        names = [
            name for name, known in self.scope.names.items()
            if known.absent is None and known.type.kind is kind and not known.type.bound
            and not (known.type.exact and known.type.size == 0)
            and (dimension is None or known.type.dimension == dimension)
        ]  # fmt: skip
        return names + [name for name, its in self._variables if its is kind]

    def _scalar(self, dimension: Dimension, depth: int) -> str:
        r = self.random
        known = [n for kind in SCALARS for n in self._known(kind, dimension)]
        if known and r.random() < 0.3:
            return r.choice(known)
        if depth <= 0:
            return self._leaf(dimension)
        ways = [self._leaf, self._leaf]
        deeper = depth - 1
        if depth > 1:
            ways += [
                lambda d: f"({self._scalar(d, deeper)} {r.choice('+-')} {self._scalar(d, deeper)})",
                lambda d: f"{self._scalar(d, deeper)} {r.choice('*/')} {self._scalar(PLAIN, deeper)}",
                lambda d: f"{r.choice(('abs', 'round', '-'))}({self._scalar(d, deeper)})",
                lambda d: f"{r.choice(('min', 'max'))}({self._scalar(d, deeper)}, {self._scalar(d, deeper)})",
                lambda d: f"{r.choice(('sum', 'mean', 'median', 'min', 'max', 'last'))}({self._values(d, deeper)})",
                lambda d: f"({self._scalar(d, deeper)} if {self._verdict(deeper)} else {self._scalar(d, deeper)})",
                lambda d: f"({self._scalar(d, deeper)} or_else {self._scalar(d, deeper)})",
                lambda d: f"{self._values(d, deeper)}[{r.choice((0, 0, -1))}]",
            ]
        return r.choice(ways)(dimension)

    def _leaf(self, dimension: Dimension) -> str:
        """A literal, or a measured value of that dimension."""
        r = self.random
        if dimension in _LEAVES and r.random() < 0.2:
            return f"{_LEAVES[dimension]}({r.choice((0, 0.5, 1, 2.5, 90, 1e29))})"
        if dimension == PLAIN:
            plain = (
                "2", "0.5", "1", f"count({self._things(1)})", f"{self._thing(0)}.confidence",
                f"({self._leaf(self.length)} / {self._leaf(self.length)})",
            )  # fmt: skip
            return r.choice(plain)
        if dimension == self.length:
            return self._length()
        kinds = [kind for kind, its in SCALARS.items() if its is not None and self._of_memory(its) == dimension]
        if Kind.AREA in kinds:
            return r.choice(("measure_room()", f"{self._length()} * {self._length()}"))
        if Kind.SPEED in kinds and not self.video:
            return f"{self._length()} / seconds(2)"
        made = [n for n, op in CELLS_ONLY.items() if op.returns in kinds and (self.video or not op.needs_time)]
        return self._call(r.choice(made), 1) if made else f"{_LEAVES.get(dimension, '')}(1)"

    def _length(self) -> str:
        r = self.random
        helpers = [*self.scope.helpers, *self._defined]
        if helpers and r.random() < 0.2:
            return f"{r.choice(helpers)}({self._thing(0)})"
        if r.random() < 0.5:
            return f"measure_size({self._thing(0)}).{r.choice(('height', 'longest', 'width'))}"
        made = [
            "distance_between",
            "measure_distance",
            "distance_to_line",
            "length_of",
            "clear_way",
            "distance_to_plane",
        ]
        name = r.choice(made)
        if name == "measure_distance":
            return f"measure_distance({self._thing(0)}, {self._of(r.choice((Kind.POSE, *_OBJECTS)), 0)})"
        return self._call(name, 0)

    def _verdict(self, depth: int) -> str:
        r = self.random
        known = self._known(Kind.VERDICT)
        if known and r.random() < 0.2:
            return r.choice(known)
        dimension = self._of_memory(r.choice(_DIMENSIONS[:6]))
        deeper = depth - 1
        simple = (
            f"{self._scalar(dimension, deeper)} {r.choice(('<', '<=', '>', '>='))} {self._scalar(dimension, deeper)}"
        )
        if depth <= 0 or r.random() < 0.5:
            return f"({simple})"
        made = [n for n, op in CELLS_ONLY.items() if op.returns is Kind.VERDICT and (self.video or not op.needs_time)]
        inside = self._within(Kind.INSTANCE, lambda: self._verdict(deeper))
        return r.choice((
            f"({self._verdict(deeper)} {r.choice(('and', 'or'))} {self._verdict(deeper)})",
            f"(not {self._verdict(deeper)})",
            f"({self._thing(deeper)} {r.choice(('==', '!='))} {self._thing(deeper)})",
            f"{r.choice(('any', 'all'))}([{inside[1]} for {inside[0]} in {self._things(deeper)}])",
            self._call(r.choice(made), deeper),
        ))  # fmt: skip

    def _values(self, dimension: Dimension, depth: int) -> str:
        """A set of numbers."""
        r = self.random
        if r.random() < 0.3:
            return f"[{self._scalar(dimension, depth)}, {self._scalar(dimension, depth)}]"
        if r.random() < 0.2:
            return f"sorted({self._values(dimension, depth - 1)}, reverse={r.choice(('True', 'False'))})"
        if r.random() < 0.3:
            one, two = self._mark(), self._mark()
            self._variables += [(one, Kind.INSTANCE), (two, Kind.INSTANCE)]
            element = self._scalar(dimension, min(depth, 1))
            del self._variables[-2:]
            second = f", {self._things(0)}" if r.random() < 0.5 else ""
            return f"[{element} for {one}, {two} in pairs({self._things(0)}{second})]"
        name, element = self._within(Kind.INSTANCE, lambda: self._scalar(dimension, depth))
        return f"[{element} for {name} in {self._things(depth - 1)}]"

    def _within(self, kind: Kind, make) -> tuple[str, str]:
        """A fresh variable of that kind, and what is made with it."""
        name = self._mark()
        self._variables.append((name, kind))
        made = make()
        self._variables.pop()
        return name, made

    def _mark(self) -> str:
        self._marks += 1
        return f"o{self._marks}"

    def _thing(self, depth: int) -> str:
        """One object."""
        r = self.random
        known = self._known(Kind.INSTANCE)
        if known and r.random() < (0.9 if depth <= 0 else 0.5):
            return r.choice(known)
        if depth <= 0 or r.random() < 0.3:
            return f'select_object({self._things(0)}, by="{r.choice(("only", "largest", "highest", "the red one"))}")'
        name, score = self._within(Kind.INSTANCE, lambda: self._scalar(self._of_memory(r.choice(_DIMENSIONS[:5])), 1))
        made = [n for n in ("moved", "placed", "dropped") if r.random() < 0.3]
        return r.choice((
            f"first({self._things(depth - 1)})",
            f"{self._things(depth - 1)}[{r.choice((0, -1))}]",
            f"{r.choice(('min', 'max'))}({self._things(depth - 1)}, by=lambda {name}: {score})",
            f"({self._thing(depth - 1)} or_else {self._thing(depth - 1)})",
            *(self._call(n, 0) for n in made),
        ))  # fmt: skip

    def _things(self, depth: int) -> str:
        """Some objects."""
        r = self.random
        known = self._known(Kind.INSTANCES)
        if known and r.random() < 0.4:
            return r.choice(known)
        if depth <= 0 or r.random() < 0.4:
            return f'query_3d_object_location("{r.choice(NAMES)}")'
        name, test = self._within(Kind.INSTANCE, lambda: self._verdict(depth - 1))
        other, score = self._within(Kind.INSTANCE, lambda: self._scalar(self.length, 1))
        return r.choice((
            f"[{name} for {name} in {self._things(depth - 1)} if {test}]",
            f"sorted({self._things(depth - 1)}, by=lambda {other}: {score})",
            f"together({self._things(depth - 1)}, {self._things(depth - 1)})",
            f"together([{self._thing(0)}, {self._thing(0)}], {self._things(0)})",
        ))  # fmt: skip

    def _of(self, kind: Kind, depth: int) -> str:
        """A value of any kind."""
        r = self.random
        match kind:
            case Kind.INSTANCE:
                return self._thing(depth)
            case Kind.INSTANCES:
                return self._things(depth)
            case Kind.VERDICT:
                return self._verdict(depth)
            case Kind.POSE:
                return f"query_camera_pose({self._image()})"
            case Kind.UNTRUSTED:
                return f"{self._thing(0)}.name"
            case Kind.TEXT if self._standing:
                return f"locate({self._thing(0)}).words"
            case Kind.VECTOR if depth <= 0 or r.random() < 0.6:
                return f"(centre_of({self._thing(0)}) - centre_of({self._thing(0)}))"
        if kind in SCALARS:
            return self._scalar(self._of_memory(SCALARS[kind] or PLAIN), depth)
        known = self._known(kind)
        if known and r.random() < 0.5:
            return r.choice(known)
        made = [
            name for name, op in _CALLED.items() if op.returns is kind and (self.video or not op.needs_time)
            and (self._standing or op.viewpoint is not Viewpoint.READS)
        ]  # fmt: skip
        return self._call(r.choice(made), depth - 1) if made else self._thing(depth)

    def _call(self, name: str, depth: int) -> str:
        operation = CELL_OPERATIONS[name]
        given = []
        for parameter in operation.parameters:
            if parameter.name == "memory":
                continue
            if parameter.required or self.random.random() < 0.4 or parameter.name == operation.reads_without:
                given.append(f"{parameter.name}={self._argument(operation, parameter, depth)}")
        return f"{name}({', '.join(given)})"

    def _argument(self, operation, parameter, depth: int) -> str:
        r = self.random
        kinds = sorted(parameter.kinds)
        if parameter.many:
            one = [self._one(operation, parameter, kinds, depth) for _ in range(r.randint(1, 2))]
            return f"[{', '.join(one)}]"
        return self._one(operation, parameter, kinds, depth)

    def _one(self, operation, parameter, kinds, depth: int) -> str:
        r = self.random
        kind = r.choice(kinds)
        if parameter.choices and Kind.TEXT in kinds:
            return f'"{r.choice(parameter.choices)}"'
        if kind in (Kind.TEXT, Kind.UNTRUSTED):
            return f'"{r.choice((*NAMES, *_WORDS))}"'
        if kind is Kind.BOOL:
            return r.choice(("True", "False"))
        if parameter.image:
            return str(self._image())
        if kind is Kind.NUMBER:
            low, high = parameter.minimum or 1, parameter.maximum or 100
            return f"{r.uniform(max(low, 0.01), min(high, 100)):.2f}"
        if kind is Kind.LENGTH and operation.name == "rescaled" and parameter.name == "known":
            return "metres(2)"
        return self._of(kind, depth)
