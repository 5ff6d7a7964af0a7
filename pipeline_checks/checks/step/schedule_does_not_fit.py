"""TD519: the schedule counts other steps than those that training takes."""

from collections.abc import Iterator

from ...facts import LoaderFacts, OptimizerFacts, StepFacts
from ...facts.schedule import ScheduleFact
from ...report import Problem, Severity
from ..registry import check
from ..schedule_words import batches_an_epoch, is_other_unit, length_text
from ..wording import count

FAR = 10
LATE = 0.9
TWICE = 2


@check("TD519", Severity.WARNING)
def schedule_does_not_fit(
    optimizers: OptimizerFacts, step: StepFacts | None, loader: LoaderFacts | None
) -> Iterator[Problem]:
    """A schedule that is counted in epochs is stepped by batch, or the other way round.

    Why it matters: counted in epochs and stepped by batch, the rate is 0 (or at its lowest, and
    rising again) after a few batches; counted in batches and stepped by epoch, the warm-up never
    ends. Training goes on and learns little.

    How to fix it: give the scheduler the number of its own steps: all updates where it steps after
    each (a Hugging Face Trainer does; Lightning with `"interval": "step"`), epochs where it steps
    once in each (Lightning by default).
    """
    batches = batches_an_epoch(step, loader)
    for fact in optimizers.schedules:
        found = _of_known_length(fact) if fact.num_steps else _within_an_epoch(fact, batches)
        if found is None:
            continue
        severity, text, hint = found
        yield Problem(
            f"{fact.type} {text}.",
            where=f"the scheduler, {fact.type}",
            hint=f"{hint}.",
            severity=severity,
            values={"num_steps": fact.num_steps, "gone_from": fact.gone_from},
        )


Found = tuple[Severity | None, str, str]


def _of_known_length(fact: ScheduleFact) -> Found | None:
    total = fact.num_steps or 0
    period, gone = fact.half_period, fact.gone_from
    steps = f"training steps it {length_text(fact)}"
    right = f"give it the number of these steps, {total}"
    if fact.is_by_epoch:
        return _by_epoch(fact, total, steps)
    if (
        period
        and total >= TWICE * period
        and is_other_unit(period, fact)
        and period != fact.per_epoch
    ):
        turns = (
            f"its rate is lowest after {count(period, 'step')} (T_max), then rises and falls again"
        )
        return None, f"is counted in epochs: {turns}, and {steps}", right
    if gone is not None and gone <= LATE * total:
        is_sure = is_other_unit(gone, fact) or gone * FAR <= total
        text = (
            f"leaves next to nothing of the learning rate after {count(gone, 'step')}, and {steps}"
        )
        return None if is_sure else Severity.INFO, text, right
    return None


def _by_epoch(fact: ScheduleFact, total: int, steps: str) -> Found | None:
    """A schedule over all updates, of which one step an epoch uses only the beginning."""
    per_epoch = fact.per_epoch or 1
    wanted = fact.limit or fact.half_period
    if wanted is None or wanted <= TWICE * total or per_epoch == 1 or wanted % per_epoch:
        return None
    text = f"is counted in updates, {wanted} of them, and {steps}: only its beginning is used"
    return None, text, 'return it as {"scheduler": ..., "interval": "step"}'


def _within_an_epoch(fact: ScheduleFact, batches: int | None) -> Found | None:
    """In the user's own loop, whose epochs nobody else knows: training may end before the first."""
    if batches is None:
        return None
    steps = f"the loop steps it after each of the {count(batches, 'batch', 'batches')} of an epoch"
    right = "count its steps in batches, or step it once an epoch"
    period, gone = fact.half_period, fact.gone_from
    if period and TWICE * period <= batches:
        turns = (
            f"its rate is lowest after {count(period, 'step')} (T_max), then rises and falls again"
        )
        return Severity.INFO, f"turns within an epoch: {turns}; {steps}", right
    if gone is not None and gone < batches:
        text = f"leaves next to nothing of the learning rate after {count(gone, 'step')}; {steps}"
        return Severity.INFO, text, right
    return None
