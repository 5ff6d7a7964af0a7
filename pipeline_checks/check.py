"""Check a pipeline from Python: live objects, or whatever the command line takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .choice import Choice
from .report import Severity
from .walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .events import Event
    from .report import Report


def check_pipeline(
    pipeline: Any,
    dataloader: Iterable[Any] | None = None,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: dict[str, str] | None = None,
    **settings: Any,
) -> Report:
    """Check a training pipeline in this process and leave it as it was found.

    Args:
        pipeline: A `Pipeline`, a Hugging Face `Trainer`, a `LightningModule` (with its loader as
            the second argument), or the path of a spec or of a pipeline file.
        dataloader: The training loader of a LightningModule.
        select: Code prefixes (`TD1`) or names; only these count where any are given.
        ignore: Code prefixes or names that do not count.
        severity: Code or name to `info`, `warning` or `error`.
        **settings: `samples`, `budget`, `max_batches`, `precision`, `seed` and the like.

    Returns:
        The report; a notebook shows it as a table.

    Raises:
        TypeError: `pipeline` is none of these.
        SpecError: The spec has mistakes.
    """
    levels = {key: Severity(value) for key, value in (severity or {}).items()}
    choice = Choice(tuple(select), tuple(ignore), levels)
    target, events = _events(pipeline, dataloader, settings)
    return walk(target, events, choice)


def _events(
    pipeline: Any, dataloader: Any, settings: dict[str, Any]
) -> tuple[str, Iterator[Event]]:
    if isinstance(pipeline, (str, Path)):
        return _events_of_spec(str(pipeline))
    from .pipeline.live import pipeline_of  # noqa: PLC0415 - this imports torch
    from .stages import check_live  # noqa: PLC0415

    parts = pipeline_of(pipeline, dataloader)
    parts.settings = {**parts.settings, **settings}
    return type(pipeline).__name__, check_live(parts)


def _events_of_spec(target: str) -> tuple[str, Iterator[Event]]:
    from .spec import load_spec  # noqa: PLC0415 - pydantic and yaml
    from .stages import run_stages  # noqa: PLC0415 - torch

    spec = load_spec(target)
    return target, run_stages(spec.for_worker(), is_worker=False)
