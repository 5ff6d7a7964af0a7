"""Check a pipeline from Python: live objects, or whatever the command line takes."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .choice import Choice
from .report import Severity
from .walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .report import Report


def check_pipeline(
    pipeline: Any,
    dataloader: Iterable[Any] | None = None,
    *,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    severity: Mapping[str, str] | None = None,
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
        **settings: `samples`, `budget`, `device`, `precision`, `seed`; for live objects also
            `max_batches`, `batch_size` and what else `Settings` has.

    Returns:
        The report; a notebook shows it as a table.

    Raises:
        TypeError: `pipeline` is none of these, or a setting does not exist.
        SpecError: The spec has mistakes.
        SpecMistakesError: The spec names what is not there, or a part that is needed is not given.
    """
    levels = {key: Severity(value) for key, value in (severity or {}).items()}
    choice = Choice(tuple(select), tuple(ignore), levels)
    if isinstance(pipeline, (str, Path)):
        return _check_spec(str(pipeline), choice, settings)
    return _check_live(pipeline, dataloader, choice, settings)


def _check_spec(target: str, choice: Choice, settings: dict[str, Any]) -> Report:
    from .spec import load_spec  # noqa: PLC0415 - pydantic and yaml
    from .stages import run_stages  # noqa: PLC0415 - torch

    spec = load_spec(target)
    if settings:
        spec = spec.changed(settings, "check_pipeline")
    own = {name: Severity(level) for name, level in spec.checks.severity.items()}
    choice = Choice(
        choice.select or spec.checks.select,
        (*spec.checks.ignore, *choice.ignore),
        {**own, **choice.severity},
    )
    return walk(target, run_stages(spec.for_worker(), is_worker=False), choice)


def _check_live(thing: Any, dataloader: Any, choice: Choice, settings: dict[str, Any]) -> Report:
    from .pipeline.live import pipeline_of  # noqa: PLC0415 - torch
    from .session import Settings  # noqa: PLC0415 - torch
    from .spec.near import did_you_mean  # noqa: PLC0415 - pydantic
    from .stages import check_live  # noqa: PLC0415 - torch
    from .training import preserved_rng_state  # noqa: PLC0415 - torch, with numpy

    names = [entry.name for entry in fields(Settings)]
    for name in settings:
        if name not in names:
            near = did_you_mean(name, names)
            raise TypeError(" ".join([f"check_pipeline has no setting {name!r}.", near]).rstrip())
    with preserved_rng_state():
        parts = pipeline_of(thing, dataloader)
        # The user's own Pipeline is not written to: tdebug adds the parts that it makes up.
        own = replace(parts, settings={**parts.settings, **settings}, made_up=set(parts.made_up))
        return walk(type(thing).__name__, check_live(own), choice)
