"""A strategy's settings out of a task's options: typed, in range, or a message that names the option."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from placecell.errors import UserError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

S = TypeVar("S", bound="DataclassInstance")


def settings_of(kind: type[S], options: Mapping[str, object], strategy: str) -> S:
    """A settings dataclass from options by name; texts such as "3" and "no" are read as what the field holds.

    Raises:
        UserError: an option the strategy does not have, or a value that does not fit.
    """
    names = [f.name for f in fields(kind)]
    unknown = sorted(set(options) - set(names))
    if unknown:
        raise UserError(f"{strategy} has no option {unknown[0]!r}", hint=f"it has {', '.join(names)}")
    try:
        read: S = _adapter(kind).validate_python(dict(options))
    except ValidationError as error:
        first = error.errors()[0]
        name = first["loc"][0] if first["loc"] else strategy
        said = first["msg"].removeprefix("Input should be ")
        raise UserError(f"{strategy}: {name} = {first['input']!r}", hint=f"give {said}") from None
    return read


@cache
def _adapter(kind: Hashable) -> TypeAdapter[Any]:
    return TypeAdapter(cast("Any", kind))


def within(strategy: str, name: str, value: float, low: float, high: float) -> None:
    """UserError unless ``low <= value <= high``."""
    if not low <= value <= high:
        raise UserError(f"{strategy}: {name} = {value:g}", hint=f"give {low:g} to {high:g}")
