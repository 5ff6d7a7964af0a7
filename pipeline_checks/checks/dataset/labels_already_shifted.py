"""TD117: labels shifted by one for a model that shifts them itself."""

from collections.abc import Iterator

from ...facts import BatchFacts, CallFacts, LoaderFacts, ModelFacts, TrainerFacts
from ...report import Problem, Severity
from ..label_shares import is_loss_of_model, shifts_itself, sum_labels
from ..registry import check
from ..wording import percent

NEXT_SHARE = 0.98
SAME_SHARE = 0.5
FEWEST = 32


@check("TD117", Severity.ERROR)
def labels_already_shifted(
    batches: BatchFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    calls: CallFacts | None,
    trainer: TrainerFacts | None = None,
) -> Iterator[Problem]:
    """The labels are the inputs shifted by one, and the model shifts them once more.

    Why it matters: the model is trained to predict the token after the next. The loss falls, slower
    and to a worse value, and generated text skips words. Nothing raises.

    How to fix it: causal language models of transformers shift inside: give `labels = input_ids`
    (with -100 where nothing is to be learned).
    """
    sums = sum_labels(batches.labels)
    if not shifts_itself(model) or sums.num_compared < FEWEST:
        return
    is_next = sums.num_next >= NEXT_SHARE * sums.num_compared
    if not is_next or sums.num_same >= SAME_SHARE * sums.num_compared:
        return
    if not is_loss_of_model(calls, trainer, "whether the model shifts the labels"):
        return
    yield Problem(
        f"{percent(sums.num_next, sums.num_compared)} of the labels equal the next input id, and "
        f"{model.type} shifts the labels itself: it learns to predict the token after the next.",
        where=f"{batches.labels[0].path} against the input_ids "
        f"({sums.num_compared} positions compared)",
        hint="give labels = input_ids.clone(), not shifted (-100 where nothing is to be learned).",
        location=loader.collate_location if loader else None,
        values={
            "num_next": sums.num_next,
            "num_same": sums.num_same,
            "num_compared": sums.num_compared,
        },
    )
