"""TD206: a batch of one sample in a batch norm that is training."""

from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts, TrainingFacts
from ...facts.training import FailureFact
from ...report import Problem, Severity
from ..registry import check
from ..wording import batch


@check("TD206", Severity.ERROR)
def batch_of_one_meets_batchnorm(
    training: TrainingFacts,
    loader: LoaderFacts | None,
    batches: BatchFacts | None,
    samples: SampleFacts | None,
) -> Iterator[Problem]:
    """A batch of a single sample reaches a batch norm in train mode.

    Why it matters: a mean over one value tells nothing, so BatchNorm refuses. With a last batch of
    one this happens at the very end of the first epoch.

    How to fix it: `drop_last=True`, another batch size, or a norm that does not look at the batch
    (GroupNorm, LayerNorm).
    """
    for failure in training.failures:
        size = _size(failure, batches)
        is_norm = failure.module_type.find("BatchNorm") >= 0 or failure.function == "batch_norm"
        if is_norm and size == 1 and failure.error.is_a("ValueError"):
            yield _problem(failure, loader, samples)
            return


def _size(failure: FailureFact, batches: BatchFacts | None) -> int | None:
    if failure.indices:
        return len(failure.indices)
    known = batches.batches if batches else ()
    return next((one.size for one in known if one.number == failure.batch), None)


def _problem(
    failure: FailureFact, loader: LoaderFacts | None, samples: SampleFacts | None
) -> Problem:
    total = (loader.num_samples if loader else None) or (samples.length if samples else None)
    size = loader.batch_size if loader else None
    is_last = bool(total and size and size > 1 and total % size == 1)
    norm = f"{failure.module_type or 'BatchNorm'} {failure.module!r}"
    cause = f"{total} samples in batches of {size} leave a last batch of 1"
    return Problem(
        f"{cause if is_last else 'a batch holds 1 sample'}, and {norm} needs more than one value "
        "per channel in training.",
        where=batch(failure.batch, failure.indices),
        hint="set drop_last=True in the loader, or choose another batch size."
        if is_last
        else "use a batch size above 1, or GroupNorm or LayerNorm instead.",
        location=next(reversed(failure.error.user_frames), None),
        values={
            "num_samples": total,
            "batch_size": size,
            "batch": failure.batch,
            "indices": list(failure.indices),
            "module": failure.module,
        },
        stack=failure.error.user_frames,
    )
