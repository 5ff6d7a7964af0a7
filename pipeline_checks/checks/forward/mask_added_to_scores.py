"""TD324: an attention mask of zeros and ones as floats."""

from collections.abc import Iterator

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import AddedMask
from ...report import Problem, Severity
from ..registry import check
from ..wording import batch

SDPA = "scaled_dot_product_attention"


@check("TD324", Severity.ERROR)
def mask_added_to_scores(calls: CallFacts, training: TrainingFacts | None) -> Iterator[Problem]:
    """Attention gets a float mask of zeros and ones, which it adds to the scores.

    Why it matters: a float mask hides what it has at -inf. Zeros and ones hide nothing: the model
    sees the padding, or the tokens that it is to predict, and the loss falls all the same.

    How to fix it: hand over a bool mask. In `nn.MultiheadAttention` and `nn.Transformer` True is
    what is hidden (`mask == 0` of a mask whose 1 counts), in `scaled_dot_product_attention` True is
    what is seen (`mask.bool()`).
    """
    mask = calls.added_mask
    if mask is None:
        return
    taker = f"{mask.module} ({mask.function})" if mask.module else mask.function
    hidden = "the padding" if mask.kind == "padding" else "later tokens"
    yield Problem(
        f"{taker} gets the {mask.argument} {mask.mask} of 0 and 1 only: a float mask is added to "
        f"the scores, so that it hides nothing, and {hidden} can be seen.",
        where=batch(mask.batch, training.indices_of(mask.batch) if training is not None else ()),
        hint=_hint(mask),
        location=mask.location,
        values={"argument": mask.argument, "kind": mask.kind, "shape": list(mask.mask.shape)},
    )


def _hint(mask: AddedMask) -> str:
    if mask.function == SDPA:
        also = "; or is_causal=True without a mask" if mask.kind == "causal" else ""
        return f"make it bool, True where attention may look: mask.bool(){also}."
    also = (
        "; or nn.Transformer.generate_square_subsequent_mask(length)"
        if mask.kind == "causal"
        else ""
    )
    return f"make it bool, True where attention may not look: mask == 0 if 1 counts{also}."
