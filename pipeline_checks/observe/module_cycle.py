"""Find a module that is registered inside itself, over which torch recurs for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn


def place_of_cycle(model: nn.Module) -> str:
    """`layers.0.parent`: where a module is that one above it contains; "" where none is."""
    done: set[int] = set()
    above = {id(model)}
    stack = [(model, "", iter(model._modules.items()))]  # noqa: SLF001 - named_children drops repeats
    while stack:
        module, path, children = stack[-1]
        name, child = next(children, ("", None))
        if not name:
            stack.pop()
            above.discard(id(module))
            done.add(id(module))
        elif id(child) in above:
            return f"{path}{name}"
        elif child is not None and id(child) not in done:
            above.add(id(child))
            stack.append((child, f"{path}{name}.", iter(child._modules.items())))  # noqa: SLF001 - as above
    return ""
