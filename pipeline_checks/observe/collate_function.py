"""What a collate function is to the user."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import default_collate

from .model import definition_of

if TYPE_CHECKING:
    from ..report import Location
    from .user_code import UserCode

# The fields that each collator of transformers pads.
TOKENIZED = ("input_ids", "attention_mask", "token_type_ids")
PADDED_BY = {
    "DataCollatorWithPadding": TOKENIZED,
    "DataCollatorForLanguageModeling": TOKENIZED,
    "DataCollatorForTokenClassification": (*TOKENIZED, "labels"),
    "DataCollatorForSeq2Seq": (*TOKENIZED, "labels"),
}


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


def collate_location(collate: Any, code: UserCode) -> Location | None:
    """Where it is defined, if that is in the user's code."""
    inner = unwrapped_collate(collate)
    inner = getattr(inner, "func", inner)
    is_object = not hasattr(inner, "__code__") and not isinstance(inner, type)
    return definition_of(type(inner) if is_object else inner, code)


def collate_kind(collate: Any) -> str:
    """`default`, `transformers` or `user`."""
    inner = unwrapped_collate(collate)
    module = getattr(inner, "__module__", None) or type(inner).__module__
    if inner is default_collate or inner is None or module == "torch.utils.data._utils.collate":
        return "default"
    return "transformers" if module.startswith("transformers.") else "user"


def masks_tokens(collate: Any) -> bool:
    """Whether it is a collator of transformers that hides tokens for the model to guess."""
    is_known = collate_kind(collate) == "transformers"
    return is_known and getattr(unwrapped_collate(collate), "mlm", False) is True
