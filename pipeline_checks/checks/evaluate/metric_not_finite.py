"""TD704: a metric is nan or inf."""

import math
from collections.abc import Iterator

from ...facts import EvaluationFacts
from ...facts.evaluation import MetricsCall
from ...report import Problem, Severity
from ..evaluation_sets import in_first_set
from ..evaluation_words import given_text, samples_text
from ..registry import check
from ..wording import join_words


@check("TD704", Severity.ERROR)
def metric_not_finite(evaluation: EvaluationFacts) -> Iterator[Problem]:
    """A metric, or the loss of the evaluation, is nan or inf.

    A warning where the metric is finite for right predictions: then it is the untrained model that
    makes it so (a correlation with a constant, a precision of a class never predicted), which may
    pass with training. Only single numbers count; nan for a class that never occurs is usual.

    Why it matters:
        No comparison with nan is true: the best model is never found, early stopping and schedules
        that watch the metric stop working, a search over rates prefers anything.

    How to fix it:
        Look at what is divided by: a count that is 0, a standard deviation of a constant, a mean
        over no sample because a filter removed all. A loss that is nan on data without any label
        (all -100) is a mean over nothing.
    """
    yield from in_first_set(evaluation, _problems)


def _problems(evaluation: EvaluationFacts) -> Iterator[Problem]:
    yield from _of_loss(evaluation)
    call = evaluation.call
    if call is None or call.error is not None:
        return
    bad = _bad(call.values)
    if not bad:
        return
    is_of_the_model = evaluation.num_bad_predictions > 0
    right = evaluation.call_with("right_logits") or evaluation.call_with("right_ids")
    may_pass = not is_of_the_model and _is_finite(right, bad)
    severity = Severity.WARNING if may_pass or not evaluation.is_complete else Severity.ERROR
    yield Problem(
        f"{join_words(f'{name} is {bad[name]}' for name in bad)} after evaluating "
        f"{samples_text(evaluation)}.",
        where=f"compute_metrics was given {given_text(evaluation)}",
        hint=_hint(evaluation.num_bad_predictions, may_pass=may_pass),
        location=evaluation.metrics_location,
        severity=Severity.ERROR if is_of_the_model else severity,
        values={"metrics": {name: str(value) for name, value in bad.items()}},
    )


def _of_loss(evaluation: EvaluationFacts) -> Iterator[Problem]:
    if evaluation.loss is None or math.isfinite(evaluation.loss):
        return
    yield Problem(
        f"the loss of {samples_text(evaluation)} is {evaluation.loss} in evaluation mode.",
        hint="evaluate batch by batch: where every label of a batch is ignored (-100), the mean is "
        "over nothing; where the model is at fault, `tdebug overflow` names the module.",
        values={"loss": str(evaluation.loss)},
    )


def _bad(values: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in values.items() if not math.isfinite(value)}


def _is_finite(call: MetricsCall | None, names: dict[str, float]) -> bool:
    if call is None or call.error is not None:
        return False
    return all(math.isfinite(call.values.get(name, math.nan)) for name in names)


def _hint(num_bad: int, *, may_pass: bool) -> str:
    if num_bad:
        return f"{num_bad} predictions are nan or inf themselves: look at the model first."
    if may_pass:
        return (
            "with right predictions it is finite, so it may pass once the model has learnt; until "
            "then nothing that watches this metric (the best model, early stopping) works."
        )
    return "even right predictions give it: look at what is divided by, or what a mean is taken of."
