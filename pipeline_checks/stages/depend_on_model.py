"""Build what needs the model: optimizer, scheduler, scaler; make up what was not given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..events import Event, Note, Progress
from ..pipeline.from_lightning import configured_optimizers, is_lightning_module
from ..pipeline.from_trainer import give_optimizer
from ..pipeline.make_loader import make_loader
from ..report import Stage
from .build_parts import AFTER_THE_MODEL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..pipeline.parts import Pipeline
    from ..session import Session
    from .build_parts import PartBuilder
    from .part_record import PartRecord

DEFAULT_LR = 1e-3


def add_optimizer(pipeline: Pipeline, builder: PartBuilder) -> Iterator[Event]:
    """Give the pipeline the optimizer that training would use, else one that tdebug makes up."""
    model, record = pipeline.model, builder.record
    if not isinstance(model, nn.Module):
        return
    if pipeline.trainer is not None:
        trainer = pipeline.trainer
        _ask(pipeline, record, "the Trainer's create_optimizer()", lambda: give_optimizer(trainer))
    elif is_lightning_module(model):
        yield Progress(Stage.LOAD, "configure_optimizers()")
        _ask(pipeline, record, "configure_optimizers()", lambda: _configured(pipeline, model))
    else:
        yield from builder.build(AFTER_THE_MODEL)
        for name in AFTER_THE_MODEL:
            if name in builder.recipes:
                setattr(pipeline, name, record.values[name])
    if not pipeline.optimizers and record.is_good("optimizer"):
        yield from _make_up_optimizer(pipeline, model)


def _ask(
    pipeline: Pipeline, record: PartRecord, origin: str, ask: Callable[[], tuple[Any, Any]]
) -> None:
    try:
        pipeline.optimizer, pipeline.scheduler = ask()
    except record.session.caught as error:
        record.fail("optimizer", origin, error)


def _configured(pipeline: Pipeline, model: nn.Module) -> tuple[Any, Any]:
    configured = configured_optimizers(model)
    pipeline.configured, pipeline.intervals = configured, configured.intervals
    return configured.optimizers, configured.schedulers


def _make_up_optimizer(pipeline: Pipeline, model: nn.Module) -> Iterator[Event]:
    trained = [p for p in model.parameters() if p.requires_grad]
    if trained:
        pipeline.optimizer = torch.optim.AdamW(trained, lr=DEFAULT_LR)
        pipeline.made_up.add("optimizer")
        yield Note(
            f"no optimizer was given: tdebug used AdamW with a learning rate of {DEFAULT_LR:g}."
        )


def add_loader(pipeline: Pipeline, session: Session, record: PartRecord) -> Iterator[Event]:
    """Give the pipeline a loader around its dataset, or the dataset of its loader."""
    if pipeline.dataloader is None and pipeline.dataset is not None:
        try:
            pipeline.dataloader = make_loader(pipeline, session.settings)
        except session.caught as error:
            record.fail("dataloader", "DataLoader(dataset)", error)
            return
        pipeline.made_up.add("dataloader")
        if not session.settings.is_batch_size_given:
            size = session.settings.batch_size
            yield Note(f"no loader was given: tdebug batches {size} samples in dataset order.")
    if pipeline.dataset is None and pipeline.dataloader is not None:
        pipeline.dataset = getattr(pipeline.dataloader, "dataset", None)
