"""TD809: the gradients of a step differ across the ranks."""

from collections.abc import Iterator

from ...facts import DistributedFacts, LoadFacts
from ...facts.distributed import RankStep, RankTraining
from ...report import Problem, Severity
from ..rank_training import parted_names, trained_ranks
from ..rank_words import by_rank, differ, groups_of
from ..registry import Undecided, check
from ..wording import count_of, quoted_list

CODE = "the code"


@check("TD809", Severity.ERROR)
def gradients_differ_across_ranks(
    distributed: DistributedFacts, load: LoadFacts | None = None
) -> Iterator[Problem]:
    """The gradients of a step differ across the ranks.

    Each rank runs a few training steps on batches of its own, and the gradients with which an
    optimizer steps are compared; what is accumulated before (`no_sync`) is not. Only parameters
    that were equal before the first step count. A remark where nothing averages the gradients in
    what tdebug was shown: the script may wrap the model later.

    Why it matters:
        Each rank then trains a model of its own on its part of the data, and what rank 0 saves has
        seen only that part. Nothing fails; the result is worse, as if the batch were smaller.

    How to fix it:
        Call the wrapped model itself, `ddp(...)`, and not `ddp.module(...)` or a reference that was
        taken before it was wrapped: only its own `forward` has the backward average the gradients.
        Wrap the whole model. In a Trainer, `compute_loss` must use the `model` that it is given,
        not `self.model`. Where the code averages itself, it must do so for every gradient.
    """
    trained = trained_ranks(distributed)
    if not trained:
        return
    first = next(iter(trained.values()))
    if not first.averaged_by:
        yield from _unaveraged(distributed, first)
        return
    for steps in zip(*(training.steps for training in trained.values()), strict=False):
        odd = parted_names([step.gradients for step in steps], trained)
        if odd:
            if any(training.has_own_hook for training in trained.values()):
                raise Undecided("because a communication hook averages the gradients its own way")
            yield _problem(odd, dict(zip(trained, steps, strict=True)), first, load)
            return


def _problem(
    odd: list[str], steps: dict[int, RankStep], training: RankTraining, load: LoadFacts | None
) -> Problem:
    step = next(iter(steps.values()))
    is_outside = set(odd) <= set(training.unwrapped)
    is_trainer = load is not None and load.part("trainer") is not None
    return Problem(
        f"the gradients of {count_of(len(odd), len(step.gradients), 'parameter')} differ across "
        f"the ranks in step {step.number}: {quoted_list(odd)}.",
        where=f"before step {step.number} of the optimizer (counted from 0): "
        f"{_difference(odd[0], steps)}",
        hint=_hint(training, is_outside=is_outside, is_trainer=is_trainer),
        location=load.place_of(("train_step", "compute_loss", "model", "trainer"))
        if load
        else None,
        # Outside of the wrapper a loop that tdebug does not see may average.
        severity=Severity.WARNING if is_outside else None,
        values={"parameters": odd, "step": step.number, "averaged_by": training.averaged_by},
    )


def _difference(name: str, steps: dict[int, RankStep]) -> str:
    has_gradient = {rank: step.gradients[name] != "" for rank, step in steps.items()}
    if differ(has_gradient.values()):
        told = {rank: "a gradient" if has else "none" for rank, has in has_gradient.items()}
        return f"{name!r}: {by_rank(told)}"
    groups = groups_of({rank: step.gradients[name] for rank, step in steps.items()})
    return f"{name!r} is one thing on {' and another on '.join(groups)}"


def _hint(training: RankTraining, *, is_outside: bool, is_trainer: bool) -> str:
    if training.averaged_by == CODE:
        return "average every gradient before the step, on every rank."
    if is_outside:
        return "these parameters are outside of what is wrapped: wrap the whole model."
    if is_trainer:
        return (
            "compute_loss must call the `model` that it is given, which is wrapped, and neither "
            "self.model nor model.module."
        )
    return (
        "the loss must come from a call of the wrapped model itself, `model(...)`, not of "
        "`model.module(...)` or of a part of it."
    )


def _unaveraged(distributed: DistributedFacts, training: RankTraining) -> Iterator[Problem]:
    mentioned = next((rank.mentions for rank in distributed.ranks if rank.mentions), ())
    if mentioned:
        raise Undecided(f"because {mentioned[0]} may wrap the model where tdebug does not run")
    if training.called_collectives:
        raise Undecided("because the code calls collectives itself")
    yield Problem(
        "nothing averages the gradients of the ranks in what tdebug was shown.",
        hint="where your script wraps the model before it trains (DistributedDataParallel, "
        "accelerator.prepare), all is well; else each rank trains a model of its own.",
        severity=Severity.INFO,
    )
