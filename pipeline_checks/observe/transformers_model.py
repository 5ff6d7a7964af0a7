"""What a model of transformers says of itself: classes, longest sequence, token embedding."""

from __future__ import annotations

import sys
from typing import Any

from torch import nn

CONFIG_KEYS = (
    "model_type",
    "num_labels",
    "problem_type",
    "vocab_size",
    "type_vocab_size",
    "max_position_embeddings",
    "n_positions",
    "pad_token_id",
    "eos_token_id",
    "bos_token_id",
    "decoder_start_token_id",
    "is_encoder_decoder",
    "is_decoder",
    "tie_word_embeddings",
    "position_embedding_type",
)
CLASSIFIERS = ("ForSequenceClassification", "ForTokenClassification", "ForImageClassification")
OTHER_PROBLEMS = ("regression", "multi_label_classification")
# Classes with a head are named so; a bare body (`BertModel`) is not.
HEADS = ("For", "LMHead")
POSITIONS = ("position_embeddings", "wpe", "embed_positions")


def transformers_facts(model: Any) -> dict[str, Any]:
    """Its fields of `ModelFacts`; none for other models. transformers is not imported for it."""
    transformers = sys.modules.get("transformers")
    if transformers is None or not isinstance(model, transformers.PreTrainedModel):
        return {}
    classes, classes_from = _num_classes(model)
    length, length_from = _max_length(model)
    name, rows = _token_embedding(model)
    return {
        "is_transformers": True,
        "has_own_forward": not type(model).forward.__module__.startswith("transformers."),
        "main_input": str(getattr(model, "main_input_name", "")),
        "config": _config(model.config),
        "num_classes": classes,
        "num_classes_from": classes_from,
        "max_length": length,
        "max_length_from": length_from,
        "token_embedding": name,
        "token_rows": rows,
        "has_head": any(word in type(model).__name__ for word in HEADS),
    }


def _config(config: Any) -> dict[str, str | int | float | bool | None]:
    found = {}
    for key in CONFIG_KEYS:
        value = getattr(config, key, None)
        if value is None or isinstance(value, (str, int, float, bool)):
            found[key] = value
    return found


def _num_classes(model: Any) -> tuple[int | None, str]:
    """Only of the model's own classification heads, whose loss is cross entropy over num_labels."""
    number = getattr(model.config, "num_labels", None)
    is_classifier = type(model).__name__.endswith(CLASSIFIERS)
    if not is_classifier or not isinstance(number, int) or number <= 1:  # 1: regression
        return None, ""
    if getattr(model.config, "problem_type", None) in OTHER_PROBLEMS:
        return None, ""
    return number, "config.num_labels"


def _token_embedding(model: Any) -> tuple[str, int | None]:
    try:
        embedding = model.get_input_embeddings()
    except (NotImplementedError, AttributeError):
        return "", None
    if not isinstance(embedding, nn.Embedding):
        return "", None
    name = next((n for n, m in model.named_modules() if m is embedding), "")
    return name, embedding.num_embeddings


def _max_length(model: nn.Module) -> tuple[int | None, str]:
    """The longest sequence that learned positions allow.

    RoBERTa and its kin start counting at padding_idx + 1, so that they can use fewer rows than
    they have; the offset shows as the position embedding's own `padding_idx`.
    """
    for name, module in model.named_modules():
        if isinstance(module, nn.Embedding) and name.rsplit(".", 1)[-1] in POSITIONS:
            usable, start = _usable_rows(module)
            rest = f" and counts from {start}" if start else ""
            return usable, f"{name} has {module.num_embeddings} rows{rest}"
    return None, ""


def _usable_rows(positions: nn.Embedding) -> tuple[int, int]:
    """How many rows a sequence can use, and the first of them."""
    offset = getattr(positions, "offset", None)
    if isinstance(offset, int):  # BART and OPT: rows were added for the offset
        return positions.num_embeddings - offset, 0
    start = 0 if positions.padding_idx is None else positions.padding_idx + 1
    return positions.num_embeddings - start, start
