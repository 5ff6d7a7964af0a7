"""The words for layers and tensors that take part in the loss without being registered."""

from ..facts.model import UnregisteredModules
from ..facts.training import LeafParameter
from ..report import Problem
from .wording import count, name_list, shape_text

CONTAINERS = {"list": "nn.ModuleList", "tuple": "nn.ModuleList", "dict": "nn.ModuleDict"}


def container_problem(held: UnregisteredModules, leaves: list[LeafParameter]) -> Problem:
    """Layers in a plain container."""
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


def made_in_forward_problem(leaves: list[LeafParameter]) -> Problem:
    """Layers that are made in forward."""
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


def leaf_problem(leaf: LeafParameter) -> Problem:
    """A tensor, or a layer that is held out of sight."""
    if leaf.is_computed_from:
        return _computed_problem(leaf)
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


def _computed_problem(leaf: LeafParameter) -> Problem:
    """A tensor that the constructor computed from a parameter which nothing holds."""
    name = f"{leaf.owner}.{leaf.attribute}" if leaf.owner else leaf.attribute
    return Problem(
        f"{name} {shape_text(leaf.shape)} is no parameter: it was computed from one in the "
        "constructor (nn.Parameter(...) * 0.1, say). No optimizer gets it, it is never trained, "
        "and its graph lasts for one backward at most.",
        where=f"self.{leaf.attribute} of {leaf.owner or 'the model'}",
        hint=f"compute first and wrap last: self.{leaf.attribute} = nn.Parameter(torch.randn(...) "
        "* 0.1); or keep the Parameter and multiply in forward.",
        location=leaf.location,
        values={"attribute": leaf.attribute, "owner": leaf.owner},
    )
