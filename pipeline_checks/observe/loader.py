"""Look at the loader, its collate function and its tokenizer."""

from __future__ import annotations

import multiprocessing
import sys
from typing import TYPE_CHECKING, Any

from torch.utils.data import (
    DataLoader,
    IterableDataset,
    RandomSampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
    default_collate,
)

from ..facts.loader import LoaderFacts
from ..pipeline.from_trainer import processing_class_of
from .model import definition_of

if TYPE_CHECKING:
    from ..pipeline.parts import Pipeline
    from ..report import Location
    from .user_code import UserCode

SHUFFLING = (RandomSampler, SubsetRandomSampler, WeightedRandomSampler)
PADDED_BY = {
    "DataCollatorWithPadding": ("input_ids", "attention_mask", "token_type_ids"),
    "DataCollatorForLanguageModeling": ("input_ids", "attention_mask", "token_type_ids"),
    "DataCollatorForTokenClassification": (
        "input_ids",
        "attention_mask",
        "token_type_ids",
        "labels",
    ),
    "DataCollatorForSeq2Seq": ("input_ids", "attention_mask", "token_type_ids", "labels"),
}


def look_at_loader(pipeline: Pipeline, code: UserCode) -> LoaderFacts:
    """What the loader is. Nothing is drawn from it."""
    loader: Any = pipeline.dataloader
    dataset = getattr(loader, "dataset", pipeline.dataset)
    # `or` would ask the sampler for its length, which a dataset without one cannot give.
    sampler = getattr(getattr(loader, "batch_sampler", None), "sampler", None)
    sampler = sampler if sampler is not None else getattr(loader, "sampler", None)
    collate = getattr(loader, "collate_fn", None)
    handed_over = tokenizer_handed_over(pipeline)
    workers = int(getattr(loader, "num_workers", 0) or 0)
    is_iterable = isinstance(dataset, IterableDataset) or not hasattr(type(dataset), "__getitem__")
    return LoaderFacts(
        type=type(loader).__name__,
        is_made_up="dataloader" in pipeline.made_up,
        batch_size=batch_size_of(loader),
        drop_last=bool(
            getattr(
                getattr(loader, "batch_sampler", None),
                "drop_last",
                getattr(loader, "drop_last", False),
            )
        ),
        is_shuffled=_is_shuffled(sampler, is_iterable=is_iterable),
        sampler=type(sampler).__name__ if sampler is not None else "",
        num_workers=workers,
        start_method=_start_method(loader) if workers else "",
        collate=collate_name(collate),
        collate_kind=_collate_kind(collate),
        pads=PADDED_BY.get(collate_name(collate), ()),
        num_batches=_length(loader),
        num_samples=_length(dataset),
        is_iterable=is_iterable,
        yields_batches=not isinstance(loader, DataLoader) or loader.batch_sampler is None,
        has_tokenizer=handed_over is not None,
        needs_padding=getattr(unwrapped_collate(collate), "tokenizer", None) is not None,
        trainer=pipeline.trainer is not None,
        collate_location=_collate_location(collate, code),
        **_tokenizer_facts(pipeline.tokenizer if handed_over is None else handed_over),
    )


def tokenizer_handed_over(pipeline: Pipeline) -> Any:
    """The tokenizer that the collate function or the Trainer was given, None without one."""
    collate = unwrapped_collate(getattr(pipeline.dataloader, "collate_fn", None))
    given = getattr(collate, "tokenizer", None)
    return given if given is not None else processing_class_of(pipeline.trainer)


def batch_size_of(loader: Any) -> int | None:
    """Samples a batch, None where the loader does not say."""
    size = getattr(getattr(loader, "batch_sampler", None), "batch_size", None) or getattr(
        loader, "batch_size", None
    )
    return int(size) if isinstance(size, int) else None


def unwrapped_collate(collate: Any) -> Any:
    """The user's collate function inside a Trainer's wrapper that removes columns."""
    return getattr(collate, "data_collator", collate)


def collate_name(collate: Any) -> str:
    """What the user calls it."""
    inner = unwrapped_collate(collate)
    if inner is None:
        return "none"
    inner = getattr(inner, "func", inner)
    return str(getattr(inner, "__qualname__", type(inner).__name__)).replace("<locals>.", "")


def _collate_location(collate: Any, code: UserCode) -> Location | None:
    inner = unwrapped_collate(collate)
    inner = getattr(inner, "func", inner)
    is_object = not hasattr(inner, "__code__") and not isinstance(inner, type)
    return definition_of(type(inner) if is_object else inner, code)


def _collate_kind(collate: Any) -> str:
    inner = unwrapped_collate(collate)
    module = getattr(inner, "__module__", None) or type(inner).__module__
    if inner is default_collate or inner is None or module == "torch.utils.data._utils.collate":
        return "default"
    return "transformers" if module.startswith("transformers.") else "user"


def _is_shuffled(sampler: Any, *, is_iterable: bool) -> bool | None:
    if isinstance(sampler, SHUFFLING):
        return True
    if isinstance(sampler, SequentialSampler):
        return False
    if is_iterable or sampler is None:
        return None
    shuffle = getattr(sampler, "shuffle", None)
    return shuffle if isinstance(shuffle, bool) else None


def _start_method(loader: Any) -> str:
    context = getattr(loader, "multiprocessing_context", None)
    if context is not None:
        return str(context.get_start_method())
    return (
        multiprocessing.get_start_method(allow_none=True)
        or multiprocessing.get_context().get_start_method()
    )


def _length(thing: Any) -> int | None:
    try:
        return len(thing)
    except Exception:  # noqa: BLE001 - the user's __len__ may raise anything
        return None


def _tokenizer_facts(tokenizer: Any) -> dict[str, Any]:
    transformers = sys.modules.get("transformers")
    if transformers is None or not isinstance(tokenizer, transformers.PreTrainedTokenizerBase):
        return {}
    return {
        "tokenizer": type(tokenizer).__name__,
        "tokenizer_length": len(tokenizer),
        "pad_token": tokenizer.pad_token,
        "pad_token_id": tokenizer.pad_token_id,
        "eos_token_id": tokenizer.eos_token_id,
    }
