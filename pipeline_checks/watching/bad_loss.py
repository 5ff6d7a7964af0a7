"""Where a loss that is not finite began, when every output of the model was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...overflow import find_origin, replay_state
from ..facts.watching import DetectionFact
from ..observe.origins import origin_fact
from ..training.rng_state import restore_rng_state

if TYPE_CHECKING:
    from ..session import Session
    from ..training.rng_state import RngState
    from .batch_training import BatchTraining

STEPPED = "Where it began cannot be told: train_step has stepped the optimizer already."
NOT_SEEN = "Running the batch again did not show it."


def bad_loss_fact(
    training: BatchTraining, batch: Any, value: float, before: RngState, session: Session
) -> DetectionFact:
    """Replay the batch and walk back from its loss.

    Args:
        training: What trained on it, and has not stepped since.
        batch: The batch.
        value: The loss.
        before: The random states before the batch.
        session: What all stages share.
    """
    number = training.losses[-1][0]
    where = f"the loss of batch {number}, which is {value}"
    if training.style == "train_step":
        return DetectionFact(number, "loss", where, STEPPED)
    try:
        with replay_state(training.model):
            restore_rng_state(before)
            origin = find_origin(lambda: training.replay_loss(batch), training.model)
    except session.caught as error:
        note = f"{NOT_SEEN} It raised {type(error).__name__}: {error}"
        return DetectionFact(number, "loss", where, note)
    if origin is None:
        return DetectionFact(number, "loss", where, NOT_SEEN)
    fact = origin_fact(origin, number, session.code)
    classic = f"Detected inf/nan in {where}\nWhere it began: {origin.summary()}\n"
    return DetectionFact(
        number, "loss", where, origin=fact, origin_text=origin.summary(), classic=classic
    )
