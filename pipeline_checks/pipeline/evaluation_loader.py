"""The loaders of the evaluation samples: the user's own, or made as the training loader is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch.utils.data import DataLoader, IterableDataset

from ..observe.loader import batch_size_of
from .from_trainer import untouched_caches
from .lightning_validation import ValidationSteps, has_validation_loader, validation_loaders

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..session import Settings
    from ..training import Prediction
    from .parts import Pipeline


@dataclass(frozen=True)
class EvaluationLoader:
    """Where the batches of one evaluation set come from.

    Attributes:
        loader: Gives the batches.
        dataset: The samples, None where the loader has none.
        source: `eval_dataset`, `eval_dataset['mnli']`, or `dataset` where there is none.
        is_own: Whether the loader is the user's (a Trainer's, a LightningModule's).
        predict: Predicts its batches, None where that is done alike for all loaders.
    """

    loader: Any
    dataset: Any
    source: str
    is_own: bool
    predict: Callable[[Any, Any], Prediction] | None = None


def find_evaluation_loaders(pipeline: Pipeline, settings: Settings) -> list[EvaluationLoader]:
    """One loader a set; none where the samples could only be put together by a guess."""
    if pipeline.trainer is not None:
        return [_of_trainer(pipeline, *one) for one in _sets(pipeline)]
    if pipeline.eval_dataset is None and has_validation_loader(pipeline):
        return _of_module(pipeline)
    made = (_made(pipeline, settings, *one) for one in _sets(pipeline))
    return [loader for loader in made if loader is not None]


def _sets(pipeline: Pipeline) -> list[tuple[str, Any]]:
    """The evaluation sets by name; the training set where there is none."""
    given = pipeline.eval_dataset
    if given is None:
        return [("dataset", pipeline.dataset)]
    if isinstance(given, Mapping):
        return [(f"eval_dataset[{name!r}]", dataset) for name, dataset in given.items()]
    return [("eval_dataset", given)]


def _of_trainer(pipeline: Pipeline, source: str, dataset: Any) -> EvaluationLoader:
    trainer = pipeline.trainer
    with untouched_caches(trainer):
        loader = trainer.get_eval_dataloader(dataset)
    return EvaluationLoader(loader, dataset, source, is_own=True)


def _of_module(pipeline: Pipeline) -> list[EvaluationLoader]:
    """The loaders of a LightningModule, whose step is told which it is where they are several."""
    found = validation_loaders(pipeline)
    numbers = [None] if len(found) == 1 else range(len(found))
    return [
        EvaluationLoader(
            loader,
            getattr(loader, "dataset", None),
            source,
            is_own=True,
            predict=ValidationSteps(pipeline.model, number),
        )
        for (source, loader), number in zip(found, numbers, strict=True)
    ]


def _made(
    pipeline: Pipeline, settings: Settings, source: str, dataset: Any
) -> EvaluationLoader | None:
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
    is_lightning = pipeline.lightning is not None
    predict = ValidationSteps(pipeline.model) if is_lightning else None
    return EvaluationLoader(made, dataset, source, is_own=False, predict=predict)
