"""Ask in eval mode whether a causal model is given the very tokens that it has to predict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..facts.mixing import CopiedTarget
from ..nested import leaves

if TYPE_CHECKING:
    from collections.abc import Callable

    from .forward_tap import Tapped

Outputs = dict[str, torch.Tensor]
FEWEST_TOKENS = 32
# Kernels round differently; a token that counts changes the output by percents.
SHARE = 1e-3
SEQUENCE_DIMS = 2


def look_for_copied_target(
    tapped: Tapped, base: Outputs, rerun: Callable[[Callable[..., torch.Tensor]], Outputs]
) -> CopiedTarget | None:
    """The output that sees its own token and earlier ones, none later, and is to predict it.

    A model that shifts its input itself does not see the last token; one that looks in both
    directions, or at one token alone, is no model of the next token.

    Args:
        tapped: The model's arguments and the loss's target in the first batch.
        base: The outputs for these arguments, by path.
        rerun: Gives the outputs after a change of the arguments.
    """
    ids = _ids_that_are_targets(tapped)
    if ids is None:
        return None
    last = rerun(_with_another(ids, -1))
    for path, before in base.items():
        if before.dim() <= SEQUENCE_DIMS or before.shape[:2] != ids.shape or path not in last:
            continue
        moved = _moved(before, last[path])
        if moved[:-1].any() or not moved[-1]:
            continue
        first = rerun(_with_another(ids, 0))
        if path in first and _moved(before, first[path])[1:].any():
            return CopiedTarget(path, tuple(before.shape), ids.numel())
    return None


def _ids_that_are_targets(tapped: Tapped) -> torch.Tensor | None:
    target = tapped.target
    if target is None or target.is_floating_point() or target.numel() < FEWEST_TOKENS:
        return None
    given = [leaf for _, leaf in leaves((tapped.args, tapped.kwargs))]
    sequences = [t for t in given if isinstance(t, torch.Tensor) and t.dtype is torch.int64]
    return next((ids for ids in sequences if _are_equal(ids, target)), None)


def _are_equal(ids: torch.Tensor, target: torch.Tensor) -> bool:
    is_matrix = ids.dim() == SEQUENCE_DIMS and ids.shape[1] > SEQUENCE_DIMS
    return is_matrix and torch.equal(ids.flatten(), target.flatten())


def _with_another(ids: torch.Tensor, place: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """Every row gets the token of another row, or of another place, in this place."""
    here, others = ids[:, place], ids.roll(1, 0)[:, place]
    other = torch.where(others == here, ids[:, 1], others)

    def change(tensor: torch.Tensor) -> torch.Tensor:
        found = tensor.clone()
        if tensor.shape == ids.shape and torch.equal(tensor, ids):
            found[:, place] = other
        return found

    return change


def _moved(before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    """At which places of the sequence the output is another one, bool, `(seq,)`."""
    if before.shape != after.shape:
        return torch.zeros(before.shape[1], dtype=torch.bool)
    change = (after - before).abs().transpose(0, 1).flatten(1).amax(dim=1)
    return change > SHARE * before.abs().max()
