"""TD321: targets of 0 and 1 for a loss that takes -1 and 1."""

from collections.abc import Iterator

from ...facts import CallFacts, TrainingFacts
from ...facts.calls import LossCall
from ...report import Problem, Severity
from ..registry import check
from ..wording import batch

MEANING = {
    "margin_ranking_loss": "a target of 0 gives the margin, whatever the outputs",
    "cosine_embedding_loss": "a target of 0 gives a loss of 0, whatever the vectors",
    "hinge_embedding_loss": "a target of 0 adds outputs and margin alike",
    "soft_margin_loss": "a target of 0 gives log(2), whatever the output",
}
# A few zeros may be padding.
SHARE = 0.2


@check("TD321", Severity.WARNING)
def targets_zero_for_minus_one(
    calls: CallFacts, training: TrainingFacts | None
) -> Iterator[Problem]:
    """A loss whose targets are -1 and 1 gets 0 and 1.

    Why it matters: nothing fails, but half of the samples teach nothing: CosineEmbeddingLoss,
    MarginRankingLoss and SoftMarginLoss give them a constant, and with positive pairs alone the
    embeddings may all become one.

    How to fix it: map them: `2 * y - 1`.
    """
    for call in calls.losses:
        if call.function not in MEANING or call.target.field is None:
            continue
        alike = [c for c in calls.losses if _is_same(c, call)]
        below, zeros, ones = (sum(c.signs[i] for c in alike) for i in range(3))
        total = sum(c.target.numel for c in alike)
        if below or not ones or zeros < SHARE * total or zeros + ones != total:
            continue
        indices = training.indices_of(call.batch) if training is not None else ()
        yield Problem(
            f"{call.name} takes targets of -1 and 1, but batch{call.target.field} holds {zeros} "
            f"times 0, {ones} times 1 and never -1: {MEANING[call.function]}.",
            where=batch(call.batch, indices),
            hint="map the targets from 0 and 1 to -1 and 1: 2 * y - 1.",
            location=call.location,
            values={"zeros": zeros, "ones": ones},
        )
        return


def _is_same(one: LossCall, other: LossCall) -> bool:
    return (one.function, one.location) == (other.function, other.location)
