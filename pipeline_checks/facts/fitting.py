"""What `Trainer.fit` of Lightning finds in a module before its first batch."""

from dataclasses import dataclass

from ..report import Location


@dataclass(frozen=True)
class ConfiguredScheduler:
    """A scheduler that `configure_optimizers` returned.

    Attributes:
        type: Class name.
        is_plateau: Whether Lightning steps it with a metric.
        monitor: The name of that metric, "" where none is given.
        is_strict: Whether it is an error that the metric is missing.
        frequency: After how many epochs (or steps) it is stepped.
    """

    type: str
    is_plateau: bool = False
    monitor: str = ""
    is_strict: bool = True
    frequency: int = 1


@dataclass(frozen=True)
class WatchedMetric:
    """A metric that a callback or a scheduler looks for at the end of an epoch.

    Attributes:
        by: What looks for it: `EarlyStopping`.
        name: Its name.
        is_needed: Whether `fit` raises where it is missing.
    """

    by: str
    name: str
    is_needed: bool = True


@dataclass(frozen=True)
class LoggedNames:
    """The names under which the user's code may log.

    Attributes:
        plain: Those that stand in it as they are.
        patterns: A regular expression for each call; `.*` for a name that nobody knows before.
    """

    plain: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()


@dataclass(frozen=True)
class FittingFacts:
    """What Lightning 2 or later refuses, or quietly trains nothing with.

    Attributes:
        module: Class name of the LightningModule.
        is_automatic: Whether Lightning itself calls backward and steps.
        has_lost_optimizers: Whether `configure_optimizers` returned None and no line of it says so.
        optimizers: Class names of what it returned.
        takes_optimizer_index: Whether `training_step` has an argument `optimizer_idx`.
        schedulers: What it returned beside the optimizers.
        watched: The metrics that callbacks and schedulers look for.
        logged: The names under which the module and the callbacks may log.
        has_validation: Whether a `validation_step` may run.
        configured_at: Where `configure_optimizers` is defined.
        step_at: Where `training_step` is defined.
    """

    module: str
    is_automatic: bool = True
    has_lost_optimizers: bool = False
    optimizers: tuple[str, ...] = ()
    takes_optimizer_index: bool = False
    schedulers: tuple[ConfiguredScheduler, ...] = ()
    watched: tuple[WatchedMetric, ...] = ()
    logged: LoggedNames = LoggedNames()
    has_validation: bool = True
    configured_at: Location | None = None
    step_at: Location | None = None
