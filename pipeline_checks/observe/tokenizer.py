"""The tokenizer: which one is known, and whether it was handed over."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..pipeline.from_trainer import processing_class_of
from .collate_function import unwrapped_collate

if TYPE_CHECKING:
    from ..pipeline.parts import Pipeline


def tokenizer_handed_over(pipeline: Pipeline) -> Any:
    """The tokenizer that the collate function or the Trainer was given, None without one."""
    collate = unwrapped_collate(getattr(pipeline.dataloader, "collate_fn", None))
    given = getattr(collate, "tokenizer", None)
    return given if given is not None else processing_class_of(pipeline.trainer)


def known_tokenizer(pipeline: Pipeline) -> Any:
    """The tokenizer that was handed over, else the pipeline's own, None without one."""
    handed_over = tokenizer_handed_over(pipeline)
    return pipeline.tokenizer if handed_over is None else handed_over


def tokenizer_facts(tokenizer: Any) -> dict[str, Any]:
    """Its fields of `LoaderFacts`; none for what is no tokenizer of transformers."""
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
