"""What a double hears: the texts of a request, and the data between its tags, as a model would find them.

Knows pydantic-ai's messages and the tags of ``quoting``. Does not know what anything means.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic_ai.messages import (
    BinaryContent,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    ToolReturnPart,
    UserPromptPart,
)


@dataclass(frozen=True)
class Heard:
    """A request as a reader sees it. ``texts`` are what was said to the model, in order; ``pictures`` counts them."""

    instructions: str
    texts: tuple[str, ...]
    pictures: int
    replies: int

    @classmethod
    def of(cls, messages: Sequence[ModelMessage]) -> Heard:
        """Everything in a conversation up to now."""
        instructions, pictures = "", 0
        texts: list[str] = []
        for message in messages:
            if not isinstance(message, ModelRequest):
                continue
            instructions = message.instructions or instructions
            for part in message.parts:
                if not isinstance(part, (SystemPromptPart, UserPromptPart, ToolReturnPart)):
                    continue
                content = part.content if isinstance(part, UserPromptPart) else str(part.content)
                items = [content] if isinstance(content, str) else content
                pictures += sum(isinstance(item, BinaryContent) for item in items)
                texts += [item for item in items if isinstance(item, str)]
                if isinstance(part, ToolReturnPart):
                    pictures += sum(isinstance(f, BinaryContent) for f in part.files)
        replies = sum(isinstance(m, ModelResponse) for m in messages)
        return cls(instructions, tuple(texts), pictures, replies)

    @property
    def text(self) -> str:
        """All texts, one below the other."""
        return "\n".join(self.texts)

    def data(self, tag: str) -> list[str]:
        """What stands between ``<tag>`` and ``</tag>``, each time, as it was before it was quoted."""
        found = re.findall(rf"<{tag}>\n?(.*?)\n?</{tag}>", self.text, re.DOTALL)
        return [html.unescape(text) for text in found]

    def lines(self, tag: str) -> list[str]:
        """The lines of the last such data; none when there is none."""
        found = self.data(tag)
        return found[-1].split("\n") if found else []
