"""Samples that could not be read: what they have in common."""

from ..facts import SampleFacts
from ..facts.samples import FailedSample
from .wording import count, count_of, sample, sample_list


def ends_early(samples: SampleFacts) -> bool:
    """Whether every index from some one on is beyond the end."""
    last = samples.last_readable
    return (
        samples.length is not None
        and last is not None
        and all(f.index > last and _is_beyond(f) for f in samples.failed)
    )


def _is_beyond(failed: FailedSample) -> bool:
    """Whether there is nothing at this index, in a list or in a dict by index."""
    error = failed.error
    return error.is_a("IndexError") or (error.is_a("KeyError") and error.text == str(failed.index))


def by_cause(failed: list[FailedSample]) -> list[list[FailedSample]]:
    """Failures with the same exception at the same line together."""
    groups: dict[tuple[str, str], list[FailedSample]] = {}
    for one in failed:
        groups.setdefault((one.error.type, str(one.error.location)), []).append(one)
    return list(groups.values())


def subject_of(samples: SampleFacts, indices: list[int], number: int) -> tuple[str, str]:
    """What raises, and where: a sample, the stream, or `len(dataset)` itself."""
    if samples.is_iterable:
        return f"sample {indices[0]} of the stream", f"after {count(indices[0], 'good sample')}"
    if samples.length is None:
        return "len(dataset)", f"__len__ of {samples.dataset}"
    share = count_of(number, samples.num_read, "sample")
    return sample(indices[0]), f"{sample_list(indices, most=3)} ({share} cannot be read)"
