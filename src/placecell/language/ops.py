"""The one table of operations. Adding an operation means one entry here and one engine function of the same name.

From this table come the checker, the prompt section, tool schemas, the training environment's tools and
``docs/operations.md``. Names the Reasmory paper uses are kept (``from_paper``); other code bases' names are aliases.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from placecell.language.signature import Category, Operation, Parameter, Stage, Viewpoint
from placecell.language.types import Kind

__all__ = ["ALIASES", "OPERATIONS", "Category", "Operation", "Parameter", "Stage", "Viewpoint"]

_ONE_OBJECT = frozenset({Kind.INSTANCE})
_OBJECTS = frozenset({Kind.INSTANCE, Kind.INSTANCES})
_PLACE = frozenset({Kind.POSE, Kind.INSTANCE})
_PLACES = frozenset({Kind.POSE, Kind.INSTANCE, Kind.INSTANCES})
_TEXT = frozenset({Kind.TEXT})
_NUMBER = frozenset({Kind.NUMBER})

_MEMORY = Parameter("memory", frozenset({Kind.MEMORY}), "the memory to use", aliases=("session_id", "session"))
_IMAGE_LIST = ("camera_indices", "frame_indices", "images")
_TURNS = ("left", "right", "up", "down", "back")
_STEPS = ("forward", "backward", "left", "right", "up", "down")
_SIDES = ("left", "right", "front", "back", "up", "down", "front-left", "front-right", "back-left", "back-right")
_SIDE_WORDS = {
    "behind": "back",
    "backward": "back",
    "ahead": "front",
    "forward": "front",
    "above": "up",
    "below": "down",
}
SELECTIONS = (
    "only",
    "nearest",
    "farthest",
    "largest",
    "smallest",
    "leftmost",
    "rightmost",
    "highest",
    "lowest",
    "most_confident",
)

_CONSTRUCT = (
    Operation(
        "build_static_memory",
        Category.CONSTRUCT,
        "Build or load the memory of a place at rest.",
        (
            Parameter(
                "source",
                frozenset({Kind.SOURCE}),
                "the plan's argument",
                aliases=("input_images", "input_video", "image_paths", "video_path"),
            ),
            Parameter(
                "metric",
                frozenset({Kind.BOOL}),
                "insist on metres; fails clearly if none can be had",
                required=False,
                default=False,
                needs_metric=True,
            ),
        ),
        Kind.MEMORY,
        "Every program starts with exactly one build. It does not set a viewpoint.",
        "memory = build_static_memory(images)",
        aliases=("build_static_spatial_memory", "build_spatial_memory", "build_memory"),
        ignored=("input_type", "fps"),
        from_paper=True,
    ),
    Operation(
        "build_dynamic_memory",
        Category.CONSTRUCT,
        "Build or load the memory of a video, with time.",
        (
            Parameter(
                "source",
                frozenset({Kind.SOURCE}),
                "the plan's argument",
                aliases=("input_images", "input_video", "image_paths", "video_path"),
            ),
        ),
        Kind.MEMORY,
        "Needed for tracks and motion; everything else works on it as on a static memory.",
        "memory = build_dynamic_memory(video)",
        needs_time=True,
        aliases=("build_dynamic_spatial_memory",),
        ignored=("input_type", "fps"),
        from_paper=True,
    ),
)

_QUERY = (
    Operation(
        "query_camera_pose",
        Category.QUERY,
        "The camera that took an image.",
        (
            _MEMORY,
            Parameter(
                "image",
                _NUMBER,
                "image number, counted from 1",
                integer=True,
                image=True,
                minimum=1,
                aliases=("image_index", "index", "camera", "camera_index", "frame", "number", *_IMAGE_LIST),
            ),
        ),
        Kind.POSE,
        "A pose is a handle: operations accept it at any time. Its fields are in the terms of the viewpoint "
        "that was current when it was queried.",
        "here = query_camera_pose(memory, image=3)",
        viewpoint=Viewpoint.READS,
        aliases=("query_pose", "query_camera_poses", "get_camera_pose"),
        from_paper=True,
    ),
    Operation(
        "query_3d_object_location",
        Category.QUERY,
        "All objects that a name or phrase describes.",
        (
            _MEMORY,
            Parameter(
                "name",
                _TEXT,
                "object name or short phrase",
                aliases=("category", "object", "object_name", "query", "phrase", "category_name", "category_names"),
            ),
        ),
        Kind.INSTANCES,
        "May be empty: that is a result, not an error. Each instance has a centre, a box, the images that show "
        "it and a confidence.",
        'chairs = query_3d_object_location(memory, "chair")',
        aliases=("query_3d_object_position", "query_object_location", "query_object", "query_objects", "find_objects"),
        from_paper=True,
    ),
    Operation(
        "select_object",
        Category.QUERY,
        "One object out of several.",
        (
            Parameter(
                "objects",
                frozenset({Kind.INSTANCES}),
                "what query_3d_object_location or find_in_direction gave",
                aliases=("obj_queried", "candidates", "instances"),
            ),
            Parameter(
                "by",
                _TEXT,
                "criterion, or a phrase judged on pictures of the candidates",
                choices=SELECTIONS,
                open_choices=True,
                choice_aliases={
                    "closest": "nearest",
                    "furthest": "farthest",
                    "biggest": "largest",
                    "best": "most_confident",
                    "first": "most_confident",
                },
                aliases=("selection_criteria", "criterion", "criteria"),
            ),
            Parameter(
                "of",
                _PLACES,
                "nearest to or farthest from what; the current viewpoint if omitted",
                required=False,
                aliases=("reference", "to"),
            ),
        ),
        Kind.INSTANCE,
        "Gives 'not found' for an empty set and says when the choice was close. leftmost and rightmost are as "
        "seen from the viewpoint.",
        'chair = select_object(chairs, by="nearest", of=table)',
        viewpoint=Viewpoint.READS,
        aliases=("safe_select", "select_instance"),
        ignored=("obj_name", "session_id", "memory"),
    ),
)

_TRANSFORM = (
    Operation(
        "set_viewpoint",
        Category.TRANSFORM,
        "Stand somewhere and look somewhere.",
        (
            _MEMORY,
            Parameter("at", _PLACE, "where to stand", aliases=("origin", "position", "pose")),
            Parameter(
                "facing",
                _PLACE,
                "what to look at; the own heading of `at` if omitted",
                required=False,
                aliases=("look_at", "forward", "towards", "target"),
            ),
            Parameter(
                "level",
                frozenset({Kind.BOOL}),
                "keep the horizon level and drop the photo's own pitch and roll",
                required=False,
                default=True,
            ),
        ),
        Kind.POSE,
        "`facing` must be somewhere else than `at`. Returns the new viewpoint as a pose.",
        "set_viewpoint(memory, at=here)",
        viewpoint=Viewpoint.SETS,
        ignored=("up",),
        from_paper=True,
    ),
    Operation(
        "turn_camera",
        Category.TRANSFORM,
        "Turn on the spot.",
        (
            _MEMORY,
            Parameter(
                "direction",
                _TEXT,
                "which way",
                choices=_TURNS,
                choice_aliases={"around": "back", "backward": "back", "behind": "back"},
            ),
            Parameter(
                "degrees",
                _NUMBER,
                "how far; 90 for left and right, 45 for up and down if omitted",
                required=False,
                minimum=0,
                above_minimum=True,
                maximum=360,
                aliases=("angle",),
            ),
        ),
        Kind.POSE,
        "back is 180 degrees and takes no degrees; up and down take at most 90.",
        'turn_camera(memory, "right", degrees=45)',
        viewpoint=Viewpoint.MOVES,
        from_paper=True,
    ),
    Operation(
        "step_camera",
        Category.TRANSFORM,
        "Move without turning.",
        (
            _MEMORY,
            Parameter(
                "direction",
                _TEXT,
                "which way, in viewer terms",
                choices=_STEPS,
                choice_aliases={"back": "backward", "backwards": "backward", "forwards": "forward", "ahead": "forward"},
            ),
            Parameter(
                "distance",
                _NUMBER,
                "metres; a stated fraction of the scene if omitted",
                required=False,
                minimum=0,
                above_minimum=True,
                maximum=1000,
                needs_metric=True,
            ),
        ),
        Kind.POSE,
        "Forward and backward follow the heading along the floor. A distance needs a memory of known scale.",
        'step_camera(memory, "forward")',
        viewpoint=Viewpoint.MOVES,
        aliases=("move_camera",),
        from_paper=True,
    ),
)

_RENDER = (
    Operation(
        "render_egocentric",
        Category.RENDER,
        "What is seen from the current viewpoint.",
        (
            _MEMORY,
            Parameter("fov", _NUMBER, "horizontal field of view in degrees", required=False, minimum=10, maximum=150),
        ),
        Kind.PICTURE,
        "Space nobody photographed is marked as unknown.",
        "view = render_egocentric(memory)",
        viewpoint=Viewpoint.READS,
        aliases=("render_ego_rgb", "render_ego", "render_ego_view", "render_view"),
        from_paper=True,
    ),
    Operation(
        "render_rgb_bev",
        Category.RENDER,
        "Coloured view from straight above, without the ceiling.",
        (_MEMORY,),
        Kind.PICTURE,
        "Orthographic, with the viewpoint, its heading and a scale bar.",
        "top = render_rgb_bev(memory)",
        viewpoint=Viewpoint.READS,
        aliases=("render_bev", "render_top_view"),
        ignored=("annotations", "ego_marker_size"),
        from_paper=True,
    ),
    Operation(
        "render_semantic_bev",
        Category.RENDER,
        "Plan view of named objects and cameras.",
        (
            _MEMORY,
            Parameter(
                "objects",
                _OBJECTS,
                "objects to draw, with instance numbers",
                required=False,
                default=(),
                many=True,
                aliases=("queried_objects",),
            ),
            Parameter(
                "cameras",
                _NUMBER,
                "image numbers to draw, joined in order",
                required=False,
                default=(),
                many=True,
                integer=True,
                image=True,
                minimum=1,
                aliases=_IMAGE_LIST,
            ),
        ),
        Kind.PICTURE,
        "A plan with neither objects nor cameras shows nothing and is refused.",
        "plan_view = render_semantic_bev(memory, objects=[chairs, table], cameras=[1, 2])",
        viewpoint=Viewpoint.READS,
        from_paper=True,
    ),
)

_MEASURE = (
    Operation(
        "measure_distance",
        Category.MEASURE,
        "Distance between the closest points of two things.",
        (
            _MEMORY,
            Parameter("a", _PLACES, "first thing; a pose counts as its centre", aliases=("object_a", "first", "start")),
            Parameter(
                "b",
                _PLACES,
                "second thing; the current viewpoint if omitted",
                required=False,
                aliases=("object_b", "second", "end"),
            ),
        ),
        Kind.LENGTH,
        "Of several instances the closest pair counts.",
        "gap = measure_distance(memory, table, door)",
        reads_without="b",
    ),
    Operation(
        "measure_size",
        Category.MEASURE,
        "Sides of an object.",
        (_MEMORY, Parameter("object", _ONE_OBJECT, "one object", aliases=("target", "instance"))),
        Kind.EXTENTS,
        "longest, width, depth and height are read as fields.",
        "size = measure_size(memory, table)",
    ),
    Operation(
        "measure_room",
        Category.MEASURE,
        "Floor area and height of the room.",
        (_MEMORY,),
        Kind.AREA,
        "Several rooms count together.",
        "room = measure_room(memory)",
    ),
    Operation(
        "locate",
        Category.MEASURE,
        "Where something is, seen from the current viewpoint.",
        (
            _MEMORY,
            Parameter("target", _PLACES, "what to look for", aliases=("object",)),
            Parameter(
                "of",
                _PLACES,
                "tell the side relative to this thing instead of the viewer",
                required=False,
                aliases=("relative_to", "reference"),
            ),
        ),
        Kind.DIRECTION,
        "Bearing, elevation, distance and the words left, right, front, back, up, down. With `of`, left and right "
        "stay the viewer's, front is nearer to the viewer and back farther away.",
        "where = locate(memory, door)",
        viewpoint=Viewpoint.READS,
        frame_bound=True,
    ),
    Operation(
        "count_objects",
        Category.MEASURE,
        "How many.",
        (_MEMORY, Parameter("objects", frozenset({Kind.INSTANCES}), "what was found", aliases=("instances",))),
        Kind.COUNT,
        "Zero is a count.",
        "n = count_objects(memory, chairs)",
    ),
    Operation(
        "rank_by_distance",
        Category.MEASURE,
        "Candidates, nearest first.",
        (
            _MEMORY,
            Parameter("reference", _PLACES, "measured from here", aliases=("of", "to")),
            Parameter("candidates", _PLACES, "measured to these", many=True, aliases=("objects",)),
        ),
        Kind.ORDER,
        "By closest points; neighbours within the uncertainty are called ties.",
        "order = rank_by_distance(memory, table, [chairs, door])",
    ),
    Operation(
        "find_in_direction",
        Category.MEASURE,
        "What is met first that way.",
        (
            _MEMORY,
            Parameter(
                "direction", _TEXT, "which way from the current viewpoint", choices=_SIDES, choice_aliases=_SIDE_WORDS
            ),
            Parameter(
                "candidates",
                _OBJECTS,
                "only among these; all known objects if omitted",
                required=False,
                many=True,
                aliases=("objects",),
            ),
            Parameter(
                "of",
                _PLACES,
                "start from this thing instead of the viewer",
                required=False,
                aliases=("relative_to", "reference"),
            ),
        ),
        Kind.INSTANCES,
        "With `of`, directions stay the viewer's. May be empty.",
        'behind = find_in_direction(memory, "back")',
        viewpoint=Viewpoint.READS,
    ),
    Operation(
        "check_visibility",
        Category.MEASURE,
        "Whether something is seen from the current viewpoint.",
        (_MEMORY, Parameter("target", _OBJECTS, "what to look for", aliases=("object",))),
        Kind.VISIBILITY,
        "Seen, hidden (and by what) or outside the view.",
        "seen = check_visibility(memory, door)",
        viewpoint=Viewpoint.READS,
        frame_bound=True,
    ),
    Operation(
        "first_seen",
        Category.MEASURE,
        "The order in which things first appear.",
        (_MEMORY, Parameter("groups", _OBJECTS, "one entry for each thing to order", many=True, aliases=("objects",))),
        Kind.ORDER,
        "By the first image or moment that shows an instance of each group.",
        "order = first_seen(memory, [chairs, door])",
    ),
    Operation(
        "compare",
        Category.MEASURE,
        "Less, more, same or too close to call.",
        (
            Parameter(
                "a", frozenset({Kind.LENGTH, Kind.AREA, Kind.COUNT, Kind.ANGLE}), "first value", aliases=("first",)
            ),
            Parameter(
                "b",
                frozenset({Kind.LENGTH, Kind.AREA, Kind.COUNT, Kind.ANGLE}),
                "second value, of the same kind",
                aliases=("second",),
            ),
        ),
        Kind.TEXT,
        "Says how a relates to b. Both must be of one kind and unit.",
        "nearer = compare(after, before)",
    ),
    Operation(
        "plan_route",
        Category.MEASURE,
        "Turns and legs from one place to others.",
        (
            _MEMORY,
            Parameter("start", _PLACES, "where to begin"),
            Parameter("facing", _PLACES, "what is looked at in the beginning", aliases=("towards", "look_at")),
            Parameter("goals", _PLACES, "where to go, in order", many=True, aliases=("goal", "waypoints")),
        ),
        Kind.ROUTE,
        "Each leg tells the turn (left, right, back or straight on) and the distance.",
        "route = plan_route(memory, start=door, facing=table, goals=[sofa])",
    ),
)

_DYNAMIC = (
    Operation(
        "track_object",
        Category.DYNAMIC,
        "Where something is over time.",
        (_MEMORY, Parameter("name", _TEXT, "object name or short phrase", aliases=("object", "query", "category"))),
        Kind.TRACK,
        "Needs build_dynamic_memory.",
        'car = track_object(memory, "red car")',
        needs_time=True,
        extra_stages=frozenset(Stage),
    ),
    Operation(
        "measure_motion",
        Category.DYNAMIC,
        "Which way something moves or turns, and how fast.",
        (
            _MEMORY,
            Parameter(
                "mover",
                frozenset({Kind.TRACK, Kind.TEXT}),
                'a track, or "camera"',
                choices=("camera",),
                aliases=("object", "track", "target"),
            ),
            Parameter(
                "frame",
                _TEXT,
                "seen by the camera, in the world, or from the mover's own front",
                required=False,
                default="camera",
                choices=("camera", "world", "self"),
                choice_aliases={"object": "self", "own": "self"},
            ),
            Parameter(
                "during",
                _TEXT,
                "which part of the video",
                required=False,
                default="whole",
                choices=("whole", "first_half", "last_half"),
                choice_aliases={"second_half": "last_half", "whole_video": "whole"},
            ),
        ),
        Kind.MOTION,
        "Words, speed, turn sense, approach or recede. Needs build_dynamic_memory.",
        'motion = measure_motion(memory, car, frame="camera")',
        needs_time=True,
    ),
)

OPERATIONS: Mapping[str, Operation] = MappingProxyType(
    {op.name: op for group in (_CONSTRUCT, _QUERY, _TRANSFORM, _RENDER, _MEASURE, _DYNAMIC) for op in group}
)
"""Every operation by its name, in the order of the reference page."""

ALIASES: Mapping[str, str] = MappingProxyType({alias: op.name for op in OPERATIONS.values() for alias in op.aliases})
"""Names used by other code bases, with the operation each one means."""
