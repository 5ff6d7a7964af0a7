"""TD810: equal parameters with equal gradients differ after a step."""

from collections.abc import Iterator

from ...facts import DistributedFacts, LoadFacts
from ...facts.distributed import RankStep
from ...report import Problem, Severity
from ..rank_training import parted_names, trained_ranks
from ..rank_words import differ, groups_of
from ..registry import Undecided, check
from ..wording import count_of, quoted_list


@check("TD810", Severity.ERROR)
def parameters_differ_after_step(
    distributed: DistributedFacts, load: LoadFacts | None = None
) -> Iterator[Problem]:
    """Parameters that were equal on all ranks differ after a step, though their gradients agree.

    Each rank runs a few training steps; parameters are compared after each.

    Why it matters:
        From that step on each rank trains another model. Averaged gradients do not bring them
        together again, and what rank 0 saves is only one of them.

    How to fix it:
        What is done with a gradient must be the same on every rank: one learning rate, one set of
        parameters in the optimizer, clipping by the norm of the averaged gradients, no noise and no
        change of weights that depends on the rank.
    """
    trained = trained_ranks(distributed)
    if not trained:
        return
    first = next(iter(trained.values()))
    if not first.averaged_by:
        raise Undecided("because nothing that tdebug was shown averages the gradients")
    for steps in zip(*(training.steps for training in trained.values()), strict=False):
        if any(differ(s.gradients.get(name) for s in steps) for name in steps[0].gradients):
            return  # a consequence, which another check names
        odd = parted_names([step.parameters for step in steps], trained)
        if odd:
            yield _problem(odd, dict(zip(trained, steps, strict=True)), load)
            return


def _problem(odd: list[str], steps: dict[int, RankStep], load: LoadFacts | None) -> Problem:
    step = next(iter(steps.values()))
    groups = groups_of({rank: one.parameters[odd[0]] for rank, one in steps.items()})
    return Problem(
        f"{count_of(len(odd), len(step.parameters), 'parameter')} differ across the ranks after "
        f"step {step.number}, though they were equal before it: {quoted_list(odd)}.",
        where=f"after step {step.number} of the optimizer (counted from 0): {odd[0]!r} is one "
        f"thing on {' and another on '.join(groups)}",
        hint="the gradients agree, so look at what is done with them: a learning rate, a group of "
        "parameters or a clipping that depends on the rank.",
        location=load.place_of(("optimizer", "train_step", "trainer")) if load else None,
        values={"parameters": odd, "step": step.number},
    )
