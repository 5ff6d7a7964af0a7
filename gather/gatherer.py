"""Gather the outputs of all processes, chunk by chunk, into dataset order."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from .blocks import Blocks, require_at_least
from .leaf import as_leaf, at_least_1d
from .nested import Nested, map_nested, nested_leaves
from .result_array import ResultArray
from .wording import count

if TYPE_CHECKING:
    from .leaf import Leaf


class DistributedTensorGatherer:
    """Put what every process computed for its part of a dataset into dataset order, on the CPU.

    `SequentialDistributedSampler` gives each process one block of the dataset, all of the same
    length, for which the first samples are repeated at the end. 16 samples on 3 processes with
    batches of 2 are the indices 0 to 15, 0, 1: process 0 has 0 to 5, process 1 has 6 to 11,
    process 2 has 12 to 15, 0 and 1. Gathering after every batch gives the rows of samples

        [0, 1, 6, 7, 12, 13], then [2, 3, 8, 9, 14, 15], then [4, 5, 10, 11, 0, 1]

    and this class writes each to its place: the result has the 16 rows in order, once each.

    There is one result array per leaf, allocated with the first chunk. While no chunk is wider
    than those before it, a step copies the chunk and nothing else. A wider chunk reallocates: for
    that moment, the old and the new array exist. Chunks sorted by growing length are therefore
    the dear case (one copy of the result for each new length); sort the longest first.

    Args:
        world_size: The number of processes.
        num_samples: The length of the dataset, and of the result.
        make_multiple_of: The `batch_size` given to the sampler, if any: every process then has a
            multiple of it.
        padding_index: Fills the rest of rows that are shorter than the longest.

    Raises:
        ValueError: A number is out of range.

    >>> import torch
    >>> gatherer = DistributedTensorGatherer(world_size=3, num_samples=5)
    >>> gatherer.add_arrays({"logits": torch.tensor([[0.0], [2.0], [4.0]])})
    >>> gatherer.add_arrays({"logits": torch.tensor([[1.0], [3.0], [0.0]])})
    >>> gatherer.finalize()["logits"].flatten().tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """

    def __init__(
        self,
        world_size: int,
        num_samples: int,
        make_multiple_of: int | None = None,
        padding_index: complex = -100,
    ) -> None:
        self.world_size = require_at_least("world_size", world_size, 1)
        self.num_samples = require_at_least("num_samples", num_samples, 0)
        multiple = 1 if make_multiple_of is None else make_multiple_of
        require_at_least("make_multiple_of", multiple, 1)
        self._blocks = Blocks(num_samples, world_size, multiple)
        self.padding_index = padding_index
        self._num_rows_added = 0  # by each process
        self._form: Nested = None
        self._results: dict[str, ResultArray] = {}

    def add_arrays(self, arrays: Nested) -> None:
        """Take the next rows of every process, in the order of the processes.

        Args:
            arrays: Tensors or numpy arrays of shape `(world_size * rows, ...)`, or nested lists,
                tuples and dicts of them. The first `rows` rows are those of process 0, the next
                those of process 1. None is passed over. A refused chunk changes nothing.

        Raises:
            TypeError: A leaf is no array, or its kind or dtype is not that of the first chunk.
            ValueError: The number of rows is no multiple of `world_size`, or more than is still
                missing; the structure or number of dimensions is not that of the first chunk;
                rows differ in length and the padding does not fit their dtype.
        """
        if arrays is None:
            return
        chunk = map_nested(_as_rows, arrays)
        num_rows = self._count_rows_per_process(chunk)
        self._require_room(num_rows)
        if self._form is None:
            self._allocate(chunk)
        pairs = self._pair_with_results(chunk)
        for result, rows in pairs:
            result.require_fit(rows)
        for result, rows in pairs:
            self._write(result, rows, num_rows)
        self._num_rows_added += num_rows

    def finalize(self) -> Nested:
        """Give the `num_samples` rows in dataset order, or None if nothing was added.

        Warns:
            UserWarning: Rows are missing; they hold the padding.

        Raises:
            ValueError: Rows are missing and the padding does not fit the dtype.
        """
        if self._form is None:
            return None
        if holes := self._find_holes():
            self._warn_of(holes)
            for result in self._results.values():
                for hole in holes:
                    result.pad_rows(hole)
        return map_nested(
            lambda path, leaf: None if leaf is None else self._results[path].array, self._form
        )

    def _count_rows_per_process(self, chunk: Nested) -> int:
        lengths = {path: len(leaf) for path, leaf in nested_leaves(chunk) if leaf is not None}
        if not lengths:
            raise ValueError("there is no array in what was added: a chunk must hold at least one.")
        if len(set(lengths.values())) > 1:
            each = ", ".join(f"{path} has {length}" for path, length in lengths.items())
            raise ValueError(
                f"the arrays of a chunk must have the same number of rows, and {each}."
            )
        path, length = next(iter(lengths.items()))
        if length % self.world_size:
            raise ValueError(
                f"{path} has {count(length, 'row')}: with {self.world_size} processes the number "
                f"of rows must be a multiple of {self.world_size}, the same number from each."
            )
        return length // self.world_size

    def _require_room(self, num_rows: int) -> None:
        if self._num_rows_added + num_rows > self._blocks.length:
            raise ValueError(
                f"too many rows: {self.num_samples} samples are {self._blocks.length} rows from "
                f"each of {self.world_size} processes; {self._num_rows_added} were added before, "
                f"and {num_rows} more came."
            )

    def _allocate(self, chunk: Nested) -> None:
        def allocate(path: str, leaf: Leaf | None) -> Leaf | None:
            if leaf is None:
                return None
            result = ResultArray(path, leaf, self.num_samples, self.padding_index)
            self._results[path] = result
            return result.array[:0]

        self._form = map_nested(allocate, chunk)

    def _pair_with_results(self, chunk: Nested) -> list[tuple[ResultArray, Leaf]]:
        pairs: list[tuple[ResultArray, Leaf]] = []

        def pair(path: str, _: Leaf | None, leaf: Leaf | None) -> None:
            if leaf is not None:
                pairs.append((self._results[path], leaf))

        map_nested(pair, self._form, chunk)
        return pairs

    def _write(self, result: ResultArray, rows: Leaf, num_rows: int) -> None:
        done = self._num_rows_added
        ranks = range(self.world_size)
        result.widen(rows, [self._blocks.samples(rank, 0, done) for rank in ranks])
        for rank in ranks:
            place = self._blocks.samples(rank, done, done + num_rows)
            result.write_rows(place, rows[rank * num_rows : (rank + 1) * num_rows])

    def _find_holes(self) -> list[slice]:
        end = self._blocks.length
        ranks = range(self.world_size)
        rests = [self._blocks.samples(rank, self._num_rows_added, end) for rank in ranks]
        return [rest for rest in rests if rest.stop > rest.start]

    def _warn_of(self, holes: list[slice]) -> None:
        missing = sum(hole.stop - hole.start for hole in holes)
        where = ", ".join(f"{hole.start} to {hole.stop - 1}" for hole in holes)
        warnings.warn(
            f"{missing} of {self.num_samples} samples were never added (samples {where}): "
            f"their rows hold padding_index={self.padding_index!r}.",
            stacklevel=3,
        )


def _as_rows(path: str, value: object) -> Leaf | None:
    return None if value is None else at_least_1d(as_leaf(path, value))
