"""TD005: the model has nothing to train."""

from collections.abc import Iterator

from ...facts import ModelFacts, OptimizerFacts
from ...report import Problem, Severity
from ..registry import check
from ..wording import count, name_list


@check("TD005", Severity.ERROR)
def model_without_parameters(
    model: ModelFacts, optimizers: OptimizerFacts | None
) -> Iterator[Problem]:
    """The model has no parameters at all, although it is to be trained.

    Why it matters: there is nothing to optimize. An optimizer refuses the empty list; a loop
    without that check runs and never learns.

    How to fix it: make every layer in `__init__` and assign it to `self`. Layers made inside
    `forward` are new and untrained at every call; layers kept in a plain list or dict are not
    seen by `parameters()`: use `nn.ModuleList` or `nn.ModuleDict`. Tensors must be
    `nn.Parameter`.
    """
    if model.parameters or _trains_others(optimizers):
        return
    yield Problem(
        f"{model.type} has 0 parameters and {count(model.num_modules - 1, 'submodule')}: nothing "
        "was registered in its __init__, so there is nothing to train.",
        where=_where(model),
        hint=_hint(model),
        location=model.location,
        values={"num_parameters": 0, "num_submodules": model.num_modules - 1},
    )


def _trains_others(optimizers: OptimizerFacts | None) -> bool:
    """Whether an optimizer holds tensors all the same: they are trained outside the model."""
    if optimizers is None or optimizers.is_made_up:
        return False
    return any(group.num_tensors for one in optimizers.optimizers for group in one.groups)


def _where(model: ModelFacts) -> str:
    if not model.unregistered:
        return f"the model, {model.type}"
    return name_list([f"model.{u.path} (a plain {u.container})" for u in model.unregistered])


def _hint(model: ModelFacts) -> str:
    if model.unregistered:
        held = model.unregistered[0]
        kind = "nn.ModuleDict" if held.container == "dict" else "nn.ModuleList"
        return (
            f"self.{held.attribute} is a plain {held.container} of "
            f"{count(held.num_entries, 'module')}, which parameters() does not see: "
            f"make it an {kind}."
        )
    return (
        "make the layers in __init__ and assign them to self; layers made inside forward() are new "
        "at every call and are never trained."
    )
