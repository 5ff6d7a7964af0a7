"""TD101: there is nothing to train on."""

import dataclasses
from collections.abc import Iterator

from ...facts import BatchFacts, LoaderFacts, SampleFacts
from ...report import Problem, Severity
from ..registry import check
from ..wording import count


@check("TD101", Severity.ERROR)
def empty_dataset(
    samples: SampleFacts, loader: LoaderFacts | None, batches: BatchFacts | None
) -> Iterator[Problem]:
    """The training data gives no sample, or the loader no batch.

    Why it matters: the loop over the loader ends at once; an epoch takes no time, and a loss that
    is never computed shows as 0, as nan or as a ZeroDivisionError.

    How to fix it: look at the path or pattern that the files are listed from, at a filter that
    matches nothing, and at a split of size 0. With `drop_last=True` there must be at least
    `batch_size` samples. A generator can be walked through once only: build it anew in `__iter__`.
    """
    if samples.length == 0:
        yield _problem(
            samples,
            f"the dataset ({samples.dataset}) is empty: len(dataset) is 0.",
            "look at the path or pattern that the samples are listed from, at a filter that "
            "matches nothing, and at the name of the split.",
        )
    elif samples.is_iterable and not samples.num_read and not samples.failed:
        yield _problem(
            samples,
            f"the dataset ({samples.dataset}) is empty: iterating it gave no sample.",
            "look at what __iter__ reads from; a generator that was walked through once is empty "
            "the second time: make it anew in __iter__.",
        )
    elif _is_used_up(samples, batches):
        yield dataclasses.replace(
            _problem(
                samples,
                f"the dataset ({samples.dataset}) can be walked through only once: the first pass "
                f"gave {count(samples.num_read, 'sample')}, the second one none.",
                "__iter__ returns an iterator that was made before: make it anew in __iter__ "
                "(reopen the file, call the generator function), or every epoch after the first "
                "is empty.",
            ),
            severity=Severity.WARNING,
        )
    elif loader is not None and not loader.is_made_up and loader.num_batches == 0:
        yield from _no_batch(samples, loader)


def _is_used_up(samples: SampleFacts, batches: BatchFacts | None) -> bool:
    """Whether a stream that gave samples gave no batch after that."""
    is_stream = samples.is_iterable and samples.num_read > 0 and not samples.failed
    return is_stream and batches is not None and not batches.batches and not batches.was_cut


def _no_batch(samples: SampleFacts, loader: LoaderFacts) -> Iterator[Problem]:
    size, number = loader.batch_size, loader.num_samples
    if loader.drop_last and size and number is not None and number < size:
        yield _problem(
            samples,
            f"the loader gives no batch: {count(number, 'sample')} with batch_size={size} and "
            "drop_last=True leave nothing.",
            f"set drop_last=False, or a batch size of at most {number}.",
        )
    else:
        yield _problem(
            samples,
            f"the loader ({loader.type} with {loader.sampler or 'no sampler'}) gives no batch: "
            "its length is 0.",
            "look at the sampler and the indices that it was given.",
        )


def _problem(samples: SampleFacts, message: str, hint: str) -> Problem:
    where = "the dataset" if "dataset (" in message else "the dataloader"
    values = {"num_samples": samples.length}
    return Problem(message, where, hint, location=samples.location, values=values)
