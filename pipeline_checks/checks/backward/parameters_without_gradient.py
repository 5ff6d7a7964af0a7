"""TD405: trainable parameters that the loss never reaches."""

from collections.abc import Iterator

from ...facts import GradientFacts, GraphFacts, OptimizerFacts, StepFacts, TrainingFacts
from ...report import Problem, Severity
from ..idle_optimizers import idle_optimizers
from ..lost_parameters import idle_problem, lost_problems, off_problem
from ..optimizer_words import owns_choice
from ..parameter_names import is_optional_part, is_under
from ..registry import Undecided, check


@check("TD405", Severity.WARNING)
def parameters_without_gradient(
    gradients: GradientFacts,
    graph: GraphFacts,
    optimizers: OptimizerFacts | None,
    training: TrainingFacts | None,
    step: StepFacts | None = None,
) -> Iterator[Problem]:
    """Trainable parameters get no gradient in any batch: the loss does not depend on them.

    Why it matters: they stay as they were made. DistributedDataParallel stops over them, and a
    layer that was forgotten in `forward` is often a bug. A generator whose loss sees
    `D(fake.detach())` never learns, while all losses look alive; nor does what stands before
    `argmax`, a comparison, `.data`, `.tolist()` or a backward of your own that returns None.

    How to fix it: use the layer in `forward`, remove it, or freeze it
    (`requires_grad_(False)`). Where the operator that ends the gradient is named, take another one
    there. Where parts are used by turns, set `find_unused_parameters=True`.
    """
    if gradients.num_batches == 0:
        raise Undecided("no backward ended")
    if gradients.never and not gradients.reached:
        raise Undecided("no parameter has a gradient at all: see loss-has-no-gradient")
    idle = list(idle_optimizers(step, optimizers, gradients))
    sure = {name for one in idle if one.is_alone for name in one.names}
    off = [one for one in graph.grad_off if any(is_under(n, one.module) for n in gradients.never)]
    for one in off:
        names = [name for name in gradients.never if is_under(name, one.module)]
        is_held = owns_choice(optimizers) and _is_meant_to_train(names, optimizers, None)
        is_sure = bool(names) and sure.issuperset(names)
        yield off_problem(one, gradients, is_held=is_held, is_sure=is_sure)
    rest = [n for n in gradients.never if not any(is_under(n, one.module) for one in off)]
    for optimizer in idle:
        if optimizers is not None and set(optimizer.names) & set(rest):
            yield idle_problem(optimizer, gradients, optimizers)
            rest = [name for name in rest if name not in optimizer.names]
    lost = [name for name in rest if not is_optional_part(name)]
    quiet = [name for name in rest if is_optional_part(name)]
    if lost:
        severity = None if _is_meant_to_train(lost, optimizers, training) else Severity.INFO
        yield from lost_problems(lost, gradients, severity, graph)
    if quiet:
        yield from lost_problems(quiet, gradients, Severity.INFO, graph)


def _is_meant_to_train(
    names: list[str], optimizers: OptimizerFacts | None, training: TrainingFacts | None
) -> bool:
    """Not where no optimizer holds any of them, nor where several take turns in a loop."""
    if optimizers is None or optimizers.is_made_up:
        return True
    is_taking_turns = len(optimizers.optimizers) > 1 and (
        training is not None and training.style in {"train_step", "lightning"}
    )
    return not is_taking_turns and any(name not in optimizers.missing for name in names)
