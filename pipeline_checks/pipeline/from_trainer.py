"""A pipeline from a Hugging Face Trainer, which is left as it was found."""

from __future__ import annotations

import inspect
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .parts import Pipeline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import torch


def is_trainer(thing: Any) -> bool:
    """Whether it is a Hugging Face Trainer; transformers is not imported for the question."""
    transformers = sys.modules.get("transformers")
    trainer = getattr(transformers, "Trainer", None) if transformers is not None else None
    return trainer is not None and isinstance(thing, trainer)


# The Trainer's fields for the parts that a spec may override.
FIELDS = {
    "dataset": "train_dataset",
    "eval_dataset": "eval_dataset",
    "collate_fn": "data_collator",
    "tokenizer": "processing_class",
}

# The columns that the model takes, and evaluation loaders that keep their workers.
CACHES = ("_signature_columns", "_eval_dataloaders")


def override_parts(trainer: Any, parts: Mapping[str, Any]) -> None:
    """Give a Trainer that was built from a spec the parts that the spec overrides."""
    for name, value in parts.items():
        setattr(trainer, FIELDS[name], value)


def pipeline_of_trainer(trainer: Any) -> Pipeline:
    """The parts of a Trainer; its optimizer comes later, from `give_optimizer`.

    Its loader is asked for once.
    """
    with untouched_caches(trainer):
        loader = trainer.get_train_dataloader()
    return Pipeline(
        model=trainer.model,
        dataset=trainer.train_dataset,
        eval_dataset=trainer.eval_dataset,
        collate_fn=trainer.data_collator,
        dataloader=loader,
        tokenizer=processing_class_of(trainer),
        metrics=trainer.compute_metrics,
        trainer=trainer,
        settings={"precision": _precision(trainer.args)},
    )


@contextmanager
def untouched_caches(trainer: Any) -> Iterator[None]:
    """Put back what a Trainer and its accelerator note when they are asked for a loader."""
    loaders = list(trainer.accelerator._dataloaders)  # noqa: SLF001 - no public way to see or restore it
    kept = {name: vars(trainer)[name] for name in CACHES if name in vars(trainer)}
    entries = {name: dict(value) for name, value in kept.items() if isinstance(value, dict)}
    try:
        yield
    finally:
        trainer.accelerator._dataloaders = loaders  # noqa: SLF001 - likewise
        for name in CACHES:
            vars(trainer).pop(name, None)
        vars(trainer).update(kept)
        for name, before in entries.items():
            kept[name].clear()
            kept[name].update(before)


def processing_class_of(trainer: Any) -> Any:
    """The tokenizer or processor that the Trainer was given, None without one."""
    for name in ("processing_class", "tokenizer"):  # the second is its name before 4.46
        given = vars(trainer).get(name) if trainer is not None else None
        if given is not None:
            return given
    return None


def give_optimizer(trainer: Any) -> tuple[torch.optim.Optimizer, Any]:
    """The optimizer and the scheduler that training would use; the Trainer's own fields stay."""
    optimizer, scheduler = trainer.optimizer, trainer.lr_scheduler
    try:
        made = trainer.create_optimizer()
        made = made if made is not None else trainer.optimizer
        steps = trainer.args.max_steps if trainer.args.max_steps > 0 else 1000
        made_scheduler = scheduler or trainer.create_scheduler(steps, optimizer=made)
        return made, made_scheduler
    finally:
        trainer.optimizer, trainer.lr_scheduler = optimizer, scheduler
        if scheduler is None and hasattr(trainer, "_created_lr_scheduler"):
            trainer._created_lr_scheduler = False  # noqa: SLF001 - create_scheduler set it


def trainer_loss(trainer: Any, model: Any, batch: Mapping[str, Any]) -> Any:
    """The loss as the Trainer computes it, on a shallow copy of the prepared inputs.

    In training accelerate puts its autocast around the model's forward when it prepares the model;
    here the model stays as it is, and the autocast goes around the whole.
    """
    inputs: Any = trainer._prepare_inputs(batch)  # noqa: SLF001 - what training_step itself calls
    inputs = inputs.copy() if hasattr(inputs, "copy") else inputs
    takes = inspect.signature(trainer.compute_loss).parameters
    extra = {"num_items_in_batch": None} if "num_items_in_batch" in takes else {}
    with trainer.accelerator.autocast(), trainer.compute_loss_context_manager():
        return trainer.compute_loss(model, inputs, **extra)


def removed_columns(trainer: Any, loader: Any) -> tuple[str, ...]:
    """The columns of the dataset that the Trainer takes away before the collator sees them."""
    had = getattr(trainer.train_dataset, "column_names", None) or ()
    kept = getattr(getattr(loader, "collate_fn", None), "signature_columns", None)
    if kept is None:
        kept = getattr(getattr(loader, "dataset", None), "column_names", None) or had
    return tuple(column for column in had if column not in kept)


def _precision(args: Any) -> str:
    return "bf16" if args.bf16 else "fp16" if args.fp16 else "fp32"
