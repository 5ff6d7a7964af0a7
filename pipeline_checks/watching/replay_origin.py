"""Where a loss or a gradient stopped being finite, by running the whole batch again.

The detector knows the model alone; here the loss around it is known too.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import torch

from ...overflow import find_origin, replay_state
from ...overflow.recorder import CollectiveMetError
from ..facts.watching import DetectionFact
from ..observe.origins import origin_fact
from ..training.rng_state import restore_rng_state
from .other_ranks import NoOtherRanks
from .watchable import without_compiler

if TYPE_CHECKING:
    from ...overflow import Origin
    from ..session import Session
    from ..training.rng_state import RngState
    from .batch_training import BatchTraining

STEPPED = "where it began cannot be told: train_step has stepped the optimizer already."
FROM_LOSS = (
    "the gradient was not finite when it came to the model: it began in the loss that train_step "
    "computes."
)
FROM_OTHERS = (
    "the gradients of this rank were finite by themselves: they came bad from the other ranks, "
    "with the average."
)
NOT_SEEN = "running the batch again did not show it."


@dataclass(frozen=True)
class Replay:
    """A batch that can be run again, as nothing has stepped since.

    Attributes:
        training: What trained on it.
        batch: The batch.
        number: Its number.
        before: The random states before it.
        session: What all stages share.
        others: The other ranks, which do not run it again.
    """

    training: BatchTraining
    batch: Any
    number: int
    before: RngState
    session: Session
    others: NoOtherRanks = field(default_factory=NoOtherRanks)

    def tell_loss(self, value: float) -> DetectionFact:
        """A loss that is not finite when every output of the model was."""
        where = f"the loss of batch {self.number} is {value}"
        found = DetectionFact(self.number, "loss", where, classic=f"Detected inf/nan: {where}\n")
        is_own_loop = self.training.style == "train_step"
        origin, note = self._find(with_backward=False)
        if origin is None and is_own_loop:
            note = STEPPED
        return self._with_origin(found, origin) if origin is not None else replace(found, note=note)

    def refine(self, found: DetectionFact) -> DetectionFact:
        """A gradient that is not finite: its origin, also where that is in the loss."""
        if found.stage != "gradients":
            return found
        if not self.others.has_own_bad_gradients:
            return replace(found, note=FROM_OTHERS, is_own=False)
        is_own_loop = self.training.style == "train_step"
        origin, note = self._find(with_backward=True)
        if origin is None:
            found = replace(found, note=found.note or note)
            return _of_own_step(found) if is_own_loop else found
        return self._with_origin(found, origin)

    def _with_origin(self, found: DetectionFact, origin: Origin) -> DetectionFact:
        said = origin.summary()
        classic = found.classic.split("Where it began: ")[0] + f"Where it began: {said}\n"
        fact = origin_fact(origin, self.number, self.session.code)
        return replace(found, origin=fact, origin_text=said, classic=classic)

    def _find(self, *, with_backward: bool) -> tuple[Origin | None, str]:
        def run() -> Any:
            if self.training.style == "train_step":
                return self.training.replay_step()
            loss = self.training.replay_loss(self.batch)
            if with_backward and isinstance(loss, torch.Tensor):
                loss.backward()  # type: ignore[no-untyped-call] # torch leaves it untyped
            return loss

        model = without_compiler(self.training.model)
        try:
            with replay_state(model), self.others.apart(model):
                restore_rng_state(self.before)
                return find_origin(run, model), NOT_SEEN
        except CollectiveMetError as error:
            return None, f"the batch was not run again: {error}."
        except self.session.caught as error:
            return None, f"running the batch again raised {type(error).__name__}: {error}"


def _of_own_step(found: DetectionFact) -> DetectionFact:
    """Where the loss is at fault, the line at which the step was taken says nothing."""
    origin = found.origin
    if origin is None or origin.source != "outside":
        return found
    return replace(found, origin=replace(origin, location=None), note=FROM_LOSS)
