"""TD706: evaluating a batch raises."""

from collections.abc import Iterator

from ...facts import EvaluationFacts
from ...facts.evaluation import EvaluationFailure
from ...report import Problem, Severity
from ..evaluation_sets import in_first_set
from ..evaluation_words import array_text, users_line
from ..registry import Undecided, check
from ..wording import batch

DOING = {
    "loader": "making the loader",
    "dataset": "reading the samples",
    "collate": "putting the samples together",
    "hook": "a hook before the first batch",
}
LIGHTNING = ("lightning/", "pytorch_lightning/")
FIRST_PLACES = 4


@check("TD706", Severity.ERROR, is_fallback=True)
def evaluation_fails(evaluation: EvaluationFacts) -> Iterator[Problem]:
    """Evaluating raises: a batch of the evaluation set, or the user's own `evaluate`.

    Training on the same pipeline has just worked, so it is something that only evaluation does:
    other data, evaluation mode, code that runs once an epoch.

    Why it matters:
        Training ends at the first evaluation, after an hour instead of a minute.

    How to fix it:
        The last of your lines shown is the one that raised. Compare an evaluation sample with a
        training sample: the same fields, dtypes and lengths? Was the evaluation set tokenized or
        normalised like the training set?
    """
    yield from in_first_set(evaluation, _of_set)
    own = evaluation.own
    if own is None or own.error is None:
        return
    if own.is_part:
        raise Undecided("because evaluate() was given a part of the dataset")
    yield Problem(
        f"evaluate(model, dataset) raised {own.error}",
        hint="look at the last of your lines shown.",
        location=users_line(own.error) or own.location,
        values={"type": own.error.type, "text": own.error.text},
        stack=own.error.user_frames,
    )


def _of_set(evaluation: EvaluationFacts) -> Iterator[Problem]:
    failure = evaluation.failure
    if failure is None:
        return
    if failure.section == "collate" and not evaluation.has_own_loader:
        raise Undecided("because the evaluation samples are perhaps put together otherwise")
    if failure.error.frames and failure.error.frames[-1].file.startswith(LIGHTNING):
        raise Undecided("because Lightning itself raised, which only fit sets up wholly")
    yield _of_batch(failure, evaluation.source or "eval_dataset")


def _of_batch(failure: EvaluationFailure, source: str) -> Problem:
    doing = DOING.get(failure.section, "the forward pass in evaluation mode")
    shown = [
        f"batch{leaf.path} {array_text(leaf)}" for leaf in failure.inputs if leaf.shape is not None
    ]
    given = f"the batch is {', '.join(shown[:FIRST_PLACES])}; " if shown else ""
    return Problem(
        f"{doing} of {source} raised {failure.error}",
        where=_where(failure),
        hint=f"{given}training batches pass, so look at what differs in {source}.",
        location=users_line(failure.error),
        values={"section": failure.section, "type": failure.error.type, "text": failure.error.text},
        stack=failure.error.user_frames,
    )


def _where(failure: EvaluationFailure) -> str:
    if failure.section in {"loader", "hook"}:
        return ""
    return f"evaluation {batch(failure.batch, failure.indices)}"
