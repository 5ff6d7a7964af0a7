"""TD406: layers that take part in the forward but are not part of the model."""

from collections.abc import Iterator

from ...facts import GraphFacts, ModelFacts
from ...facts.model import UnregisteredModules
from ...facts.training import LeafParameter
from ...report import Problem, Severity
from ..registry import check
from ..unregistered_words import container_problem, leaf_problem, made_in_forward_problem


@check("TD406", Severity.ERROR)
def unregistered_parameters(graph: GraphFacts, model: ModelFacts) -> Iterator[Problem]:
    """Layers or tensors that the loss depends on are not parameters of the model.

    Why it matters: no optimizer gets them, `model.to()` leaves them behind, and the checkpoint
    lacks them. Layers made in `forward` are even new at every call.

    How to fix it: make layers in `__init__` and assign them to `self`; keep several of them in
    `nn.ModuleList` or `nn.ModuleDict`, not in a list or dict; wrap tensors in `nn.Parameter`.
    """
    leaves = [leaf for leaf in graph.unregistered if _is_surely_meant(leaf)]
    for held in model.unregistered:
        own = [leaf for leaf in leaves if _is_held(leaf, held)]
        leaves = [leaf for leaf in leaves if leaf not in own]
        if own:
            yield container_problem(held, own)
    made = [leaf for leaf in leaves if leaf.module_type and leaf.is_new_each_time]
    if made:
        yield made_in_forward_problem(made)
    for leaf in leaves:
        if leaf not in made:
            yield leaf_problem(leaf)


def _is_surely_meant(leaf: LeafParameter) -> bool:
    """Not a bare tensor that is new each time: an input whose gradient is asked for.

    Nor a module that nothing in the model holds: a loss network with frozen weights, say.
    """
    return bool(leaf.attribute) if not leaf.is_new_each_time else bool(leaf.module_type)


def _is_held(leaf: LeafParameter, held: UnregisteredModules) -> bool:
    name = leaf.attribute.split("[")[0].split(".")[-1]
    return leaf.owner == held.owner and name == held.attribute
