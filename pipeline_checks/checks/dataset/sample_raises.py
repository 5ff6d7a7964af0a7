"""TD106: reading a sample raises."""

from collections.abc import Iterator

from ...facts import SampleFacts
from ...facts.samples import FailedSample
from ...report import Problem, Severity
from ..registry import check
from ..wording import count, count_of, sample, sample_list

HINTS = {
    "FileNotFoundError": "that file is not there: check the path, or leave the record out.",
    "OSError": "the file behind it is damaged or cannot be read: download it again, or leave the "
    "record out.",
    "UnicodeDecodeError": "give open() the file's encoding, or leave the record out.",
    "KeyError": "not every record has that key: use .get, or leave such records out.",
    "IndexError": "compare the indices that __getitem__ uses with the size of what it indexes.",
}
OTHERWISE = "fix the line that raised, or leave such records out when the dataset is built."


@check("TD106", Severity.ERROR)
def sample_raises(samples: SampleFacts) -> Iterator[Problem]:
    """Reading a sample raises, or `__len__` promises more samples than there are.

    Why it matters: with shuffling the run stops at a step that looks random, in a loader worker,
    without a word about which sample it was.

    How to fix it: read that one sample in a Python session (`dataset[17]`). Leave broken records
    out when the dataset is built, and let `__len__` count what `__getitem__` indexes.
    """
    failed = [f for f in samples.failed if not f.object_arrays]
    if not failed:
        return
    if _ends_early(samples):
        yield _too_long(samples)
        return
    for group in _by_cause(failed):
        yield _raised(samples, group, is_only=len(group) == len(failed))


def _ends_early(samples: SampleFacts) -> bool:
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


def _too_long(samples: SampleFacts) -> Problem:
    first, last = samples.failed[0], samples.last_readable
    return Problem(
        f"len(dataset) is {samples.length}, but from dataset[{first.index}] on there is nothing "
        f"to read; the last that can be read is dataset[{last}].",
        where=f"dataset[{first.index}] raises {first.error}",
        hint="let __len__ count what __getitem__ indexes (after filtering, not before).",
        location=first.error.location or samples.location,
        values={"length": samples.length, "first_unreadable": first.index, "last_readable": last},
        stack=first.error.user_frames,
    )


def _by_cause(failed: list[FailedSample]) -> list[list[FailedSample]]:
    groups: dict[tuple[str, str], list[FailedSample]] = {}
    for one in failed:
        groups.setdefault((one.error.type, str(one.error.location)), []).append(one)
    return list(groups.values())


def _raised(samples: SampleFacts, group: list[FailedSample], *, is_only: bool) -> Problem:
    error, indices = group[0].error, [f.index for f in group]
    number = samples.num_failed if is_only else len(group)
    subject, where = _subject(samples, indices, number)
    return Problem(
        f"{subject} raises {error}",
        where=where,
        hint=next((text for base, text in HINTS.items() if error.is_a(base)), OTHERWISE),
        location=error.location or samples.location,
        values={"indices": indices, "num_failed": number, "type": error.type, "text": error.text},
        stack=error.user_frames,
    )


def _subject(samples: SampleFacts, indices: list[int], number: int) -> tuple[str, str]:
    """What raises, and where: a sample, the stream, or `len(dataset)` itself."""
    if samples.is_iterable:
        return f"sample {indices[0]} of the stream", f"after {count(indices[0], 'good sample')}"
    if samples.length is None:
        return "len(dataset)", f"__len__ of {samples.dataset}"
    share = count_of(number, samples.num_read, "sample")
    return sample(indices[0]), f"{sample_list(indices, most=3)} ({share} cannot be read)"
