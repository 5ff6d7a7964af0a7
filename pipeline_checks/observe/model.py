"""Look at the model before anything is run."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

from torch import nn

from ..facts.model import LayerFact, ModelFacts, ParameterFact, Signature, UnregisteredModules
from .values import dtype_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..report import Location
    from .user_code import UserCode

SIZES = (
    "num_embeddings",
    "embedding_dim",
    "padding_idx",
    "in_features",
    "out_features",
    "in_channels",
    "out_channels",
    "groups",
    "num_features",
    "normalized_shape",
    "input_size",
    "hidden_size",
    "embed_dim",
    "num_heads",
    "eps",
    "p",
)
SIZED = (
    nn.Embedding,
    nn.EmbeddingBag,
    nn.Linear,
    nn.Bilinear,
    nn.modules.conv._ConvNd,  # noqa: SLF001 - the base of all convolutions has no public name
    nn.modules.batchnorm._BatchNorm,  # noqa: SLF001 - likewise of batch norms
    nn.modules.dropout._DropoutNd,  # noqa: SLF001 - likewise of dropouts
    nn.LayerNorm,
    nn.RNNBase,
    nn.MultiheadAttention,
    nn.Softmax,
    nn.LogSoftmax,
    nn.Sigmoid,
)
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
MAX_LAYERS = 400
OWN_ATTRIBUTES = frozenset(vars(nn.Module()))


def look_at_model(model: nn.Module, code: UserCode) -> ModelFacts:
    """What the model is made of. Nothing is run and nothing is changed."""
    config = getattr(model, "config", None)
    is_transformers = _is_transformers(model)
    classes, classes_from = _num_classes(model, config) if is_transformers else (None, "")
    length, length_from = _max_length(model) if is_transformers else (None, "")
    name, rows = _token_embedding(model) if is_transformers else ("", None)
    return ModelFacts(
        type=type(model).__name__,
        location=definition_of(type(model), code),
        parameters=tuple(_parameter(n, p) for n, p in model.named_parameters()),
        signature=signature_of(model.forward),
        is_transformers=is_transformers,
        main_input=str(getattr(model, "main_input_name", "")) if is_transformers else "",
        config=_config(config) if is_transformers else {},
        layers=tuple(_layers(model)),
        unregistered=tuple(_unregistered(model)),
        num_modules=sum(1 for _ in model.modules()),
        num_classes=classes,
        num_classes_from=classes_from,
        max_length=length,
        max_length_from=length_from,
        token_rows=rows,
        token_embedding=name,
        has_head=not is_transformers
        or "For" in type(model).__name__
        or "LMHead" in type(model).__name__,
        is_training=model.training,
    )


def _is_transformers(model: nn.Module) -> bool:
    transformers = sys.modules.get("transformers")
    return transformers is not None and isinstance(model, transformers.PreTrainedModel)


def _parameter(name: str, parameter: nn.Parameter) -> ParameterFact:
    is_lazy = isinstance(parameter, nn.UninitializedParameter)
    shape = () if is_lazy else tuple(parameter.shape)
    device = str(parameter.device)
    return ParameterFact(name, shape, dtype_name(parameter.dtype), device, parameter.requires_grad)


def signature_of(function: Any) -> Signature:
    """What a callable takes; empty where it does not say."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return Signature(takes_any=True, takes_more=True)
    kinds = inspect.Parameter
    named = [p for p in parameters if p.kind not in {kinds.VAR_KEYWORD, kinds.VAR_POSITIONAL}]
    return Signature(
        names=tuple(p.name for p in named),
        required=tuple(p.name for p in named if p.default is kinds.empty),
        takes_any=any(p.kind is kinds.VAR_KEYWORD for p in parameters),
        takes_more=any(p.kind is kinds.VAR_POSITIONAL for p in parameters),
    )


def definition_of(thing: Any, code: UserCode) -> Location | None:
    """Where a class or function is defined, if that is in the user's code."""
    try:
        path, line = inspect.getsourcefile(thing), inspect.getsourcelines(thing)[1]
    except (TypeError, OSError):
        return None
    return (
        code.place(path, line, getattr(thing, "__name__", None))
        if path and code.holds(path)
        else None
    )


def layer_sizes(module: nn.Module) -> dict[str, float]:
    """The module's own numbers."""
    found: dict[str, float] = {}
    for name in SIZES:
        value = module.__dict__.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            found[name] = value
        elif name == "normalized_shape" and isinstance(value, tuple):
            found[name] = value[-1]
    return found


def _layers(model: nn.Module) -> Iterator[LayerFact]:
    kept = [(name, module) for name, module in model.named_modules() if isinstance(module, SIZED)]
    for name, module in kept[:MAX_LAYERS]:
        yield LayerFact(name, type(module).__name__, layer_sizes(module), module.training)


def _config(config: Any) -> dict[str, str | int | float | bool | None]:
    found = {}
    for key in CONFIG_KEYS:
        value = getattr(config, key, None)
        if value is None or isinstance(value, (str, int, float, bool)):
            found[key] = value
    return found


def _num_classes(model: nn.Module, config: Any) -> tuple[int | None, str]:
    """Only of the model's own classification heads, whose loss is cross entropy over num_labels."""
    number = getattr(config, "num_labels", None)
    if not type(model).__name__.endswith(CLASSIFIERS) or not isinstance(number, int) or number < 2:  # noqa: PLR2004
        return None, ""
    if getattr(config, "problem_type", None) in {"regression", "multi_label_classification"}:
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
        last = name.rsplit(".", 1)[-1]
        if not isinstance(module, nn.Embedding) or last not in {
            "position_embeddings",
            "wpe",
            "embed_positions",
        }:
            continue
        offset = getattr(module, "offset", None)
        if isinstance(offset, int):  # BART and OPT: rows were added for the offset
            return module.num_embeddings - offset, f"{name} has {module.num_embeddings} rows"
        if module.padding_idx is not None:
            usable = module.num_embeddings - module.padding_idx - 1
            start = module.padding_idx + 1
            return usable, f"{name} has {module.num_embeddings} rows and counts from {start}"
        return module.num_embeddings, f"{name} has {module.num_embeddings} rows"
    return None, ""


def _unregistered(model: nn.Module) -> Iterator[UnregisteredModules]:
    registered = {id(module) for module in model.modules()}
    for owner, module in model.named_modules():
        for attribute, value in vars(module).items():
            if attribute in OWN_ATTRIBUTES:
                continue
            held = list(_modules_in(value))
            strangers = [
                m for m in held if id(m) not in registered and any(True for _ in m.parameters())
            ]
            if strangers:
                yield _describe(owner, attribute, value, strangers)


def _modules_in(value: Any) -> Iterator[nn.Module]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple, set)):
        for item in value:
            if isinstance(item, nn.Module):
                yield item
            elif isinstance(item, (list, tuple)):
                yield from (inner for inner in item if isinstance(inner, nn.Module))


def _describe(
    owner: str, attribute: str, value: Any, strangers: list[nn.Module]
) -> UnregisteredModules:
    distinct = list({id(m): m for m in strangers}.values())
    return UnregisteredModules(
        owner=owner,
        attribute=attribute,
        container=type(value).__name__,
        num_entries=len(strangers),
        num_distinct=len(distinct),
        types=tuple(dict.fromkeys(type(m).__name__ for m in distinct)),
        num_parameters=len({id(p) for m in distinct for p in m.parameters()}),
    )
