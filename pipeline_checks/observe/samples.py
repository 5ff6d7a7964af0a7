"""Observe samples one by one; give the facts of all that were read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..facts.samples import FailedSample, KindCount, ObjectArray, SampleFacts
from ..nested import container_name
from .copies import Copies
from .fields import FieldObserver, sample_fields
from .values import read_value

if TYPE_CHECKING:
    from ..facts.exceptions import ExceptionFact
    from ..report import Location

MAX_FAILED = 20
MAX_NONE = 20
MAX_FIELDS = 200


class SampleObserver:
    """Takes samples one by one; `facts` may be asked for at any time.

    Attributes:
        fields: The fields of the samples by their paths.
        copies: Samples that are copies of earlier ones.
        leaked: Evaluation samples that are copies of training samples, None without any.
        is_eval_same: Whether the evaluation set is the training set itself.
        location: Where the dataset's reading method is defined.
        removed: Columns that a Trainer's loader removes.
        kept: Keys that a Trainer's collate function leaves in each sample, None for all.
    """

    def __init__(self, dataset: Any, length: int | None, *, is_iterable: bool) -> None:
        self._dataset, self._length, self._is_iterable = type(dataset).__name__, length, is_iterable
        self._num_read = 0
        self._containers: dict[str, list[int]] = {}
        self.fields: dict[str, FieldObserver] = {}
        self._nones: list[int] = []
        self._failed: list[FailedSample] = []
        self._num_failed = 0
        self._structured: list[int] = []
        self._last_readable: int | None = None
        self.copies = Copies()
        self.leaked: Copies | None = None
        self.is_eval_same = False
        self.location: Location | None = None
        self.removed: tuple[str, ...] = ()
        self.kept: tuple[str, ...] | None = None

    def take(self, index: int, sample: Any) -> None:
        """Look at one sample."""
        self._num_read += 1
        self._last_readable = max(index, self._last_readable or 0)
        if sample is None:
            self._nones.append(index)
            return
        self._containers.setdefault(container_name(sample), []).append(index)
        for path, item in sample_fields(sample):
            if path in self.fields or len(self.fields) < MAX_FIELDS:
                observer = self.fields.setdefault(path, FieldObserver(path))
                observer.take(index, read_value(item), len(self._structured))
        self._structured.append(index)
        self.copies.take(index, sample)

    def fail(self, index: int, error: ExceptionFact, arrays: tuple[ObjectArray, ...] = ()) -> None:
        """Note that a sample could not be read."""
        self._num_read += 1
        self._num_failed += 1
        if len(self._failed) < MAX_FAILED:
            self._failed.append(FailedSample(index, error, arrays))

    @property
    def num_failed(self) -> int:
        """Samples that raised until now."""
        return self._num_failed

    @property
    def num_structured(self) -> int:
        """Samples that could be read and are not None."""
        return len(self._structured)

    def facts(self) -> SampleFacts:
        """What all samples until now showed."""
        containers = sorted(self._containers.items(), key=lambda item: -len(item[1]))
        return SampleFacts(
            dataset=self._dataset,
            length=self._length,
            num_read=self._num_read,
            containers=tuple(KindCount(k, None, len(i), i[0]) for k, i in containers),
            fields=tuple(field.fact(self._structured) for field in self.fields.values()),
            none_indices=tuple(self._nones[:MAX_NONE]),
            num_none=len(self._nones),
            failed=tuple(self._failed),
            num_failed=self._num_failed,
            is_iterable=self._is_iterable,
            removed=self.removed or self._not_kept(),
            location=self.location,
            last_readable=self._last_readable,
            copies=self.copies.count(),
            leaked=self.leaked.count() if self.leaked else None,
            is_eval_same=self.is_eval_same,
        )

    def _not_kept(self) -> tuple[str, ...]:
        """Keys of the samples that a Trainer's collate function takes out of each of them."""
        if self.kept is None:
            return ()
        keys = dict.fromkeys(_first_key(path) for path in self.fields)
        return tuple(key for key in keys if key and key not in self.kept)


def _first_key(path: str) -> str:
    """`labels` of `["labels"]`, "" of `[0]`."""
    return path.split('"')[1] if path.startswith('["') else ""
