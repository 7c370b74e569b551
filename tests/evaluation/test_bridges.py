"""Other harnesses find the benchmarks and the strategies, and get the same answers from them."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass
from importlib import metadata
from types import ModuleType

import pytest
import small_benchmark as small
from PIL import Image

from placecell.evaluation.bridges import lmms

pytestmark = pytest.mark.filterwarnings(*small.LEFT_BY_INSPECT)


@pytest.fixture(scope="module", autouse=True)
def tidy():
    """What inspect-ai leaves open is collected here, not in somebody else's test."""
    yield
    gc.collect()


def inspect_run(tmp_path, model=None, **arguments):
    import inspect_ai

    folder = small.write(tmp_path / "data")
    given = {"data_dir": str(folder), "memory": f"oracle:{folder}"} | arguments
    (log,) = inspect_ai.eval(
        "placecell/vsibench", model=model, task_args=given, log_dir=str(tmp_path / "log"), display="none",
        log_realtime=False,
    )  # fmt: skip
    assert log.status == "success"
    return log


def test_inspect_finds_the_tasks_by_name_and_its_log_holds_the_answers(tmp_path):
    log = inspect_run(tmp_path)
    assert {s.id: s.scores["placecell/official"].value for s in log.samples} == {
        str(number): 0.0 if number == 7 else 1.0 for number in range(8)
    }
    lost = next(s for s in log.samples if s.id == "7")
    assert lost.scores["placecell/official"].explanation.startswith("memory:")
    metrics = log.results.scores[0].metrics
    assert metrics["all"].value == pytest.approx(7 / 8)


def test_a_strategy_asks_the_model_that_was_given_to_inspect(tmp_path):
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    asked = []

    def reply(input, tools, tool_choice, config):
        asked.append(input)
        output = ModelOutput.from_content("played", "Counting. Answer: 3" if "How many" in str(input) else "Answer: A")
        output.usage = ModelUsage(input_tokens=11, output_tokens=3, total_tokens=14)
        return output

    model = get_model("mockllm/model", custom_outputs=reply)
    log = inspect_run(tmp_path, model, reader="inspect", strategy="direct")
    records = {s.id: s.metadata["placecell"] for s in log.samples}
    assert (records["0"]["reply"], records["2"]["reply"]) == ("3", "A")
    (usage,) = log.stats.model_usage.values()
    assert usage.input_tokens == 11 * len(asked) == sum(r["usage"]["input_tokens"] for r in records.values())
    calls = {s.id: sum(event.event == "model" for event in s.events) for s in log.samples}
    assert calls == {name: record["usage"]["calls"] for name, record in records.items()}


def test_pictures_and_tool_calls_cross_to_inspect_and_back():
    from inspect_ai.model import ModelOutput
    from pydantic_ai.messages import (
        BinaryContent,
        ModelRequest,
        ModelResponse,
        TextPart,
        ToolCallPart,
        ToolReturnPart,
        UserPromptPart,
    )

    from placecell.evaluation.bridges.inspect_model import messages_of, response_of

    picture = BinaryContent(b"\x89PNG", media_type="image/png")
    history = [
        ModelRequest([UserPromptPart(["Look:", picture])]),
        ModelResponse([TextPart("hm"), ToolCallPart("view", {"azimuth": 30}, "c1")]),
        ModelRequest([ToolReturnPart("view", "View 1", "c1")]),
    ]
    system, user, said, tool = messages_of(history, "You look around.")
    assert system.text == "You look around."
    assert [part.type for part in user.content] == ["text", "image"]
    assert user.content[1].image == "data:image/png;base64,iVBORw=="
    (call,) = said.tool_calls
    assert (said.text, call.function, call.arguments, call.id) == ("hm", "view", {"azimuth": 30}, "c1")
    assert (tool.text, tool.function, tool.tool_call_id) == ("View 1", "view", "c1")
    back = response_of(ModelOutput.for_tool_call("m", "view", {"azimuth": 30}))
    assert [(p.tool_name, p.args) for p in back.parts if isinstance(p, ToolCallPart)] == [("view", {"azimuth": 30})]


@dataclass(frozen=True)
class Manifest:
    model_id: str
    simple_class_path: str | None = None
    chat_class_path: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass
class Tokens:
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass
class Result:
    text: str
    token_counts: Tokens


class Base:
    """The part of lmms-eval's base class that a chat model rests on."""

    def __init__(self):
        self.task_dict = {}


@pytest.fixture
def lmms_eval(monkeypatch):
    """Modules of the shape of lmms-eval 0.7.3, which is not installed here."""
    shapes = {
        "lmms_eval": {},
        "lmms_eval.models": {},
        "lmms_eval.models.registry_v2": {"ModelManifest": Manifest},
        "lmms_eval.api": {},
        "lmms_eval.api.model": {"lmms": Base},
        "lmms_eval.api.instance": {"GenerationResult": Result, "TokenCounts": Tokens},
    }
    for name, fields in shapes.items():
        module = ModuleType(name)
        vars(module).update(fields)
        monkeypatch.setitem(sys.modules, name, module)
    yield
    vars(lmms).pop("PlacecellChat", None)


def test_lmms_eval_finds_the_model_by_its_entry_point(lmms_eval):
    (found,) = metadata.entry_points(group="lmms_eval.models", name="placecell")
    manifest = found.load()()
    assert manifest.model_id == "placecell"
    module, _, name = manifest.chat_class_path.rpartition(".")
    kind = getattr(sys.modules[module], name)
    assert issubclass(kind, Base) and kind.is_simple is False


def test_lmms_eval_gets_the_bare_answer_to_a_conversation(lmms_eval, tmp_path, monkeypatch):
    from placecell.backends.oracle import load_oracle

    memory = load_oracle(small.write(tmp_path) / "oracle_scenes.jsonl", "one")
    seen = []
    monkeypatch.setenv("PLACECELL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(lmms, "built", lambda files, shelf, settings: seen.append(files) or memory)
    model = lmms.PlacecellChat(strategy="program", model="rules")
    picture = Image.new("RGB", (8, 8))

    def messages(document):
        content = [{"type": "image", "url": picture}, {"type": "text", "text": document["question"]}]
        return [{"role": "user", "content": content}]

    documents = {0: {"question": "How many chairs are in this room?"}, 1: {"question": "Say something nice."}}
    model.task_dict = {"count": {"test": documents}}

    @dataclass
    class Request:
        args: tuple

    requests = [Request(("", messages, {}, number, "count", "test")) for number in documents]
    assert [result.text for result in model.generate_until(requests)] == ["3", ""]
    (first,), (second,) = seen
    assert first == second and first.suffix == ".png"
    with Image.open(first) as written:
        assert written.size == (8, 8)
    with pytest.raises(NotImplementedError):
        model.loglikelihood([])


def test_an_unknown_attribute_of_the_module_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing"):
        _ = lmms.nothing
