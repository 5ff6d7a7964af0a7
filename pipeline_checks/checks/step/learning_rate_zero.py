"""TD504: the learning rate is 0."""

from collections.abc import Iterator

from ...facts import LoadFacts, OptimizerFacts, StepFacts
from ...report import Problem, Severity, Stage
from ..optimizer_words import optimizer_name, owns_choice
from ..registry import Undecided, check


@check("TD504", Severity.ERROR)
def learning_rate_zero(
    optimizers: OptimizerFacts,
    load: LoadFacts | None = None,
    step: StepFacts | None = None,
) -> Iterator[Problem]:
    """The learning rate is 0 in every group, and no scheduler lifts it.

    Why it matters: every step leaves the weights as they are.

    How to fix it: set the learning rate, and look at what the scheduler multiplies it by: a warm-up
    starts at 0 by right, but must rise in the first steps.
    """
    if not owns_choice(optimizers):
        return
    for which, one in enumerate(optimizers.optimizers):
        if not one.groups or any(group.lr != 0 for group in one.groups):
            continue
        scheduled = optimizers.scheduled_lrs
        if optimizers.scheduler and not scheduled:
            raise Undecided(f"{optimizers.scheduler} could not be simulated")
        if max(scheduled, default=0.0) > 0:
            continue
        if load is not None and load.part("train_step") is not None:
            if step is None:
                raise Undecided("your train_step may set the rate itself")
            if step.num_changed:
                continue
        steps = f" in its first {len(scheduled)} steps" if scheduled else ""
        by = (
            f", and its scheduler {optimizers.scheduler} keeps it there{steps}"
            if optimizers.scheduler
            else ""
        )
        yield Problem(
            f"the learning rate of {optimizer_name(optimizers, which)} is 0 in every group{by}: no "
            "step changes anything.",
            where=f"the optimizer, {one.type}",
            hint=f"look at the factor of {optimizers.scheduler} and its number of steps."
            if optimizers.scheduler
            else "give it a learning rate, for example lr=1e-3 (3e-5 for fine-tuning).",
            values={"lr": 0.0, "scheduler": optimizers.scheduler},
            stage=Stage.LOAD,  # seen as soon as the optimizer is built
        )
