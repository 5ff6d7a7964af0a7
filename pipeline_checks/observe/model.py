"""Look at the model before anything is run."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch.nn.parameter import is_lazy

from ..facts.model import ModelFacts, ParameterFact, Signature
from .layers import find_layers
from .transformers_model import transformers_facts
from .unregistered import find_unregistered
from .values import dtype_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..report import Location
    from .user_code import UserCode


def look_at_model(model: nn.Module, code: UserCode) -> ModelFacts:
    """What the model is made of. Nothing is run and nothing is changed."""
    return ModelFacts(
        type=type(model).__name__,
        location=definition_of(type(model), code),
        parameters=tuple(_parameter(n, p) for n, p in model.named_parameters()),
        signature=signature_of(model.forward),
        layers=tuple(find_layers(model)),
        unregistered=tuple(find_unregistered(model)),
        num_modules=sum(1 for _ in model.modules()),
        is_training=model.training,
        same_memory=tuple(_find_same_memory(model)),
        **transformers_facts(model),
    )


def _find_same_memory(model: nn.Module) -> Iterator[tuple[str, str]]:
    """Trainable parameters of one shape that start at the same address."""
    first: dict[tuple[int, torch.Size], str] = {}
    for name, parameter in model.named_parameters():  # tied ones come once
        is_plain = not is_lazy(parameter) and parameter.layout is torch.strided
        if is_plain and parameter.requires_grad and parameter.numel() and not parameter.is_meta:
            place = (parameter.data_ptr(), parameter.shape)
            if place[0] and first.setdefault(place, name) != name:
                yield first[place], name


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
