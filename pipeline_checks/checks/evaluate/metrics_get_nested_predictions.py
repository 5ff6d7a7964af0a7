"""TD702: compute_metrics gets a tuple, or logits, where it expects one array, or ids."""

from collections.abc import Iterator

from ...facts import EvaluationFacts
from ...report import Problem, Severity
from ..evaluation_sets import in_first_set
from ..evaluation_words import array_text, given_text, raised_text, users_line
from ..expected_predictions import ExpectedForm, expected_form
from ..registry import check
from ..wording import join_words, number

ALONE = (
    "take the first: `logits = predictions[0] if isinstance(predictions, tuple) else predictions`; "
    "or let the model return nothing more in evaluation (output_hidden_states=False, "
    "output_attentions=False), or keep the first in preprocess_logits_for_metrics."
)
IDS = (
    "take the class or token with the largest logit first: `predictions.argmax(-1)` in "
    "compute_metrics or in preprocess_logits_for_metrics (which saves memory); a model that "
    "generates needs predict_with_generate=True."
)


@check("TD702", Severity.ERROR)
def metrics_get_nested_predictions(evaluation: EvaluationFacts) -> Iterator[Problem]:
    """compute_metrics gets a tuple, or logits, where it expects one array, or ids.

    A model that returns more than logits (hidden states, attentions, an encoder's output) makes
    the predictions a tuple of arrays. A sequence-to-sequence model that is not told to generate
    gives logits where token ids are decoded. Which form is expected is found out by calling
    compute_metrics with the other ones.

    Why it matters:
        Mostly compute_metrics raises, after the first epoch. Where it does not, the metric is
        wrong in silence: an accuracy of 0, because a logit never equals an id.

    How to fix it:
        Take the first array of the tuple, and the argmax of the logits, or have the model return
        less: `preprocess_logits_for_metrics` is the place that also saves the memory.
    """
    yield from in_first_set(evaluation, _problems)


def _problems(evaluation: EvaluationFacts) -> Iterator[Problem]:
    expected = expected_form(evaluation)
    call = evaluation.call
    if expected is None or call is None:
        return
    stack = call.error.user_frames if call.error is not None else ()
    place = users_line(call.error) if call.error is not None else None
    yield Problem(
        _message(evaluation, expected),
        where=f"compute_metrics was given {given_text(evaluation)}",
        hint=" ".join(_hints(expected)),
        location=place or evaluation.metrics_location,
        values={"expected": expected.given, "has_raised": expected.has_raised},
        stack=stack,
    )


def _message(evaluation: EvaluationFacts, expected: ExpectedForm) -> str:
    call = evaluation.call
    given, wanted = _forms(evaluation, expected)
    if call is not None and call.error is not None:
        raised = raised_text(call.error)
        return f"compute_metrics gets {given} and raised {raised}; with {wanted} it runs."
    now = _values(call.values if call else {})
    then = _values(expected.call.values)
    return f"compute_metrics takes {given} for {wanted}: it gives {now} instead of {then}."


def _forms(evaluation: EvaluationFacts, expected: ExpectedForm) -> tuple[str, str]:
    first = evaluation.predictions[0]
    nested = f"a nested {evaluation.container} of {len(evaluation.predictions)} arrays"
    logits = f"logits ({array_text(first)})"
    if expected.given == "first":
        return nested, f"its first array alone ({array_text(first)})"
    if expected.given == "first_ids":
        return nested, f"the ids of its first array alone (the argmax of {array_text(first)})"
    return logits, "ids (their argmax)"


def _hints(expected: ExpectedForm) -> Iterator[str]:
    if expected.given.startswith("first"):
        yield ALONE
    if expected.given.endswith("ids"):
        yield IDS if expected.given == "ids" else f"Then {IDS}"


def _values(values: dict[str, float]) -> str:
    return join_words([f"{name} {number(value)}" for name, value in list(values.items())[:3]])
