"""How a scheduler is stepped, and whether what it counts are epochs, updates or something else."""

from ..facts import LoaderFacts, StepFacts
from ..facts.schedule import ScheduleFact
from .wording import count

NEAR = 0.02


def length_text(fact: ScheduleFact) -> str:
    """`300 times (3 epochs of 100 updates, one step an update)`."""
    each = "one step an epoch" if fact.is_by_epoch else "one step an update"
    epochs = (
        f"{count(fact.num_epochs, 'epoch')} of {count(fact.per_epoch, 'update')}, "
        if fact.num_epochs and fact.per_epoch
        else ""
    )
    return f"{count(fact.num_steps or 0, 'time')} ({epochs}{each})"


def is_other_unit(steps: int, fact: ScheduleFact) -> bool:
    """Whether these steps are epochs, or one epoch, where training counts updates."""
    if fact.is_by_epoch:
        return False
    is_epochs = fact.num_epochs is not None and steps <= fact.num_epochs + 1
    return is_epochs or steps == fact.per_epoch


def may_be_for_processes(steps: int, fact: ScheduleFact) -> bool:
    """Whether training is a whole multiple as long: on so many processes the steps would fit."""
    if fact.is_by_epoch or not steps or not fact.num_steps:
        return False
    ratio = fact.num_steps / steps
    return ratio > 1.5 and abs(ratio - round(ratio)) <= NEAR * ratio  # noqa: PLR2004 - one and a half


def batches_an_epoch(step: StepFacts | None, loader: LoaderFacts | None) -> int | None:
    """The batches of an epoch, where the user's own loop steps one scheduler in each of them."""
    calls = step.calls if step is not None else ()
    each = [sum(call.call == "scheduler" for call in batch) for batch in calls]
    if not each or set(each) != {1} or loader is None:
        return None
    return loader.num_batches
