"""Optimizers of a loop with several of them that step and never have a gradient to step with."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..facts import GradientFacts, OptimizerFacts, StepFacts
from ..facts.step import StepCall
from .loop_calls import Batches, early_steps, is_step, wiped_steps

FEW = 2
ENOUGH = 3


@dataclass(frozen=True)
class IdleOptimizer:
    """An optimizer whose parameters never had a gradient when it stepped.

    Attributes:
        number: Which one.
        names: The model's parameters that it holds.
        num_steps: How often it stepped.
        step: The first of these calls.
        backward: The backward before that.
        is_alone: Whether that served this optimizer alone: then the loss that was meant for it does
            not reach it.
    """

    number: int
    names: tuple[str, ...]
    num_steps: int
    step: StepCall
    backward: StepCall | None
    is_alone: bool


def idle_optimizers(
    step: StepFacts | None, optimizers: OptimizerFacts | None, gradients: GradientFacts
) -> Iterator[IdleOptimizer]:
    """The idle ones, where the loop is the user's own.

    One that shares its backward with others may wait for a later phase of training: it counts where
    it stepped in each of at least 3 batches.
    """
    if step is None or optimizers is None or len(optimizers.optimizers) < FEW:
        return
    reached = set(gradients.reached)
    for number, one in enumerate(optimizers.optimizers):
        steps = [(b, place) for b, place, call in _all_steps(step.calls) if call.subject == number]
        calls = [step.calls[batch][place] for batch, place in steps]
        is_idle = bool(one.names) and reached.isdisjoint(one.names)
        is_idle = is_idle and all(c.had_gradients is False and not c.has_closure for c in calls)
        if len(steps) < FEW or not is_idle or _is_out_of_order(step.calls, number):
            continue
        served = [_backward_before(step.calls[batch], place) for batch, place in steps]
        is_alone = all(backward is not None and alone for backward, alone in served)
        is_regular = len({batch for batch, _ in steps}) == len(step.calls) >= ENOUGH
        if is_alone or is_regular:
            yield IdleOptimizer(number, one.names, len(steps), calls[0], served[0][0], is_alone)


def _all_steps(batches: Batches) -> Iterator[tuple[int, int, StepCall]]:
    for number, calls in enumerate(batches):
        for place, call in enumerate(calls):
            if is_step(call):
                yield number, place, call


def _is_out_of_order(batches: Batches, number: int) -> bool:
    """Whether the order of the calls explains it: see TD509 and TD512."""
    early = [call for calls in batches for call in early_steps(calls)]
    late = [one.step for one in wiped_steps(batches)]
    return any(call.subject == number for call in [*early, *late])


def _backward_before(calls: tuple[StepCall, ...], place: int) -> tuple[StepCall | None, bool]:
    """The backward before this step, and whether no optimizer found gradients after it."""
    backwards = [n for n, call in enumerate(calls) if call.call == "backward"]
    before = [n for n in backwards if n < place]
    if not before:
        return None, False
    end = next((n for n in backwards if n > place), len(calls))
    served = [call for call in calls[before[-1] : end] if is_step(call)]
    return calls[before[-1]], not any(call.had_gradients for call in served)
