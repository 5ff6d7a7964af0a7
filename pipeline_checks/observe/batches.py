"""Look at a batch, and at the samples of one that could not be put together."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from ..facts.batches import BatchFact, FieldLengths, LabelFact, LeafFact, MaskFact
from ..nested import container_name, leaves
from .samples import sample_fields
from .values import dtype_name, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..pipeline.draw import Draw
    from ..pipeline.parts import Pipeline

IGNORED = -100
MAX_ROWS = 20
MAX_LEAVES = 200
MAX_NUMBERS = 100_000


def describe_batch(draw: Draw, batch: Any) -> BatchFact:
    """The structure of a batch."""
    return BatchFact(
        number=draw.number,
        indices=draw.indices,
        size=len(draw.indices) or batch_size(batch),
        container=container_name(batch),
        leaves=tuple(leaf_facts(batch)),
        is_last=draw.is_last,
    )


def leaf_facts(value: Any) -> Iterator[LeafFact]:
    """The values in a nested structure."""
    for number, (path, leaf) in enumerate(leaves(value)):
        if number >= MAX_LEAVES:
            return
        if isinstance(leaf, torch.Tensor):
            low, high = _integer_range(leaf)
            yield LeafFact(
                path,
                type(leaf).__name__,
                tuple(leaf.shape),
                dtype_name(leaf.dtype),
                min=low,
                max=high,
            )
        else:
            read = read_value(leaf)
            yield LeafFact(path, read.kind, read.shape, read.dtype, example=(read.text or "")[:60])


def _integer_range(leaf: torch.Tensor) -> tuple[int | None, int | None]:
    is_plain = leaf.layout is torch.strided and leaf.device.type != "meta"
    if not is_plain or leaf.is_floating_point() or leaf.is_complex() or leaf.is_quantized:
        return None, None
    if leaf.dtype is torch.bool or not 0 < leaf.numel() <= MAX_NUMBERS:
        return None, None
    low, high = leaf.detach().aminmax()
    return int(low), int(high)


def batch_size(batch: Any) -> int | None:
    """The size of the first dimension of the first tensor, None without one."""
    for _, leaf in leaves(batch):
        if isinstance(leaf, torch.Tensor) and leaf.dim():
            return int(leaf.shape[0])
    return None


def sample_sizes(samples: list[Any]) -> tuple[FieldLengths, ...]:
    """Kind and shape of every field in every sample of a batch."""
    fields: dict[str, dict[int, Any]] = {}
    for number, sample in enumerate(samples):
        for path, item in sample_fields(sample):
            fields.setdefault(path, {})[number] = read_value(item)
    return tuple(
        FieldLengths(
            path,
            tuple(values[n].kind if n in values else "missing" for n in range(len(samples))),
            tuple(values[n].shape if n in values else None for n in range(len(samples))),
        )
        for path, values in fields.items()
    )


def attention_masks(draw: Draw, batch: Any) -> Iterator[MaskFact]:
    """Masks named as an attention mask is, with the rows that mask everything."""
    if not isinstance(batch, Mapping):
        return
    for name in ("attention_mask", "decoder_attention_mask"):
        mask = batch.get(name)
        if isinstance(mask, torch.Tensor) and mask.dim() == 2 and mask.shape[1]:  # noqa: PLR2004 - (batch, seq)
            empty = (mask == 0).all(dim=1).nonzero().flatten().tolist()
            if empty:
                rows = tuple(draw.indices[r] if draw.indices else r for r in empty[:MAX_ROWS])
                yield MaskFact(draw.number, f'["{name}"]', rows)


def language_model_labels(draw: Draw, batch: Any, pipeline: Pipeline) -> Iterator[LabelFact]:
    """The labels of a language model: as long as its sequences."""
    if not isinstance(batch, Mapping):
        return
    ids, labels = batch.get("input_ids"), batch.get("labels")
    if not (
        isinstance(labels, torch.Tensor) and labels.dim() == 2 and not labels.is_floating_point()
    ):
        return
    ignored = labels == IGNORED
    rows = ignored.all(dim=1).nonzero().flatten().tolist() if labels.shape[1] else []
    extra: dict[str, int] = {}
    if isinstance(ids, torch.Tensor) and ids.shape == labels.shape:
        extra = _compare(ids, labels, batch.get("attention_mask"), _tokenizer(pipeline))
    yield LabelFact(
        batch=draw.number,
        path='["labels"]',
        num_labels=labels.numel(),
        num_ignored=int(ignored.sum()),
        rows_ignored=tuple(draw.indices[r] if draw.indices else r for r in rows[:MAX_ROWS]),
        **extra,
    )


def _tokenizer(pipeline: Pipeline) -> Any:
    collate = getattr(pipeline.dataloader, "collate_fn", None)
    inner = getattr(collate, "data_collator", collate)
    tokenizer = pipeline.tokenizer or getattr(inner, "tokenizer", None)
    return tokenizer if "transformers" in sys.modules else None


def _compare(ids: torch.Tensor, labels: torch.Tensor, mask: Any, tokenizer: Any) -> dict[str, int]:
    kept = labels != IGNORED
    pad, eos = getattr(tokenizer, "pad_token_id", None), getattr(tokenizer, "eos_token_id", None)
    if isinstance(mask, torch.Tensor) and mask.shape == ids.shape:
        is_real = mask != 0
    elif pad is not None and pad != eos:
        is_real = ids != pad
    else:
        is_real = torch.ones_like(kept)
    is_eos = (ids == eos) & is_real if eos is not None else torch.zeros_like(kept)
    compared = kept[:, :-1] & is_real[:, :-1]
    return {
        "num_padded": int((~is_real).sum()),
        "num_padded_labelled": int((~is_real & kept).sum()),
        "num_eos": int(is_eos.sum()),
        "num_eos_ignored": int((is_eos & ~kept).sum()),
        "num_same": int(((labels == ids)[:, :-1] & compared).sum()),
        "num_next": int(((labels[:, :-1] == ids[:, 1:]) & compared).sum()),
        "num_compared": int(compared.sum()),
    }
