"""What a training needs installed, checked before anything of it is imported."""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence

from placecell.errors import BackendUnavailable

EXTRA = "pip install 'placecell[train]'"
EPISODES = ("pydantic_ai",)
TRAINING = (*EPISODES, "torch", "transformers", "trl", "datasets", "peft", "tensorboard")


def require(modules: Sequence[str], hint: str = EXTRA) -> None:
    """BackendUnavailable, with the line that installs what is missing, unless all these modules are here."""
    absent = [name for name in modules if importlib.util.find_spec(name) is None]
    if absent:
        raise BackendUnavailable(f"training needs {', '.join(absent)}", hint=hint)
