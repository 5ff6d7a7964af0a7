"""Tiny models of known families, and batches that fit them."""

from dataclasses import dataclass
from typing import Any

import pytest
import torch
import transformers
from torch import nn

VOCABULARY = 50
BATCH, LENGTH = 2, 6


@dataclass
class Example:
    model: nn.Module
    batch: dict[str, Any]

    def run(self):
        return self.model(**self.batch)


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True))
        self.pool, self.drop, self.head = nn.AdaptiveAvgPool2d(1), nn.Dropout(), nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.drop(self.pool(self.stem(x)).flatten(1)))


def _ids():
    return torch.arange(BATCH * LENGTH).view(BATCH, LENGTH) % (VOCABULARY - 5) + 3


def _text(**more):
    mask = torch.ones(BATCH, LENGTH, dtype=torch.long)
    mask[1, 4:] = 0
    return {"input_ids": _ids(), "attention_mask": mask, **more}


SIZES = {
    "vocab_size": VOCABULARY,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 16,
}


def _bert():
    config = transformers.BertConfig(**SIZES, num_labels=3)
    model = transformers.BertForSequenceClassification(config)
    return Example(model, _text(labels=torch.tensor([0, 2])))


def _gpt2():
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY, n_positions=16, n_embd=16, n_layer=2, n_head=2, bos_token_id=1
    )
    return Example(transformers.GPT2LMHeadModel(config), _text(labels=_ids()))


def _t5():
    config = transformers.T5Config(
        vocab_size=VOCABULARY,
        d_model=16,
        d_kv=8,
        d_ff=32,
        num_layers=2,
        num_heads=2,
        feed_forward_proj="gated-gelu",
        decoder_start_token_id=0,
    )
    return Example(transformers.T5ForConditionalGeneration(config), _text(labels=_ids()))


def _llama():
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SIZES))
    return Example(model, _text(labels=_ids()))


def _mixtral():
    config = transformers.MixtralConfig(**SIZES, num_key_value_heads=1, num_local_experts=2)
    return Example(transformers.MixtralForCausalLM(config), _text(labels=_ids()))


def _deberta():
    config = transformers.DebertaV2Config(
        **SIZES, relative_attention=True, pos_att_type=["p2c", "c2p"], num_labels=3
    )
    model = transformers.DebertaV2ForSequenceClassification(config)
    return Example(model, _text(labels=torch.tensor([0, 2])))


def _bart():
    config = transformers.BartConfig(
        vocab_size=VOCABULARY,
        d_model=16,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=32,
        decoder_ffn_dim=32,
        max_position_embeddings=16,
    )
    return Example(transformers.BartForConditionalGeneration(config), _text(labels=_ids()))


def _vit():
    sizes = {k: v for k, v in SIZES.items() if k not in {"vocab_size", "max_position_embeddings"}}
    config = transformers.ViTConfig(**sizes, image_size=8, patch_size=4, num_labels=3)
    model = transformers.ViTForImageClassification(config)
    return Example(
        model, {"pixel_values": torch.randn(BATCH, 3, 8, 8), "labels": torch.tensor([0, 2])}
    )


def _cnn():
    return Example(Cnn(), {"x": torch.randn(4, 3, 8, 8)})


FAMILIES = {
    "bert": _bert,
    "gpt2": _gpt2,
    "t5": _t5,
    "llama": _llama,
    "mixtral": _mixtral,
    "deberta": _deberta,
    "bart": _bart,
    "vit": _vit,
    "cnn": _cnn,
}


@pytest.fixture
def build_example():
    """Give a function that builds a model of a family with a batch, always the same weights."""

    def build(family: str) -> Example:
        torch.manual_seed(0)
        return FAMILIES[family]()

    return build
