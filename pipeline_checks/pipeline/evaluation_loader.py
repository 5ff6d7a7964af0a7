"""The loader of the evaluation samples: the user's own, or one made as the training loader is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch.utils.data import DataLoader, IterableDataset

from ..observe.loader import batch_size_of

if TYPE_CHECKING:
    from ..session import Settings
    from .parts import Pipeline


@dataclass(frozen=True)
class EvaluationLoader:
    """Where the evaluation batches come from.

    Attributes:
        loader: Gives the batches.
        dataset: The samples, None where the loader has none.
        source: `eval_dataset`, or `dataset` where there is none.
        is_own: Whether the loader is the user's (a Trainer's, a LightningModule's).
    """

    loader: Any
    dataset: Any
    source: str
    is_own: bool


def find_evaluation_loader(pipeline: Pipeline, settings: Settings) -> EvaluationLoader | None:
    """The loader, None where the samples could only be put together by a guess."""
    if pipeline.trainer is not None:
        return _of_trainer(pipeline)
    if pipeline.eval_dataset is None and _has_own_validation(pipeline):
        loader = _first(pipeline.model.val_dataloader())  # type: ignore[union-attr, operator] # a LightningModule
        return EvaluationLoader(loader, getattr(loader, "dataset", None), "eval_dataset", True)  # noqa: FBT003 - the fields stand above
    is_training_set = pipeline.eval_dataset is None
    dataset = pipeline.dataset if is_training_set else pipeline.eval_dataset
    source = "dataset" if is_training_set else "eval_dataset"
    training_loader = pipeline.dataloader
    if dataset is None or not isinstance(training_loader, DataLoader):
        return None
    is_iterable = isinstance(dataset, IterableDataset) or not hasattr(type(dataset), "__getitem__")
    if is_iterable and not isinstance(dataset, IterableDataset):
        return None
    made = DataLoader(
        dataset,
        batch_size=batch_size_of(training_loader) or settings.batch_size,
        collate_fn=training_loader.collate_fn,
    )
    return EvaluationLoader(made, dataset, source, is_own=False)


def _of_trainer(pipeline: Pipeline) -> EvaluationLoader | None:
    trainer = pipeline.trainer
    source = "dataset" if pipeline.eval_dataset is None else "eval_dataset"
    dataset = _first(pipeline.dataset if source == "dataset" else pipeline.eval_dataset)
    loaders = list(trainer.accelerator._dataloaders)  # noqa: SLF001 - no public way to see or restore it
    kept = dict(getattr(trainer, "_eval_dataloaders", None) or {})
    try:
        loader = trainer.get_eval_dataloader(dataset)
    finally:
        trainer.accelerator._dataloaders = loaders  # noqa: SLF001 - as above
        if hasattr(trainer, "_eval_dataloaders"):
            trainer._eval_dataloaders = kept  # noqa: SLF001 - asking for a loader may keep it there
    return EvaluationLoader(loader, dataset, source, is_own=True)


def _has_own_validation(pipeline: Pipeline) -> bool:
    kind = type(pipeline.model)
    base = next((b for b in kind.__mro__ if b.__name__ == "LightningModule"), None)
    return base is not None and getattr(kind, "val_dataloader", None) is not getattr(
        base, "val_dataloader", None
    )


def _first(loaders: Any) -> Any:
    """The first of several evaluation sets or loaders, else the only one."""
    if isinstance(loaders, Mapping):
        return next(iter(loaders.values()), None)
    return loaders[0] if isinstance(loaders, list) and loaders else loaders
