"""GRPO over the environment, on a tiny random Qwen3-VL: what enters the loss, what a reward reaches, and what is left.

Replies are scripted (a random model calls no tool); tokens, pictures, masks, losses, gradients are TRL's and torch's.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("trl")

import torch
from safetensors.torch import load_file
from transformers import AutoModelForImageTextToText, AutoProcessor

from placecell.errors import UserError
from placecell.training.config import Lora
from placecell.training.rollouts import read_rollouts
from placecell.training.scripted import SCRIPTS, ScriptedTrainer, filled, smoke_config
from placecell.training.tiny import write_tiny
from placecell.training.trl_adapter import prepare, save

# TRL 1.16 calls names that transformers will drop in version 6.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")


class Watched(ScriptedTrainer):
    """Keeps what each loss was handed, and the gradient of the loss by each token's log-probability."""

    def __init__(self, **more):
        super().__init__(**more)
        self.handed, self.reached = [], []

    def _compute_loss(self, model, inputs):
        self.handed.append(inputs)
        return super()._compute_loss(model, inputs)

    def _get_per_token_logps_and_entropies(self, *args, **more):
        logps, *rest = super()._get_per_token_logps_and_entropies(*args, **more)
        if logps.requires_grad:
            logps.register_hook(self.reached.append)
        return logps, *rest


@pytest.fixture(scope="module")
def folder(tmp_path_factory, request):
    made = tmp_path_factory.mktemp("training")
    patch = pytest.MonkeyPatch()
    patch.setenv("PLACECELL_CACHE", str(made / "cache"))
    request.addfinalizer(patch.undo)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    request.addfinalizer(lambda: torch.set_num_threads(threads))
    write_tiny(made / "tiny")
    return made


@pytest.fixture(scope="module")
def trained(folder):
    trainer, _ = prepare(smoke_config(folder), kind=Watched)
    trainer.train()
    return trainer


def rows(trainer):
    """(script, inputs, row, gradient of the row) of every trajectory that entered a loss."""
    for inputs, gradient in zip(trainer.handed, trainer.reached, strict=True):
        for row in range(len(inputs["advantages"])):
            yield inputs, row, gradient[row]


def counted(inputs, row):
    return (inputs["completion_mask"][row] * inputs["tool_mask"][row]).bool()


def test_every_reply_of_every_turn_counts_and_nothing_else_does(trained):
    """Read off the mask that the loss was handed: what tools say, pictures included, and padding have none."""
    tokenizer, image = trained.processing_class.tokenizer, trained.processing_class.image_token_id
    said, between = [], []
    for inputs, row, _ in rows(trained):
        mask, ids = counted(inputs, row), inputs["completion_ids"][row]
        said.append(tokenizer.decode(ids[mask]))
        between.append(tokenizer.decode(ids[~mask & inputs["completion_mask"][row].bool()]))
        assert not (ids[mask] == image).any()
        assert ("View" in between[-1]) == bool((ids == image).any())
    written = [filled(script, sample) for sample in trained._samples for script in SCRIPTS]
    assert sorted(said) == sorted("".join(text + tokenizer.eos_token for text in replies) for replies in written)
    for own, told in zip(said, between, strict=True):
        turns = own.count(tokenizer.eos_token)
        assert told.count("<tool_response>") == told.count("<|im_start|>assistant") == turns - 1


def test_a_loss_is_computed_for_what_follows_the_prompt_only(trained):
    """Prompt tokens, the photos' among them, have no place in what is summed."""
    image = trained.processing_class.image_token_id
    for inputs, gradient in zip(trained.handed, trained.reached, strict=True):
        assert (inputs["prompt_ids"] == image).any()
        assert gradient.shape == inputs["completion_ids"].shape


def test_the_reward_of_a_trajectory_reaches_the_tokens_of_its_first_turn(trained):
    """The gradient by a token's log-probability is minus the advantage, over the row's tokens, at each reply's tokens
    alike, and exactly 0 at what tools said.
    """
    several = 0
    for inputs, row, gradient in rows(trained):
        mask, advantage = counted(inputs, row), inputs["advantages"][row]
        assert advantage != 0
        even = -advantage / mask.sum() / len(inputs["advantages"])
        if trained.handed[0] is inputs:  # before the first update there is no divergence from the reference
            torch.testing.assert_close(gradient[mask], even.expand(int(mask.sum())), rtol=1e-4, atol=1e-7)
        assert (gradient[mask].sign() == -advantage.sign()).all()
        assert not gradient[~mask].any()
        first = mask.cumprod(0).bool()  # from the beginning to the first token of a tool
        several += bool(first.sum() < mask.sum())
        assert gradient[first].all()
    assert several == 6


def test_a_reply_is_conditioned_on_the_picture_that_the_tool_showed(trained):
    """Another picture changes the replies after it and none before it: views sit where they were shown."""
    inputs = trained.handed[0]
    row = next(r for r in range(len(SCRIPTS)) if inputs["num_images"][r] == max(inputs["num_images"]))
    pictures = sum(inputs["num_images"][: row + 1]) - 1  # the last one of the row
    sizes = inputs["image_grid_thw"].prod(dim=1)
    start = int(sizes[:pictures].sum())
    changed = {**inputs, "pixel_values": inputs["pixel_values"].clone()}
    changed["pixel_values"][start : start + int(sizes[pictures])] += 1.0
    before, after = (logps_of(trained, given)[row] for given in (inputs, changed))
    image = int((inputs["completion_ids"][row] == trained.processing_class.image_token_id).nonzero().max())
    mask = counted(inputs, row)
    differs = (before - after).abs() > 1e-7
    assert not differs[: image - 3].any()
    assert differs[image + 1 :][mask[image + 1 :]].all()


def test_what_was_rewarded_becomes_likelier_than_what_was_not(trained):
    """By the replies' own tokens, against the model that training began with; weighted by advantage, as the loss is."""
    for inputs in trained.handed:
        mask = inputs["completion_mask"] * inputs["tool_mask"]
        gained = (logps_of(trained, inputs) - inputs["ref_per_token_logps"]) * mask
        assert (inputs["advantages"] * gained.sum(dim=1) / mask.sum(dim=1)).sum() > 0


def logps_of(trainer, inputs):
    names = ("pixel_values", "image_grid_thw", "num_images", "mm_token_type_ids")
    ids = torch.cat([inputs["prompt_ids"], inputs["completion_ids"]], dim=1)
    attended = torch.cat([inputs["prompt_mask"], inputs["completion_mask"]], dim=1)
    with torch.no_grad():
        return trainer._get_per_token_logps_and_entropies(
            trainer.model,
            ids,
            attended,
            inputs["completion_ids"].shape[1],
            **{name: inputs[name] for name in names},
        )[0]


def test_records_say_what_was_trained_on(trained, folder):
    records = read_rollouts(folder / "training")
    assert sorted({record.step for record in records}) == [0, 1]
    by_script = [records[at :: len(SCRIPTS)] for at in range(len(SCRIPTS))]
    assert [[r.turns for r in found] for found in by_script] == [[2, 2], [1, 1], [3, 3], [3, 3]]
    assert [[len(r.views) for r in found] for found in by_script] == [[1, 1], [0, 0], [2, 2], [1, 1]]
    assert [found[0].reward for found in by_script] == pytest.approx([1.1, 0.1, 1.0, 0.1])
    assert sum(r.generated for r in records) == sum(int(counted(i, row).sum()) for i, row, _ in rows(trained))
    assert all(r.observed == 0 for r in by_script[1]) and all(r.observed > 0 for r in by_script[2])


def test_only_the_language_model_is_trained(trained, folder):
    before, after = load_file(folder / "tiny" / "model.safetensors"), trained.model.state_dict()
    moved = {name for name, weight in before.items() if not weight.equal(after[name])}
    assert moved == {name for name in before if "visual" not in name}


def test_a_training_that_was_interrupted_goes_on_as_if_it_had_not_been(trained, folder):
    whole, part = folder / "training", folder / "interrupted"
    shutil.copytree(whole, part, ignore=shutil.ignore_patterns("checkpoint-2"))
    config = smoke_config(folder).model_copy(update={"output": part})
    trainer, checkpoint = prepare(config, resume=True, kind=Watched)
    assert checkpoint == part / "checkpoint-1"
    assert [record.step for record in read_rollouts(part)] == [0] * len(SCRIPTS)
    trainer.train(resume_from_checkpoint=str(checkpoint))
    ours, theirs = (load_file(path / "checkpoint-2" / "model.safetensors") for path in (part, whole))
    assert ours.keys() == theirs.keys()
    assert all(ours[name].equal(theirs[name]) for name in ours)
    assert read_rollouts(part) == read_rollouts(whole)


def test_a_folder_with_a_training_is_not_trained_over_or_with_other_settings(trained, folder):
    config = smoke_config(folder)
    with pytest.raises(UserError, match="holds a training already"):
        prepare(config)
    with pytest.raises(UserError, match=r"kl = 0\.05, not 0\.1"):
        prepare(config.model_copy(update={"kl": 0.1}), resume=True)
    with pytest.raises(UserError, match="no training to go on with"):
        prepare(config.model_copy(update={"output": folder / "new"}), resume=True)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": ""}, "no model to train; name one with --model"),
        ({"trainer": {"learning_rat": 1}}, r"trainer\.learning_rat is none of TRL's GRPOConfig"),
        ({"trainer": {"beta": 1}}, r"trainer\.beta is set by another setting"),
        ({"trainer": {"use_vllm": True}}, "sampling by vLLM is not built here"),
        ({"device_batch": 3}, "batch 4 does not divide into passes of 3"),
    ],
)
def test_what_cannot_be_trained_is_said_before_anything_is_kept(folder, changes, says):
    config = smoke_config(folder).model_copy(update={"output": folder / "refused"} | changes)
    with pytest.raises(UserError, match=says):
        prepare(config)
    assert not list((folder / "refused").iterdir())


def loads_and_speaks(model: Path) -> None:
    assert not [path.name for path in model.iterdir() if path.suffix in (".bin", ".pt", ".pth", ".pkl")]
    processor = AutoProcessor.from_pretrained(model)
    loaded, report = AutoModelForImageTextToText.from_pretrained(model, output_loading_info=True)
    assert not report["missing_keys"] and not report["unexpected_keys"]
    picture = torch.zeros(3, 64, 64, dtype=torch.uint8).permute(1, 2, 0).numpy()
    message = {"role": "user", "content": [{"type": "image", "image": picture}, {"type": "text", "text": "Where?"}]}
    given = processor.apply_chat_template(
        [message], add_generation_prompt=True, tokenize=True, return_dict=True, return_tensors="pt"
    )
    said = loaded.generate(**given, max_new_tokens=3, do_sample=False)
    assert said.shape[1] > given["input_ids"].shape[1]


def test_the_trained_model_is_a_complete_folder(trained, folder):
    """Configuration, weights, processor and chat template: what a server of models needs, and no pickles."""
    loads_and_speaks(save(trained, smoke_config(folder)))


def test_adapters_are_trained_alone_and_merged_into_the_model(folder):
    config = smoke_config(folder, steps=1).model_copy(update={"output": folder / "lora", "lora": Lora(rank=2)})
    trainer, _ = prepare(config, kind=Watched)
    wanting = {name for name, weight in trainer.model.named_parameters() if weight.requires_grad}
    assert wanting and all("lora" in name and "language_model" in name for name in wanting)
    trainer.train()
    loads_and_speaks(save(trainer, config))
    base, merged = (load_file(path / "model.safetensors") for path in (folder / "tiny", folder / "lora" / "model"))
    assert base.keys() == merged.keys()
    moved = {name for name in base if not base[name].equal(merged[name].float())}
    assert moved and all("_proj" in name and "language_model" in name for name in moved)
