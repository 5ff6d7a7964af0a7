"""A column: one value a row, for all rows that a dataset holds."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Column:
    """What a dataset holds of one thing, for all of its samples.

    Attributes:
        name: Where it was found: `labels`, `df["age"]`.
        numbers: Its numbers, `(rows, ...)`; for rows of different lengths all of them in a row;
            None where it holds other things.
        offsets: For rows of different lengths where each begins, and the end, `(rows + 1,)`.
        path: The field of the samples that surely is this column, None where that is not known.
        odd_rows: Rows that differ from the rest: None or nan among texts, another type.
        sizes: How long each row is, `(rows,)`, for texts and lists; None for other things.
    """

    name: str
    numbers: torch.Tensor | None = None
    offsets: torch.Tensor | None = None
    path: str | None = None
    odd_rows: tuple[int, ...] = ()
    sizes: torch.Tensor | None = None

    def under(self, path: str | None) -> Column:
        """The same column where the samples are one entry of larger ones."""
        if path is None or self.path is None:
            return replace(self, name=f"{path or ''}{self.name}", path=None)
        return replace(self, name=f"{path}{self.name}", path=f"{path}{self.path}")

    def of_rows(self, rows: Sequence[int] | torch.Tensor) -> Column | None:
        """The rows of a subset, in its order; None where the column does not have them all."""
        chosen = torch.as_tensor(rows)
        if chosen.dim() != 1 or chosen.is_floating_point() or not chosen.numel():
            return None
        num_rows = self.num_rows
        if num_rows is not None and not 0 <= int(chosen.min()) <= int(chosen.max()) < num_rows:
            return None
        odd = torch.isin(chosen, torch.tensor(self.odd_rows)).nonzero().flatten().tolist()
        sizes = None if self.sizes is None else self.sizes[chosen]
        column = replace(self, odd_rows=tuple(odd), sizes=sizes)
        if self.numbers is None:
            return column
        if self.offsets is None:
            return replace(column, numbers=self.numbers[chosen])
        numbers, offsets = _of_lists(self.numbers, self.offsets, chosen)
        return replace(column, numbers=numbers, offsets=offsets)

    @property
    def num_rows(self) -> int | None:
        """How many rows it has, None where only the odd ones are known."""
        if self.offsets is not None:
            return len(self.offsets) - 1
        rows = self.sizes if self.numbers is None else self.numbers
        return None if rows is None else len(rows)

    @property
    def ends_in_size(self) -> tuple[int, ...]:
        """The longest row and the shortest, nothing where rows have no size or all the same."""
        sizes = self.offsets.diff() if self.offsets is not None else self.sizes
        if sizes is None or not len(sizes) or bool((sizes == sizes[0]).all()):
            return ()
        return int(sizes.argmax()), int(sizes.argmin())


def _of_lists(
    numbers: torch.Tensor, offsets: torch.Tensor, rows: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The numbers of some of the lists, and where each of those begins."""
    starts, sizes = offsets[rows], offsets[rows + 1] - offsets[rows]
    ends = sizes.cumsum(0)
    places = torch.arange(int(ends[-1])) + (starts - ends + sizes).repeat_interleave(sizes)
    return numbers[places], torch.cat([ends.new_zeros(1), ends])


def join_columns(parts: Sequence[Column]) -> Column | None:
    """One below the other, None where their rows have different shapes."""
    numbers = [part.numbers for part in parts if part.numbers is not None and part.offsets is None]
    sizes = [part.sizes for part in parts if part.sizes is not None]
    if len(sizes) == len(parts):
        return Column(parts[0].name, sizes=torch.cat(sizes))
    if len(numbers) < len(parts) or len({tuple(n.shape[1:]) for n in numbers}) > 1:
        return None
    paths = {part.path for part in parts}
    path = paths.pop() if len(paths) == 1 else None
    return Column(parts[0].name, torch.cat(numbers), path=path)


def numbers_of_array(array: Any) -> torch.Tensor | None:
    """A numpy array's numbers without a copy where that can be; None for what holds none."""
    if getattr(getattr(array, "dtype", None), "kind", "") not in {*"iufbc"}:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch has a word to say about read-only arrays
        try:
            return torch.as_tensor(array)
        except (TypeError, ValueError, RuntimeError):
            return None
