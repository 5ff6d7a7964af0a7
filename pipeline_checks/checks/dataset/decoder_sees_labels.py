"""TD127: a decoder that is given the tokens that it has to predict."""

from collections.abc import Iterator

from ...facts import BatchFacts, CallFacts, LoaderFacts, ModelFacts, TrainerFacts
from ...report import Problem, Severity
from ..label_shares import is_loss_of_model
from ..registry import check

FEWEST = 32


@check("TD127", Severity.ERROR)
def decoder_sees_labels(
    batches: BatchFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    calls: CallFacts | None,
    trainer: TrainerFacts | None,
) -> Iterator[Problem]:
    """The decoder_input_ids of a sequence-to-sequence model equal its labels, not shifted.

    Why it matters: at each position the decoder is given the very token that it has to predict. The
    loss falls to 0 while it learns to copy, and it generates nonsense.

    How to fix it: leave decoder_input_ids out: the model makes them from the labels, shifted to the
    right behind the start token.
    """
    is_known = model.is_transformers and not model.has_own_forward
    if not is_known or not model.config.get("is_encoder_decoder"):
        return
    num_compared = sum(one.num_decoder_compared for one in batches.labels)
    num_same = sum(one.num_decoder_same for one in batches.labels)
    if num_compared < FEWEST or num_same < num_compared:
        return
    if not is_loss_of_model(calls, trainer, "whether the labels are shifted"):
        return
    yield Problem(
        f"decoder_input_ids equals the labels at all {num_compared} positions that count: the "
        f"decoder of {model.type} is given the tokens that it has to predict, not shifted.",
        where=f"{batches.labels[0].path} against decoder_input_ids",
        hint="leave decoder_input_ids out of the batch: the model shifts the labels to the right "
        "behind decoder_start_token_id.",
        location=loader.collate_location if loader else None,
        values={"num_compared": num_compared},
    )
