"""TD518: the scheduler raises before training is over."""

from collections.abc import Iterator

from ...facts import LoaderFacts, OptimizerFacts, StepFacts
from ...facts.schedule import ScheduleFact
from ...report import Problem, Severity
from ..registry import check
from ..schedule_words import batches_an_epoch, is_other_unit, length_text, may_be_for_processes
from ..wording import count


@check("TD518", Severity.ERROR)
def scheduler_fails(
    optimizers: OptimizerFacts, step: StepFacts | None, loader: LoaderFacts | None
) -> Iterator[Problem]:
    """The scheduler cannot be stepped as often as training steps it.

    Why it matters: OneCycleLR raises once its `total_steps` are used up, and a table of rates by
    epoch at its end: the run dies after hours.

    How to fix it: `total_steps` is the number of all updates, `epochs * len(loader)` (divided by
    the batches that are accumulated), where the scheduler steps after each of them.
    """
    for fact in optimizers.schedules:
        end = fact.raises_at or (fact.limit + 1 if fact.limit is not None else None)
        found = _severity_and_length(fact, end, batches_an_epoch(step, loader)) if end else None
        if end is None or found is None:
            continue
        severity, text = found
        error = f": {fact.error.rstrip('.')}" if fact.raises_at and fact.error else ""
        yield Problem(
            f"{fact.type} raises at step {end}{text}{error}.",
            where=f"the scheduler, {fact.type}",
            hint=_hint(fact),
            severity=severity,
            values={"raises_at": end, "num_steps": fact.num_steps},
        )


def _severity_and_length(
    fact: ScheduleFact, end: int, batches: int | None
) -> tuple[Severity | None, str] | None:
    if end == 1:
        return None, ", its first"
    if fact.num_steps is not None and fact.num_steps >= end:
        may_fit = may_be_for_processes(end - 1, fact) and not is_other_unit(end - 1, fact)
        severity = Severity.INFO if may_fit else None
        return severity, f", and training steps it {length_text(fact)}"
    if fact.num_steps is None and batches is not None and batches >= end:
        epoch = count(batches, "batch", "batches")
        # Training may end within its first epoch, which nobody but the user knows.
        return Severity.INFO, f", and the loop steps it after each of the {epoch} of an epoch"
    return None


def _hint(fact: ScheduleFact) -> str:
    if fact.limit is None:
        return "look at what it is given for a later step: a table that is too short, say."
    if fact.num_steps is not None:
        return f"give it total_steps={fact.num_steps}."
    return "give it total_steps = epochs * len(loader)."
