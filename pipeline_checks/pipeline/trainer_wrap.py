"""The model of a Hugging Face Trainer as `train` wraps it when there are several ranks."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .parts import Pipeline


def is_wrapped_by_trainer(pipeline: Pipeline) -> bool:
    """Whether the pipeline's Trainer averages gradients with DistributedDataParallel."""
    accelerator = getattr(pipeline.trainer, "accelerator", None)
    kind = str(getattr(getattr(accelerator, "distributed_type", None), "value", ""))
    return kind.startswith("MULTI_")


@contextmanager
def wrapped_by_trainer(pipeline: Pipeline) -> Iterator[Pipeline]:
    """The pipeline with the wrapped model; without such a Trainer, the pipeline as it is.

    The accelerator's list of models and the Trainer's `model_wrapped` are put back.
    """
    if not is_wrapped_by_trainer(pipeline):
        yield pipeline
        return
    trainer: Any = pipeline.trainer
    accelerator, before = trainer.accelerator, trainer.model_wrapped
    models = list(accelerator._models)  # noqa: SLF001 - no public way to see or restore it
    forward = vars(pipeline.model).get("forward")
    try:
        wrapped = accelerator.prepare_model(pipeline.model)
        trainer.model_wrapped = wrapped
        yield replace(pipeline, model=wrapped)
    finally:
        trainer.model_wrapped = before
        accelerator._models[:] = models  # noqa: SLF001 - as above
        for name in ("forward", "_original_forward"):  # autocast was put around it
            vars(pipeline.model).pop(name, None)
        if forward is not None:
            vars(pipeline.model)["forward"] = forward
