"""The learning rates that a scheduler is going to set."""

from __future__ import annotations

import copy
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch.optim.lr_scheduler import LRScheduler

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
    groups = [_kept(group) for group in optimizer.param_groups]
    notes = {name: vars(optimizer)[name] for name in NOTES if name in vars(optimizer)}
    vars(optimizer)["_opt_called"] = True
    try:
        yield
    finally:
        scheduler.load_state_dict(state)
        for group, kept in zip(optimizer.param_groups, groups, strict=True):
            _restore(group, kept)
        for name in NOTES:
            vars(optimizer).pop(name, None)
        vars(optimizer).update(notes)


def _kept(group: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Each entry and a copy of its content: a learning rate that is a tensor is set in place."""
    return {
        key: (value, value.detach().clone() if isinstance(value, torch.Tensor) else value)
        for key, value in group.items()
        if key != "params"
    }


def _restore(group: dict[str, Any], kept: dict[str, tuple[Any, Any]]) -> None:
    for key in set(group) - set(kept) - {"params"}:
        del group[key]
    for key, (value, content) in kept.items():
        if isinstance(value, torch.Tensor):
            value.copy_(content)
        group[key] = value
