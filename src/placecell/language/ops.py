"""The one table of operations. Adding an operation means one entry here and one engine function of the same name.

From this table come the checker, the prompt section, tool schemas, the training environment's tools and
``docs/operations.md``. Names the Reasmory paper uses are kept (``from_paper``); other code bases' names are aliases.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from placecell.language.entries import choice, may, need
from placecell.language.signature import Category, Operation, Stage, Viewpoint
from placecell.language.types import Kind

_OBJECTS = (Kind.INSTANCE, Kind.INSTANCES)
_PLACE = (Kind.POSE, Kind.INSTANCE)
_PLACES = (Kind.POSE, Kind.INSTANCE, Kind.INSTANCES)
_MEASURED = (Kind.LENGTH, Kind.AREA, Kind.COUNT, Kind.ANGLE)
_SIDES = "left right front back up down front-left front-right back-left back-right"

_SELECT = "only nearest farthest largest smallest leftmost rightmost highest lowest most_confident"

SELECTIONS = tuple(_SELECT.split())
"""Criteria of select_object that geometry decides; any other phrase is judged on pictures."""

_MEMORY = need("memory", Kind.MEMORY, of="the memory to use", aliases="session_id session")
_SOURCE = need("source", Kind.SOURCE, of="the plan's argument",
                aliases="input_images input_video image_paths video_path images video")  # fmt: skip
_IMAGE_LISTS = "camera_indices frame_indices images"

# fmt: off
_CONSTRUCT = (
    Operation(
        "build_static_memory", Category.CONSTRUCT, "Build or load the memory of a place at rest.",
        (_SOURCE, may("metric", Kind.BOOL, of="insist on metres; fails clearly if none can be had", default=False,
                       needs_metric=True)),
        Kind.MEMORY,
        "Every program starts with exactly one build. It does not set a viewpoint.",
        "memory = build_static_memory(images)",
        aliases=("build_static_spatial_memory", "build_spatial_memory", "build_memory"),
        ignored=("input_type", "fps"), from_paper=True,
    ),
    Operation(
        "build_dynamic_memory", Category.CONSTRUCT, "Build or load the memory of a video, with time.",
        (_SOURCE,),
        Kind.MEMORY,
        "Needed for tracks and motion; everything else works on it as on a static memory.",
        "memory = build_dynamic_memory(video)",
        aliases=("build_dynamic_spatial_memory",), ignored=("input_type", "fps"), needs_time=True, from_paper=True,
    ),
)

_QUERY = (
    Operation(
        "query_camera_pose", Category.QUERY, "The camera that took an image.",
        (_MEMORY, need("image", Kind.NUMBER, of="image number, counted from 1", by_name=True, integer=True, image=True,
                        minimum=1, aliases=f"image_index index camera camera_index frame number {_IMAGE_LISTS}")),
        Kind.POSE,
        "A pose is a handle: operations accept it at any time. Its fields are in the terms of the viewpoint that was "
        "current when it was queried.",
        "here = query_camera_pose(memory, image=3)",
        aliases=("query_pose", "query_camera_poses", "get_camera_pose"), from_paper=True,
    ),
    Operation(
        "query_3d_object_location", Category.QUERY, "All objects that a name or phrase describes.",
        (_MEMORY, need("name", Kind.TEXT, of="object name or short phrase",
                        aliases="category object object_name query phrase category_name category_names names")),
        Kind.INSTANCES,
        "May be empty: that is a result, not an error. Each instance has a centre, a box, the images that show it and "
        "a confidence.",
        'chairs = query_3d_object_location(memory, "chair")',
        aliases=("query_3d_object_position", "query_object_location", "query_object", "query_objects", "find_objects"),
        from_paper=True,
    ),
    Operation(
        "select_object", Category.QUERY, "One object out of several.",
        (need("objects", Kind.INSTANCES, of="what a query or search gave", aliases="obj_queried candidates instances"),
         choice("by", _SELECT, "criterion, a colour, or in a program any phrase, judged on pictures of the candidates",
                 "closest=nearest furthest=farthest biggest=largest best=most_confident", open_choices=True,
                 by_name=True, aliases=("selection_criteria", "criterion", "criteria")),
         may("of", *_PLACES, of="nearest to or farthest from what; the viewpoint if omitted", aliases="reference to")),
        Kind.INSTANCE,
        "Gives 'not found' for an empty set and says when the choice was close. leftmost and rightmost are as seen "
        "from the viewpoint.",
        'chair = select_object(chairs, by="nearest", of=table)',
        aliases=("safe_select", "select_instance"), ignored=("obj_name", "session_id", "memory"),
    ),
)

_TRANSFORM = (
    Operation(
        "set_viewpoint", Category.TRANSFORM, "Stand somewhere and look somewhere.",
        (_MEMORY,
         need("at", *_PLACE, of="where to stand", by_name=True, aliases="origin position pose"),
         may("facing", *_PLACE, of="an object to look at, or a pose whose heading to take; the heading of `at` if "
              "omitted", aliases="look_at forward towards target"),
         may("level", Kind.BOOL, of="keep the horizon level, without the photo's own pitch and roll", default=True)),
        Kind.POSE,
        "An object cannot be faced from its own place. Returns the new viewpoint as a pose.",
        "set_viewpoint(memory, at=here)",
        viewpoint=Viewpoint.SETS, ignored=("up",), from_paper=True,
    ),
    Operation(
        "turn_camera", Category.TRANSFORM, "Turn on the spot.",
        (_MEMORY,
         choice("direction", "left right up down back", "which way", "around=back backward=back behind=back"),
         may("degrees", Kind.NUMBER, of="how far; 90 for left and right, 45 for up and down if omitted", minimum=0,
              above_minimum=True, maximum=360, aliases="angle")),
        Kind.POSE,
        "back is 180 degrees and takes no degrees; up and down take at most 90.",
        'turn_camera(memory, "right", degrees=45)',
        viewpoint=Viewpoint.MOVES, from_paper=True,
    ),
    Operation(
        "step_camera", Category.TRANSFORM, "Move without turning.",
        (_MEMORY,
         choice("direction", "forward backward left right up down", "which way, in viewer terms",
                 "back=backward backwards=backward forwards=forward ahead=forward"),
         may("distance", Kind.NUMBER, of="metres; a stated fraction of the scene if omitted", minimum=0,
              above_minimum=True, maximum=1000, needs_metric=True)),
        Kind.POSE,
        "Forward and backward follow the heading along the floor. A distance needs a memory of known scale.",
        'step_camera(memory, "forward")',
        viewpoint=Viewpoint.MOVES, aliases=("move_camera",), from_paper=True,
    ),
)

_RENDER = (
    Operation(
        "render_egocentric", Category.RENDER, "What is seen from the current viewpoint.",
        (_MEMORY, may("fov", Kind.NUMBER, of="horizontal field of view in degrees", minimum=10, maximum=150)),
        Kind.PICTURE,
        "Space nobody photographed is marked as unknown.",
        "view = render_egocentric(memory)",
        viewpoint=Viewpoint.READS, from_paper=True,
        aliases=("render_ego_rgb", "render_ego", "render_ego_view", "render_view"),
    ),
    Operation(
        "render_rgb_bev", Category.RENDER, "Coloured view from straight above, without the ceiling.",
        (_MEMORY,),
        Kind.PICTURE,
        "Orthographic, with a scale bar and, if there is one, the viewpoint and its heading.",
        "top = render_rgb_bev(memory)",
        shows_viewpoint=True, from_paper=True,
        aliases=("render_bev", "render_top_view"), ignored=("annotations", "ego_marker_size"),
    ),
    Operation(
        "render_semantic_bev", Category.RENDER, "Plan view of named objects and cameras.",
        (_MEMORY,
         may("objects", *_OBJECTS, of="objects to draw, with instance numbers", default=(), many=True,
              aliases="queried_objects"),
         may("cameras", Kind.NUMBER, of="image numbers to draw, joined in order", default=(), many=True, integer=True,
              image=True, minimum=1, aliases=_IMAGE_LISTS)),
        Kind.PICTURE,
        "Shows the viewpoint too, if there is one. With neither objects nor cameras it shows nothing and is refused.",
        "top = render_semantic_bev(memory, objects=[chairs, table], cameras=[1, 2])",
        shows_viewpoint=True, from_paper=True,
    ),
)

_MEASURE = (
    Operation(
        "measure_distance", Category.MEASURE, "Distance between the closest points of two things.",
        (_MEMORY,
         need("a", *_PLACES, of="first thing; a pose counts as its centre", aliases="object_a first start"),
         may("b", *_PLACES, of="second thing; the viewpoint if omitted", aliases="object_b second end")),
        Kind.LENGTH,
        "Of several instances the closest pair counts.",
        "gap = measure_distance(memory, table, door)",
        reads_without="b",
    ),
    Operation(
        "measure_size", Category.MEASURE, "Sides of an object.",
        (_MEMORY, need("object", Kind.INSTANCE, of="one object", aliases="target instance")),
        Kind.EXTENTS,
        "longest, width, depth and height are read as fields.",
        "size = measure_size(memory, table)",
    ),
    Operation(
        "measure_room", Category.MEASURE, "Floor area and height of the room.",
        (_MEMORY,),
        Kind.AREA,
        "Several rooms count together.",
        "room = measure_room(memory)",
    ),
    Operation(
        "locate", Category.MEASURE, "Where something is, seen from the current viewpoint.",
        (_MEMORY,
         need("target", *_PLACES, of="what to look for", aliases="object"),
         may("of", *_PLACES, of="tell the side relative to this thing instead of the viewer",
              aliases="relative_to reference")),
        Kind.DIRECTION,
        "Bearing, elevation, distance and the words left, right, front, back, up, down. With `of`, left and right "
        "stay the viewer's, front is nearer to the viewer and back farther away.",
        "where = locate(memory, door)",
        viewpoint=Viewpoint.READS, frame_bound=True,
    ),
    Operation(
        "count_objects", Category.MEASURE, "How many.",
        (_MEMORY, need("objects", Kind.INSTANCES, of="what was found", aliases="instances")),
        Kind.COUNT,
        "Zero is a count.",
        "n = count_objects(memory, chairs)",
    ),
    Operation(
        "rank_by_distance", Category.MEASURE, "Candidates, nearest first.",
        (_MEMORY,
         need("reference", *_PLACES, of="measured from here", aliases="of to"),
         need("candidates", *_PLACES, of="measured to these", many=True, aliases="objects")),
        Kind.ORDER,
        "By closest points; neighbours within the uncertainty are called ties.",
        "order = rank_by_distance(memory, table, [chairs, door])",
    ),
    Operation(
        "find_in_direction", Category.MEASURE, "What is met first that way.",
        (_MEMORY,
         choice("direction", _SIDES, "which way from the viewpoint",
                 "behind=back backward=back ahead=front forward=front above=up below=down"),
         may("candidates", *_OBJECTS, of="only among these; all known objects if omitted", many=True,
              aliases="objects"),
         may("of", *_PLACES, of="start from this thing instead of the viewer", aliases="relative_to reference")),
        Kind.INSTANCES,
        "With `of`, directions stay the viewer's. May be empty.",
        'behind = find_in_direction(memory, "back")',
        viewpoint=Viewpoint.READS,
    ),
    Operation(
        "check_visibility", Category.MEASURE, "Whether something is seen from the current viewpoint.",
        (_MEMORY, need("target", *_OBJECTS, of="what to look for", aliases="object")),
        Kind.VISIBILITY,
        "Seen, hidden (and by what) or outside the view.",
        "seen = check_visibility(memory, door)",
        viewpoint=Viewpoint.READS, frame_bound=True,
    ),
    Operation(
        "first_seen", Category.MEASURE, "The order in which things first appear.",
        (_MEMORY, need("groups", *_OBJECTS, of="one entry for each thing to order", many=True, aliases="objects")),
        Kind.ORDER,
        "By the first image or moment that shows an instance of each group.",
        "order = first_seen(memory, [chairs, door])",
    ),
    Operation(
        "compare", Category.MEASURE, "Less, more, same or too close to call.",
        (need("a", *_MEASURED, of="first value", aliases="first"),
         need("b", *_MEASURED, of="second value, of the same kind", aliases="second")),
        Kind.TEXT,
        "Says how a relates to b. Both must be of one kind and unit.",
        "nearer = compare(after, before)",
    ),
    Operation(
        "plan_route", Category.MEASURE, "Turns and legs from one place to others.",
        (_MEMORY,
         need("start", *_PLACES, of="where to begin", by_name=True),
         need("facing", *_PLACES, of="what is looked at in the beginning", by_name=True, aliases="towards look_at"),
         need("goals", *_PLACES, of="where to go, in order", many=True, by_name=True, aliases="goal waypoints")),
        Kind.ROUTE,
        "Each leg tells the turn (left, right, back or straight on) and the distance.",
        "route = plan_route(memory, start=door, facing=table, goals=[sofa])",
    ),
)

_DURING = choice("during", "whole first_half last_half", "which part of the video",
                  "second_half=last_half whole_video=whole", default="whole")
_AT = may("at", Kind.NUMBER, of="only around this second of the video", minimum=0)
_EVENTS = "moving still left right up down towards away turn-left turn-right clockwise counterclockwise reversal"

_DYNAMIC = (
    Operation(
        "track_object", Category.DYNAMIC, "Where something is over time.",
        (_MEMORY, need("name", Kind.TEXT, of="object name or short phrase", aliases="object query category")),
        Kind.TRACK,
        "All movers of that name, and those at rest. Empty, with how sure that is, when the video shows none. Needs "
        "build_dynamic_memory.",
        'car = track_object(memory, "red car")',
        needs_time=True, extra_stages=frozenset(Stage),
    ),
    Operation(
        "measure_motion", Category.DYNAMIC, "Which way something moves or turns, and how fast.",
        (_MEMORY,
         need("mover", Kind.TRACK, Kind.TEXT, of='a track, or "camera"', choices=("camera",),
               aliases="object track target"),
         choice("frame", "camera world self screen", "seen by the camera at that time, from where the video starts, "
                 "from the mover's own front, or in the picture; always without the camera's own motion",
                 "object=self own=self", default="camera"),
         _DURING, _AT),
        Kind.MOTION,
        "Words, speed, turn sense, approach or recede, reversals, passes and contacts. Needs build_dynamic_memory.",
        'motion = measure_motion(memory, car, frame="camera")',
        needs_time=True,
    ),
    Operation(
        "count_events", Category.DYNAMIC, "How many movers did something, or how often.",
        (_MEMORY,
         need("mover", Kind.TRACK, of="a track", aliases="object track target"),
         choice("event", f"{_EVENTS} pass contact", "what to count",
                 "forward=away backward=towards", by_name=True),
         choice("count", "movers times", "the movers that did it, or how often it happened in all", default="movers"),
         choice("frame", "camera world self", "whose left, right, towards and away", default="camera"),
         _DURING, _AT,
         may("other", Kind.TRACK, Kind.TEXT, of='for pass and contact: only with this track, or "camera"',
             choices=("any", "camera"), default="any")),
        Kind.COUNT,
        "Zero is a count. Needs build_dynamic_memory.",
        'n = count_events(memory, car, event="turn-left")',
        needs_time=True,
    ),
)
# fmt: on

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {op.name: op for group in (_CONSTRUCT, _QUERY, _TRANSFORM, _RENDER, _MEASURE, _DYNAMIC) for op in group}
)
"""Every operation by its name, in the order of the reference page."""

ALIASES: Mapping[str, str] = MappingProxyType({alias: op.name for op in OPERATIONS.values() for alias in op.aliases})
"""Names used by other code bases, with the operation each one means."""
