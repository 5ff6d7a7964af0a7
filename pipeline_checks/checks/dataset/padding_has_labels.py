"""TD116: a language model is trained to predict padding."""

from collections.abc import Iterator

from ...facts import BatchFacts, CallFacts, LoaderFacts, ModelFacts, TrainerFacts
from ...report import Problem, Severity
from ..label_shares import is_loss_of_model, shifts_itself, sum_labels
from ..registry import Undecided, check
from ..wording import percent

# Some recipes label the first padded position with the end token; below this it is no mistake.
LABELLED_SHARE = 0.5


@check("TD116", Severity.WARNING)
def padding_has_labels(
    batches: BatchFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    calls: CallFacts | None,
    trainer: TrainerFacts | None = None,
) -> Iterator[Problem]:
    """Padded positions have a label other than -100, so the loss counts them.

    Why it matters: the model learns to predict padding. The loss looks good, the more padding the
    better, and says little about the text.

    How to fix it: set the labels to -100 where the attention mask is 0:
    `labels[attention_mask == 0] = -100`, or let DataCollatorForLanguageModeling make them.
    """
    sums = sum_labels(batches.labels)
    if not shifts_itself(model):
        return
    if batches.labels and not any(one.knows_padding for one in batches.labels):
        raise Undecided("which ids are padding is not known: no attention_mask and no tokenizer")
    if sums.num_padded_labelled <= LABELLED_SHARE * sums.num_padded:
        return
    if not is_loss_of_model(calls, trainer, "which labels the loss ignores"):
        return
    share = percent(sums.num_padded_labelled, sums.num_padded)
    labels = sum(one.num_labels - one.num_ignored for one in batches.labels)
    yield Problem(
        f"{share} of the padded positions have a label: {sums.num_padded_labelled} of the {labels} "
        "labels that the loss counts are padding.",
        where=f"{batches.labels[0].path} where the attention mask is 0",
        hint="labels[attention_mask == 0] = -100 where the labels are made.",
        location=loader.collate_location if loader else None,
        values={
            "num_padded": sums.num_padded,
            "num_padded_labelled": sums.num_padded_labelled,
            "num_labels": labels,
        },
    )
