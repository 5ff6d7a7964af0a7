"""Layers whose sizes limit what they can take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

from ..facts.model import LayerFact

if TYPE_CHECKING:
    from collections.abc import Iterator

SIZES = (
    "num_embeddings",
    "embedding_dim",
    "padding_idx",
    "in_features",
    "out_features",
    "in_channels",
    "out_channels",
    "groups",
    "num_features",
    "normalized_shape",
    "input_size",
    "hidden_size",
    "embed_dim",
    "num_heads",
    "eps",
    "p",
    "batch_first",
)
SIZED = (
    nn.Embedding,
    nn.EmbeddingBag,
    nn.Linear,
    nn.Bilinear,
    nn.modules.conv._ConvNd,  # noqa: SLF001 - the base of all convolutions has no public name
    nn.modules.batchnorm._BatchNorm,  # noqa: SLF001 - likewise of batch norms
    nn.modules.dropout._DropoutNd,  # noqa: SLF001 - likewise of dropouts
    nn.LayerNorm,
    nn.RNNBase,
    nn.MultiheadAttention,
    nn.Softmax,
    nn.LogSoftmax,
    nn.Sigmoid,
)
MAX_LAYERS = 400


def find_layers(model: nn.Module) -> Iterator[LayerFact]:
    """The first such layers of a model."""
    kept = [(name, module) for name, module in model.named_modules() if isinstance(module, SIZED)]
    for name, module in kept[:MAX_LAYERS]:
        yield LayerFact(name, type(module).__name__, layer_sizes(module), module.training)


def layer_sizes(module: nn.Module) -> dict[str, float]:
    """The module's own numbers."""
    found: dict[str, float] = {}
    for name in SIZES:
        value = module.__dict__.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found[name] = value
        elif name == "normalized_shape" and isinstance(value, tuple):
            found[name] = value[-1]
        elif name == "batch_first" and isinstance(value, bool):
            found[name] = int(value)
    return found
