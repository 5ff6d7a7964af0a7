"""Look at the optimizers, the scaler and the scheduler before anything is run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import nn

from ..facts.optimizer import GroupFact, OptimizerFact, OptimizerFacts
from ..pipeline.training_length import training_length
from .schedule import num_to_try, schedule_fact, try_schedule
from .values import dtype_name

if TYPE_CHECKING:
    import torch

    from ..pipeline.parts import Pipeline


def look_at_optimizers(pipeline: Pipeline, precision: str) -> OptimizerFacts:
    """What the optimizers hold. Nothing is changed; a scheduler is put back after it was tried."""
    model = pipeline.model
    names = {id(p): n for n, p in model.named_parameters()} if model is not None else {}
    own = pipeline.loss.parameters() if isinstance(pipeline.loss, nn.Module) else ()
    extra = {id(p) for p in own}
    held = {id(p) for o in pipeline.optimizers for g in o.param_groups for p in g["params"]}
    trainable = [p for p in model.parameters() if p.requires_grad] if model is not None else []
    schedulers = pipeline.schedulers
    lengths = [training_length(pipeline, number) for number in range(len(schedulers))]
    trials = [try_schedule(s, num_to_try(n)) for s, n in zip(schedulers, lengths, strict=True)]
    return OptimizerFacts(
        optimizers=tuple(
            _optimizer(o, names, extra, is_only=len(pipeline.optimizers) == 1)
            for o in pipeline.optimizers
        ),
        missing=tuple(names[id(p)] for p in trainable if id(p) not in held),
        num_trainable=len(trainable),
        is_made_up="optimizer" in pipeline.made_up,
        has_scaler=pipeline.scaler is not None,
        scheduled_lrs=trials[0].first_rates if trials else (),
        scheduler=type(schedulers[0]).__name__ if schedulers else "",
        precision=precision,
        schedules=tuple(map(schedule_fact, schedulers, trials, lengths)),
    )


def _optimizer(
    optimizer: torch.optim.Optimizer, names: dict[int, str], extra: set[int], *, is_only: bool
) -> OptimizerFact:
    tensors = [p for group in optimizer.param_groups for p in group["params"]]
    foreign = [p for p in tensors if id(p) not in names and id(p) not in extra]
    return OptimizerFact(
        type=type(optimizer).__name__,
        groups=tuple(_group(group) for group in optimizer.param_groups),
        dtypes=tuple(sorted({dtype_name(p.dtype) for p in tensors})),
        num_foreign=len(foreign),
        foreign_shapes=tuple(tuple(p.shape) for p in foreign[:5]),
        frozen=tuple(names[id(p)] for p in tensors if id(p) in names and not p.requires_grad),
        names=() if is_only else tuple(names[id(p)] for p in tensors if id(p) in names),
    )


def _group(group: dict[str, Any]) -> GroupFact:
    numbers = {key: float(value) for key, value in group.items() if isinstance(value, (int, float))}
    lr = group.get("lr")  # None where the optimizer chooses its own, as transformers' Adafactor
    return GroupFact(None if lr is None else float(lr), numbers, len(group["params"]))
