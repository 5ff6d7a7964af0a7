"""Follow what `autograd.grad` gave without `create_graph` to where it is added to a loss.

Such a gradient is a constant. That is meant where it moves an input or a weight (FGSM, MAML), or
scales a loss: what comes of it still leads back to the parameters. A summand of the loss that is
made of it and leads to nothing but what it was the gradient for trains nothing.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch

from ..facts.calls import GradientTerm
from ..nested import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch.autograd.graph import Node

    from ..report import Location
    from .failed_call import TorchCall
    from .modules import ModuleWatch

ADDITIONS = {"add", "__add__", "__radd__", "add_", "__iadd__", "sub", "__sub__", "__rsub__"}
STOPPING = {"detach", "detach_", "item", "backward", "__get__", "__set__"}
# Through these a summand of the loss stays a summand.
LINEAR = ("Add", "Sub", "Rsub", "Mul", "Div", "Neg", "ToCopy", "Mean", "Sum", "Squeeze", "View")
MAX_FOLLOWED = 1000
MAX_WAITING = 10


@dataclass(frozen=True)
class _Gradient:
    """A gradient without a graph: where it was taken, and for which tensors but parameters."""

    location: Location | None
    inputs: frozenset[int]


@dataclass
class GradientTerms:
    """The gradients that were taken, what was made of them, and the sums that they went into."""

    found: GradientTerm | None = None
    _made_of: dict[int, tuple[weakref.ref[torch.Tensor], _Gradient]] = field(default_factory=dict)
    _waiting: list[tuple[Node, GradientTerm]] = field(default_factory=list)

    def look(self, call: TorchCall, result: Any, modules: ModuleWatch) -> None:
        """Look at a call that has just returned."""
        if call.name == "grad":
            if not call.kwargs.get("create_graph") and self.found is None:
                inputs = frozenset(
                    id(one) for one in _tensors(call.args[1:2]) if not _is_trained(one)
                )
                self._mark(result, _Gradient(modules.code.caller(), inputs))
        elif self._made_of and torch.is_grad_enabled() and call.name not in STOPPING:
            self._follow(call, result, modules)

    def settle(self, roots: list[torch.Tensor]) -> None:
        """Keep the first sum that is what backward starts from, or a part of it."""
        if self._waiting and self.found is None:
            sums = set().union(*(_summands(root) for root in roots))
            self.found = next((term for node, term in self._waiting if node in sums), None)
        self.clear()

    def clear(self) -> None:
        """Forget what was followed."""
        self._made_of.clear()
        self._waiting.clear()

    def _follow(self, call: TorchCall, result: Any, modules: ModuleWatch) -> None:
        read = [(t, g) for t in _tensors([*call.args, *call.kwargs.values()]) if (g := self._of(t))]
        if not read:
            return
        self._mark(result, read[0][1])
        is_sum = call.name in ADDITIONS and isinstance(result, torch.Tensor) and not result.dim()
        if is_sum and result.grad_fn is not None and len(self._waiting) < MAX_WAITING:
            for tensor, gradient in read:
                if not _leads_on(tensor, gradient) and _leads_on(result, gradient):
                    term = GradientTerm(gradient.location, modules.code.caller())
                    self._waiting.append((result.grad_fn, term))

    def _mark(self, made: Any, gradient: _Gradient) -> None:
        for tensor in _tensors([made]):
            if tensor.is_floating_point() and len(self._made_of) < MAX_FOLLOWED:
                self._made_of[id(tensor)] = weakref.ref(tensor), gradient

    def _of(self, tensor: torch.Tensor) -> _Gradient | None:
        reference, gradient = self._made_of.get(id(tensor), (None, None))
        return gradient if reference is not None and reference() is tensor else None


def _tensors(values: Any) -> list[torch.Tensor]:
    return [leaf for _, leaf in leaves(values) if isinstance(leaf, torch.Tensor)]


def _is_trained(tensor: torch.Tensor) -> bool:
    """Whether it is a parameter: what leads to it trains, though a gradient was taken for it."""
    return isinstance(tensor, torch.nn.Parameter) and tensor.requires_grad


def _leads_on(tensor: torch.Tensor, gradient: _Gradient) -> bool:
    """Whether it leads back to a leaf other than what the gradient was taken for."""
    if tensor.grad_fn is None:
        return tensor.requires_grad and id(tensor) not in gradient.inputs
    variables = (getattr(node, "variable", None) for node in _nodes([tensor.grad_fn]))
    return any(leaf is not None and id(leaf) not in gradient.inputs for leaf in variables)


def _summands(root: torch.Tensor) -> set[Node]:
    """The nodes whose results are summands of a root, with some factor."""
    return set(_nodes([root.grad_fn], LINEAR)) if root.grad_fn is not None else set()


def _nodes(start: list[Node], through: tuple[str, ...] = ("",)) -> Iterator[Node]:
    """All nodes before these, as far as their names begin with one of those given."""
    waiting, seen = list(start), set(start)
    while waiting:
        node = waiting.pop()
        yield node
        if node.name().startswith(through):
            new = [n for n, _ in node.next_functions if n is not None and n not in seen]
            seen.update(new)
            waiting += new
