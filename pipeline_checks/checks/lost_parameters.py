"""The words for trainable parameters that get no gradient."""

from ..facts import GradientFacts, GraphFacts
from ..facts.training import GradOff
from ..report import Problem, Severity
from .parameter_names import by_module, is_under
from .wording import count, name_list

CUTTING = frozenset({"detach", "detach_", "numpy"})
REMEDY = (
    "use them in forward, remove them, or freeze them; DistributedDataParallel needs "
    "find_unused_parameters=True for them."
)


def lost_problem(
    names: list[str], gradients: GradientFacts, severity: Severity | None, graph: GraphFacts
) -> Problem:
    """Parameters that the loss does not reach."""
    parts = by_module(names)
    shown = [f"{part or 'the model'} ({name_list(own)})" for part, own in parts.items()]
    called = [part for part in parts if part in gradients.never_called]
    never = f"; never called: {name_list(called)}" if called else ""
    cut = graph.detached_by if len(called) < len(parts) and graph.detached_by in CUTTING else ""
    if cut:
        never += f"; .{cut}() at {graph.detached_at} cuts them off"
    return Problem(
        f"{count(len(names), 'trainable parameter')} got no gradient in "
        f"{count(gradients.num_batches, 'batch', 'batches')}: {name_list(shown)}{never}.",
        where=name_list(list(parts)),
        hint=f"take the .{cut}() away, or freeze what comes before it." if cut else REMEDY,
        location=graph.detached_at if cut else None,
        severity=severity,
        values={"parameters": names, "num_batches": gradients.num_batches},
    )


def off_problem(off: GradOff, gradients: GradientFacts, *, is_held: bool) -> Problem:
    """Parameters of a module that ran without gradients."""
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
    return Problem(
        f"{count(len(names), 'trainable parameter')} of {name} got no gradient: it runs under "
        "no_grad.",
        where=name,
        hint="take the no_grad away to train it, or freeze it: requires_grad_(False).",
        location=off.location,
        severity=None if is_held else Severity.INFO,
        values={"parameters": names},
    )
