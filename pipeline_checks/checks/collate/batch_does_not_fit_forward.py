"""TD205: the batch is not what the model's forward takes."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, ModelFacts, SampleFacts, TrainingFacts
from ...report import Problem, Severity
from ..evidence import calls_by_keyword, forward_failure, has_no_loss
from ..keyword_fit import Clash, keywords, positional, removed_label, tuples_for_keywords
from ..registry import check


@check("TD205", Severity.ERROR)
def batch_does_not_fit_forward(
    samples: SampleFacts | None,
    model: ModelFacts,
    loader: LoaderFacts,
    batches: BatchFacts,
    training: TrainingFacts | None,
) -> Iterator[Problem]:
    """The keys of the batch are not the parameters of the model's forward.

    Why it matters: the call fails with an unexpected or a missing argument. A Trainer goes further
    and silently removes the columns that forward does not take: a label column of another name
    is gone, and the model "did not return a loss".

    How to fix it: name the fields of the samples as forward names its parameters (`labels` in
    transformers), or write the call yourself in `compute_loss`.
    """
    found = tuples_for_keywords(samples, model, loader, batches) if samples else None
    found = found or _in_forward(samples, model, batches, training)
    if found is None:
        return
    yield Problem(
        found.message,
        where=found.where,
        hint=found.hint,
        location=loader.collate_location or (samples.location if samples else None),
        values={"parameters": list(model.signature.names)},
    )


def _in_forward(
    samples: SampleFacts | None,
    model: ModelFacts,
    batches: BatchFacts,
    training: TrainingFacts | None,
) -> Clash | None:
    if samples is not None and has_no_loss(training):
        lost = removed_label(samples, model)
        if lost is not None:
            return lost
    failure = forward_failure(training)
    if failure is None or not failure.error.is_a("TypeError") or not batches.good:
        return None
    one = next((b for b in batches.good if b.number == failure.batch), batches.good[0])
    if calls_by_keyword(training) and one.container.startswith("dict"):
        return keywords(one, model)
    return positional(one, model) if training and training.style == "pair" else None
