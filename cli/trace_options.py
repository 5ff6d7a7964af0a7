"""Which batches are traced: the options, else the spec, else the first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..pipeline_checks.spec import parse_batches
from ..pipeline_checks.watching.options import WatchOptions
from .errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..pipeline_checks.spec import TraceSpec


def trace_options(
    spec: TraceSpec,
    batches: str | None,
    abort_after: int | None,
    epochs: int,
    modules: Sequence[str],
) -> WatchOptions:
    """How the training is watched.

    Raises:
        OptionError: `batches` is none of the forms that a spec takes.
    """
    numbers = spec.batches or (0,)
    if batches is not None:
        numbers = _read(batches)
        abort_after = max(numbers) if abort_after is None else abort_after
    elif abort_after is None:
        abort_after = spec.abort_after if spec.abort_after is not None else max(numbers)
    return WatchOptions(
        epochs=epochs, batches=numbers, abort_after=abort_after, modules=tuple(modules)
    )


def _read(batches: str) -> tuple[int, ...]:
    try:
        return parse_batches(batches)
    except ValueError as error:
        raise OptionError("--batches", str(error)) from None
