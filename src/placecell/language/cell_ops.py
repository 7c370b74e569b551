"""The operations only cells have, and with them the whole table of the cells' language.

One entry here and one engine function of the same name (``engine.cells``), as for ``language.ops``. They take no
memory: a session has one. They are kept apart from ``OPERATIONS`` because a one-shot program may still use their names
for its own values.

``_SPOT`` is whatever has one place. A name ending in ``_of`` reads, a participle ("moved", "turned") gives a changed
copy: nothing is changed but what an ``effect`` adds to the memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from placecell.language.entries import choice, may, need
from placecell.language.ops import OPERATIONS
from placecell.language.signature import Category, Operation
from placecell.language.types import Kind

_SPOT = (Kind.POSE, Kind.INSTANCE, Kind.POINT, Kind.FRAME)
_SPOTS = (*_SPOT, Kind.INSTANCES)
_SIDES = "left right front back up down front-left front-right back-left back-right"
_COMPASS = "north northeast east southeast south southwest west northwest"
MOST_MOMENTS = 64
"""A long track is read at so many moments, evenly spread."""
MOST_TRACKS = 32


_IMAGE = need("image", Kind.NUMBER, of="image number, counted from 1", integer=True, image=True, minimum=1)
_FRAME = need("frame", Kind.FRAME, of="whose right, up and forward", by_name=True)
_OBJECT = need("object", Kind.INSTANCE, of="one object")
_TRACK = need("track", Kind.TRACK, of="a track; of several the surest")
_MOMENT = need("moment", Kind.TIME, of="seconds of the video")
_START = need("start", Kind.TIME, of="seconds of the video", by_name=True)
_END = need("end", Kind.TIME, of="seconds of the video", by_name=True)

# fmt: off
_FRAMES = (
    Operation(
        "world_frame", Category.FRAME, "The memory's own frame.", (), Kind.FRAME,
        "Up is up; right and forward follow the walls and mean nothing to a person.",
        "f = world_frame()",
    ),
    Operation(
        "camera_frame", Category.FRAME, "Standing where an image was taken, looking the way it looks.",
        (_IMAGE,), Kind.FRAME,
        "With a level horizon.",
        "f = camera_frame(3)",
    ),
    Operation(
        "object_frame", Category.FRAME, "An object's own left, right and front.",
        (_OBJECT,), Kind.FRAME,
        "Absent when its front is not known: see facing_of.",
        "f = object_frame(sofa)",
    ),
    Operation(
        "standing_at", Category.FRAME, "Standing somewhere and facing something.",
        (need("at", *_SPOT, of="where to stand"),
         need("facing", *_SPOT, Kind.VECTOR, of="what to face; a vector is a direction", by_name=True)), Kind.FRAME,
        "Level. Absent when the two are so near, for how well they are known, that the direction is not.",
        "f = standing_at(door, facing=table)",
    ),
    Operation(
        "normal_frame", Category.FRAME, "Standing at a flat thing's face, looking straight out from it.",
        (_OBJECT,), Kind.FRAME,
        "Out is the side it was photographed from. Absent for what is not flat and upright.",
        "f = normal_frame(picture)",
    ),
    Operation(
        "wall_frame", Category.FRAME, "Standing at the wall nearest to something, looking straight out from it.",
        (need("near", *_SPOT, of="the wall nearest to this"),), Kind.FRAME,
        "Needs a memory whose walls were found.",
        "f = wall_frame(bed)",
    ),
    Operation(
        "compass", Category.FRAME, "Compass directions fixed by one that is known.",
        (need("at", *_SPOT, of="where one stands"), need("towards", *_SPOT, of="what lies that way", by_name=True),
         choice("word", _COMPASS, "the compass direction from `at` to `towards`",
                "north-east=northeast south-east=southeast south-west=southwest north-west=northwest", by_name=True)),
        Kind.FRAME,
        "Its front is north, its right east; sides are told as compass words.",
        'f = compass(door, towards=window, word="north")',
    ),
    Operation(
        "turned", Category.FRAME, "A frame turned on the spot.",
        (_FRAME, need("degrees", Kind.ANGLE, Kind.NUMBER, of="to the right; negative to the left")), Kind.FRAME,
        "Left is turned(f, -90), back turned(f, 180).",
        "f = turned(f0, 90)",
    ),
    Operation(
        "walked", Category.FRAME, "A frame moved along its own directions.",
        (_FRAME, need("forward", Kind.LENGTH, of="how far ahead; negative goes back"),
         may("right", Kind.LENGTH, of="how far to the right; negative to the left")), Kind.FRAME,
        "Level, without turning. What stands in the way is not looked at: see clear_way.",
        "f = walked(f0, metres(2))",
    ),
    Operation(
        "side_of", Category.FRAME, "Where something lies in a frame.",
        (need("target", *_SPOTS, of="what to look for; of several the nearest"), _FRAME), Kind.DIRECTION,
        "Bearing (positive to the right), elevation, distance and words, as locate gives them from a viewpoint.",
        "where = side_of(lamp, frame=f)",
    ),
    Operation(
        "on_side", Category.FRAME, "Whether something lies on a side of a frame.",
        (need("target", *_SPOT, of="what to look for"), _FRAME,
         choice("side", f"{_SIDES} {_COMPASS}", "which side", "behind=back above=up below=down ahead=front",
                by_name=True)),
        Kind.VERDICT,
        "By its centre; each side is a half of space, a double word a quarter. Compass words need a compass.",
        'is_left = on_side(lamp, frame=f, side="left")',
    ),
    Operation(
        "clear_way", Category.FRAME, "How far one can go before something is in the way.",
        (_FRAME, choice("side", "front back left right", "which way", "forward=front ahead=front", default="front"),
         choice("until", "anything wall", "what ends the way", default="anything")), Kind.LENGTH,
        "Level, at the height of the frame. Absent when nothing known ends the way.",
        'room_ahead = clear_way(f, until="wall")',
    ),
)

_POINTS = (
    Operation(
        "centre_of", Category.POINT, "The place of something as a point.",
        (need("thing", *_SPOT, of="an object, a camera, a frame"),), Kind.POINT,
        "The difference of two points is a vector.",
        "p = centre_of(table)",
    ),
    Operation(
        "top_of", Category.POINT, "The middle of an object's top.", (_OBJECT,), Kind.POINT,
        "Of its upright box.",
        "p = top_of(table)",
    ),
    Operation(
        "midpoint", Category.POINT, "The point half way between two things.",
        (need("a", *_SPOT, of="first thing"), need("b", *_SPOT, of="second thing")), Kind.POINT,
        "Between their centres.",
        "p = midpoint(table, sofa)",
    ),
    Operation(
        "point_at", Category.POINT, "A point told in the terms of a frame.",
        (_FRAME, may("right", Kind.LENGTH, of="to the right"), may("up", Kind.LENGTH, of="upwards"),
         may("forward", Kind.LENGTH, of="ahead")), Kind.POINT,
        "What is omitted is 0.",
        "p = point_at(f, forward=metres(2))",
    ),
    Operation(
        "length_of", Category.POINT, "How long a vector is.", (need("vector", Kind.VECTOR, of="a vector"),),
        Kind.LENGTH,
        "length_of(centre_of(a) - centre_of(b)) is the distance of two centres.",
        "d = length_of(centre_of(table) - centre_of(sofa))",
    ),
    Operation(
        "horizontal", Category.POINT, "The level part of a vector.", (need("vector", Kind.VECTOR, of="a vector"),),
        Kind.VECTOR,
        "As seen in a plan of the room.",
        "v = horizontal(centre_of(table) - centre_of(sofa))",
    ),
    Operation(
        "angle_between", Category.POINT, "The angle between two vectors.",
        (need("a", Kind.VECTOR, of="first vector"), need("b", Kind.VECTOR, of="second vector")), Kind.ANGLE,
        "0 to 180 degrees. Absent when one is as short as its uncertainty.",
        "w = angle_between(centre_of(door) - centre_of(table), centre_of(window) - centre_of(table))",
    ),
    Operation(
        "distance_between", Category.POINT, "Distance between the closest points of two things.",
        (need("a", *_SPOTS, of="first thing"), need("b", *_SPOTS, of="second thing")), Kind.LENGTH,
        "As measure_distance; points and frames count as points.",
        "d = distance_between(lamp, midpoint(table, sofa))",
    ),
    Operation(
        "distance_to_line", Category.POINT, "Distance of a thing's centre from the straight line between two others.",
        (need("thing", *_SPOT, of="what is measured"), need("a", *_SPOT, of="one end"),
         need("b", *_SPOT, of="the other end")),
        Kind.LENGTH,
        "The line ends at both.",
        "d = distance_to_line(lamp, door, window)",
    ),
    Operation(
        "distance_to_plane", Category.POINT, "Distance of a thing's centre from an upright plane.",
        (need("thing", *_SPOT, of="what is measured"),
         need("plane", Kind.FRAME, of="the plane at this frame's place, across its forward")), Kind.LENGTH,
        "Of wall_frame it is the wall.",
        "d = distance_to_plane(lamp, wall_frame(bed))",
    ),
    Operation(
        "locate_pixel", Category.POINT, "The point of the place that a pixel shows.",
        (_IMAGE, need("x", Kind.NUMBER, of="pixels from the left edge", minimum=0),
         need("y", Kind.NUMBER, of="pixels from the top edge", minimum=0)), Kind.POINT,
        "By depth where the image has it, else by the first surface on its ray.",
        "p = locate_pixel(3, 320, 200)",
    ),
)

_SUPPOSED = need("object", Kind.INSTANCE, of="one object; the memory keeps it where it is")
_SUPPOSING = may("supposing", Kind.INSTANCE, of="moved objects, each instead of itself", default=(), many=True)

_WHAT_IF = (
    Operation(
        "moved", Category.WHATIF, "The object as if it were moved.",
        (_SUPPOSED, need("by", Kind.VECTOR, of="by this vector", by_name=True)), Kind.INSTANCE,
        "A copy that can be measured like any object.",
        "there = moved(chair, by=centre_of(table) - centre_of(chair))",
    ),
    Operation(
        "placed", Category.WHATIF, "The object as if it stood somewhere else.",
        (_SUPPOSED, need("at", *_SPOT, of="its new centre; an object: on top of that", by_name=True)), Kind.INSTANCE,
        "It is not turned.",
        "there = placed(lamp, at=table)",
    ),
    Operation(
        "dropped", Category.WHATIF, "The object as if it fell straight down.",
        (_SUPPOSED,), Kind.INSTANCE,
        "It comes to rest on the highest thing under it, or on the floor.",
        "there = dropped(moved(lamp, by=v))",
    ),
    Operation(
        "support_of", Category.WHATIF, "What an object stands on, or would come to rest on if it fell.",
        (_OBJECT,), Kind.INSTANCE,
        "The highest thing under it; absent when that is the floor.",
        "below = support_of(lamp)",
    ),
    Operation(
        "fits", Category.WHATIF, "Whether an object passes through a gap.",
        (_OBJECT, need("gap", Kind.LENGTH, of="how wide the gap is")), Kind.VERDICT,
        "Upright, turned the best way round.",
        "ok = fits(sofa, measure_distance(table, wall))",
    ),
    Operation(
        "fits_between", Category.WHATIF, "Whether an object fits between two others.",
        (_OBJECT, need("a", *_SPOT, of="one"), need("b", *_SPOT, of="the other")), Kind.VERDICT,
        "Upright, turned the best way round, in their closest gap.",
        "ok = fits_between(chair, table, sofa)",
    ),
    Operation(
        "fits_on", Category.WHATIF, "Whether an object can stand on another without sticking out.",
        (_OBJECT, need("on", Kind.INSTANCE, of="what it should stand on")), Kind.VERDICT,
        "Along its sides, turned the best way round; what already stands there is not looked at.",
        "ok = fits_on(lamp, table)",
    ),
    Operation(
        "blocked", Category.WHATIF, "Whether something stands in the straight line between two things.",
        (need("a", *_SPOT, of="from here"), need("b", *_SPOT, of="to here"), _SUPPOSING), Kind.VERDICT,
        "From centre to centre, past neither of the two; walls count where they were found.",
        "hidden = blocked(sofa, screen)",
    ),
    Operation(
        "rescaled", Category.WHATIF, "A length when the true size of something measured is known.",
        (need("value", Kind.LENGTH, of="the length to tell"),
         need("measured", Kind.LENGTH, of="what was measured of a known thing", by_name=True),
         need("known", Kind.LENGTH, of="its true length", by_name=True)), Kind.LENGTH,
        "value / measured * known: the memory's own scale drops out.",
        "d = rescaled(gap, measured=measure_size(door).height, known=metres(2))",
    ),
)

_TIMES = (
    Operation(
        "movers_of", Category.MOMENT, "Each track of a name by itself, surest first.", (_TRACK,), Kind.SET,
        f"At most {MOST_TRACKS}.",
        "cars = movers_of(car)",
        needs_time=True, element=Kind.TRACK, most=MOST_TRACKS,
    ),
    Operation(
        "moments_of", Category.MOMENT, "The times at which a track was seen.", (_TRACK,), Kind.SET,
        f"In order; at most {MOST_MOMENTS}, evenly spread.",
        "times = moments_of(car)",
        needs_time=True, element=Kind.TIME, most=MOST_MOMENTS,
    ),
    Operation(
        "moment_of", Category.MOMENT, "The time of an image.", (_IMAGE,), Kind.TIME,
        "Seconds of the video.",
        "t = moment_of(3)",
        needs_time=True,
    ),
    Operation(
        "position_at", Category.MOMENT, "Where a track was at a time.", (_TRACK, _MOMENT), Kind.POINT,
        "Between two frames on the straight line; absent before and after it is known.",
        "p = position_at(car, seconds(2))",
        needs_time=True,
    ),
    Operation(
        "camera_at", Category.MOMENT, "Standing where the camera was at a time, looking the way it looked.", (_MOMENT,),
        Kind.FRAME,
        "The placed frame nearest in time; level.",
        "f = camera_at(seconds(2))",
        needs_time=True,
    ),
    Operation(
        "track_frame", Category.MOMENT, "The mover's own left, right and front at a time.", (_TRACK, _MOMENT),
        Kind.FRAME,
        "By its front where that is known, else by the way it moves; absent when it stands still.",
        "f = track_frame(car, seconds(2))",
        needs_time=True,
    ),
    Operation(
        "seen_at", Category.MOMENT, "Whether a track was seen at a time, not hidden.", (_TRACK, _MOMENT), Kind.VERDICT,
        "By the frame nearest in time.",
        "v = seen_at(car, seconds(2))",
        needs_time=True,
    ),
    Operation(
        "path_between", Category.MOMENT, "How long a way a track went between two times.", (_TRACK, _START, _END),
        Kind.LENGTH,
        "Along its way; what is less than its noise is standing still.",
        "d = path_between(car, start=seconds(1), end=seconds(3))",
        needs_time=True,
    ),
    Operation(
        "speed_between", Category.MOMENT, "How fast a track went between two times.", (_TRACK, _START, _END),
        Kind.SPEED,
        "Its way by the time.",
        "v = speed_between(car, start=seconds(1), end=seconds(3))",
        needs_time=True,
    ),
    Operation(
        "turn_between", Category.MOMENT, "How far a track turned between two times.", (_TRACK, _START, _END),
        Kind.ANGLE,
        "Positive to its right.",
        "w = turn_between(car, start=seconds(1), end=seconds(3))",
        needs_time=True,
    ),
)

_PERCEIVED = (
    Operation(
        "photo_of", Category.EFFECT, "An image as it was taken.", (_IMAGE,), Kind.PICTURE,
        "Costs a picture.",
        "shot = photo_of(3)",
    ),
    Operation(
        "find", Category.EFFECT, "All objects of a name, looked for if nobody did yet.",
        (need("name", Kind.TEXT, Kind.UNTRUSTED, of="object name or short phrase"),), Kind.INSTANCES,
        "Adds what it finds to the memory: a new version.",
        'chairs = find("chair")',
        effect=True, adds=True,
    ),
    Operation(
        "look", Category.EFFECT, "Look for a name again in some images.",
        (need("name", Kind.TEXT, Kind.UNTRUSTED, of="object name or short phrase"),
         need("images", Kind.NUMBER, of="image numbers", many=True, integer=True, image=True, minimum=1, by_name=True)),
        Kind.INSTANCES,
        "Adds what it finds to the memory: a new version.",
        'chairs = look("chair", images=[2, 3])',
        effect=True, adds=True,
    ),
    Operation(
        "track", Category.EFFECT, "The tracks of a name, followed if nobody did yet.",
        (need("name", Kind.TEXT, Kind.UNTRUSTED, of="object name or short phrase"),), Kind.TRACK,
        "Adds what it finds to the memory: a new version.",
        'cars = track("car")',
        needs_time=True, effect=True, adds=True,
    ),
    Operation(
        "facing_of", Category.EFFECT, "An object's own left, right and front, judged on pictures if it is not known.",
        (_OBJECT,), Kind.FRAME,
        "Its front is then marked as judged.",
        "f = facing_of(sofa)",
        effect=True, adds=True,
    ),
    Operation(
        "judge", Category.EFFECT, "Which of some answers pictures show.",
        (need("question", Kind.TEXT, Kind.UNTRUSTED, of="what to look at"),
         need("pictures", Kind.PICTURE, of="at most four", many=True, by_name=True),
         need("options", Kind.TEXT, Kind.UNTRUSTED, of="the only answers allowed", many=True, by_name=True)),
        Kind.TEXT,
        "The answer is one of the options, or absent.",
        'state = judge("Is the door open?", pictures=[shot], options=["open", "closed"])',
        effect=True,
    ),
    Operation(
        "read_text", Category.EFFECT, "What is written in an image.", (_IMAGE,), Kind.UNTRUSTED,
        "Only judge, find, look and track take it.",
        "words = read_text(3)",
        effect=True,
    ),
)
# fmt: on

CELLS_ONLY: Mapping[str, Operation] = MappingProxyType(
    {op.name: op for group in (_FRAMES, _POINTS, _WHAT_IF, _TIMES, _PERCEIVED) for op in group}
)
"""The operations only cells have by their names, in the order of the reference page."""

CELL_OPERATIONS: Mapping[str, Operation] = MappingProxyType({**OPERATIONS, **CELLS_ONLY})
"""Every operation of the cells' language by its name."""
