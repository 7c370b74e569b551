"""The test doubles by name: models that need no network, no key and no GPU, and behave in one well-known way each.

scripted:FILE.json   says what a script says, in order
recorded:FILE.jsonl  answers as a recorded run was answered
perfect              reads every text of a request perfectly, and sees no picture
blind                guesses from the question alone
garbage              talks nonsense
refusing             declines everything
slow:SECONDS         answers late; slow:SECONDS:NAME as the double NAME, else as "blind"
slipping:NAME        as the double NAME, but gets every cell wrong at first
flaky:TIMES          is turned away so often first; flaky:TIMES:NAME likewise
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic_ai.models import Model

from placecell.agents.models.doubles import faults, readers
from placecell.agents.models.doubles.recorded import Recorded
from placecell.agents.models.doubles.scripted import script_of_file
from placecell.errors import UserError

_PLAIN = {
    "perfect": readers.perfect,
    "blind": readers.blind,
    "garbage": faults.garbage,
    "refusing": faults.refusing,
}


def open_double(name: str, argument: str = "") -> Model[Any]:
    """A double by its name; ``argument`` is what follows the colon. UserError when the argument cannot be used."""
    if name in _PLAIN:
        if argument:
            raise UserError(f"the double {name!r} takes no argument, got {argument!r}")
        return _PLAIN[name]()
    if name == "scripted":
        return script_of_file(Path(argument))
    if name == "recorded":
        return Recorded.of_file(Path(argument))
    if name == "slipping":
        inner, _, rest = (argument or "perfect").partition(":")
        return faults.Slipping(open_double(inner, rest))
    amount, _, inner = argument.partition(":")
    try:
        number = float(amount or 1)
    except ValueError:
        raise UserError(f"{name}:{argument} names no number", hint=f"write {name}:2 or {name}:2:perfect") from None
    inner, _, rest = (inner or "blind").partition(":")
    wrapped = open_double(inner, rest)
    return faults.Slow(wrapped, number) if name == "slow" else faults.Flaky(wrapped, int(number))
