"""From a model's name to a model that pydantic-ai's agents, and ``talk``, can use.

Importing this imports no client; opening one does, and says which extra is missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from placecell.agents.models.names import ModelName, parse
from placecell.agents.models.settings import Settings
from placecell.errors import BackendUnavailable, UserError

if TYPE_CHECKING:
    from pydantic_ai.models import Model

EXTRA = "pip install 'placecell[vlm]'"


def open_model(name: str, settings: Settings | None = None) -> Model[Any]:
    """Open a model by its name (``names``). Nothing is sent, and no address is looked up.

    Args:
        name: "openai:NAME", "google:NAME", "anthropic:NAME", any of them with "@URL", or a test double.
        settings: how to use it; without, what the environment says.

    Raises:
        UserError: the name is unknown, or its address is beyond this machine while offline.
        BackendUnavailable: the extra [vlm] is not installed, or a cloud provider's key is missing.
    """
    chosen = settings if settings is not None else Settings.of_environment()
    found = parse(name, chosen.base_url)
    if chosen.offline and not found.local:
        raise UserError(
            f"offline: {found} would connect beyond this machine",
            hint="name a server of this machine, such as openai:NAME@http://localhost:8000/v1, or allow connections",
        )
    try:
        import pydantic_ai  # noqa: F401
    except ImportError:
        raise BackendUnavailable(f"the model {found} needs pydantic-ai", hint=EXTRA) from None
    if found.double:
        return _double(found)
    from placecell.agents.models.endpoint import Endpoint

    return Endpoint(found, chosen)


def _double(name: ModelName) -> Model[Any]:
    from placecell.agents.models.doubles.table import open_double

    return open_double(name.provider, name.model)
