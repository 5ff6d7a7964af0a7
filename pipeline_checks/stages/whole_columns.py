"""Look at whole columns of the dataset, and read the samples in which they are odd.

Samples are read one by one, and of a large dataset only a few are. Where the data lies in memory, a
pass over it says at once which rows would be worth reading. What a column holds says nothing about
the samples (a transform may change it), so such rows are read like any other sample. Only a
column that agrees with all that was read is taken for the field itself, and then all of it counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import nn
from torch.nn.parameter import is_lazy

from ..observe.column_fit import find_column
from ..observe.column_numbers import Clock, ColumnNumbers, read_column
from ..observe.dataset_columns import dataset_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ..facts import SampleFacts
    from ..observe.column import Column
    from ..observe.samples import SampleObserver

# Seconds for all columns: what looking at 256 samples of a dataset costs anyway.
SECONDS = 0.5
MAX_ROWS = 32
MAX_RARE = 6
MAX_BATCHES = 3


class WholeColumns:
    """The columns of a dataset, and what they hold.

    Args:
        dataset: A dataset that is read by index.
        length: Its length.
        rows: The rows that the loader draws where those are not all of them.
    """

    def __init__(self, dataset: Any, length: int, rows: Sequence[int] | None) -> None:
        self._rows = rows
        self._odd: list[int] = []
        self._ends: list[int] = []
        self._found: list[tuple[Column, ColumnNumbers]] = []
        clock = Clock(SECONDS)
        for column in dataset_columns(dataset, length, clock):
            if clock.is_spent:
                break
            self._take(column, clock)

    def _take(self, column: Column, clock: Clock) -> None:
        drawn = column if self._rows is None else column.of_rows(self._rows)
        if drawn is None:
            return
        self._odd.extend(drawn.odd_rows)
        self._ends.extend(drawn.ends_in_size)
        numbers = read_column(drawn, clock)
        if numbers is not None:
            self._found.append((drawn, numbers))

    def odd_rows(self, read: Collection[int]) -> list[int]:
        """The rows worth reading beside those that were read, at most 32.

        What is not finite or of another type comes first, then the longest and the shortest, the
        extremes of whole numbers and the rarest of them.
        """
        numbers = [numbers for _, numbers in self._found]
        wanted = [
            *(bad.index for one in numbers for bad in one.bad),
            *self._odd,
            *self._ends,
            *(row for one in numbers if one.is_whole for row in _extremes(one)),
            *(row for one in numbers for row in _rare(one)),
        ]
        rows = [row if self._rows is None else self._rows[row] for row in wanted]
        return [row for row in dict.fromkeys(rows) if row not in read][:MAX_ROWS]

    def tell(self, observer: SampleObserver) -> None:
        """Tell the fields of the samples which of the columns they are."""
        if self._rows is not None:
            return
        for path, field in observer.fields.items():
            if field.count == observer.num_structured:
                field.whole = find_column(field.kept, path, self._found)


def _extremes(numbers: ColumnNumbers) -> Iterator[int]:
    for bound in (numbers.high, numbers.low):
        if bound is not None:
            yield bound[1]


def _rare(numbers: ColumnNumbers) -> Iterator[int]:
    rarest = sorted(numbers.values, key=lambda value: value.count)[:MAX_RARE]
    return (value.first for value in rarest)


def rows_to_run(
    before: SampleFacts, after: SampleFacts, odd: Sequence[int], model: Any
) -> tuple[int, ...]:
    """The samples whose batches should be run too: what they do there is the proof.

    Those with a value that is not finite or of another kind, with a negative label, and those with
    a label or an id that is the first too large for some weight of the model.

    Args:
        before: What the samples showed that were read first.
        after: What all of them showed.
        odd: The samples that were read later.
        model: The model.
    """
    unused = tuple(f'["{name}"]' for name in after.removed)
    fields = [field for field in after.fields if not field.path.startswith(unused)]
    rows = [bad.index for field in fields for bad in field.bad]
    rows += [kind.first for field in fields for kind in field.kinds if kind.first in odd]
    labels = [field for field in fields if field.is_scalar and field.values]
    rows += [field.values[0].first for field in labels if field.values[0].value < 0]
    parameters = model.parameters() if isinstance(model, nn.Module) else ()
    sizes = {p.shape[0] for p in parameters if not is_lazy(p) and p.dim()}
    for field in fields:
        known, row = before.field(field.path), field.max_index
        if known is not None and field.is_whole and row is not None and row in odd:
            low, high = known.max or 0.0, field.max or 0.0
            rows += [row] if any(low < size <= high for size in sizes) else []
    return tuple(dict.fromkeys(rows))[:MAX_BATCHES]
