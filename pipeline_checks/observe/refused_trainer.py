"""What a Hugging Face Trainer was given whose constructor raised."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..facts.load import RefusedTrainer
from ..pipeline.from_trainer import is_trainer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


def find_refused_trainer(error: BaseException) -> RefusedTrainer | None:
    """The arguments of the Trainer's `__init__` on the traceback; None if none is on it."""
    for frame in _frames(error):
        if frame.f_code.co_name == "__init__" and is_trainer(frame.f_locals.get("self")):
            given = frame.f_locals
            return _describe(given.get("train_dataset"), given.get("args"))
    return None


def _frames(error: BaseException) -> Iterator[FrameType]:
    traceback = error.__traceback__
    while traceback is not None:
        yield traceback.tb_frame
        traceback = traceback.tb_next


def _describe(dataset: Any, arguments: Any) -> RefusedTrainer:
    return RefusedTrainer(
        dataset="" if dataset is None else type(dataset).__name__,
        has_length=dataset is None or hasattr(type(dataset), "__len__"),
        max_steps=int(getattr(arguments, "max_steps", 0) or 0),
        num_epochs=getattr(arguments, "num_train_epochs", None),
    )
