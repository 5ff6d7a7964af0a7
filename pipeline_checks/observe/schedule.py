"""The learning rates that a scheduler is going to set."""

from __future__ import annotations

import copy
import inspect
import warnings
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch.optim import lr_scheduler
from torch.optim.lr_scheduler import LRScheduler

from ..facts.schedule import ScheduleFact
from .optimizer_state import preserved_optimizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..pipeline.training_length import TrainingLength

NUM_SIMULATED = 50
GONE = 1e-6
# A trial of this many steps takes less than a tenth of a second.
MAX_SIMULATED = 1000
# What torch notes on an optimizer to warn of a scheduler that steps first.
NOTES = ("_opt_called", "_step_count")


@dataclass
class Trial:
    """What stepping a scheduler for a trial gave.

    Attributes:
        rates: The rates of all groups before each step.
        error: What the step after the last of them raised, "" if none did.
    """

    rates: list[tuple[float, ...]] = field(default_factory=list)
    error: str = ""

    @property
    def first_rates(self) -> tuple[float, ...]:
        """The first rates of the first group; () where a step raised."""
        return () if self.error else tuple(rates[0] for rates in self.rates[:NUM_SIMULATED])

    @property
    def gone_from(self) -> int | None:
        """The first step from which every rate is next to nothing until the end."""
        largest = [max(rates) for rates in self.rates]
        most = max(largest, default=0.0)
        used = [number for number, rate in enumerate(largest) if rate > GONE * most]
        first = used[-1] + 1 if used else 0
        return first if 0 < first < len(self.rates) else None


def try_schedule(scheduler: Any, num_steps: int = NUM_SIMULATED) -> Trial:
    """Step the scheduler this often; it and its optimizer are left untouched.

    Returns:
        An empty trial without a scheduler, and for one whose step asks for something:
        ReduceLROnPlateau asks for a metric.
    """
    trial = Trial()
    if not isinstance(scheduler, LRScheduler) or _asks_for_something(scheduler.step):
        return trial
    try:
        with _put_back(scheduler), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(num_steps):
                groups = scheduler.optimizer.param_groups
                trial.rates.append(tuple(float(group["lr"]) for group in groups))
                scheduler.step()
    except Exception as error:  # noqa: BLE001 - the user's own scheduler may raise anything
        trial.error = f"{type(error).__name__}: {error}"
    return trial


def schedule_fact(scheduler: Any, trial: Trial, length: TrainingLength | None) -> ScheduleFact:
    """The trial and what the scheduler says of itself, beside the length of training."""
    is_cycle = isinstance(scheduler, lr_scheduler.OneCycleLR)
    is_cosine = isinstance(scheduler, lr_scheduler.CosineAnnealingLR)
    return ScheduleFact(
        type(scheduler).__name__,
        num_tried=len(trial.rates),
        raises_at=len(trial.rates) if trial.error else None,
        error=trial.error,
        gone_from=trial.gone_from,
        limit=int(scheduler.total_steps) if is_cycle else None,
        half_period=int(scheduler.T_max) if is_cosine else None,
        num_steps=length.num_steps if length else None,
        per_epoch=length.per_epoch if length else None,
        num_epochs=length.num_epochs if length else None,
        is_by_epoch=length.is_by_epoch if length else False,
    )


def num_to_try(length: TrainingLength | None) -> int:
    """As many steps as training takes, within reason."""
    return min(max(length.num_steps, NUM_SIMULATED), MAX_SIMULATED) if length else NUM_SIMULATED


def _asks_for_something(step: Any) -> bool:
    try:
        inspect.signature(step).bind()
    except (TypeError, ValueError):
        return True
    return False


@contextmanager
def _put_back(scheduler: LRScheduler) -> Iterator[None]:
    optimizer = scheduler.optimizer
    state = copy.deepcopy(scheduler.state_dict())
    notes = {name: vars(optimizer)[name] for name in NOTES if name in vars(optimizer)}
    vars(optimizer)["_opt_called"] = True
    try:
        with preserved_optimizer(optimizer):
            yield
    finally:
        scheduler.load_state_dict(state)
        for name in NOTES:
            vars(optimizer).pop(name, None)
        vars(optimizer).update(notes)
