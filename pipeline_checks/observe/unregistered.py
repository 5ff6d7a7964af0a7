"""Modules in plain containers, which `parameters()` does not see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch import nn

from ..facts.model import UnregisteredModules

if TYPE_CHECKING:
    from collections.abc import Iterator

OWN_ATTRIBUTES = frozenset(vars(nn.Module()))


def find_unregistered(model: nn.Module) -> Iterator[UnregisteredModules]:
    """The containers of the model that hold modules with parameters, unregistered."""
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
