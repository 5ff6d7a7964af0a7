"""TD118: some classes are much rarer than others."""

from collections.abc import Iterator

from ...facts import BatchFacts, CallFacts, LoaderFacts, ModelFacts, SampleFacts
from ...facts.calls import LossCall
from ...facts.samples import FieldFact, ValueCount
from ...report import Problem, Severity
from ..label_kinds import CLASS_LOSSES
from ..labels import find_field_of_batch, find_label_field
from ..registry import Undecided, check

FEWEST_LABELS = 200
# One class alone is no matter of shares: with two even ones 32 labels agree once in 2**31 times.
FEWEST_OF_ONE_CLASS = 32
# SageMaker Debugger's ClassImbalance rule asks for attention at 10:1.
RATIO_INFO, RATIO_WARNING = 10, 20
# The more classes there are, the further apart the largest and the smallest lie.
FEW_CLASSES = 20
# Samplers that draw each class as often as the data has it; others may balance.
BY_FREQUENCY = frozenset(
    {
        "",
        "SequentialSampler",
        "RandomSampler",
        "SubsetRandomSampler",
        "SeedableRandomSampler",
        "DistributedSampler",
        "LengthGroupedSampler",
    }
)


@check("TD118", Severity.WARNING)
def class_imbalance(
    samples: SampleFacts,
    model: ModelFacts,
    loader: LoaderFacts | None,
    calls: CallFacts | None,
    batches: BatchFacts | None = None,
) -> Iterator[Problem]:
    """One class is at least 20 times as frequent as another (an info from 10 times on).

    Why it matters: always saying the frequent class already gives a low loss and a high accuracy;
    the rare class may never be predicted. Where all labels are one class nothing is learned at all.
    Among more than 20 classes some are always rare: an info.

    How to fix it: look at recall per class, not at accuracy. Give the loss class weights
    (`CrossEntropyLoss(weight=...)`), or draw evenly (`WeightedRandomSampler`).
    """
    num_known = max([samples.num_read, *(samples.num_seen(field) for field in samples.fields)])
    if num_known < FEWEST_OF_ONE_CLASS or num_known < (samples.length or 0):
        return
    if loader is not None and loader.sampler == "WeightedRandomSampler":
        return
    is_each_once = batches is not None and batches.is_each_once
    if loader is not None and loader.sampler not in BY_FREQUENCY and not is_each_once:
        raise Undecided(f"{loader.sampler} decides how often each class is drawn")
    field = _classes(samples, model, calls)
    if field is None or not field.is_scalar or samples.num_seen(field) < num_known:
        return
    values = _occurring(field, calls)
    if not values:
        return
    most = max(values, key=lambda entry: entry.count)
    least = min(values, key=lambda entry: entry.count)
    if len(values) == 1:
        yield _single(most, field, samples)
        return
    ratio = most.count / least.count
    if ratio < RATIO_INFO or num_known < FEWEST_LABELS:
        return
    is_warning = ratio >= RATIO_WARNING and len(values) <= FEW_CLASSES and not _may_weigh(calls)
    yield Problem(
        f"class {most.value} has {most.count} samples, class {least.value} has {least.count}: "
        f"{ratio:.0f} to 1.",
        where=f"{field.path} of {samples.seen_text(field)}",
        hint="give the loss class weights or use a WeightedRandomSampler, and judge by recall per "
        "class instead of accuracy.",
        location=samples.location,
        severity=None if is_warning else Severity.INFO,
        values={"ratio": ratio, "counts": {str(v.value): v.count for v in values[:50]}},
    )


def _may_weigh(calls: CallFacts | None) -> bool:
    """Whether the losses of single samples are left to the user, who may weigh them by class."""
    call = _unweighted(calls)
    return call is not None and call.options.get("reduction") == "none"


def _single(only: ValueCount, field: FieldFact, samples: SampleFacts) -> Problem:
    return Problem(
        f"all {only.count} labels are class {only.value}: there is nothing to tell apart.",
        where=f"{field.path} of {samples.seen_text(field)}",
        hint="look at where the labels come from: a column left unfilled, a filter or a split "
        "that kept one class.",
        location=samples.location,
        values={"counts": {str(only.value): only.count}},
    )


def _occurring(field: FieldFact, calls: CallFacts | None) -> list[ValueCount]:
    """The labels that are classes: what the loss ignores, or has no output for, is none."""
    limits = [call.num_classes for call in calls.losses if call.num_classes] if calls else []
    most = max(limits, default=None)
    return [
        entry for entry in field.values if entry.value >= 0 and (most is None or entry.value < most)
    ]


def _classes(samples: SampleFacts, model: ModelFacts, calls: CallFacts | None) -> FieldFact | None:
    """The labels of a classifier whose loss counts every class alike."""
    if calls is None:
        if find_label_field(samples) is not None:
            raise Undecided("whether the loss weighs the classes shows only when it is called")
        return None
    call = _unweighted(calls)
    if call is not None:
        return find_field_of_batch(samples, call.target.field)
    return find_label_field(samples) if model.num_classes and not calls.losses else None


def _unweighted(calls: CallFacts | None) -> LossCall | None:
    """The first loss over classes that has no weights for them."""
    for call in calls.losses if calls is not None else ():
        if call.function in CLASS_LOSSES and not call.options.get("has_weight"):
            return call
    return None
