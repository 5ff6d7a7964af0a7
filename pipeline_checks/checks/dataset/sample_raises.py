"""TD106: reading a sample raises."""

from collections.abc import Iterator

from ...facts import ExceptionFact, SampleFacts
from ...facts.samples import FailedSample
from ...report import Problem, Severity
from ..registry import check
from ..unreadable import by_cause, ends_early, subject_of

HINTS = {
    "FileNotFoundError": "that file is not there: check the path, or leave the record out.",
    "OSError": "the file behind it is damaged or cannot be read: download it again, or leave the "
    "record out.",
    "UnicodeDecodeError": "give open() the file's encoding, or leave the record out.",
    "KeyError": "not every record has that key: use .get, or leave such records out.",
    "IndexError": "compare the indices that __getitem__ uses with the size of what it indexes.",
}
PANDAS_HINT = (
    "that label is not in the table's index, which has gaps where rows were filtered out or split "
    "off: read by position with .iloc[i], or call reset_index(drop=True) before."
)
NONE_HINT = (
    "a value of that record is None (missing, or an answer that was cut away): leave such records "
    "out, or give them a value, where the line shown reads it."
)
TEXT_HINT = (
    "the text of that record is no str: an empty cell of a table is nan or None. Drop such rows "
    '(dropna) or fill them (fillna("")) before they are tokenized.'
)
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
    if ends_early(samples):
        yield _too_long(samples)
        return
    for group in by_cause(failed):
        yield _raised(samples, group, is_only=len(group) == len(failed))


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


def _raised(samples: SampleFacts, group: list[FailedSample], *, is_only: bool) -> Problem:
    error, indices = group[0].error, [f.index for f in group]
    number = samples.num_failed if is_only else len(group)
    what, where = subject_of(samples, indices, number)
    return Problem(
        f"{what} raises {error}",
        where=where,
        hint=_hint(error),
        location=error.location or samples.location,
        values={"indices": indices, "num_failed": number, "type": error.type, "text": error.text},
        stack=error.user_frames,
    )


def _hint(error: ExceptionFact) -> str:
    is_lookup = error.is_a("KeyError") or error.is_a("IndexError")
    if is_lookup and any(_is_of_pandas(frame.file) for frame in error.frames[-1:]):
        return PANDAS_HINT
    if "NoneType" in error.text:
        return NONE_HINT
    if error.text.startswith("text input must be of type"):
        return TEXT_HINT
    return next((text for base, text in HINTS.items() if error.is_a(base)), OTHERWISE)


def _is_of_pandas(file: str) -> bool:
    return "pandas/" in file.replace("\\", "/")
