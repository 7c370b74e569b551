"""The test doubles by name: models that need no network, no key and no GPU, and behave in one well-known way each."""

from __future__ import annotations

from typing import Any

from pydantic_ai.models import Model


def open_double(name: str, argument: str) -> Model[Any]:
    """A double by its name; ``argument`` is what follows the colon. UserError when the argument cannot be used."""
    raise NotImplementedError
