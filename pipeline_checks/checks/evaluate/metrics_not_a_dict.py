"""TD703: compute_metrics returns no dict."""

from collections.abc import Iterator

from ...facts import EvaluationFacts
from ...report import Problem, Severity
from ..evaluation_sets import in_first_set
from ..expected_predictions import expected_form
from ..registry import check

INSTEAD = {
    "NoneType": "it has no `return`, or one that is not reached: `return {'accuracy': accuracy}`.",
    "tuple": "give each number a name: `return {'accuracy': accuracy, 'f1': f1}`.",
    "list": "give each number a name: `return {'accuracy': accuracy, 'f1': f1}`.",
}


@check("TD703", Severity.ERROR)
def metrics_not_a_dict(evaluation: EvaluationFacts) -> Iterator[Problem]:
    """compute_metrics returns no dict.

    Why it matters:
        A training loop puts its names before the metrics and logs each: with a plain number, a
        tuple or None it raises, at the end of the first evaluation.

    How to fix it:
        Return a dict of names and numbers, `{"accuracy": 0.93}`.
    """
    yield from in_first_set(evaluation, _problems)


def _problems(evaluation: EvaluationFacts) -> Iterator[Problem]:
    call = evaluation.call
    if call is None or call.error is not None or call.is_mapping or expected_form(evaluation):
        return
    kind = "None" if call.returned == "NoneType" else f"a {call.returned}"
    yield Problem(
        f"compute_metrics returned {kind}, and no dict of names and numbers.",
        hint=INSTEAD.get(call.returned, "give the number a name: `return {'accuracy': accuracy}`."),
        location=evaluation.metrics_location,
        values={"returned": call.returned},
    )
