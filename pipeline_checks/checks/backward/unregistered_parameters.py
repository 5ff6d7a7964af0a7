"""TD406: layers that take part in the forward but are not part of the model."""

from collections.abc import Iterator

from ...facts import GraphFacts, ModelFacts
from ...facts.model import UnregisteredModules
from ...facts.training import LeafParameter
from ...report import Problem, Severity
from ..registry import check
from ..wording import count, name_list

CONTAINERS = {"list": "nn.ModuleList", "tuple": "nn.ModuleList", "dict": "nn.ModuleDict"}


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
            yield _of_container(held, own)
    made = [leaf for leaf in leaves if leaf.module_type and leaf.is_new_each_time]
    if made:
        yield _of_made_in_forward(made)
    for leaf in leaves:
        if leaf not in made:
            yield _of_leaf(leaf)


def _is_surely_meant(leaf: LeafParameter) -> bool:
    """Not a bare tensor that is new each time: an input whose gradient is asked for.

    Nor a module that nothing in the model holds: a loss network with frozen weights, say.
    """
    return bool(leaf.attribute) if not leaf.is_new_each_time else bool(leaf.module_type)


def _is_held(leaf: LeafParameter, held: UnregisteredModules) -> bool:
    name = leaf.attribute.split("[")[0].split(".")[-1]
    return leaf.owner == held.owner and name == held.attribute


def _of_container(held: UnregisteredModules, leaves: list[LeafParameter]) -> Problem:
    kind = CONTAINERS.get(held.container, "nn.ModuleList")
    same = "; all entries are one and the same module" if held.num_distinct == 1 else ""
    return Problem(
        f"{held.path} is a plain {held.container} of {count(held.num_entries, 'module')} "
        f"({name_list(list(held.types))}): they run in forward, but "
        f"{count(held.num_parameters, 'parameter')} in them are not among model.parameters() and "
        f"are never trained{same if held.num_entries > 1 else ''}.",
        where=f"self.{held.attribute} of {held.owner or 'the model'}",
        hint=f"self.{held.attribute} = {kind}(...) registers them.",
        location=leaves[0].location,
        values={"container": held.container, "num_parameters": held.num_parameters},
    )


def _of_made_in_forward(leaves: list[LeafParameter]) -> Problem:
    kinds = list(dict.fromkeys(leaf.module_type for leaf in leaves))
    first = leaves[0]
    return Problem(
        f"{name_list(kinds)} with {count(len(leaves), 'parameter')} is made anew in every forward "
        f"of {first.owner or 'the model'}: it is never registered and never trained.",
        where=f"forward of {first.owner or 'the model'}",
        hint="make it once in __init__, assign it to self, and use it in forward.",
        location=first.location,
        values={"types": kinds, "owner": first.owner},
    )


def _of_leaf(leaf: LeafParameter) -> Problem:
    what = f"{leaf.module_type}.{leaf.parameter}" if leaf.module_type else "a tensor"
    name = f"{leaf.owner}.{leaf.attribute}" if leaf.owner else leaf.attribute
    hint = (
        f"keep it as an attribute of its own, or in nn.ModuleList: self.{leaf.attribute} holds it "
        "out of sight."
        if leaf.module_type
        else f"self.{leaf.attribute} = nn.Parameter(...) registers it."
    )
    return Problem(
        f"{name} ({what}) takes part in the loss but is no parameter of the model: it is never "
        "trained.",
        where=f"self.{leaf.attribute} of {leaf.owner or 'the model'}",
        hint=hint,
        location=leaf.location,
        values={"attribute": leaf.attribute, "owner": leaf.owner},
    )
