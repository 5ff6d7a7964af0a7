"""Look at the attention masks and the labels of sequences in a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import torch

from ..facts.batches import LabelFact, MaskFact
from .padding import judge_mask
from .tokenizer import SpecialIds, special_ids

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeGuard

    from ..pipeline.draw import Draw
    from ..pipeline.parts import Pipeline

IGNORED = -100
MAX_ROWS = 20
NUM_DIMS = 2
# Masks named as an attention mask is, and the ids that each is for.
MASKS = {"attention_mask": "input_ids", "decoder_attention_mask": "decoder_input_ids"}


def attention_masks(draw: Draw, batch: Any) -> Iterator[MaskFact]:
    """Masks named as an attention mask is, where they mask whole rows or padding can be told."""
    if not isinstance(batch, Mapping):
        return
    for name, ids_name in MASKS.items():
        mask, ids = batch.get(name), batch.get(ids_name)
        if not is_matrix(mask) or not mask.shape[1]:
            continue
        empty = (mask == 0).all(dim=1).nonzero().flatten().tolist()
        verdict = judge_mask(mask != 0, ids) if is_matrix(ids) else None
        if empty or verdict is not None:
            yield MaskFact(
                draw.number,
                f'["{name}"]',
                _samples_of(empty, draw),
                None if verdict is None else verdict.is_inverted,
                0 if verdict is None else verdict.num_kept,
                0 if verdict is None else verdict.num_hidden,
                "" if verdict is None else verdict.content,
            )


def language_model_labels(draw: Draw, batch: Any, pipeline: Pipeline) -> Iterator[LabelFact]:
    """The labels of a language model: as long as its sequences."""
    if not isinstance(batch, Mapping):
        return
    ids, labels = batch.get("input_ids"), batch.get("labels")
    if not is_matrix(labels) or labels.is_floating_point():
        return
    ignored = labels == IGNORED
    rows = ignored.all(dim=1).nonzero().flatten().tolist() if labels.shape[1] else []
    extra: dict[str, Any] = {}
    if isinstance(ids, torch.Tensor) and ids.shape == labels.shape:
        extra = _compare(ids, labels, batch.get("attention_mask"), special_ids(pipeline))
    extra |= _compare_decoder(batch.get("decoder_input_ids"), labels)
    yield LabelFact(
        batch=draw.number,
        path='["labels"]',
        num_labels=labels.numel(),
        num_ignored=int(ignored.sum()),
        rows_ignored=_samples_of(rows, draw),
        **extra,
    )


def is_matrix(value: Any) -> TypeGuard[torch.Tensor]:
    """Whether it is a tensor of shape `(batch, seq)`."""
    return isinstance(value, torch.Tensor) and value.dim() == NUM_DIMS


def _samples_of(rows: list[int], draw: Draw) -> tuple[int, ...]:
    return tuple(draw.indices[r] if draw.indices else r for r in rows[:MAX_ROWS])


def _compare(
    ids: torch.Tensor, labels: torch.Tensor, mask: Any, special: SpecialIds
) -> dict[str, Any]:
    kept = labels != IGNORED
    pad = special.pad
    has_mask = isinstance(mask, torch.Tensor) and mask.shape == ids.shape
    knows_pad = pad is not None and pad not in special.eos
    if has_mask:
        is_real = mask != 0
        pad = _only_id(ids[~is_real]) if pad is None else pad
    elif knows_pad:
        is_real = ids != pad
    else:
        is_real = torch.ones_like(kept)
    is_eos = torch.isin(ids, torch.tensor(special.eos, dtype=ids.dtype, device=ids.device))
    is_eos &= is_real
    compared = kept[:, :-1] & is_real[:, :-1]
    return {
        "num_padded": int((~is_real).sum()),
        "num_padded_labelled": int((~is_real & kept).sum()),
        "num_eos": int(is_eos.sum()),
        "num_eos_ignored": int((is_eos & ~kept).sum()),
        "num_same": int(((labels == ids)[:, :-1] & compared).sum()),
        "num_next": int(((labels[:, :-1] == ids[:, 1:]) & compared).sum()),
        "num_compared": int(compared.sum()),
        "pad": pad,
        "eos": special.eos,
        "knows_padding": has_mask or knows_pad,
    }


def _compare_decoder(ids: Any, labels: torch.Tensor) -> dict[str, int]:
    """How many of the labels the decoder is given as its input at the same position."""
    if not isinstance(ids, torch.Tensor) or ids.shape != labels.shape:
        return {}
    kept = labels != IGNORED
    is_one = _only_id(labels[kept]) is not None  # shifted or not, they would be equal
    num_same = 0 if is_one else int(((ids == labels) & kept).sum())
    return {"num_decoder_same": num_same, "num_decoder_compared": int(kept.sum())}


def _only_id(ids: torch.Tensor) -> int | None:
    """The id that all of them are, None where they differ or there is none."""
    return int(ids[0]) if len(ids) and bool((ids == ids[0]).all()) else None
