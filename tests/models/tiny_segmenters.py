"""Tiny random checkpoints of the segmenters' own architectures, laid out by hub id as ``PLACECELL_MODELS`` has them.

What they see is nonsense; that they load, run and hand over masks in the frame's pixels is not.
"""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    CLIPTextConfig,
    CLIPTokenizer,
    GroundingDinoConfig,
    GroundingDinoForObjectDetection,
    GroundingDinoImageProcessor,
    GroundingDinoProcessor,
    Owlv2Config,
    Owlv2ForObjectDetection,
    Owlv2ImageProcessor,
    Owlv2Processor,
    PreTrainedTokenizerFast,
    Sam2Config,
    Sam2HieraDetConfig,
    Sam2ImageProcessor,
    Sam2Model,
    Sam2Processor,
    Sam2VideoVideoProcessor,
    Sam2VisionConfig,
    Sam3Config,
    Sam3ImageProcessor,
    Sam3Model,
    Sam3Processor,
    Sam3TrackerVideoConfig,
    Sam3VideoConfig,
    Sam3VideoModel,
    Sam3VideoProcessor,
    Sam3VisionConfig,
    Sam3ViTConfig,
    SamConfig,
    SamImageProcessor,
    SamModel,
    SamProcessor,
    SwinConfig,
)

WIDTH = 32
WORDS = ("photo", "of", "chair", "coffee", "table", "lamp")


def clip_tokenizer(length: int) -> CLIPTokenizer:
    """Letters, and the words of the tests whole."""
    letters = [chr(c) for c in range(33, 127)]
    pieces = ["!", *letters, *(c + "</w>" for c in letters)]
    merges = []
    for word in WORDS:
        done, *rest = [*word[:-1], word[-1] + "</w>"]
        for piece in rest:
            merges.append((done, piece))
            done += piece
            pieces.append(done)
    pieces += ["<|startoftext|>", "<|endoftext|>"]
    vocab = {piece: i for i, piece in enumerate(dict.fromkeys(pieces))}
    return CLIPTokenizer(vocab=vocab, merges=list(dict.fromkeys(merges)), model_max_length=length)


def bert_tokenizer() -> PreTrainedTokenizerFast:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ".", *WORDS]
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing("[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer,
        unk_token="[UNK]",
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=64,
    )


def sam3_config(tokenizer: CLIPTokenizer, width: int, grid: int) -> Sam3Config:
    """``grid``: patches along a side of the picture."""
    vit = Sam3ViTConfig(
        hidden_size=width,
        intermediate_size=2 * width,
        num_hidden_layers=2,
        num_attention_heads=4,
        image_size=14 * grid,
        pretrain_image_size=14 * 4,
        window_size=4,
        global_attn_indexes=[1],
    )
    vision = Sam3VisionConfig(
        backbone_config=vit,
        fpn_hidden_size=width,
        backbone_feature_sizes=[[4 * grid] * 2, [2 * grid] * 2, [grid] * 2],
    )
    text = CLIPTextConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=2 * width,
        projection_dim=width,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=32,
        pad_token_id=0,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    part = {"hidden_size": width, "num_attention_heads": 4}
    layers = {**part, "num_layers": 2, "intermediate_size": 2 * width}
    return Sam3Config(
        vision_config=vision,
        text_config=text,
        geometry_encoder_config=layers,
        detr_encoder_config=layers,
        detr_decoder_config={**layers, "num_queries": 6},
        mask_decoder_config=part,
    )


def sam3(folder: Path) -> None:
    tokenizer = clip_tokenizer(32)
    grid = 8
    model = Sam3Model(sam3_config(tokenizer, WIDTH, grid))
    torch.nn.init.constant_(model.detr_decoder.presence_head.layer3.bias, 5.0)  # sure that what was asked for is there
    model.save_pretrained(folder)
    size = {"height": 14 * grid, "width": 14 * grid}
    Sam3Processor(Sam3ImageProcessor(size=size), tokenizer).save_pretrained(folder)


def sam3_video(folder: Path, **settings: float) -> None:
    """The picture model with a tracker. ``settings`` of the video model: thresholds and delays."""
    tokenizer = clip_tokenizer(32)
    width, grid = 128, 4  # the model's code wants memories of 64, and more than that elsewhere
    side = 14 * grid
    detector = sam3_config(tokenizer, width, grid)
    heads = {"hidden_size": width, "num_attention_heads": 4, "mlp_dim": width, "iou_head_hidden_dim": width}
    tracker = Sam3TrackerVideoConfig(
        vision_config=detector.vision_config,
        prompt_encoder_config={"hidden_size": width, "image_size": side, "patch_size": 14, "mask_input_channels": 4},
        mask_decoder_config=heads,
        image_size=side,
        memory_attention_hidden_size=width,
        memory_attention_num_layers=1,
        memory_attention_feed_forward_hidden_size=width,
        memory_attention_rope_feat_sizes=[grid, grid],
        memory_encoder_hidden_size=width,
        mask_downsampler_embed_dim=width,
        memory_fuser_embed_dim=width,
        memory_fuser_intermediate_dim=width,
        memory_fuser_num_layers=1,
        num_maskmem=3,
        max_object_pointers_in_encoder=4,
    )
    config = Sam3VideoConfig(
        detector_config=detector.to_dict(), tracker_config=tracker.to_dict(), low_res_mask_size=4 * grid, **settings
    )
    model = Sam3VideoModel(config)
    torch.nn.init.constant_(model.detector_model.detr_decoder.presence_head.layer3.bias, 5.0)
    model.save_pretrained(folder)
    size = {"height": side, "width": side}
    Sam3VideoProcessor(Sam3ImageProcessor(size=size), Sam2VideoVideoProcessor(size=size), tokenizer).save_pretrained(
        folder
    )


def owlv2(folder: Path) -> None:
    tokenizer = clip_tokenizer(16)
    shape = {"hidden_size": WIDTH, "intermediate_size": 2 * WIDTH, "num_hidden_layers": 2, "num_attention_heads": 4}
    config = Owlv2Config(
        text_config={
            **shape,
            "vocab_size": len(tokenizer),
            "bos_token_id": tokenizer.bos_token_id,
            "eos_token_id": tokenizer.eos_token_id,
        },
        vision_config={**shape, "image_size": 64, "patch_size": 16},
        projection_dim=WIDTH,
    )
    Owlv2ForObjectDetection(config).save_pretrained(folder)
    Owlv2Processor(Owlv2ImageProcessor(size={"height": 64, "width": 64}), tokenizer).save_pretrained(folder)


def grounding_dino(folder: Path) -> None:
    tokenizer = bert_tokenizer()
    config = GroundingDinoConfig(
        backbone_config=SwinConfig(
            image_size=64,
            embed_dim=8,
            depths=[1, 1, 1, 1],
            num_heads=[1, 1, 2, 2],
            window_size=4,
            out_features=["stage2", "stage3", "stage4"],
        ),
        text_config=BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=WIDTH,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=2 * WIDTH,
        ),
        d_model=WIDTH,
        encoder_layers=1,
        decoder_layers=2,
        encoder_ffn_dim=2 * WIDTH,
        decoder_ffn_dim=2 * WIDTH,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        num_queries=12,
    )
    GroundingDinoForObjectDetection(config).save_pretrained(folder)
    images = GroundingDinoImageProcessor(size={"shortest_edge": 64, "longest_edge": 96})
    GroundingDinoProcessor(images, tokenizer).save_pretrained(folder)


def sam2(folder: Path) -> None:
    backbone = Sam2HieraDetConfig(
        hidden_size=8,
        image_size=[128, 128],
        blocks_per_stage=[1, 1, 2, 1],
        embed_dim_per_stage=[8, 16, 32, 64],
        num_attention_heads_per_stage=[1, 1, 2, 4],
        window_size_per_stage=[8, 4, 8, 4],
        global_attention_blocks=[3],
    )
    vision = Sam2VisionConfig(
        backbone_config=backbone,
        backbone_channel_list=[64, 32, 16, 8],
        backbone_feature_sizes=[[32, 32], [16, 16], [8, 8]],
        fpn_hidden_size=WIDTH,
    )
    heads = {"hidden_size": WIDTH, "num_attention_heads": 4, "mlp_dim": 2 * WIDTH, "iou_head_hidden_dim": WIDTH}
    config = Sam2Config(
        vision_config=vision,
        prompt_encoder_config={"hidden_size": WIDTH, "image_size": 128, "mask_input_channels": 4},
        mask_decoder_config=heads,
    )
    Sam2Model(config).save_pretrained(folder)
    Sam2Processor(Sam2ImageProcessor(size={"height": 128, "width": 128})).save_pretrained(folder)


def sam(folder: Path) -> None:
    config = SamConfig(
        vision_config={
            "hidden_size": WIDTH,
            "output_channels": WIDTH,
            "num_hidden_layers": 1,
            "num_attention_heads": 4,
            "image_size": 128,
            "window_size": 4,
            "global_attn_indexes": [0],
            "num_pos_feats": WIDTH // 2,
            "mlp_dim": 2 * WIDTH,
            "initializer_range": 0.02,
        },
        prompt_encoder_config={"hidden_size": WIDTH, "image_size": 128, "mask_input_channels": 4},
        mask_decoder_config={
            "hidden_size": WIDTH,
            "num_attention_heads": 4,
            "mlp_dim": 2 * WIDTH,
            "iou_head_hidden_dim": WIDTH,
        },
    )
    SamModel(config).save_pretrained(folder)
    images = SamImageProcessor(size={"longest_edge": 128}, pad_size={"height": 128, "width": 128})
    SamProcessor(images).save_pretrained(folder)


CHECKPOINTS = {
    "facebook/sam3": sam3,
    "google/owlv2-base-patch16-ensemble": owlv2,
    "IDEA-Research/grounding-dino-tiny": grounding_dino,
    "facebook/sam2.1-hiera-large": sam2,
    "facebook/sam-vit-base": sam,
}


def save_all(root: Path, seed: int = 0) -> Path:
    """Every checkpoint under ``root``, by hub id."""
    for hub_id, make in CHECKPOINTS.items():
        torch.manual_seed(seed)
        make(root / hub_id)
    return root
