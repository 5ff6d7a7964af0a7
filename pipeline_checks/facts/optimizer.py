"""What looking at the optimizers, the scaler and the scheduler showed."""

from dataclasses import dataclass, field

from .schedule import ScheduleFact


@dataclass(frozen=True)
class GroupFact:
    """One parameter group.

    Attributes:
        lr: Its learning rate, None where the optimizer chooses its own (transformers' Adafactor).
        numbers: Its numbers: `eps`, `weight_decay`; flags as 0 and 1: `fused`.
        num_tensors: How many tensors it holds.
    """

    lr: float | None
    numbers: dict[str, float] = field(default_factory=dict)
    num_tensors: int = 0


@dataclass(frozen=True)
class OptimizerFact:
    """One optimizer.

    Attributes:
        type: Class name.
        groups: Its parameter groups.
        dtypes: Dtypes of its parameters.
        num_foreign: Tensors that it holds and the model does not.
        foreign_shapes: Shapes of some of them.
        frozen: Names of parameters that it holds and that require no gradient.
        names: Names of the model's parameters that it holds, where it is one of several.
    """

    type: str
    groups: tuple[GroupFact, ...] = ()
    dtypes: tuple[str, ...] = ()
    num_foreign: int = 0
    foreign_shapes: tuple[tuple[int, ...], ...] = ()
    frozen: tuple[str, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class OptimizerFacts:
    """What looking at the optimizers showed.

    Attributes:
        optimizers: One or several.
        missing: Trainable parameters of the model that no optimizer holds.
        num_trainable: Trainable parameters of the model.
        is_made_up: True if tdebug made the optimizer.
        has_scaler: Whether a GradScaler is used.
        scheduled_lrs: First learning rates of the first group under the scheduler, simulated; empty
            without one or where it could not be simulated.
        scheduler: Class name of the scheduler, "" without one.
        precision: fp32, bf16 or fp16 (autocast).
        schedules: One entry a scheduler.
    """

    optimizers: tuple[OptimizerFact, ...] = ()
    missing: tuple[str, ...] = ()
    num_trainable: int = 0
    is_made_up: bool = False
    has_scaler: bool = False
    scheduled_lrs: tuple[float, ...] = ()
    scheduler: str = ""
    precision: str = "fp32"
    schedules: tuple[ScheduleFact, ...] = ()
