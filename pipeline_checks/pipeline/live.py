"""A pipeline from whatever live object the user has."""

from __future__ import annotations

from typing import Any

from .from_lightning import is_lightning_module
from .from_trainer import is_trainer, pipeline_of_trainer
from .parts import Pipeline


def pipeline_of(thing: Any, dataloader: Any = None) -> Pipeline:
    """The pipeline that the object is or holds.

    Raises:
        TypeError: The object is none that tdebug can check.
    """
    if isinstance(thing, Pipeline):
        return thing
    if is_trainer(thing):
        return pipeline_of_trainer(thing)
    if is_lightning_module(thing):
        return Pipeline(model=thing, dataloader=dataloader)
    raise TypeError(
        f"check_pipeline takes a Pipeline, a Hugging Face Trainer, a LightningModule with its "
        f"loader, or the path of a spec, not a {type(thing).__name__}."
    )
