"""The tokenizer: which one is known, and whether it was handed over."""

from __future__ import annotations

import sys
from dataclasses import dataclass
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


@dataclass(frozen=True)
class SpecialIds:
    """The ids of padding and of the end of a text.

    Attributes:
        pad: The tokenizer's pad id, None without one.
        eos: Ids that end a text: the tokenizer's, else those of the model's generation config or
            config; () where nobody says.
    """

    pad: int | None = None
    eos: tuple[int, ...] = ()


def special_ids(pipeline: Pipeline) -> SpecialIds:
    """What the tokenizer says, or without one the model; a model may name several end tokens."""
    tokenizer = known_tokenizer(pipeline)
    if tokenizer is not None:
        pad = getattr(tokenizer, "pad_token_id", None)
        return SpecialIds(pad, _ids(getattr(tokenizer, "eos_token_id", None)))
    configs = (getattr(pipeline.model, name, None) for name in ("generation_config", "config"))
    known = (_ids(getattr(config, "eos_token_id", None)) for config in configs)
    return SpecialIds(None, next((ids for ids in known if ids), ()))


def _ids(value: Any) -> tuple[int, ...]:
    ids = value if isinstance(value, (list, tuple)) else [value]
    return tuple(one for one in ids if isinstance(one, int))


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
