"""TRL's GRPO trainer over ``SpatialEnv``. Imports torch and TRL: only ``trl_adapter`` imports this.

TRL 1.16 samples replies, calls tools between them, puts what tools say (text and pictures) into the sequence with loss
mask 0, and gives every reply of a trajectory the same advantage. Four things it leaves to us:

- It knows tools by environment class; here they differ by sample (the cameras one may look from), so the schemas and
  callables of a batch are put in place before it generates.
- It calls tools one by one; a step of the environment is a whole reply (``Conversation.call``).
- It tells the errors of tools to the model; ``Conversation.finish`` raises instead.
- It drops the pictures of a batch without a word when their tokens do not add up; that raises here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from transformers import PrinterCallback, TrainerCallback
from trl import GRPOTrainer

from placecell.training.conversation import Chat, Conversation
from placecell.training.rollouts import Rollout, RolloutLog
from placecell.training.samples import Sample

SAMPLE = "sample"
"""The dataset's column: an index into the samples."""
_CONVERSATION = "conversation"


class _Environment:
    """What TRL binds tools to. Its tools are never called: those of the conversation are put in their place."""

    conversation: Conversation

    def reset(self, conversation: Conversation, **_: Any) -> None:
        self.conversation = conversation

    def tool(self) -> None:
        """Stands for the tools of a sample."""


class _Tools(dict[str, Callable[..., Any]]):
    """The callables of one trajectory: whatever a model calls goes to the environment, which knows what exists."""

    def __init__(self, conversation: Conversation, completion: Sequence[Chat]) -> None:
        super().__init__()
        self._conversation, self._completion = conversation, completion

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Callable[..., list[Chat] | str]:
        told = self._conversation.call(self._completion[-1])
        return lambda **_: told


class _Heard(TrainerCallback):  # type: ignore[misc]
    def __init__(self, on_update: Callable[[int, int, Mapping[str, float]], None]) -> None:
        self._on_update = on_update

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any], **_: Any) -> None:
        if "reward" in logs:  # the last log of a training has only its length
            figures = {name: float(value) for name, value in logs.items() if value is not None}
            self._on_update(state.global_step, state.max_steps, figures)


class SpatialTrainer(GRPOTrainer):  # type: ignore[misc]
    """GRPO on trajectories of ``SpatialEnv``.

    Args:
        open_conversation: begins an episode of a sample; one call for each trajectory.
        samples: what the dataset's column ``sample`` counts.
        step: updates done before, when a training goes on.
        more: GRPOTrainer's own arguments.
    """

    def __init__(
        self, open_conversation: Callable[[Sample], Conversation], samples: Sequence[Sample], step: int, **more: Any
    ) -> None:
        super().__init__(reward_funcs=[trajectory_reward], environment_factory=_Environment, **more)
        self.remove_callback(PrinterCallback)
        self._open_conversation, self._samples = open_conversation, samples
        self.rollout_log = RolloutLog(Path(self.args.output_dir), self.accelerator.process_index, step)

    def hear(self, on_update: Callable[[int, int, Mapping[str, float]], None]) -> None:
        """Hand each update's figures over, in place of printing them."""
        self.add_callback(_Heard(on_update))

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        conversations = [self._open_conversation(self._samples[row[SAMPLE]]) for row in inputs]
        rows = [{**row, "prompt": c.prompt, _CONVERSATION: c} for row, c in zip(inputs, conversations, strict=True)]
        output: dict[str, Any] = super()._generate_and_score_completions(rows)
        images = self._image_tokens(output)
        if "pixel_values" not in output and images.any():
            raise RuntimeError("TRL dropped a batch's pictures: their tokens do not match the sequence")
        if self.model.training:
            self.rollout_log.add(self._records(conversations, output, images))
        return output

    def _generate(self, prompts: list[list[Chat]]) -> Any:
        self._batch_environments = list(range(len(prompts)))
        self._env_tools = {at: list(one.conversation.tools) for at, one in enumerate(self.environments)}
        return super()._generate(prompts)

    def _tool_call_loop(self, prompts: Any, prompt_ids: Any, completion_ids: Any, completions: Any, *more: Any) -> Any:
        self._sync_tool_dicts = [
            _Tools(one.conversation, completion) for one, completion in zip(self.environments, completions, strict=True)
        ]
        return super()._tool_call_loop(prompts, prompt_ids, completion_ids, completions, *more)

    def _image_tokens(self, output: Mapping[str, Any]) -> Any:
        """Of each trajectory, in its prompt and after it."""
        ids = (output["prompt_ids"], output["completion_ids"])
        return sum((part == self.processing_class.image_token_id).sum(dim=1) for part in ids)

    def _records(self, conversations: Sequence[Conversation], output: Mapping[str, Any], images: Any) -> list[Rollout]:
        after = output["completion_mask"].bool()
        generated = after & output["tool_mask"].bool()
        rows = zip(conversations, generated.sum(dim=1), after.sum(dim=1), images, strict=True)
        step = self.state.global_step
        return [
            Rollout.of(c.trajectory, c.rewards, c.env.weights, step, (int(own), int(whole - own), int(seen)))
            for c, own, whole, seen in rows
        ]


def trajectory_reward(
    completions: Sequence[Sequence[Chat]],
    conversation: Sequence[Conversation],
    log_metric: Callable[[str, float], None],
    **_: Any,
) -> list[float]:
    """The reward of each trajectory, for TRL, which gives all its replies the advantage that follows from it."""
    rewards = [one.finish(completion) for one, completion in zip(conversation, completions, strict=True)]
    for one in conversation:
        log_metric("turns", one.trajectory.turns)
        log_metric("answer", one.rewards.answer)
    return rewards
