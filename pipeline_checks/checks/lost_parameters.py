"""The words for trainable parameters that get no gradient."""

from collections.abc import Iterator

from ..facts import GradientFacts, GraphFacts, OptimizerFacts
from ..facts.gradient_ends import GradientEnd
from ..facts.training import GradOff
from ..report import Problem, Severity
from .gradient_end_words import end_hint, end_text
from .idle_optimizers import IdleOptimizer
from .optimizer_words import optimizer_name
from .parameter_names import by_module, is_under
from .wording import count, name_list

CUTTING = frozenset({"detach", "detach_", "numpy"})
REMEDY = (
    "use them in forward, remove them, or freeze them; DistributedDataParallel needs "
    "find_unused_parameters=True for them."
)


def lost_problems(
    names: list[str], gradients: GradientFacts, severity: Severity | None, graph: GraphFacts
) -> Iterator[Problem]:
    """Parameters that the loss does not reach, those together whose gradient ends at one place."""
    by_end: dict[GradientEnd | None, list[str]] = {}
    for name in names:
        by_end.setdefault(graph.ends.end_of(name), []).append(name)
    for end, own in by_end.items():
        yield _lost_problem(own, gradients, severity, end or _seen_cut(own, graph))


def _lost_problem(
    names: list[str],
    gradients: GradientFacts,
    severity: Severity | None,
    end: GradientEnd | None,
) -> Problem:
    parts = by_module(names)
    shown = [f"{part or 'the model'} ({name_list(own)})" for part, own in parts.items()]
    called = [part for part in parts if part in gradients.never_called]
    never = f"; never called: {name_list(called)}" if called and end is None else ""
    why = f"; {end_text(end)}" if end is not None else never
    return Problem(
        f"{count(len(names), 'trainable parameter')} got no gradient in "
        f"{count(gradients.num_batches, 'batch', 'batches')}: {name_list(shown)}{why}.",
        where=name_list(list(parts)),
        hint=end_hint(end) if end is not None else REMEDY,
        location=end.location if end is not None else None,
        severity=severity,
        values={"parameters": names, "num_batches": gradients.num_batches},
    )


def _seen_cut(names: list[str], graph: GraphFacts) -> GradientEnd | None:
    """The cut that was seen while the loop ran, where it is known to lie before these."""
    if graph.detached_by not in CUTTING or not set(names) & set(graph.detached_parameters):
        return None
    return GradientEnd("cut", tuple(names), graph.detached_by, graph.detached_at)


def idle_problem(
    idle: IdleOptimizer, gradients: GradientFacts, optimizers: OptimizerFacts
) -> Problem:
    """All parameters of an optimizer that steps all the same."""
    backward = idle.backward
    parts = list(by_module(list(idle.names)))
    cut = f".{backward.cut_by}() at {backward.cut}" if backward and backward.cut else ""
    why = (
        "the loss that goes back right before its step does not depend on them"
        if idle.is_alone
        else "the losses that go back do not depend on them"
    )
    return Problem(
        f"{optimizer_name(optimizers, idle.number)} stepped {count(idle.num_steps, 'time')}, but "
        f"none of its {count(len(idle.names), 'parameter')} ever had a gradient: {why}"
        f"{f'; {cut} cuts them off' if cut else ''}. They never change.",
        where=name_list(parts),
        hint=f"take the .{backward.cut_by}() away there (a generator's loss needs the graph "
        "through the discriminator, D(fake)), or freeze what comes before it."
        if backward and cut
        else "look for .detach(), .data or no_grad between these parameters and that loss.",
        location=(backward.cut if backward else None) or idle.step.location,
        severity=Severity.ERROR if idle.is_alone else None,
        values={
            "parameters": list(idle.names),
            "optimizer": idle.number,
            "num_batches": gradients.num_batches,
        },
    )


def off_problem(
    off: GradOff, gradients: GradientFacts, *, is_held: bool, is_sure: bool = False
) -> Problem:
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
        severity=Severity.ERROR if is_sure else None if is_held else Severity.INFO,
        values={"parameters": names},
    )
