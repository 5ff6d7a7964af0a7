"""What the worker runs for `tdebug diff`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...overflow import diff_traces, read_trace
from ..events import Observed
from ..facts.watching import DifferenceFact, DiffFacts
from .frame_facts import stats_fact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...overflow import Frame, RowDifference
    from ..events import Event
    from ..spec import WorkerSpec

MAX_DIFFERENCES = 1000


def run_diff(spec: WorkerSpec) -> Iterator[Event]:
    """Compare the two trace files that the options name."""
    try:
        first, second = (_read(spec.options[name]) for name in ("first", "second"))
    except _UnreadableError as error:
        yield Observed(DiffFacts(mistake=str(error)))
        return
    found = diff_traces(first, second, spec.options["tolerance"])
    yield Observed(
        DiffFacts(
            differences=tuple(_difference(d) for d in found.differences[:MAX_DIFFERENCES]),
            num_differences=len(found.differences),
            num_compared=found.num_compared,
            only_first=found.only_first,
            only_second=found.only_second,
        )
    )


class _UnreadableError(Exception):
    """A file is no trace; the text names it and says why."""


def _read(name: str) -> list[Frame]:
    try:
        with Path(name).open(encoding="utf-8") as file:
            frames = list(read_trace(file))
    except OSError as error:
        raise _UnreadableError(f"{name!r} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise _UnreadableError(f"{name!r} is no trace: {error}") from error
    if not frames:
        raise _UnreadableError(f"{name!r} holds no frame.")
    return frames


def _difference(found: RowDifference) -> DifferenceFact:
    return DifferenceFact(
        batch=found.batch_number,
        module=found.module,
        module_class=found.module_class,
        context=found.context,
        first=stats_fact(found.first),
        second=stats_fact(found.second),
        relative=found.relative,
        allowed=found.allowed,
    )
