"""Give a dataset back, for a while, the attributes that it had before it was read.

Reading a sample here may make what a dataset makes on first use: a random generator, an open file.
A loader worker that starts later would get a copy of it, which it does not in a training.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH = 4
# Where datasets keep the ones that they wrap: Subset and its kin, ConcatDataset, ChainDataset.
WRAPPED = ("dataset", "datasets")


@dataclass(frozen=True)
class Untouched:
    """The attributes of datasets, and of those that it wraps, before any sample was read."""

    attributes: tuple[tuple[Any, dict[str, Any]], ...]

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Put the attributes back as they were; on leaving, as they are now."""
        now = [(owner, dict(vars(owner))) for owner, _ in self.attributes]
        try:
            self._set(self.attributes)
            yield
        finally:
            self._set(now)

    @staticmethod
    def _set(attributes: Any) -> None:
        for owner, values in attributes:
            vars(owner).clear()
            vars(owner).update(values)


def look_before_reading(*datasets: Any) -> Untouched:
    """Remember the attributes of some datasets; what they refer to is not copied."""
    owners = {id(owner): owner for dataset in datasets for owner in _chain(dataset)}
    return Untouched(tuple((owner, dict(vars(owner))) for owner in owners.values()))


def _chain(dataset: Any, depth: int = 0) -> Iterator[Any]:
    if not hasattr(dataset, "__dict__") or depth > MAX_DEPTH:
        return
    yield dataset
    for name in WRAPPED:
        inner = vars(dataset).get(name)
        for one in inner if isinstance(inner, (list, tuple)) else [inner]:
            if hasattr(type(one), "__getitem__") or hasattr(type(one), "__iter__"):
                yield from _chain(one, depth + 1)
