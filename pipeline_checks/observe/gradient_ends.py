"""Put together what a traced forward and a walk back say of where gradients end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts.gradient_ends import GradientEnd, GradientEndFacts
from .gradient_walk import GradientWalk
from .graph import leaf_tensors
from .zero_gradient import bounds_of, why_zero, zero_parameters

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch
    from torch import nn
    from torch.autograd.graph import Node

    from ..facts import GradientFacts
    from .graph_trace import GraphTrace, SeenCut

MAX_ENDS = 4


def ends_of(
    trace: GraphTrace, roots: list[torch.Tensor], model: nn.Module, gradients: GradientFacts
) -> GradientEndFacts:
    """Where the gradient ends; goes back from the roots where the forward alone does not tell.

    Args:
        trace: The forward.
        roots: What goes back.
        model: Its parameters get gradients.
        gradients: Which parameters have none, and whether all are 0.
    """
    parameters = dict(model.named_parameters())
    held = {id(leaf) for root in roots for leaf in leaf_tensors(root)}
    lost = [name for name in gradients.never if name in trace.given]
    off = [name for name in lost if id(parameters[name]) not in held]
    attached: dict[str, torch.Tensor] = {n: parameters[n] for n in lost if n not in off}
    is_zero = bool(gradients.reached) and set(gradients.zero) == set(gradients.reached)
    walk = GradientWalk([root for root in roots if root.requires_grad])
    if walk.roots and (is_zero or attached):
        walk.run()
    return GradientEndFacts(
        lost=(*_cuts(trace, roots, off), *_missing(walk, attached, trace)),
        zero=tuple(_zeros(walk, trace))[:MAX_ENDS] if is_zero else (),
        unused=tuple(name for name in gradients.never if name not in trace.given),
    )


def _cuts(trace: GraphTrace, roots: list[torch.Tensor], names: list[str]) -> Iterator[GradientEnd]:
    """The first cut behind each of these parameters that the loss hangs on, and the others.

    What is made of arrays that left torch cannot be followed: then the cut before that it is.
    """
    reaching = [trace.cuts[number] for number in sorted(trace.marks_of(roots))]
    rest = list(names)
    for cut in [*reaching, *(cut for cut in trace.cuts if cut.has_left)]:
        own = tuple(name for name in rest if name in cut.parameters)
        rest = [name for name in rest if name not in own]
        if own:
            yield _of_cut(cut, own)
    if rest:
        yield GradientEnd("unused", tuple(rest))


def _of_cut(cut: SeenCut, names: tuple[str, ...]) -> GradientEnd:
    site = cut.site
    return GradientEnd(cut.reason, names, site.function, site.location, cut.back_at)


def _missing(
    walk: GradientWalk, parameters: dict[str, torch.Tensor], trace: GraphTrace
) -> Iterator[GradientEnd]:
    """The nodes of the graph that hand on no gradient to these parameters."""
    behind: dict[Node, list[str]] = {}
    for name, parameter in parameters.items():
        node = walk.missing_for(parameter)
        if node is not None:
            behind.setdefault(node, []).append(name)
    for node, names in behind.items():
        yield _of_node("none", node, trace, tuple(names))


def _zeros(walk: GradientWalk, trace: GraphTrace) -> Iterator[GradientEnd]:
    """Where the gradient becomes 0, from the loss on; each line once."""
    seen = set()
    for node in walk.ends_in_zero:
        end = _of_node(why_zero(node, trace.sites.get(node)), node, trace)
        if (end.reason, end.operator, end.location) not in seen:
            seen.add((end.reason, end.operator, end.location))
            yield end
    if not walk.ends_in_zero:
        givers = [giver for node in walk.cancelled for giver in walk.givers_of(node)]
        sites = [trace.sites[giver] for giver in givers if giver in trace.sites]
        alike = next((site for site in sites if site.same), sites[0] if sites else None)
        if alike is not None:
            reason = "same" if alike.same else "cancel"
            yield GradientEnd(reason, (), alike.function, alike.location, same=alike.same)


def _of_node(
    reason: str, node: Node, trace: GraphTrace, names: tuple[str, ...] = ()
) -> GradientEnd:
    site = trace.sites.get(node)
    own = getattr(type(node), "_forward_cls", None)
    place = site.location if site is not None else None
    low, high = bounds_of(node) if reason == "bounds" else (None, None)
    return GradientEnd(
        reason=reason,
        parameters=names,
        operator=node.name() if own is not None or site is None else site.function,
        location=trace.code.of_code(own.backward.__code__) if own is not None else place,
        zeros=zero_parameters(node, trace.names) if reason == "zeros" else (),
        same=site.same if site is not None else (),
        low=low,
        high=high,
    )
