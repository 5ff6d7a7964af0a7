"""The order of the calls in the user's own loop."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..facts.step import StepCall

STEPS = frozenset({"step", "scaler_step"})
Batches = tuple[tuple[StepCall, ...], ...]


@dataclass(frozen=True)
class Wiped:
    """Gradients that were cleared between the backward that made them and the step.

    Attributes:
        batch: Number of the batch.
        zero_grad: The call that cleared them.
        step: The step that found none.
    """

    batch: int
    zero_grad: StepCall
    step: StepCall


def is_step(call: StepCall) -> bool:
    """Whether it is an optimizer step, by a GradScaler or not."""
    return call.call in STEPS


def steps_in(calls: tuple[StepCall, ...]) -> list[StepCall]:
    """The optimizer steps of one batch."""
    return [call for call in calls if is_step(call)]


def scaled_steps(batches: Batches) -> list[tuple[int, StepCall]]:
    """Steps with gradients that still held a GradScaler's factor, each with its batch."""
    return [
        (number, call)
        for number, calls in enumerate(batches)
        for call in calls
        if call.factor is not None
    ]


def clears(zero_grad: StepCall, step: StepCall) -> bool:
    """Whether this zero_grad clears what this step would use."""
    return zero_grad.call == "zero_grad" and (
        zero_grad.subject is None or step.subject is None or zero_grad.subject == step.subject
    )


def wiped_steps(batches: Batches) -> Iterator[Wiped]:
    """Steps whose gradients were cleared after the last backward of the same batch."""
    for number, calls in enumerate(batches):
        for place, step in enumerate(calls):
            if not is_step(step) or step.has_closure:
                continue
            backwards = [i for i, call in enumerate(calls[:place]) if call.call == "backward"]
            if not backwards:
                continue
            between = calls[backwards[-1] + 1 : place]
            cleared = next((call for call in between if clears(call, step)), None)
            # What was stepped and cleared already is not this step's loss.
            if cleared is not None and not any(_is_same(call, step) for call in between):
                yield Wiped(number, cleared, step)


def _is_same(call: StepCall, step: StepCall) -> bool:
    return is_step(call) and call.subject == step.subject


def early_steps(calls: tuple[StepCall, ...]) -> list[StepCall]:
    """Steps that come before the first backward of a batch that has one."""
    names = [call.call for call in calls]
    if "backward" not in names:
        return []
    first = names.index("backward")
    return [call for call in calls[:first] if is_step(call) and not call.has_closure]


def early_clips(calls: tuple[StepCall, ...]) -> list[StepCall]:
    """Clippings of gradients that still hold a GradScaler's scale."""
    found: list[StepCall] = []
    is_scaled = True
    for place, call in enumerate(calls):
        if call.call == "backward":
            is_scaled = True
        elif call.call == "unscale":
            is_scaled = False
        elif call.call == "clip" and is_scaled:
            later = [other.call for other in calls[place:]]
            if "scaler_step" in later:
                found.append(call)
    return found
