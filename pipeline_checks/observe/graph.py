"""Look at the autograd graph: leaves that nobody trains, tensors that outlive their batch."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from ..facts.training import CarriedGraph, LeafParameter
from ..nested import leaves

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .modules import ModuleWatch, Stranger

MAX_NODES = 200_000
MAX_CARRIED = 10


def leaf_tensors(loss: torch.Tensor) -> list[torch.Tensor]:
    """The leaves of the graph that the loss hangs on."""
    return leaf_tensors_of(loss.grad_fn)


def leaf_tensors_of(start: Any) -> list[torch.Tensor]:
    """The leaves of the graph behind one of its nodes."""
    found: dict[int, torch.Tensor] = {}
    seen: set[Any] = set()
    stack: list[Any] = [start]
    while stack and len(seen) < MAX_NODES:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if isinstance(variable, torch.Tensor):
            found[id(variable)] = variable
        stack.extend(next_node for next_node, _ in node.next_functions)
    return list(found.values())


class LeafWatch:
    """Finds leaves that are no parameters of the model and in no optimizer.

    Attributes:
        older: Tensors with a graph that the model has from its constructor, with their paths.
    """

    def __init__(self, model: nn.Module, known: Iterable[torch.Tensor]) -> None:
        self._model = model
        self.older = list(_kept_tensors(model, {}))
        self._known = {id(p) for p in model.parameters()} | {id(t) for t in known}
        self._found: dict[tuple[Any, ...], LeafParameter] = {}
        self._held: dict[tuple[Any, ...], nn.Parameter | torch.Tensor] = {}

    def look(self, loss: torch.Tensor, batch: Any, modules: ModuleWatch) -> None:
        """Look at the leaves of this batch's loss."""
        inputs = {id(t) for _, t in leaves(batch) if isinstance(t, torch.Tensor)}
        for leaf in leaf_tensors(loss):
            if id(leaf) in self._known or id(leaf) in inputs or not leaf.requires_grad:
                continue
            self._note(leaf, modules)

    def _note(self, leaf: torch.Tensor, modules: ModuleWatch) -> None:
        stranger, name = _holder(leaf, modules)
        if stranger is None:
            self._note_bare(leaf)
            return
        owner = modules.names.get(id(stranger.owner), "")
        location = stranger.location
        kind = type(stranger.module).__name__
        key = (kind, name, tuple(leaf.shape), owner, str(location))
        before = self._held.get(key)
        is_new = before is not None and before is not leaf
        self._held[key] = leaf
        attribute = _attribute_of(stranger)
        if is_new or key not in self._found:
            self._found[key] = LeafParameter(
                kind,
                name,
                tuple(leaf.shape),
                owner,
                attribute,
                location,
                is_new_each_time=is_new and not attribute,
            )

    def _note_bare(self, leaf: torch.Tensor) -> None:
        """A tensor that is in no module: it counts once it is met again where the model keeps it.

        What is new each time, or kept nowhere, is the user's own: an adversarial input, say.
        """
        owner, attribute = _place_in(self._model, leaf)
        source = _computed_from(leaf, self.older) if not attribute else ""
        if source:
            owner, _, attribute = source.rpartition(".")
        key = (owner, attribute, tuple(leaf.shape))
        if attribute and self._held.get(key) is leaf:
            self._found[key] = LeafParameter(
                "", "", tuple(leaf.shape), owner, attribute, is_computed_from=bool(source)
            )
        self._held[key] = leaf

    @property
    def found(self) -> tuple[LeafParameter, ...]:
        """The leaves found until now."""
        return tuple(self._found.values())


def _holder(leaf: torch.Tensor, modules: ModuleWatch) -> tuple[Stranger | None, str]:
    for stranger in modules.strangers.values():
        for name, parameter in stranger.module.named_parameters():
            if parameter is leaf:
                return stranger, name
    return None, ""


def _attribute_of(stranger: Stranger) -> str:
    """`hidden[0]`: where the owner keeps the module; "" if it was made on the spot."""
    for name, value in vars(stranger.owner).items() if stranger.owner is not None else ():
        if name == "_modules":
            continue
        for path, leaf in leaves(value):
            if leaf is stranger.module:
                return f"{name}{path}"
    return ""


def _place_in(model: nn.Module, tensor: torch.Tensor) -> tuple[str, str]:
    """The module and its attribute that hold the tensor, ("", "") where none does."""
    for owner, module in model.named_modules():
        for name, value in vars(module).items():
            if name in {"_parameters", "_modules", "_buffers"}:
                continue
            for path, leaf in leaves(value):
                if leaf is tensor:
                    return owner, f"{name}{path}"
    return "", ""


def _computed_from(leaf: torch.Tensor, older: list[tuple[str, torch.Tensor]]) -> str:
    """The path of the tensor that was computed from this leaf, "" where none was."""
    made = (path for path, kept in older if any(one is leaf for one in leaf_tensors(kept)))
    return next(made, "")


def carried_graphs(
    model: nn.Module, state: dict[str, Any], older: Iterable[tuple[str, torch.Tensor]] = ()
) -> tuple[CarriedGraph, ...]:
    """Tensors with a graph that the model keeps in attributes, or a training step in its state."""
    from_before = {id(tensor) for _, tensor in older}
    kept = islice(_kept_tensors(model, state), MAX_CARRIED)
    return tuple(
        CarriedGraph(p, tuple(t.shape), made_by(t), is_older=id(t) in from_before) for p, t in kept
    )


def _kept_tensors(model: nn.Module, state: dict[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    for owner, module in model.named_modules():
        kept = {k: v for k, v in vars(module).items() if k not in {"_parameters", "_modules"}}
        for name, value in {**kept.pop("_buffers", {}), **kept}.items():
            for path, tensor in _graph_tensors(value):
                yield f"{owner}.{name}{path}" if owner else f"{name}{path}", tensor
    for path, tensor in _graph_tensors(state):
        yield f"state{path}", tensor


def made_by(tensor: torch.Tensor) -> str:
    """The autograd node that made the tensor, "" without one."""
    return tensor.grad_fn.name() if tensor.grad_fn is not None else ""


def _graph_tensors(value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, (torch.Tensor, list, tuple, dict)):
        for path, leaf in leaves(value):
            if isinstance(leaf, torch.Tensor) and leaf.grad_fn is not None:
                yield path, leaf
