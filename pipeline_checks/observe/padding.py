"""Tell padding from text by what stands there, and whether a mask takes one for the other."""

from __future__ import annotations

from dataclasses import dataclass

import torch

# Fewer distinct ids, or rows of one length, say nothing about what is padding.
FEWEST_IDS = 4
FEWEST_LENGTHS = 2
IDS, VECTORS = 2, 3


@dataclass(frozen=True)
class MaskVerdict:
    """What a mask does with the padding of a sequence.

    Attributes:
        is_inverted: Whether it keeps the padding, and nothing else.
        num_kept: Positions that it keeps.
        num_hidden: Positions that it hides.
        content: What stands at every position of the padding: `id 0`, `zeros`.
    """

    is_inverted: bool
    num_kept: int
    num_hidden: int
    content: str


def judge_mask(kept: torch.Tensor, sequence: torch.Tensor) -> MaskVerdict | None:
    """What a mask does with the padding; None where that cannot be told.

    Padding is one id, or vectors of zeros, in a number of positions that differs over the rows,
    where all other positions hold several ids, or no such vector.

    Args:
        kept: Where the mask lets attention look, bool, `(batch, seq)`.
        sequence: Ids, `(batch, seq)`, or vectors, `(batch, seq, features)`.
    """
    if sequence.shape[:2] != kept.shape or sequence.is_complex() or kept.all() or not kept.any():
        return None
    for is_inverted, padding in ((True, kept), (False, ~kept)):
        content = _padding_in(sequence, padding)
        if is_inverted and not is_at_one_end(padding):
            continue  # one token of each sentence, say, is looked at on purpose
        if content:
            num_kept = int(kept.sum())
            return MaskVerdict(is_inverted, num_kept, kept.numel() - num_kept, content)
    return None


def is_at_one_end(flags: torch.Tensor) -> bool:
    """Whether the flags that are set stand in one run at the same end of every row."""
    steps = flags.float().diff(dim=-1)
    return bool((steps >= 0).all()) or bool((steps <= 0).all())


def _padding_in(sequence: torch.Tensor, places: torch.Tensor) -> str:
    """What stands in these places if they are padding, else nothing."""
    inside, outside = sequence[places], sequence[~places]
    if len(set(places.sum(dim=1).tolist())) < FEWEST_LENGTHS:
        return ""
    if sequence.dim() == VECTORS:
        is_padding = not inside.any() and bool(outside.any(dim=1).all())
        return "zeros" if is_padding and sequence.is_floating_point() else ""
    if sequence.dim() != IDS or sequence.is_floating_point() or sequence.dtype is torch.bool:
        return ""
    is_one = bool((inside == inside[0]).all())
    has_several = len(set(outside.tolist())) >= FEWEST_IDS
    return f"id {int(inside[0])}" if is_one and has_several else ""
