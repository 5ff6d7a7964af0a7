"""Go back from a loss once, node by node, and see where the gradient is missing or becomes 0."""

from __future__ import annotations

from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import torch

from .graph import MAX_NODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch.autograd.graph import Node

    Gradients = Sequence[torch.Tensor | None]


@dataclass
class GradientWalk:
    """One backward whose nodes are looked at; the graph is kept, so that they can be asked.

    Attributes:
        ends_in_zero: Nodes that were given a gradient and hand on nothing but zeros, from the loss
            on.
        cancelled: Nodes that are given 0 although one of those before handed on something else.
    """

    roots: list[torch.Tensor]
    ends_in_zero: list[Node] = field(default_factory=list)
    cancelled: list[Node] = field(default_factory=list)

    def __post_init__(self) -> None:
        starts = [root.grad_fn for root in self.roots if root.grad_fn is not None]
        self.nodes = list(_reachable(starts))
        self._missing: dict[Node, list[Node]] = {}
        self._handed: dict[Node, list[Node]] = defaultdict(list)

    def run(self) -> None:
        """Go back; parameters get gradients by it."""
        with ExitStack() as stack:
            for node in self.nodes:
                hook = partial(self._note, node)
                stack.callback(node.register_hook(hook).remove)
            torch.autograd.backward(self.roots, retain_graph=True)

    def missing_for(self, parameter: torch.Tensor) -> Node | None:
        """The node nearest to the loss that hands on no gradient towards this parameter."""
        behind = self._behind(parameter)
        for node, targets in self._missing.items():
            if any(target in behind for target in targets):
                return node
        return None

    def givers_of(self, node: Node) -> list[Node]:
        """The nodes that handed on something other than 0 to this one."""
        return self._handed[node]

    def _note(self, node: Node, handed: Gradients, given: Gradients) -> None:
        targets = [target for target, _ in node.next_functions]
        edges = [(t, g) for t, g in zip(targets, handed, strict=False) if t is not None]
        alive = [target for target, gradient in edges if _is_nonzero(gradient)]
        for target in alive:
            self._handed[target].append(node)
        if any(map(_is_nonzero, given)):
            if edges and not alive:
                self.ends_in_zero.append(node)
        elif self._handed[node]:
            self.cancelled.append(node)
        lacking = [target for target, gradient in edges if gradient is None]
        if lacking and any(gradient is not None for gradient in given):
            self._missing[node] = lacking

    def _behind(self, parameter: torch.Tensor) -> set[Node]:
        """The nodes from which the way back leads to this parameter, itself included."""
        back: dict[Node, list[Node]] = defaultdict(list)
        for node in self.nodes:
            for target, _ in node.next_functions:
                if target is not None:
                    back[target].append(node)
        open_nodes = [n for n in self.nodes if getattr(n, "variable", None) is parameter]
        found = set(open_nodes)
        while open_nodes:
            new = [node for node in back[open_nodes.pop()] if node not in found]
            found.update(new)
            open_nodes += new
        return found


def _reachable(starts: list[Node]) -> Iterator[Node]:
    seen: set[Node] = set()
    open_nodes = list(starts)
    while open_nodes and len(seen) < MAX_NODES:
        node = open_nodes.pop()
        if node in seen:
            continue
        seen.add(node)
        yield node
        open_nodes += [target for target, _ in node.next_functions if target is not None]


def _is_nonzero(gradient: torch.Tensor | None) -> bool:
    if gradient is None:
        return False
    values = gradient.coalesce().values() if gradient.is_sparse else gradient
    return values.layout is not torch.strided or bool(values.count_nonzero())
