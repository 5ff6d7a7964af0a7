"""TD705: evaluation gives more or fewer predictions than there are samples."""

from collections.abc import Iterator
from math import prod

from ...facts import EvaluationFacts
from ...facts.evaluation import OwnEvaluation
from ...report import Problem, Severity
from ..evaluation_sets import in_first_set
from ..evaluation_words import array_text
from ..registry import check
from ..wording import count, name_list


@check("TD705", Severity.ERROR)
def wrong_number_of_predictions(evaluation: EvaluationFacts) -> Iterator[Problem]:
    """Evaluation gives more or fewer predictions than there are samples.

    Silent where the number is a multiple of the samples (a prediction for each token or pixel),
    and only a remark where fewer than half are predicted, which looks meant.

    Why it matters:
        The metric is about other samples than it says: the last incomplete batch is dropped, a
        batch is counted twice, or rows and labels no longer belong to each other.

    How to fix it:
        Compare `len(predictions)` with `len(dataset)` where you evaluate. Usual causes: the
        training loader with `drop_last=True`, a sampler with replacement, only the last batch
        kept, a dimension other than the first that counts the samples.
    """
    if evaluation.own is not None:
        yield from _of_own(evaluation.own)
    yield from in_first_set(evaluation, _of_batches)


def _of_own(own: OwnEvaluation) -> Iterator[Problem]:
    found, wanted = own.num_predictions, own.num_samples
    if found is None or not wanted or (found % wanted == 0 and found):
        return
    is_few = found * 2 < wanted
    read = set(own.samples)
    missing = [i for i in range(wanted) if i not in read] if read and max(read) < wanted else []
    yield Problem(
        f"evaluate() gave {count(found, 'prediction')} for {count(wanted, 'sample')}.",
        where=f"samples {name_list(missing)} were never read" if missing else "",
        hint=_hint(found, wanted),
        location=own.location,
        severity=Severity.INFO if is_few and found else None,
        values={"predictions": found, "samples": wanted},
    )


def _hint(found: int, wanted: int) -> str:
    if found < wanted:
        return (
            f"{wanted - found} samples are missing: `drop_last=True` in the loader loses the last "
            f"incomplete batch; look also for a batch or a filter that is skipped."
        )
    return (
        f"{found - wanted} are too many: some samples are predicted twice, or rows are no samples."
    )


def _of_batches(evaluation: EvaluationFacts) -> Iterator[Problem]:
    """The batches that tdebug ran itself: rows of the predictions against samples."""
    if len(evaluation.predictions) != 1 or len(evaluation.labels) != 1:
        return
    predictions, labels = evaluation.predictions[0], evaluation.labels[0]
    samples = evaluation.num_samples
    if not predictions.shape or not labels.shape or labels.shape[0] != samples:
        return
    rows = predictions.shape[0]
    if rows % samples == 0 or rows == prod(labels.shape):
        return
    yield Problem(
        f"the model gives {count(rows, 'prediction')} for {count(samples, 'sample')}.",
        where=f"predictions {array_text(predictions)}, labels {array_text(labels)}",
        hint="the first dimension of what the model returns must count the samples.",
        location=evaluation.metrics_location,
        severity=Severity.WARNING,
        values={"predictions": rows, "samples": samples},
    )
