"""TD124: a mask that hides the text and keeps the padding."""

from collections.abc import Iterator

from ...facts import BatchFacts, CallFacts, LoaderFacts, ModelFacts, SampleFacts
from ...facts.batches import MaskFact
from ...facts.calls import AttentionCall
from ...report import Location, Problem, Severity
from ..inputs import key_of
from ..registry import check
from ..wording import batch, count

HINTS = {
    "multi_head_attention_forward": "torch ignores a position where key_padding_mask is True: pass "
    "`ids == pad_id`, or `attention_mask == 0` of a mask in the style of transformers.",
    "scaled_dot_product_attention": "a bool attn_mask is True where attention may look, the other "
    "way round than key_padding_mask of nn.MultiheadAttention: invert it (~mask).",
}


@check("TD124", Severity.ERROR)
def padding_mask_inverted(
    model: ModelFacts,
    batches: BatchFacts,
    calls: CallFacts | None,
    samples: SampleFacts | None,
    loader: LoaderFacts | None,
) -> Iterator[Problem]:
    """The padding mask is the wrong way round: attention sees the padding and not the text.

    Why it matters: nothing raises and the loss may even fall a little, but the model never sees a
    token of the text. The two styles are opposite: in transformers 1 is a token that counts and 0
    is padding; in `key_padding_mask` of torch True is a position that is ignored.

    How to fix it: for transformers pass the attention mask of the tokenizer as it is; for
    nn.MultiheadAttention and nn.TransformerEncoder pass `key_padding_mask=(attention_mask == 0)`.
    """
    masks = [one for one in batches.masks if one.is_inverted is not None]
    if model.is_transformers and not model.has_own_forward and masks:
        if all(one.is_inverted for one in masks):
            yield _of_batch(masks[0], _place(samples, loader))
        return
    attentions = calls.attentions if calls else ()
    wrong = [call for call in attentions if call.is_inverted]
    for call in wrong[:1]:
        if all(c.is_inverted for c in attentions if c.module == call.module):
            yield _of_call(call)


def _place(samples: SampleFacts | None, loader: LoaderFacts | None) -> Location | None:
    in_collate = loader.collate_location if loader else None
    return in_collate or (samples.location if samples else None)


def _of_batch(mask: MaskFact, place: Location | None) -> Problem:
    return Problem(
        f"{key_of(mask.path)} is 1 at the padding and 0 at the text: the {mask.num_ones} positions "
        f"of {batch(mask.batch)} that count all hold {mask.padding}, the other {mask.num_zeros} "
        "are hidden.",
        where=f"{batch(mask.batch)}: {mask.path}",
        hint="in transformers 1 means a token that counts, 0 padding: hand on the tokenizer's "
        "attention_mask as it is, or `(input_ids != pad_token_id).long()`.",
        location=place,
        values={"num_ones": mask.num_ones, "num_zeros": mask.num_zeros},
    )


def _of_call(call: AttentionCall) -> Problem:
    place = f"the attention {call.module!r}" if call.module else "attention"
    return Problem(
        f"{place} looks at the padding alone: the {count(call.num_kept, 'position')} of "
        f"{batch(call.batch)} that count are those where {call.field or 'the input'} holds "
        f"{call.padding}, the other {call.num_hidden} are ignored.",
        where=f"{batch(call.batch)}: the mask given to {call.function}",
        hint=HINTS[call.function],
        location=call.location,
        values={"num_kept": call.num_kept, "num_hidden": call.num_hidden, "module": call.module},
    )
