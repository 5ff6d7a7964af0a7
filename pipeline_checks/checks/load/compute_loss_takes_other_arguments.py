"""TD014: compute_loss of a Trainer does not take what training_step calls it with."""

from collections.abc import Iterator

from ...facts import TrainerFacts
from ...report import Problem, Severity
from ..registry import check


@check("TD014", Severity.ERROR)
def compute_loss_takes_other_arguments(trainer: TrainerFacts) -> Iterator[Problem]:
    """An overridden compute_loss lacks an argument that the Trainer calls it with.

    Why it matters: it was written for another version of transformers (before 4.46 there was no
    `num_items_in_batch`). `train()` raises a TypeError at the first batch.

    How to fix it: give it the arguments of the installed Trainer: `def compute_loss(self, model,
    inputs, return_outputs=False, num_items_in_batch=None)`, or end it with `**kwargs`.
    """
    if not trainer.loss_problem:
        return
    yield Problem(
        f"{trainer.type} defines {trainer.loss_signature}, but the installed Trainer calls "
        f"{trainer.loss_call}: train() raises TypeError ({trainer.loss_problem}).",
        where=f"{trainer.type}.compute_loss",
        hint="write def compute_loss(self, model, inputs, return_outputs=False, "
        "num_items_in_batch=None), or end its arguments with **kwargs.",
        location=trainer.loss_at,
        values={"call": trainer.loss_call, "signature": trainer.loss_signature},
    )
