"""One field over all samples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..facts.samples import FieldFact, KindCount, ShapeCount
from ..nested import entries
from .column_fit import KeptValues
from .field_numbers import FieldNumbers
from .values import Value, is_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .column_numbers import ColumnNumbers

MAX_SHAPES = 20
MAX_INDICES = 5
MAX_DEPTH = 4  # deeper than any sample seen


@dataclass
class FieldObserver:
    """Takes the values of one field, sample after sample.

    Samples are counted here in the order in which they came, whatever their index.

    Attributes:
        path: `["labels"]`.
        next_sample: The sample that would come next, were it in every one.
        first_missing: The first sample without the field, None while it was in all.
        count: Samples that have it.
        kept: Some of its values.
        whole: What the whole column holds that the field is, None where that is not known.
    """

    path: str
    next_sample: int = 0
    first_missing: int | None = None
    count: int = 0
    kept: KeptValues = field(default_factory=KeptValues)
    whole: ColumnNumbers | None = None
    _kinds: dict[tuple[str, int | None, str], list[int]] = field(default_factory=dict)
    _shapes: dict[tuple[int, ...], list[int]] = field(default_factory=dict)
    _shape_counts: Counter[tuple[int, ...]] = field(default_factory=Counter)
    _longest: tuple[int, int] | None = None
    _numbers: FieldNumbers = field(default_factory=FieldNumbers)
    _text: str | None = None
    _types: tuple[tuple[str, str], ...] = ()

    def take(self, index: int, value: Value, sample: int) -> None:
        """Look at the value of one sample.

        Args:
            index: The sample's index in the dataset.
            value: What it holds.
            sample: How many samples came before it.
        """
        if sample > self.next_sample and self.first_missing is None:
            self.first_missing = self.next_sample
        self.next_sample = sample + 1
        self.count += 1
        kind = self._kinds.setdefault((value.kind, value.num_dims, value.dtype), [0, index])
        kind[0] += 1
        self._text = self._text or value.text
        self._types = self._types or value.types_inside
        if value.shape is not None:
            self._note_shape(value.shape, index)
        if value.numbers is not None and value.numbers.numel():
            self._numbers.take(value.numbers, index)
            self.kept.take(index, value.numbers)

    def _note_shape(self, shape: tuple[int, ...], index: int) -> None:
        self._shape_counts[shape] += 1
        if shape and (self._longest is None or shape[-1] > self._longest[0]):
            self._longest = (shape[-1], index)
        if shape in self._shapes or len(self._shapes) < 10 * MAX_SHAPES:
            indices = self._shapes.setdefault(shape, [])
            if len(indices) < MAX_INDICES:
                indices.append(index)

    def fact(self, indices: Sequence[int]) -> FieldFact:
        """What all samples until now showed.

        Args:
            indices: The indices of all samples that might have had the field.
        """
        kinds = sorted(self._kinds.items(), key=lambda item: -item[1][0])
        numbers = self._numbers
        low, low_at = numbers.low or (None, None)
        high, high_at = numbers.high or (None, None)
        longest, longest_at = self._longest or (None, None)
        has_numbers = numbers.moments.num > 0
        fact = FieldFact(
            path=self.path,
            kinds=tuple(KindCount(k[0], k[1], n, first, k[2]) for k, (n, first) in kinds),
            shapes=tuple(self._shape_facts()),
            count=self.count,
            first_missing=self._first_missing(indices),
            min=low,
            max=high,
            min_index=low_at,
            max_index=high_at,
            bad=numbers.bad,
            values=numbers.values,
            text=self._text,
            types_inside=self._types,
            is_whole=numbers.is_whole,
            mean=numbers.moments.mean if has_numbers else None,
            std=numbers.moments.std if has_numbers else None,
            num_zero_rows=numbers.num_zero_rows,
            first_zero_row=numbers.first_zero_row,
            longest=longest,
            longest_index=longest_at,
        )
        return fact if self.whole is None else _with_column(fact, self.whole)

    def _shape_facts(self) -> Iterator[ShapeCount]:
        for shape, count in self._shape_counts.most_common(MAX_SHAPES):
            yield ShapeCount(shape, count, tuple(self._shapes.get(shape, ())))

    def _first_missing(self, indices: Sequence[int]) -> int | None:
        missing = self.first_missing
        if missing is None and self.next_sample < len(indices):
            missing = self.next_sample
        return None if missing is None else indices[missing]


def _with_column(fact: FieldFact, whole: ColumnNumbers) -> FieldFact:
    """The fact with what the whole column tells beyond the samples read."""
    if {bad.kind for bad in fact.bad} != {bad.kind for bad in whole.bad}:
        return fact  # reading a sample mends it, or spoils it
    fact = replace(fact, bad=whole.bad, num_seen=whole.num_rows)
    if not fact.is_scalar or whole.low is None or whole.high is None:
        return fact
    (low, low_at), (high, high_at) = whole.low, whole.high
    return replace(
        fact,
        values=whole.values,
        min=float(low),
        max=float(high),
        min_index=low_at,
        max_index=high_at,
        is_whole=whole.is_whole,
    )


def sample_fields(sample: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """The fields of a sample with their paths; a list of numbers or of text is one field."""
    if is_value(sample) or depth >= MAX_DEPTH:
        yield path, sample
        return
    children = list(entries(sample))
    if not children:
        yield path, sample
    for key, child in children:
        yield from sample_fields(child, path + key, depth + 1)
