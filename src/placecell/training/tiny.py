"""A tiny Qwen3-VL with random weights as a checkpoint folder: the real architecture, processor and chat template, small
enough for a CPU. What it says is noise; that it trains is not. Imports torch, transformers and TRL.
"""

from __future__ import annotations

from pathlib import Path

import torch
import trl
from tokenizers import AddedToken
from tokenizers.pre_tokenizers import ByteLevel
from transformers import (
    Qwen2Tokenizer,
    Qwen2VLImageProcessor,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
    Qwen3VLVideoProcessor,
)

_WIDTH = 32
_PATCH = {"patch_size": 16, "temporal_patch_size": 2, "merge_size": 2}
_PIXELS = {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}
_SPECIAL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_VISION = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
_TAGS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")


def write_tiny(folder: Path, seed: int = 0) -> None:
    """Write model, processor and chat template (TRL's copy of Qwen3-VL's); one byte of text is one token."""
    vocab = {letter: place for place, letter in enumerate(sorted(ByteLevel.alphabet()))}
    tokenizer = Qwen2Tokenizer(vocab=vocab, merges=[], eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.add_tokens([AddedToken(token, special=True, normalized=False) for token in (*_SPECIAL, *_VISION)])
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in _TAGS])
    template = Path(trl.__file__).parent / "chat_templates" / "qwen3_vl.jinja"
    processor = Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(**_PATCH, size=_PIXELS),
        tokenizer=tokenizer,
        video_processor=Qwen3VLVideoProcessor(**_PATCH),
        chat_template=template.read_text(encoding="utf-8"),
    )
    start, end, image, video = (tokenizer.convert_tokens_to_ids(token) for token in _VISION)
    heads = {"hidden_size": _WIDTH, "intermediate_size": 2 * _WIDTH}
    config = Qwen3VLConfig(
        text_config={
            **heads,
            "vocab_size": len(tokenizer),
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 8,
            "max_position_embeddings": 16384,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 5e5,
                "mrope_section": [2, 1, 1],
                "mrope_interleaved": True,
            },
        },
        vision_config={
            **heads,
            "depth": 2,
            "num_heads": 2,
            "out_hidden_size": _WIDTH,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0],
        },
        image_token_id=image,
        video_token_id=video,
        vision_start_token_id=start,
        vision_end_token_id=end,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Qwen3VLForConditionalGeneration(config)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
