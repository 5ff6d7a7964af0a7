"""TD701: compute_metrics raises."""

from collections.abc import Iterator

from ...facts import EvaluationFacts
from ...report import Problem, Severity
from ..evaluation_sets import in_first_set
from ..evaluation_words import given_text, samples_text, users_line
from ..expected_predictions import expected_form
from ..registry import check

# What does not depend on how many samples were seen.
SURE = ("TypeError", "AttributeError", "KeyError", "IndexError", "NameError", "ImportError")


@check("TD701", Severity.ERROR)
def metrics_fail(evaluation: EvaluationFacts) -> Iterator[Problem]:
    """compute_metrics raises.

    It is called on the predictions of a few batches, as training would call it after the first
    epoch or evaluation step.

    Why it matters:
        Training ends there, after an hour instead of a minute, mostly before anything was saved.

    How to fix it:
        The last of your lines shown is the one that raised; the shapes that it was given stand
        beside it. Labels hold -100 where nothing is to be predicted, and predictions are padded
        with -100: both must be replaced or left out before they are decoded or compared.
    """
    yield from in_first_set(evaluation, _problems)


def _problems(evaluation: EvaluationFacts) -> Iterator[Problem]:
    call = evaluation.call
    if call is None or call.error is None or expected_form(evaluation):
        return
    clean = evaluation.call_with("without_ignored") or evaluation.call_with("first_without_ignored")
    is_about_ignored = clean is not None and clean.error is None
    is_sure = is_about_ignored or evaluation.is_complete or any(map(call.error.is_a, SURE))
    yield Problem(
        f"compute_metrics raised {call.error}",
        where=f"{samples_text(evaluation)}; it was given {given_text(evaluation)}",
        hint=_hint(evaluation, is_about_ignored=is_about_ignored, is_sure=is_sure),
        location=users_line(call.error) or evaluation.metrics_location,
        severity=Severity.ERROR if is_sure else Severity.WARNING,
        values={"type": call.error.type, "text": call.error.text},
        stack=call.error.user_frames,
    )


def _hint(evaluation: EvaluationFacts, *, is_about_ignored: bool, is_sure: bool) -> str:
    if is_about_ignored:
        return (
            "the -100 in labels or predictions are the cause, without them it runs: leave these "
            "positions out (`labels != -100`), or put the pad id there before decoding: "
            "`np.where(labels != -100, labels, tokenizer.pad_token_id)`."
        )
    if not is_sure:
        return (
            f"only {evaluation.num_samples} samples were evaluated: if it needs more (both "
            f"classes, say), it may run on all of them; else look at the line shown."
        )
    return "look at the line shown: the shapes and dtypes it was given stand above."
