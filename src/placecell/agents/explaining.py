"""How an answer came about, in plain words.

Knows what a person wants to see of each stage. Does not know how any stage works.
"""

from __future__ import annotations

from placecell.agents.answer import Answer
from placecell.language.decomposition import Decomposition, Facing, Motion


def explain(answer: Answer) -> str:
    """How a question was understood, planned and answered, in plain words."""
    lines = []
    if answer.decomposition is not None:
        lines += [f"understood as: {answer.family}", *slots(answer.decomposition)]
    if answer.program:
        lines += ["program:", *(f"  {line}" for line in answer.program.rstrip().splitlines())]
    lines += [f"{d.severity} {d.code} line {d.line}: {d.message}" for d in answer.diagnostics]
    if answer.values:
        lines += ["values:", *(f"  {name}: {words}" for name, words in answer.values.items())]
    if answer.abstained:
        lines.append(f"no answer, stopped at {answer.stage}: {answer.reason}")
    else:
        letter = f"{answer.letter}. " if answer.letter else ""
        lines.append(f"answer: {letter}{answer.answer} (confidence {answer.confidence:.2f})")
        if answer.between:
            low, high = answer.between
            lines.append(f"between {low:g} and {high:g} {answer.unit or ''} with 95 % probability".replace("  ", " "))
    lines += [f"note: {note}" for note in answer.notes]
    return "\n".join(lines)


def slots(d: Decomposition) -> list[str]:
    """A decomposition in lines: where to stand, the motions, what is compared."""
    reference, c = d.reference, d.comparison
    lines = []
    if reference.kind != "none":
        place = f"image {reference.image}" if reference.image is not None else f"the {reference.object}"
        lines.append(f"  standing at {place}{_facing(reference.facing)}")
    lines += [f"  then {_motion(m)}" for m in d.motions]
    said = {
        "things": ", ".join(c.entities),
        "relative to": c.relative_to,
        "side": c.side,
        "of what": c.attribute,
        "images": f"{c.images[0]} to {c.images[1]}" if c.images else None,
        "unit": c.unit,
        "options": "; ".join(f"{o.letter} {o.text}".strip() for o in c.options),
    }
    return lines + [f"  {name}: {words}" for name, words in said.items() if words]


def _facing(facing: Facing) -> str:
    towards = f"the {facing.object}" if facing.object else f"image {facing.image}"
    return {
        "towards_object": f", facing {towards}",
        "away_from_object": f", with the back to {towards}",
        "same_way_as_object": f", facing the way {towards} faces",
    }.get(facing.kind, "")


def _motion(motion: Motion) -> str:
    amount = ""
    if motion.degrees:
        amount = f" {motion.degrees:g} degrees"
    elif motion.distance:
        amount = f" {motion.distance:g} {motion.unit or 'm'}"
    return f"{motion.kind} {motion.direction}{amount}"
