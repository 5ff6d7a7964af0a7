"""The learning rates that a scheduler is going to set."""

from __future__ import annotations

import copy
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from torch.optim.lr_scheduler import LRScheduler

from .optimizer_state import preserved_optimizer

if TYPE_CHECKING:
    from collections.abc import Iterator

NUM_SIMULATED = 50
# What torch notes on an optimizer to warn of a scheduler that steps first.
NOTES = ("_opt_called", "_step_count")


def simulate_rates(scheduler: Any) -> tuple[float, ...]:
    """The first learning rates of the first group; scheduler and optimizer are left untouched.

    Returns:
        () without a scheduler, and where stepping it raises: ReduceLROnPlateau asks for a metric.
    """
    if not isinstance(scheduler, LRScheduler):
        return ()
    rates: list[float] = []
    try:
        with _put_back(scheduler), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(NUM_SIMULATED):
                rates.append(float(scheduler.optimizer.param_groups[0]["lr"]))
                scheduler.step()
    except Exception:  # noqa: BLE001 - the user's own scheduler may raise anything
        return ()
    return tuple(rates)


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
