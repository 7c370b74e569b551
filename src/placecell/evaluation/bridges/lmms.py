"""A strategy as a model of lmms-eval: `--model placecell --model_args strategy=program,model=rules`.

lmms-eval finds `manifest` through the entry point of the group "lmms_eval.models" and imports `PlacecellChat` when it
is asked for. A request's pictures and videos become a memory, made once; the reply is the bare letter or number.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from placecell.agents.answering import How
from placecell.agents.models.budget import Limits
from placecell.agents.pipeline import ask
from placecell.agents.strategy import Value
from placecell.errors import PlacecellError
from placecell.evaluation.benchmarks.readers import unpack
from placecell.evaluation.runs.answering import reply_of
from placecell.evaluation.runs.shelf import Shelf, default_cache
from placecell.evaluation.runs.sources import built

if TYPE_CHECKING:
    from placecell.agents.answer import Answer

_CLASS = f"{__name__}.PlacecellChat"


def manifest() -> Any:
    """How lmms-eval registers the model."""
    registry = importlib.import_module("lmms_eval.models.registry_v2")
    return registry.ModelManifest(model_id="placecell", chat_class_path=_CLASS)


class Conversations:
    """Questions as lmms-eval puts them: messages of texts, pictures and videos."""

    def __init__(self, how: How, cache: Path, **settings: Any) -> None:
        """``settings`` are those of `backends.auto.build`."""
        self.how, self.settings = how, settings
        self.shelf, self._pictures = Shelf(cache / "memories"), cache / "lmms"

    def answer(self, messages: Sequence[Mapping[str, Any]]) -> Answer | PlacecellError:
        """The answer to a conversation's question, or why no memory could be made of its media."""
        content = [part for message in messages for part in message["content"] if message["role"] == "user"]
        question = "\n".join(part["text"] for part in content if part["type"] == "text").strip()
        try:
            files = tuple(self._file(part["url"]) for part in content if part["type"] in ("image", "video"))
            return ask(built(files, self.shelf, self.settings), question, None, self.how)
        except PlacecellError as error:
            return error

    def _file(self, medium: Any) -> Path:
        """The medium as a file: itself when it is one, else a picture written down under its digest."""
        if isinstance(medium, str | Path):
            return Path(medium)
        buffer = io.BytesIO()
        medium.convert("RGB").save(buffer, "PNG")
        return self._pictures / unpack(buffer.getvalue(), self._pictures)


def _chat_class() -> type:
    """The class lmms-eval asks for; its base is lmms-eval's."""
    base: Any = importlib.import_module("lmms_eval.api.model").lmms
    instance: Any = importlib.import_module("lmms_eval.api.instance")

    class PlacecellChat(base):  # type: ignore[misc]
        """``strategy``, ``model``, ``budget``, ``reconstructor``; further arguments are the strategy's settings."""

        is_simple = False

        def __init__(
            self,
            strategy: str = "program",
            model: str = "rules",
            budget: str = "",
            reconstructor: str = "auto",
            concurrency: int | str = 4,
            batch_size: int | str = 1,
            device: str | None = None,
            **options: Value,
        ) -> None:
            super().__init__()
            how = How(strategy, model, limits=Limits.parse(budget), options=options)
            self._conversations = Conversations(how, default_cache(), reconstructor=reconstructor)
            self._places = int(concurrency)

        def generate_until(self, requests: Sequence[Any]) -> list[Any]:
            with ThreadPoolExecutor(self._places) as threads:
                return list(threads.map(self._reply, requests))

        def loglikelihood(self, requests: Sequence[Any]) -> list[Any]:
            raise NotImplementedError("placecell answers questions; it gives no likelihoods")

        def generate_until_multi_round(self, requests: Sequence[Any]) -> list[Any]:
            raise NotImplementedError("placecell answers one question at a time")

        def _reply(self, request: Any) -> Any:
            _, messages_of, _, document, name, split = request.args
            got = self._conversations.answer(messages_of(self.task_dict[name][split][document]))
            if isinstance(got, PlacecellError):
                return instance.GenerationResult(text="", token_counts=instance.TokenCounts())
            used = instance.TokenCounts(input_tokens=got.usage.input_tokens, output_tokens=got.usage.output_tokens)
            return instance.GenerationResult(text=reply_of(got) or "", token_counts=used)

    return PlacecellChat


def __getattr__(name: str) -> Any:
    """The class is made when lmms-eval asks for it: without lmms-eval this module still imports."""
    if name == "PlacecellChat":
        globals()[name] = _chat_class()
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
