"""Ask in eval mode whether the padding of a sequence changes what a model of transformers gives."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

import torch

from ...overflow import replay_state
from ..facts.mixing import AttendedPadding
from ..nested import leaves
from .forward_tap import map_tensors
from .tokenizer import special_ids

if TYPE_CHECKING:
    from torch import nn

    from ..pipeline.parts import Pipeline
    from .forward_tap import Tapped

# Fewer pad ids may be tokens.
FEWEST_PADS = 4
FEWEST_LENGTHS = 2
# Kernels for another length round differently, by 1e-6 of the largest value. Attention of a small
# model that was not trained changes it by thousandths.
SHARE = 5e-4
SEQUENCE_DIMS = 2


def look_for_attended_padding(
    pipeline: Pipeline, model: nn.Module, tapped: Tapped
) -> AttendedPadding | None:
    """A sample whose output is another one without its padding, which no mask hides.

    Costs two forwards of one sample, and those only where ids end in padding that is not masked.
    Padding is the pad id at the end of rows and nowhere else.
    """
    ids, mask = (_argument(model, tapped, name) for name in ("input_ids", "attention_mask"))
    pad = _pad_id(pipeline, model)
    if pad is None or not isinstance(ids, torch.Tensor) or ids.dim() != SEQUENCE_DIMS:
        return None
    is_padding = (ids == pad).flip(1).cumprod(dim=1).flip(1).bool()
    num_padded = is_padding.sum(dim=1)
    is_elsewhere = bool(((ids == pad) & ~is_padding).any())
    is_plain = len(set(num_padded.tolist())) >= FEWEST_LENGTHS and not is_elsewhere
    if not is_plain or int(num_padded.sum()) < FEWEST_PADS or _hides(mask, is_padding):
        return None
    row = int(torch.where(num_padded < ids.shape[1], num_padded, 0).argmax())
    length = ids.shape[1] - int(num_padded[row])
    change, size = _change(model, tapped, ids, row, length)
    if not change > SHARE * size:  # nan is no change
        return None
    has_mask = isinstance(mask, torch.Tensor)
    return AttendedPadding(row, length, ids.shape[1], pad, has_mask, change, size)


def _argument(model: Any, tapped: Tapped, name: str) -> Any:
    """What its forward was called with under this name."""
    given = (tapped.kwargs or {}).get(name)
    is_first = getattr(model, "main_input_name", "") == name and tapped.args
    return tapped.args[0] if given is None and is_first and tapped.args else given


def _pad_id(pipeline: Pipeline, model: Any) -> int | None:
    """The tokenizer's, else the config's, of a model of transformers that takes a mask."""
    transformers = sys.modules.get("transformers")
    if transformers is None or not isinstance(model, transformers.PreTrainedModel):
        return None
    forward = type(model).forward
    if not forward.__module__.startswith("transformers.") or not _takes_mask(forward):
        return None
    special = special_ids(pipeline)
    pad = special.pad if special.pad is not None else getattr(model.config, "pad_token_id", None)
    return pad if isinstance(pad, int) and pad not in special.eos else None


def _takes_mask(forward: Any) -> bool:
    """Whether it names an attention mask: models such as FNet mix padding in by design."""
    return "attention_mask" in inspect.signature(forward).parameters


def _hides(mask: Any, is_padding: torch.Tensor) -> bool:
    """Whether a mask hides some padding, or is one that cannot be told."""
    if mask is None:
        return False
    if not isinstance(mask, torch.Tensor) or mask.shape != is_padding.shape:
        return True
    return bool((mask[is_padding] == 0).any())


def _change(
    model: nn.Module, tapped: Tapped, ids: torch.Tensor, row: int, length: int
) -> tuple[float, float]:
    """How much a row's output changes without its padding, and how large it is."""

    def one(tensor: torch.Tensor) -> torch.Tensor:
        return tensor[row : row + 1] if tensor.dim() else tensor

    def short(tensor: torch.Tensor) -> torch.Tensor:
        return one(tensor)[:, :length] if tensor.shape[:2] == ids.shape else one(tensor)

    whole: dict[str, Any] = {}
    cut: dict[str, Any] = {}
    for found, change in ((whole, one), (cut, short)):
        args, kwargs = map_tensors((tapped.args, tapped.kwargs), change)
        with replay_state(model), torch.no_grad():
            kwargs.pop("labels", None)
            found.update(dict(leaves(model(*args, **kwargs))))
    for path, before in whole.items():
        after = cut.get(path)
        if not isinstance(before, torch.Tensor) or not isinstance(after, torch.Tensor):
            continue
        if before.dim() > SEQUENCE_DIMS and before.shape[1] == ids.shape[1]:
            before = before[:, :length]  # noqa: PLW2901 - the part that both have
        if before.dim() and before.is_floating_point() and before.shape == after.shape:
            return float((after - before).abs().max()), float(before.abs().max())
    return 0.0, 0.0
