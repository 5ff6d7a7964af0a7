"""TD016: gradient checkpointing is asked of a model that has none."""

from collections.abc import Iterator

from ...facts import LoadFacts, TrainerFacts
from ...report import Problem, Severity
from ..registry import check


@check("TD016", Severity.ERROR)
def checkpointing_not_supported(trainer: TrainerFacts, load: LoadFacts | None) -> Iterator[Problem]:
    """TrainingArguments ask for gradient checkpointing, which the model does not support.

    Why it matters: `train()` turns it on before the first batch, and raises.

    How to fix it: take `gradient_checkpointing=True` away. In a model of your own, wrap its layers
    in `torch.utils.checkpoint.checkpoint`, and set `supports_gradient_checkpointing = True`.
    """
    if not trainer.checkpointing_problem:
        return
    yield Problem(
        f"gradient_checkpointing=True, but {trainer.checkpointing_problem}: train() raises before "
        "the first batch.",
        where="TrainingArguments",
        hint="remove gradient_checkpointing=True, or build the layers of the model from "
        "GradientCheckpointingLayer and set supports_gradient_checkpointing = True in its class.",
        location=load.place_of(("trainer", "pipeline")) if load else None,
        values={"problem": trainer.checkpointing_problem},
    )
