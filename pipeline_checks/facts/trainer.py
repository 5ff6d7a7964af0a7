"""What the settings of a Hugging Face Trainer ask for."""

from dataclasses import dataclass

from ..report import Location


@dataclass(frozen=True)
class TrainerFacts:
    """What `Trainer.train` would refuse, or ask for later.

    Attributes:
        type: Class name of the Trainer.
        loss_call: How its `training_step` calls `compute_loss`, "" where that is not known.
        loss_signature: `compute_loss(model, inputs)` as it is defined.
        loss_problem: Why the two do not go together, "" if they do.
        loss_at: Where `compute_loss` is defined.
        is_evaluating: Whether training evaluates now and then.
        best_metric: `metric_for_best_model`, "" where it is not set.
        best_asked_by: What needs it set: `EarlyStoppingCallback`, `ReduceLROnPlateau`.
        is_best_loaded: `load_best_model_at_end`.
        is_best_its_own: Whether the code that picks the metric is that of transformers alone.
        has_metrics: Whether it has a `compute_metrics`.
        label_names: The fields that it takes for labels.
        sets: Names of the evaluation sets, () where there is one alone.
        checkpointing_problem: Why the activations of its model cannot be checkpointed although
            that is asked for, "" if they can.
        has_own_step: Whether `training_step` is the user's, which tdebug does not call: it may
            change the batch before the loss.
    """

    type: str
    loss_call: str = ""
    loss_signature: str = ""
    loss_problem: str = ""
    loss_at: Location | None = None
    is_evaluating: bool = False
    best_metric: str = ""
    best_asked_by: tuple[str, ...] = ()
    is_best_loaded: bool = False
    is_best_its_own: bool = False
    has_metrics: bool = False
    label_names: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    checkpointing_problem: str = ""
    has_own_step: bool = False
