"""Which form of predictions `compute_metrics` expects, where it is not the one that it is given."""

from dataclasses import dataclass

from ..facts import EvaluationFacts
from ..facts.evaluation import MetricsCall


@dataclass(frozen=True)
class ExpectedForm:
    """What would be right instead.

    Attributes:
        given: The form that works, as in `MetricsCall.given`.
        call: The call with the form that works.
        has_raised: Whether the form that is given makes it raise.
    """

    given: str
    call: MetricsCall
    has_raised: bool


def expected_form(evaluation: EvaluationFacts) -> ExpectedForm | None:
    """The form that works where the one that is given does not; None where all is well or unknown.

    A form counts as expected where `compute_metrics` raises without it and runs with it, where it
    takes a tuple for one array and another value comes out with the first array alone, or where
    logits never match and ids do.
    """
    call = evaluation.call
    if call is None:
        return None
    if call.error is not None:
        for given in ("first", "ids", "first_ids"):
            trial = evaluation.call_with(given)
            if trial is not None and trial.error is None:
                return ExpectedForm(given, trial, has_raised=True)
        return None
    if evaluation.was_opened is False:
        return _of_unopened(evaluation, call)
    return _of_never_matching(evaluation, call)


def _of_unopened(evaluation: EvaluationFacts, call: MetricsCall) -> ExpectedForm | None:
    trial = evaluation.call_with("first")
    if trial is None or trial.error is not None or _same(trial, call):
        return None
    return ExpectedForm("first", trial, has_raised=False)


def _of_never_matching(evaluation: EvaluationFacts, call: MetricsCall) -> ExpectedForm | None:
    logits, ids = evaluation.call_with("right_logits"), evaluation.call_with("right_ids")
    if logits is None or ids is None or not call.values or any(call.values.values()):
        return None
    if not _is_zero(logits) or ids.error is not None or _is_zero(ids):
        return None
    return ExpectedForm("ids", ids, has_raised=False)


def _is_zero(call: MetricsCall) -> bool:
    return call.error is None and not any(call.values.values())


def _same(one: MetricsCall, other: MetricsCall) -> bool:
    return repr(sorted(one.values.items())) == repr(sorted(other.values.items()))
