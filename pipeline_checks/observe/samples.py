"""Observe samples one by one; give the facts of all that were read."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch

from ..facts.samples import (
    BadValue,
    FailedSample,
    FieldFact,
    KindCount,
    ObjectArray,
    SampleFacts,
    ShapeCount,
    ValueCount,
)
from ..nested import container_name, entries
from .copies import Copies
from .values import Value, is_value, read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..facts.exceptions import ExceptionFact
    from ..report import Location

MAX_SHAPES = 20
MAX_INDICES = 5
MAX_DISTINCT = 1000
MAX_FAILED = 20
MAX_NONE = 20
MAX_FIELDS = 200


class SampleObserver:
    """Takes samples one by one; `facts` may be asked for at any time."""

    def __init__(self, dataset: Any, length: int | None, *, is_iterable: bool) -> None:
        self._dataset, self._length, self._is_iterable = type(dataset).__name__, length, is_iterable
        self._num_read = 0
        self._containers: dict[str, list[int]] = {}
        self._fields: dict[str, _FieldObserver] = {}
        self._nones: list[int] = []
        self._failed: list[FailedSample] = []
        self._num_failed = 0
        self._num_structured = 0
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
            if path in self._fields or len(self._fields) < MAX_FIELDS:
                observer = self._fields.setdefault(
                    path, _FieldObserver(path, self._num_structured, index)
                )
                observer.take(index, read_value(item), self._num_structured)
        self._num_structured += 1
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

    def facts(self) -> SampleFacts:
        """What all samples until now showed."""
        containers = sorted(self._containers.items(), key=lambda item: -len(item[1]))
        return SampleFacts(
            dataset=self._dataset,
            length=self._length,
            num_read=self._num_read,
            containers=tuple(KindCount(k, None, len(i), i[0]) for k, i in containers),
            fields=tuple(field.fact(self._num_structured) for field in self._fields.values()),
            none_indices=tuple(self._nones[:MAX_NONE]),
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
        keys = dict.fromkeys(_first_key(path) for path in self._fields)
        return tuple(key for key in keys if key and key not in self.kept)


def _first_key(path: str) -> str:
    """`labels` of `["labels"]`, "" of `[0]`."""
    return path.split('"')[1] if path.startswith('["') else ""


def sample_fields(sample: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The fields of a sample with their paths; a list of numbers or of text is one field."""
    if is_value(sample) or depth >= 4:  # noqa: PLR2004 - deeper than any sample seen
        yield path, sample
        return
    children = list(entries(sample))
    if not children:
        yield path, sample
    for key, child in children:
        yield from sample_fields(child, path + key, depth + 1)


class _FieldObserver:
    """Takes the values of one field."""

    def __init__(self, path: str, num_before: int, index: int) -> None:
        self.path = path
        self.count = 0
        # A field that starts late was missing from sample 0 on.
        self.first_missing: int | None = 0 if num_before else None
        self._next_ordinal = num_before
        self._kinds: dict[tuple[str, int | None, str], list[int]] = {}
        self._shapes: dict[tuple[int, ...], list[int]] = {}
        self._shape_counts: Counter[tuple[int, ...]] = Counter()
        self._longest: tuple[int, int] | None = None
        self._low: tuple[float, int] | None = None
        self._high: tuple[float, int] | None = None
        self._bad: dict[str, list[Any]] = {}
        self._values: dict[int, list[int]] | None = {}
        self._is_whole = True
        self._sum = self._square = 0.0
        self._numel = 0
        self._zero_rows: list[int] = []
        self._num_zero = 0
        self._text: str | None = None
        self._types: tuple[tuple[str, str], ...] = ()

    def take(self, index: int, value: Value, ordinal: int) -> None:
        if ordinal > self._next_ordinal and self.first_missing is None:
            self.first_missing = index - 1
        self._next_ordinal = ordinal + 1
        self.count += 1
        kind = self._kinds.setdefault((value.kind, value.num_dims, value.dtype), [0, index])
        kind[0] += 1
        self._text = self._text or value.text
        self._types = self._types or value.types_inside
        if value.shape is not None:
            self._note_shape(value.shape, index)
        if value.numbers is not None and value.numbers.numel():
            self._note_numbers(value.numbers, index)

    def _note_shape(self, shape: tuple[int, ...], index: int) -> None:
        self._shape_counts[shape] += 1
        if shape and (self._longest is None or shape[-1] > self._longest[0]):
            self._longest = (shape[-1], index)
        if shape in self._shapes or len(self._shapes) < 10 * MAX_SHAPES:
            indices = self._shapes.setdefault(shape, [])
            if len(indices) < MAX_INDICES:
                indices.append(index)

    def _note_numbers(self, numbers: torch.Tensor, index: int) -> None:
        if numbers.is_complex():
            numbers = torch.view_as_real(numbers)
        if numbers.is_floating_point() or numbers.dtype is torch.bool:
            numbers = (
                numbers.to(torch.float64)
                if numbers.is_floating_point()
                else numbers.to(torch.int64)
            )
        low, high = (float(x) for x in numbers.aminmax())
        if not (math.isfinite(low) and math.isfinite(high)):
            numbers = self._note_bad(numbers, index)
            if not numbers.numel():
                return
            low, high = (float(x) for x in numbers.aminmax())
        if self._low is None or low < self._low[0]:
            self._low = (low, index)
        if self._high is None or high > self._high[0]:
            self._high = (high, index)
        if low == high == 0.0:
            self._num_zero += 1
            self._zero_rows.append(index) if len(self._zero_rows) < MAX_INDICES else None
        self._note_distinct(numbers, index)
        as_float = numbers.to(torch.float64)
        self._sum += float(as_float.sum())
        self._square += float(as_float.square().sum())
        self._numel += numbers.numel()

    def _note_bad(self, numbers: torch.Tensor, index: int) -> torch.Tensor:
        for kind, mask in (
            ("nan", numbers.isnan()),
            ("inf", numbers.isposinf()),
            ("-inf", numbers.isneginf()),
        ):
            count = int(mask.sum())
            if count:
                position = tuple(mask.nonzero()[0].tolist())
                entry = self._bad.setdefault(kind, [0, 0, index, position])
                entry[0] += 1
                entry[1] += count
        return numbers[numbers.isfinite()]

    def _note_distinct(self, numbers: torch.Tensor, index: int) -> None:
        if self._is_whole and numbers.is_floating_point():
            self._is_whole = bool((numbers == numbers.round()).all())
        if not self._is_whole or self._values is None:
            self._values = None
            return
        if numbers.numel() > 1:
            numbers = numbers.unique()  # type: ignore[no-untyped-call] # torch leaves it untyped
        for value in numbers.reshape(-1)[: MAX_DISTINCT + 1].tolist():
            entry = self._values.setdefault(int(value), [0, index])
            entry[0] += 1
        if len(self._values) > MAX_DISTINCT:
            self._values = None

    def fact(self, num_samples: int) -> FieldFact:
        missing = self.first_missing
        if missing is None and self._next_ordinal < num_samples:
            missing = self._next_ordinal
        kinds = sorted(self._kinds.items(), key=lambda item: -item[1][0])
        mean = self._sum / self._numel if self._numel else None
        return FieldFact(
            path=self.path,
            kinds=tuple(KindCount(k[0], k[1], n, first, k[2]) for k, (n, first) in kinds),
            shapes=tuple(
                ShapeCount(shape, count, tuple(self._shapes.get(shape, ())))
                for shape, count in self._shape_counts.most_common(MAX_SHAPES)
            ),
            count=self.count,
            first_missing=missing,
            min=self._low[0] if self._low else None,
            max=self._high[0] if self._high else None,
            min_index=self._low[1] if self._low else None,
            max_index=self._high[1] if self._high else None,
            bad=tuple(BadValue(k, n, total, i, p) for k, (n, total, i, p) in self._bad.items()),
            values=tuple(ValueCount(v, n, i) for v, (n, i) in sorted((self._values or {}).items())),
            text=self._text,
            types_inside=self._types,
            is_whole=self._is_whole and self._numel > 0,
            mean=mean,
            std=self._std(mean),
            num_zero_rows=self._num_zero,
            first_zero_row=self._zero_rows[0] if self._zero_rows else None,
            longest=self._longest[0] if self._longest else None,
            longest_index=self._longest[1] if self._longest else None,
        )

    def _std(self, mean: float | None) -> float | None:
        if mean is None:
            return None
        return math.sqrt(max(self._square / self._numel - mean * mean, 0.0))
