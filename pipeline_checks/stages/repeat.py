"""A few more steps on one batch: does the loss fall, or does it explode?"""

from __future__ import annotations

import math
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from ..facts.step import RepeatFacts
from ..observe.calls import CallWatch
from ..observe.optimizer_state import preserved_optimizer
from .stepping import scaler_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .sections import SectionLoop

# At most as many steps as the recipe for overfitting one batch needs, and little time: the smoke
# run must stay cheap. http://karpathy.github.io/2019/04/25/recipe/
MAX_STEPS = 50
MAX_SECONDS = 0.5
MIN_STEPS = 4
# A rate this much smaller tells a step that is too large from a pipeline that cannot learn.
RETRY_FACTOR = 0.01


def repeat_one_batch(loop: SectionLoop) -> RepeatFacts:
    """Step on the first batch again and again; parameters are put back by the caller."""
    because = _why_not(loop)
    if because:
        return RepeatFacts(not_tried_because=because)
    optimizer = loop.pipeline.optimizers[0]
    rate = float(optimizer.param_groups[0].get("lr") or 0.0)
    zero = set(loop.gradients.facts(loop.modules).zero)
    retry: tuple[float, ...] = ()
    aside = _parameters_aside(loop.model, optimizer)
    try:
        with _trial(loop.model, optimizer):
            losses = _steps(loop, optimizer, zero)
            moved = _first_moved(aside)
        if _rises(losses):
            with _trial(loop.model, optimizer):
                retry = _retry(loop, optimizer)
    except loop.session.caught as error:
        _look_again(loop)
        return RepeatFacts(not_tried_because=f"it raised {loop.session.fact(error)}")
    if moved and _rises(losses) and math.isfinite(losses[-1]):
        return RepeatFacts(
            not_tried_because=f"the loss moves by itself: running it changes {moved!r}, which the "
            "optimizer does not hold"
        )
    # At a rate of 0 (a warm-up) what starts at zero stays there, and all before it.
    has_moved = len(losses) > MIN_STEPS and min(losses) < losses[0]
    still_zero = tuple(sorted(zero)) if has_moved else ()
    retry_rate = rate * RETRY_FACTOR if retry else None
    return RepeatFacts(losses, rate, retry_rate, retry, still_zero)


def _rises(losses: tuple[float, ...]) -> bool:
    """Whether the last loss is above the first, or none."""
    return len(losses) > 1 and not losses[-1] <= losses[0]


def _parameters_aside(
    model: nn.Module, optimizer: torch.optim.Optimizer
) -> dict[str, tuple[torch.Tensor, torch.Tensor]]:
    """Parameters that the optimizer does not hold (a target network, a teacher), with copies."""
    held = {id(p) for group in optimizer.param_groups for p in group["params"]}
    named = [(n, p.detach()) for n, p in model.named_parameters() if id(p) not in held]
    return {n: (p, p.clone()) for n, p in named if not is_lazy(p)}


def _first_moved(aside: dict[str, tuple[torch.Tensor, torch.Tensor]]) -> str:
    """The first of them that has changed, "" where none has."""
    return next((n for n, (now, before) in aside.items() if not torch.equal(now, before)), "")


def _look_again(loop: SectionLoop) -> None:
    """Run the forward that raised once more, so that the calls of losses in it are recorded."""
    draw, batch = loop.batches[0]
    context = loop.context(draw, batch)
    with suppress(*loop.session.caught), CallWatch(context, loop.modules, loop.record):
        loop.loss(batch, draw.number)


def _why_not(loop: SectionLoop) -> str:
    if loop.style == "train_step":
        return "the loop is the user's own"
    if len(loop.pipeline.optimizers) != 1:
        return f"there are {len(loop.pipeline.optimizers)} optimizers"
    if scaler_of(loop) is not None:
        return "a GradScaler is at work"
    if not loop.seen.can_learn:
        return "a loss was not finite or not attached to the graph"
    return ""


def _steps(
    loop: SectionLoop, optimizer: torch.optim.Optimizer, zero: set[str]
) -> tuple[float, ...]:
    """The losses; names whose gradient is no longer exactly 0 are taken out of `zero`."""
    draw, batch = loop.batches[0]
    watched = [(n, p) for n, p in loop.model.named_parameters() if n in zero]
    losses: list[float] = []
    began = time.monotonic()
    for _ in range(MAX_STEPS + 1):
        optimizer.zero_grad()
        loss = loop.loss(batch, draw.number)
        losses.append(float(loss.detach()))
        spent = time.monotonic() - began
        per_step = spent / len(losses)
        if not math.isfinite(losses[-1]) or (
            spent > MAX_SECONDS or per_step * MIN_STEPS > MAX_SECONDS
        ):
            break
        loss.backward()
        zero -= {n for n, p in watched if p.grad is not None and bool(p.grad.count_nonzero())}
        optimizer.step()
    return tuple(losses)


def _retry(loop: SectionLoop, optimizer: torch.optim.Optimizer) -> tuple[float, ...]:
    for group in optimizer.param_groups:
        group["lr"] = group["lr"] * RETRY_FACTOR
    return _steps(loop, optimizer, set())


@contextmanager
def _without_dropout(model: nn.Module) -> Iterator[None]:
    dropouts = [
        module
        for module in model.modules()
        if isinstance(module, nn.modules.dropout._DropoutNd) and module.training  # noqa: SLF001 - the base has no public name
    ]
    for module in dropouts:
        module.training = False
    try:
        yield
    finally:
        for module in dropouts:
            module.training = True


@contextmanager
def _trial(model: nn.Module, optimizer: torch.optim.Optimizer) -> Iterator[None]:
    """Steps without dropout, after which parameters and optimizer are as they were."""
    start = [(p, p.detach().clone()) for p in model.parameters()]
    with _without_dropout(model), preserved_optimizer(optimizer):
        try:
            yield
        finally:
            with torch.no_grad():
                for parameter, value in start:
                    parameter.copy_(value)
