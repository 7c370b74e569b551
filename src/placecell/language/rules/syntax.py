"""S1, program syntax: one flat function of assignments and operation calls that ends with ``return [...]``.

``tokens`` and ``syntax`` find these faults while reading a text; what is a fault and what to say about it stands here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from placecell.language.diagnostics import Diagnostic, Edit, Fix, Severity
from placecell.language.rules.base import Rule, program

if TYPE_CHECKING:
    from placecell.language.plan import Span

MAX_CHARACTERS = 20_000
MAX_LINES = 500
MAX_LINE_LENGTH = 1_000
MAX_NESTING = 12
MAX_STATEMENTS = 200

_BUILD = "memory = build_static_memory(images)"
_RETURN = "return [render_rgb_bev(memory)]"
_GOOD = program(_BUILD, _RETURN)

FUNCTION_NAMES = frozenset({"plan", "plan_to_solve_problem"})
"""Names the function may have; anything but ``plan`` is normalised with a note."""

PARAMETERS: Mapping[str, str] = {
    "images": "images",
    "input_images": "images",
    "image_paths": "images",
    "video": "video",
    "input_video": "video",
    "video_path": "video",
}
"""Accepted names of the function's argument, and the name each is normalised to."""

ANNOTATIONS = frozenset({"List[str]", "list[str]", "str", "List", "list", "typing.List[str]", "List[Image]"})
"""Annotations of the argument that say nothing and are dropped with a note."""

STATEMENTS: Mapping[str, str] = {
    "for": "a loop", "while": "a loop", "if": "a branch", "elif": "a branch", "else": "a branch",
    "with": "a with block", "try": "a try block", "except": "a try block", "finally": "a try block",
    "import": "an import", "from": "an import", "class": "a class", "def": "a nested function", "async": "async code",
    "del": "del", "assert": "assert", "raise": "raise", "global": "global", "nonlocal": "nonlocal", "pass": "pass",
    "break": "break", "continue": "continue", "yield": "yield", "await": "await",
}  # fmt: skip
"""First words of statements that a program may not have, and what to call them."""

OPERATORS: Mapping[str, str] = {
    **dict.fromkeys(("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"), "arithmetic"),
    **dict.fromkeys(("==", "!=", "<", ">", "<=", ">=", "in", "is", "not"), "a comparison"),
    **dict.fromkeys(("and", "or"), "a logical operator"),
    ":=": "an assignment inside an expression",
    "if": "a conditional expression",
    "for": "a comprehension",
    "async": "a comprehension",
}
"""What may follow a value in Python but not here, and what to call it."""

AUGMENTED = frozenset({"+=", "-=", "*=", "/=", "%=", "@=", "&=", "|=", "^="})
"""Assignments that compute."""

INSTEAD: Mapping[str, str] = {
    "arithmetic": "use an operation that measures it, or turn_camera and step_camera with the amount",
    "a comparison": "use compare(a, b), rank_by_distance or select_object",
    "a comprehension": "write the calls out, one after the other, or pass the whole result to an operation",
    "a loop": "write the calls out, one after the other, or pass the whole result to an operation",
    "a branch": "call the operation without a condition; one that finds nothing gives 'not found'",
    "a conditional expression": "call the operation without a condition; one that finds nothing gives 'not found'",
    "an import": "remove it; operations need no import",
}
"""What to do instead, where there is something better to say than what is allowed."""

SIZE = Rule(
    "S100", "the program is too large",
    "Limits are checked before anything is read, so that no text can cost time or memory.",
    f"at most {MAX_CHARACTERS:,} characters, {MAX_LINES} lines of {MAX_LINE_LENGTH:,} characters, brackets nested "
    f"{MAX_NESTING} deep, {MAX_STATEMENTS} statements",
    "x" * (MAX_CHARACTERS + 1), _GOOD,
)  # fmt: skip
PARSE = Rule(
    "S101", "the text cannot be read as a program",
    "A bracket, quote, colon or comma is missing or misplaced.",
    "names, operation calls, numbers, texts in quotes, lists, x[0], x.field; one statement a line",
    program(_BUILD, "view = render_rgb_bev(memory", "return [view]"), _GOOD,
    repair="a bracket, comma, colon or indentation is put right where it is clear",
)  # fmt: skip
ONE_FUNCTION = Rule(
    "S102", "there is not exactly one function and nothing else",
    "The plan is one function; anything beside it would never be interpreted.",
    "one `def plan(images):` at the top level",
    _GOOD + "plan(None)\n", _GOOD, repair="remove other code, or wrap bare statements",
)  # fmt: skip
FUNCTION_NAME = Rule(
    "S103", "the function has another name",
    "One known name says that this is the plan.",
    "def plan(images): or def plan(video):",
    _GOOD.replace("plan", "solve"), _GOOD, repair="rename",
)  # fmt: skip
ARGUMENT = Rule(
    "S104", "the function does not take exactly one argument named images or video",
    "The plan gets the photos or the video, nothing else.",
    "def plan(images): or def plan(video):",
    _GOOD.replace("(images)", "(photos)"), _GOOD, repair="rename or remove arguments",
)  # fmt: skip
DECORATOR = Rule(
    "S105", "the function is decorated",
    "A decorator is code that runs outside the plan.",
    "no decorators",
    "@cache\n" + _GOOD, _GOOD, repair="remove it",
)  # fmt: skip
DEFAULT = Rule(
    "S106", "an argument has a default value",
    "A default is an expression that is evaluated outside the plan.",
    "def plan(images): without defaults",
    _GOOD.replace("plan(images)", "plan(images=None)"), _GOOD, repair="remove it",
)  # fmt: skip
ARGUMENT_KIND = Rule(
    "S107", "the function has variadic, keyword-only or positional-only arguments",
    "Each is a way to smuggle in more arguments and annotations than the one that is checked.",
    "def plan(images): without *, ** or /",
    _GOOD.replace("plan(images)", "plan(images, /)"), _GOOD, repair="remove them",
)  # fmt: skip
TYPE_PARAMETER = Rule(
    "S108", "the function has type parameters",
    "They carry nothing and may hold expressions.",
    "def plan(images):",
    _GOOD.replace("plan(", "plan[T]("), _GOOD, repair="remove them",
)  # fmt: skip
RETURN_ANNOTATION = Rule(
    "S109", "the function has a return annotation",
    "It carries nothing and may hold an expression.",
    "def plan(images): without ->",
    _GOOD.replace(":", " -> list:", 1), _GOOD, repair="remove it",
)  # fmt: skip
ANNOTATION = Rule(
    "S110", "the argument's annotation has content",
    "An annotation is an expression; only the customary ones are known to say nothing.",
    "no annotation, or List[str], list[str], str",
    _GOOD.replace("(images)", "(images: open('x'))", 1), _GOOD, repair="remove it",
)  # fmt: skip
STATEMENT = Rule(
    "S112", "a statement of this kind is not allowed",
    "A plan is a straight list of steps: what it will do is known before it runs.",
    "name = operation(...), operation(...), and a final return [...]",
    program(_BUILD, "import os", _RETURN), _GOOD, repair="remove an import, an annotation or pass",
)  # fmt: skip
EXPRESSION = Rule(
    "S113", "an expression of this kind is not allowed",
    "Values come from operations, which know unit, frame and uncertainty; Python arithmetic does not.",
    "operation calls, names, numbers, texts, lists, -1, x[0], x.field",
    program(_BUILD, "n = 1 + 2", "return [render_rgb_bev(memory), n]"), _GOOD, repair="a tuple becomes a list",
)  # fmt: skip
STANDALONE = Rule(
    "S114", "a statement does nothing",
    "Only an operation call has an effect of its own.",
    "an operation call, or assign the value to a name",
    program('"""Look from above."""', _BUILD, _RETURN), _GOOD, repair="remove it",
)  # fmt: skip
TARGET = Rule(
    "S115", "the assignment is not to one plain name",
    "Each step gives one value, and each value has one name.",
    "name = value",
    program(_BUILD, "a = b = render_rgb_bev(memory)", "return [a, b]"), _GOOD,
)  # fmt: skip
RESERVED = Rule(
    "S116", "a reserved name is assigned to",
    "Operations and the plan's argument keep their meaning throughout.",
    "any other name",
    program(_BUILD, "render_rgb_bev = render_rgb_bev(memory)", "return [render_rgb_bev]"), _GOOD,
)  # fmt: skip
NO_RETURN = Rule(
    "S117", "the program does not end with a return",
    "What is not returned is not seen by anyone.",
    "end with return [...] of the pictures and values that answer the question",
    program(_BUILD, "view = render_rgb_bev(memory)"), _GOOD, repair="return what was observed",
)  # fmt: skip
AFTER_RETURN = Rule(
    "S118", "there is code after the return",
    "It would never be reached.",
    "one return, as the last statement",
    program(_BUILD, _RETURN, "turn_camera(memory, 'left')"), _GOOD, repair="remove it",
)  # fmt: skip
RETURN_LIST = Rule(
    "S119", "the return is not a list",
    "The observations are read one after the other.",
    "return [a, b]",
    program(_BUILD, "return render_rgb_bev(memory)"), _GOOD, repair="wrap it in brackets",
)  # fmt: skip
INCOMPLETE = Rule(
    "S120", "the text is cut off",
    "A reply that hit its length limit is no program, even if its beginning reads like one.",
    "send the whole program; a shorter one if there is a limit",
    "def plan(images):\n    memory = build_static_memory(images)\n    view = render_rgb_bev(mem", _GOOD,
)  # fmt: skip
NO_PROGRAM = Rule(
    "S121", "there is no program in the text",
    "Nothing in it defines a plan.",
    "a fenced block with def plan(images): ... return [...]",
    "I would look at the table first.", _GOOD,
)  # fmt: skip
CHARACTER = Rule(
    "S122", "a character has no meaning in a program",
    "Look-alike letters make two names that read the same.",
    "plain ASCII outside of quoted texts",
    program("mémoire = build_static_memory(images)", "return [render_rgb_bev(mémoire)]"), _GOOD,
)  # fmt: skip
NUMBER = Rule(
    "S123", "a number is not a plain decimal",
    "Other notations have no use here.",
    "3, 0.5, 1e-3",
    program(_BUILD, "here = query_camera_pose(memory, 0x1)", "set_viewpoint(memory, here)",
            "return [render_egocentric(memory)]"), _GOOD,
)  # fmt: skip
READ_AS = Rule(
    "S190", "a character was read as its plain counterpart",
    "Models and editors write typographic quotes, full-width brackets and invisible spaces.",
    "plain ASCII outside of quoted texts",
    program(_BUILD, "chairs = query_3d_object_location(memory, “chair”)", "return [count_objects(memory, chairs)]"),
    _GOOD, severity=Severity.NOTE, repair="write the plain character",
)  # fmt: skip
NORMALISED = Rule(
    "S191", "a customary variant of the function's head was normalised",
    "The paper's names and harmless annotations mean the same.",
    "def plan(images):",
    _GOOD.replace("plan(images)", "plan_to_solve_problem(images: List[str])"), _GOOD,
    severity=Severity.NOTE, repair="write the usual head",
)  # fmt: skip


def not_a_list(span: Span, what: str) -> Diagnostic:
    """A return that gives ``what``, mended by brackets around it."""
    mend = Fix("return a list", "put brackets around it", (Edit(span.start, "["), Edit(span.end, "]")))
    return RETURN_LIST.at(span, f"the return gives {what}, not a list", "", mend)
