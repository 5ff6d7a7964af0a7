"""Bring a LightningModule to where `Trainer.fit` has it before its first batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..events import Event, Note, Progress
from ..pipeline.from_lightning import is_lightning_module
from ..pipeline.lightning_trainer import (
    attach_loader,
    attach_optimizers,
    attach_trainer,
    begin_training,
)
from ..report import Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..pipeline.parts import Pipeline
    from .part_record import PartRecord


def set_up_module(pipeline: Pipeline, record: PartRecord) -> Iterator[Event]:
    """Attach the Trainer and the loader; what raises is a failure of the model or of the loader."""
    if not is_lightning_module(pipeline.model):
        return
    yield Progress(Stage.LOAD, "setup('fit')")
    if _attach(record, "model", "setup('fit')", lambda: attach_trainer(pipeline)):
        _attach(record, "dataloader", "train_dataloader()", lambda: attach_loader(pipeline))


def _attach(record: PartRecord, name: str, origin: str, attach: Callable[[], None]) -> bool:
    try:
        attach()
    except record.session.caught as error:
        record.fail(name, origin, error)
        return False
    return True


def begin_fit(pipeline: Pipeline, record: PartRecord) -> Iterator[Event]:
    """Attach the optimizers and call the hooks that come before the first batch."""
    if not is_lightning_module(pipeline.model) or not record.is_faultless:
        return
    attach_optimizers(pipeline)
    _, error = record.session.attempt(lambda: begin_training(pipeline.model))
    if error is not None:
        yield Note(
            f"a hook that Lightning calls before the first batch raised {error}; tdebug went on."
        )
