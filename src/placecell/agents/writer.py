"""Writes a program line by line with readable names; each thing is looked up once.

Knows how a reference and its motions become operations. Does not know what a question compares (``planner``).
"""

from __future__ import annotations

import json
import keyword
import re

from placecell.agents.numbers import METRES
from placecell.language.decomposition import Comparison, Decomposition, Function, Motion
from placecell.language.ops import ALIASES, OPERATIONS
from placecell.language.phrases import normalise_phrase
from placecell.language.plan import MemoryFacts
from placecell.memory.names import canonical, singularise

_DYNAMIC = frozenset({Function.OBJECT_MOTION, Function.EVENT_COUNT})
_TAKEN = frozenset({"memory", "images", "video", "plan", *OPERATIONS, *ALIASES, *keyword.kwlist, *keyword.softkwlist})
_TRACKED = frozenset({Function.PRESENCE, Function.COUNT, Function.FACING})
"""In a video these are about what moves, too."""
MAX_CANDIDATES = 50
"""At most this many kinds of object are compared when a question names none."""


def quoted(text: str) -> str:
    """A string literal of the program language."""
    return json.dumps(text, ensure_ascii=False)


class PlanningError(Exception):
    """No program of the language can answer this decomposition; the message says what is missing, for a person."""


class Writer:
    """A program under construction for one decomposition."""

    def __init__(self, decomposition: Decomposition, facts: MemoryFacts) -> None:
        self.decomposition = decomposition
        self.facts = facts
        self._lines: list[str] = []
        self._names: set[str] = set(_TAKEN)
        self._known: dict[str, str] = {}
        c = decomposition.comparison
        moving = c.function in _DYNAMIC or (c.function in _BY_IMAGES and c.images is None)
        moving = moving or (c.function in _TRACKED and c.side is None and bool(facts.dynamic))
        self.dynamic = moving
        self._source = "video" if moving else "images"
        self.do(f"memory = build_{'dynamic' if moving else 'static'}_memory({self._source})")

    @property
    def anchored(self) -> bool:
        """Whether there is a place to stand: the question says so, there is one photo, or photos are not known."""
        return self.decomposition.anchored or self.facts.image_count in (None, 1)

    def is_viewer(self, phrase: str) -> bool:
        """Whether ``phrase`` is whoever looks ("me", "the camera") and not a thing to look up."""
        key = normalise_phrase(phrase)
        return all(normalise_phrase(o) != key for o in self.decomposition.objects)

    def text(self, results: list[str]) -> str:
        """The finished program, returning ``results``."""
        body = [*self._lines, f"return [{', '.join(results)}]"]
        return "\n    ".join([f"def plan({self._source}):", *body]) + "\n"

    def do(self, line: str) -> None:
        """Add a line."""
        self._lines.append(line)

    def assign(self, wish: str, expression: str) -> str:
        """Bind ``expression`` to a name like ``wish``; returns the name."""
        name = self._free_name(wish)
        self.do(f"{name} = {expression}")
        return name

    def camera(self, image: int) -> str:
        """The pose of an image's camera."""
        return self._once(f"camera {image}", f"camera {image}", f"query_camera_pose(memory, image={image})")

    def objects(self, phrase: str) -> str:
        """All instances that ``phrase`` means."""
        key = normalise_phrase(phrase)
        return self._once(f"objects {key}", phrase, f"query_3d_object_location(memory, {quoted(phrase)})")

    def one(self, phrase: str) -> str:
        """The one instance that ``phrase`` means; several of them are an ambiguity, not a choice."""
        instances = self.objects(phrase)
        wish = f"one {singularise(normalise_phrase(phrase))}"
        return self._once(f"one {normalise_phrase(phrase)}", wish, f'select_object({instances}, by="only")')

    def track(self, phrase: str) -> str:
        """The track of a moving thing."""
        key = normalise_phrase(phrase)
        return self._once(f"track {key}", f"track of {phrase}", f"track_object(memory, {quoted(phrase)})")

    def stand(self, facing: str | None = None) -> None:
        """Set the viewpoint the reference names; ``facing`` is a thing to look at when the question names none."""
        reference = self.decomposition.reference
        look = reference.facing
        at = self.one(reference.object) if reference.object else self.camera(reference.image or 1)
        towards = ""
        if look.kind in ("towards_object", "away_from_object"):
            towards = f", facing={self.one(look.object or '')}"
        elif look.kind == "same_as_image" and look.image != reference.image:
            towards = f", facing={self.camera(look.image or 1)}"
        elif facing is not None:
            towards = f", facing={self.one(facing)}"
        self.do(f"set_viewpoint(memory, at={at}{towards})")
        if look.kind == "away_from_object":
            self.do('turn_camera(memory, "back")')

    def move(self) -> None:
        """The stated motions, in order."""
        for motion in self.decomposition.motions:
            self.do(self._motion(motion))

    def distance(self, camera: str, phrase: str) -> str:
        """How far a thing is from a camera."""
        return self.assign(f"from {camera}", f"measure_distance(memory, {camera}, {self.objects(phrase)})")

    def change(self, before: str, after: str) -> list[str]:
        """How a length changed, and both lengths."""
        return [self.assign("change", f"compare({after}, {before})"), after, before]

    def locate(self, entity: str, of: str | None = None) -> str:
        """Where a thing is from the viewpoint, or relative to another thing."""
        relative = f", of={self.objects(of)}" if of else ""
        return self.assign(f"where is {entity}", f"locate(memory, {self.objects(entity)}{relative})")

    def find(self, side: str, entities: tuple[str, ...], of: str | None = None) -> str:
        """What is met that way: among ``entities``, or among everything when there are none."""
        among = f", candidates=[{', '.join(self.objects(e) for e in entities)}]" if entities else ""
        relative = f", of={self.objects(of)}" if of else ""
        words = {"back": "behind", "front": "in front", "up": "above", "down": "below"}
        return self.assign(words.get(side, side), f"find_in_direction(memory, {quoted(side)}{among}{relative})")

    def count(self, instances: str, entity: str) -> str:
        """How many."""
        return self.assign(f"number of {entity}", f"count_objects(memory, {instances})")

    def pictures(self) -> list[str]:
        """A plan view of the objects looked up and the images named, and what is seen from the viewpoint."""
        objects = [name for key, name in self._known.items() if key.startswith("objects ")]
        images = [key.split()[1] for key in self._known if key.startswith("camera ")]
        shown = [f"objects=[{', '.join(objects)}]"] * bool(objects) + [f"cameras=[{', '.join(images)}]"] * bool(images)
        views = []
        if shown:
            views.append(self.assign("plan view", f"render_semantic_bev(memory, {', '.join(shown)})"))
        if any("set_viewpoint(" in line for line in self._lines):
            views.append(self.assign("view", "render_egocentric(memory)"))
        return views

    def candidates(self, comparison: Comparison) -> list[str]:
        """The things to compare: those of the question, else every kind of object there is but the reference."""
        if comparison.entities:
            return [self.objects(e) for e in comparison.entities]
        apart = canonical(comparison.relative_to) if comparison.relative_to else ""
        names = [n for n in sorted(self.facts.objects or ()) if canonical(n) != apart]
        if len(names) > MAX_CANDIDATES:
            raise PlanningError(f"the memory knows {len(names)} kinds of objects, too many to compare; name some")
        return [self.objects(n) for n in names]

    def _motion(self, motion: Motion) -> str:
        if motion.kind == "turn":
            degrees = f", degrees={motion.degrees:g}" if motion.degrees and motion.direction != "back" else ""
            return f"turn_camera(memory, {quoted(motion.direction)}{degrees})"
        distance = ""
        if motion.distance is not None:
            distance = f", distance={motion.distance * METRES.get(motion.unit or 'm', 1.0):g}"
        return f"step_camera(memory, {quoted(motion.direction)}{distance})"

    def _once(self, key: str, wish: str, expression: str) -> str:
        if key not in self._known:
            self._known[key] = self.assign(wish, expression)
        return self._known[key]

    def _free_name(self, wish: str) -> str:
        stem = re.sub(r"[^a-z0-9]+", "_", wish.lower()).strip("_")[:40].strip("_")
        stem = stem if stem and not stem[0].isdigit() else f"the_{stem}".rstrip("_")
        name, n = stem, 1
        while name in self._names:
            n += 1
            name = f"{stem}_{n}"
        self._names.add(name)
        return name


_BY_IMAGES = frozenset({Function.CAMERA_MOTION, Function.ROTATION_SENSE})
