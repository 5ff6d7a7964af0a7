"""TD405: trainable parameters that the loss never reaches."""

from collections.abc import Iterator

from ...facts import GradientFacts, GraphFacts, OptimizerFacts, TrainingFacts
from ...facts.training import GradOff
from ...report import Problem, Severity
from ..parameter_names import by_module, is_optional_part, is_under
from ..registry import Undecided, check
from ..wording import count, name_list


@check("TD405", Severity.WARNING)
def parameters_without_gradient(
    gradients: GradientFacts,
    graph: GraphFacts,
    optimizers: OptimizerFacts | None,
    training: TrainingFacts | None,
) -> Iterator[Problem]:
    """Trainable parameters get no gradient in any batch: the loss does not depend on them.

    Why it matters: they stay as they were made. DistributedDataParallel stops over them, and a
    layer that was forgotten in `forward` is often a bug.

    How to fix it: use the layer in `forward`, remove it, or freeze it
    (`requires_grad_(False)`). Where parts are used by turns, set `find_unused_parameters=True`.
    """
    if gradients.num_batches == 0:
        raise Undecided("no backward ended")
    off = [one for one in graph.grad_off if any(is_under(n, one.module) for n in gradients.never)]
    for one in off:
        yield _of_grad_off(one, gradients, optimizers)
    rest = [n for n in gradients.never if not any(is_under(n, one.module) for one in off)]
    lost = [name for name in rest if not is_optional_part(name)]
    quiet = [name for name in rest if is_optional_part(name)]
    if lost:
        severity = None if _is_meant_to_train(lost, optimizers, training) else Severity.INFO
        yield _problem(lost, gradients, severity)
    if quiet:
        yield _problem(quiet, gradients, Severity.INFO)


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


def _problem(names: list[str], gradients: GradientFacts, severity: Severity | None) -> Problem:
    parts = by_module(names)
    shown = [f"{part or 'the model'} ({name_list(own)})" for part, own in parts.items()]
    called = [part for part in parts if part in gradients.never_called]
    never = f"; never called: {name_list(called)}" if called else ""
    return Problem(
        f"{count(len(names), 'trainable parameter')} got no gradient in "
        f"{count(gradients.num_batches, 'batch', 'batches')}: {name_list(shown)}{never}.",
        where=name_list(list(parts)),
        hint="use them in forward, remove them, or freeze them; DistributedDataParallel needs "
        "find_unused_parameters=True for them.",
        severity=severity,
        values={"parameters": names, "num_batches": gradients.num_batches},
    )


def _of_grad_off(
    off: GradOff, gradients: GradientFacts, optimizers: OptimizerFacts | None
) -> Problem:
    names = [name for name in gradients.never if is_under(name, off.module)]
    name = repr(off.module) if off.module else "the model"
    if off.cause == "checkpoint":
        return Problem(
            f"{count(len(names), 'trainable parameter')} of {name} got no gradient: its re-entrant "
            "checkpoint has no input that requires one.",
            where=name,
            hint="use_reentrant=False, or model.enable_input_require_grads() in transformers.",
            location=off.location,
            severity=Severity.ERROR,
            values={"parameters": names},
        )
    is_held = _is_meant_to_train(names, optimizers, None)
    return Problem(
        f"{count(len(names), 'trainable parameter')} of {name} got no gradient: it runs under "
        "no_grad.",
        where=name,
        hint="take the no_grad away to train it, or freeze it: requires_grad_(False).",
        location=off.location,
        severity=None if is_held and optimizers and not optimizers.is_made_up else Severity.INFO,
        values={"parameters": names},
    )
