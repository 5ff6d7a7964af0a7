"""Words about evaluation: what `compute_metrics` was given, and where the samples are from."""

from ..facts import EvaluationFacts
from ..facts.batches import LeafFact
from ..facts.exceptions import ExceptionFact
from ..report import Location
from .wording import count, count_of, join_words, shape_text

MOST_ARRAYS = 4


def array_text(leaf: LeafFact) -> str:
    """An array: `[40, 3] float32`."""
    if leaf.shape is None:
        return leaf.type
    return f"{shape_text(leaf.shape)} {leaf.dtype}"


def arrays_text(leaves: tuple[LeafFact, ...], noun: str = "array") -> str:
    """One array, or several with their places: `a tuple of 2 arrays ([0] [8, 3] float32, ...)`."""
    if len(leaves) == 1 and not leaves[0].path:
        return array_text(leaves[0])
    shown = [f"{leaf.path} {array_text(leaf)}" for leaf in leaves[:MOST_ARRAYS]]
    more = [f"{len(leaves) - MOST_ARRAYS} more"] if len(leaves) > MOST_ARRAYS else []
    return f"{count(len(leaves), noun)}: {join_words([*shown, *more])}"


def given_text(facts: EvaluationFacts) -> str:
    """What `compute_metrics` was given, with shapes and dtypes."""
    several = len(facts.predictions) > 1
    predictions = arrays_text(facts.predictions)
    if several:
        predictions = f"a {facts.container} of {predictions}"
    return f"predictions {predictions}; labels {arrays_text(facts.labels)}"


def samples_text(facts: EvaluationFacts) -> str:
    """How many samples of which set it is about."""
    known = facts.num_total
    told = (
        count_of(facts.num_samples, known, "sample")
        if known
        else count(facts.num_samples, "sample")
    )
    return f"{told} of {facts.source or 'the evaluation set'}"


def raised_text(error: ExceptionFact) -> str:
    """`ValueError: the text`, without a full stop, to go on in the sentence."""
    return str(error).rstrip(". ")


def users_line(error: ExceptionFact) -> Location | None:
    """The innermost line of the user's code, None where only a library is on the stack."""
    return error.user_frames[-1] if error.user_frames else None
