"""Pages generated from the tables: the operations, the rules, and one rule in short.

``make docs`` writes them; a test compares the files with the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from placecell.errors import UserError
from placecell.language.cell_ops import CELL_OPERATIONS
from placecell.language.cells.builtins import BUILTINS
from placecell.language.cells.scope import BUDGET, CellScope
from placecell.language.ops import OPERATIONS
from placecell.language.rules.base import Rule, RuleCategory
from placecell.language.rules.book import CELL_RULES, RULES
from placecell.language.rules.cells import CellCategory, CellRule
from placecell.language.rules.values import range_text
from placecell.language.signature import Category, Operation, Parameter, Viewpoint
from placecell.language.types import CELL_FIELDS, FIELDS, FieldSpec, Kind

_GENERATED = "<!-- Generated from the tables by `make docs`; edit those instead. -->"
_CATEGORY_TEXT = {
    Category.CONSTRUCT: "Build or load the memory. Stage: reference.",
    Category.QUERY: "Look things up. Stages: reference, refinement, comparison.",
    Category.TRANSFORM: "Move the viewpoint. Stage: refinement.",
    Category.RENDER: "Make a picture. Stages: refinement, comparison.",
    Category.MEASURE: "Measure. Stage: comparison.",
    Category.DYNAMIC: "Follow things over time. Needs a memory with time.",
    Category.FRAME: "Frames as values. Only in cells.",
    Category.POINT: "Points and vectors of a frame. Only in cells.",
    Category.WHATIF: "What would be if. Only in cells.",
    Category.MOMENT: "Measure at a moment. Needs a memory with time. Only in cells.",
    Category.EFFECT: "Perceive: look at a photo, ask a model, add to the memory. Only in cells.",
}


def explain_rule(code: str) -> str:
    """One rule as text for a terminal. UserError for a code that does not exist."""
    rules: Mapping[str, Rule] = {**RULES, **CELL_RULES}
    rule = rules.get(code.upper())
    if rule is None:
        alike = [c for c in rules if c[0] == code[:1].upper()]
        raise UserError(f"there is no rule {code!r}", hint=f"rules are {', '.join(alike or rules)}")
    return "\n".join(
        [
            f"{rule.code} ({rule.category}, {rule.severity}): {rule.what}",
            "",
            f"Why:     {rule.why}",
            f"Allowed: {rule.allowed}",
            f"Repair:  {rule.repair or 'none'}",
            "",
            "Triggers it:",
            _indented(_shown(rule.bad)),
            "",
            "Does not:",
            _indented(_shown(rule.good)),
        ]
    )


def _shown(text: str) -> str:
    """An example, cut when it is long on purpose."""
    return text.rstrip("\n") if len(text) < 2_000 else f"{text[:40]}... ({len(text):,} characters)"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def diagnostics_page() -> str:
    """``docs/diagnostics.md``."""
    return "\n".join(_diagnostics_lines())


def _diagnostics_lines() -> Iterator[str]:
    yield from ("# Diagnostics", "", _GENERATED, "")
    yield "Codes never change their meaning. An error rejects the program; warnings and notes do not."
    yield "`placecell check --explain CODE` prints one of these; `placecell check --fix` applies the repairs."
    yield from (
        "",
        "Rules C are those of [cells](cells.md); S, T, D and V hold for cells too, E and P for programs only.",
    )
    for category in (*RuleCategory, *CellCategory):
        rules = [r for r in (*RULES.values(), *CELL_RULES.values()) if r.category is category]
        yield from ("", f"## {category.capitalize()}", "", "| code | severity | what | repair |", "|---|---|---|---|")
        yield from (f"| [{r.code}](#{r.code.lower()}) | {r.severity} | {r.what} | {r.repair or '-'} |" for r in rules)
        for rule in rules:
            yield from _rule_lines(rule)
    yield ""


def _rule_lines(rule: Rule) -> Iterator[str]:
    yield from ("", f"### {rule.code}", "", f"**{rule.what.capitalize()}** ({rule.severity}).", "", rule.why, "")
    yield f"Allowed: {rule.allowed}"
    yield from ("", "Triggers it:", "", "```python", _shown(rule.bad), "```", "")
    under = _context(rule)
    if under:
        yield from (under, "")
    yield from ("Does not:", "", "```python", _shown(rule.good), "```")


def _context(rule: Rule) -> str:
    """The facts or the question an example is checked under."""
    parts = []
    if rule.facts is not None and rule.facts.scale is not None:
        parts.append(f"a memory of {rule.facts.scale} scale")
    if rule.facts is not None and rule.facts.objects is not None:
        parts.append(f"a memory that holds only {', '.join(rule.facts.objects)}")
    if isinstance(rule, CellRule):
        parts += _of_scope(rule.scope)
    if rule.decomposition is not None:
        shown = rule.decomposition.model_dump_json(exclude_defaults=True)
        parts.append(f"the decomposition `{shown}`")
    return f"Under {' and '.join(parts)}." if parts else ""


def _of_scope(scope: CellScope) -> Iterator[str]:
    """What a cell's example is checked under."""
    for name, known in scope.names.items():
        yield f"`{name}`, " + (f"absent ({known.absent})" if known.absent else str(known.type))
    if scope.options:
        yield f"the options {', '.join(scope.options)}"
    if scope.budget is not BUDGET:
        yield f"{scope.budget} left"
    if scope.effects is not None and not scope.effects:
        yield "a session without models"


def operations_page() -> str:
    """``docs/operations.md``."""
    return "\n".join(_operations_lines())


def _operations_lines() -> Iterator[str]:
    yield from ("# Operations", "", _GENERATED, "")
    yield "Names marked * are those of the Reasmory paper. Names and arguments of its code are understood as aliases."
    for category in Category:
        yield from ("", f"## {category.capitalize()}", "", _CATEGORY_TEXT[category])
        for operation in CELL_OPERATIONS.values():
            if operation.category is category:
                yield from _operation_lines(operation)
    yield from _field_lines()
    yield from ("", "## Functions", "", "Only in cells: pure functions of values of several kinds.", "")
    yield from ("| function | gives |", "|---|---|")
    yield from (f"| `{builtin.signature}` | {builtin.summary} |" for builtin in BUILTINS.values())
    yield ""


def operations_in_short() -> str:
    """The operations for a prompt: signature, what it gives, what it does, and where it needs a viewpoint."""
    return "\n".join(_short_lines(OPERATIONS, FIELDS))


def cells_in_short() -> str:
    """The operations and functions of cells for a prompt, as ``operations_in_short``; a session has its memory."""
    own = {name: op for name, op in CELL_OPERATIONS.items() if op.category is not Category.CONSTRUCT}
    functions = (f"- `{builtin.signature}`: {builtin.summary}" for builtin in BUILTINS.values())
    return "\n".join([*_short_lines(own, CELL_FIELDS), *functions])


def _short_lines(
    operations: Mapping[str, Operation], fields_of: Mapping[Kind, Mapping[str, FieldSpec]]
) -> Iterator[str]:
    for operation in operations.values():
        needs = "a current viewpoint, " if operation.viewpoint in (Viewpoint.READS, Viewpoint.MOVES) else ""
        if operation.reads_without:
            needs = f"a current viewpoint without `{operation.reads_without}`, "
        summary = f"{operation.summary} {operation.documentation}"
        yield f"- `{operation.signature}` ({needs}gives {operation.returns}): {summary}"
        for parameter in operation.parameters:
            if parameter.choices or not parameter.required:
                yield f"    - {parameter.name}: {_takes(parameter)}; {parameter.summary}"
    for kind, fields in fields_of.items():
        yield f"- fields of {kind}: {', '.join(fields)}"


def _operation_lines(operation: Operation) -> Iterator[str]:
    mark = "*" if operation.from_paper else ""
    yield from ("", f"### {operation.name}{mark}", "", f"`{operation.signature}` gives {operation.returns}.", "")
    yield f"{operation.summary} {operation.documentation}"
    yield from ("", "| argument | takes | |", "|---|---|---|")
    yield from (f"| {p.name} | {_takes(p)} | {p.summary} |" for p in operation.parameters)
    notes = [f"Viewpoint: {operation.viewpoint}."]
    if operation.reads_without:
        notes = [f"Viewpoint: reads without `{operation.reads_without}`."]
    if operation.shows_viewpoint:
        notes = ["Viewpoint: shows it when there is one."]
    if operation.frame_bound:
        notes.append("The result belongs to the viewpoint it was taken from.")
    if operation.aliases:
        notes.append(f"Aliases: {', '.join(operation.aliases)}.")
    yield from ("", " ".join(notes), "", "```python", operation.example, "```")


def _takes(parameter: Parameter) -> str:
    if parameter.choices:
        words = ", ".join(parameter.choices) + (", or a phrase" if parameter.open_choices else "")
        others = sorted(str(k) for k in parameter.kinds - {Kind.TEXT})
        text = " or ".join([*others, words])
    else:
        text = " or ".join(sorted(str(k) for k in parameter.kinds))
    if parameter.many:
        text = f"list of {text}"
    limits = range_text(parameter)
    if limits and not parameter.image:
        text += f", {limits}"
    return text if parameter.required else f"{text} (default {parameter.default_text})"


def _field_lines() -> Iterator[str]:
    yield from (
        "",
        "## Fields",
        "",
        "Read with a dot. Those marked v belong to the viewpoint of the value they are read from.",
    )
    yield from ("", "| value | field | gives | |", "|---|---|---|---|")
    for kind, fields in CELL_FIELDS.items():
        for name, spec in fields.items():
            yield f"| {kind} | {name}{' v' if spec.bound else ''} | {spec.kind} | {spec.summary} |"
