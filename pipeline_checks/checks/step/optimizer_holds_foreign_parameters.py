"""TD503: the optimizer holds tensors that are not the model's."""

from collections.abc import Iterator

from ...facts import ModelFacts, OptimizerFacts
from ...facts.optimizer import OptimizerFact
from ...report import Problem, Severity, Stage
from ..optimizer_words import optimizer_name, owns_choice
from ..registry import check
from ..wording import count, count_of, name_list, shape_text

MATRIX = 2


@check("TD503", Severity.ERROR)
def optimizer_holds_foreign_parameters(
    optimizers: OptimizerFacts, model: ModelFacts
) -> Iterator[Problem]:
    """The optimizer holds parameters that the model no longer has, and lacks those it has.

    Why it matters: it was built before the model was converted, wrapped or given a new head. It
    steps on tensors that nothing uses; the model does not change.

    How to fix it: build the optimizer after `.to()`, `.half()`, adapters, a replaced head and
    wrapping, from the very model that is trained.
    """
    if not optimizers.missing or not owns_choice(optimizers):
        return
    for which, one in enumerate(optimizers.optimizers):
        if one.num_foreign and _replaces(one, optimizers.missing, model):
            total = sum(group.num_tensors for group in one.groups)
            shapes = name_list([shape_text(shape) for shape in one.foreign_shapes])
            yield Problem(
                f"{optimizer_name(optimizers, which)} holds {count(one.num_foreign, 'tensor')} "
                f"that are not the model's (of {total}; shapes {shapes}), and "
                f"{count_of(len(optimizers.missing), optimizers.num_trainable, 'parameter')} of "
                f"the model are in no optimizer: {name_list(optimizers.missing)}.",
                where=f"the optimizer, {one.type}",
                hint="build the optimizer last: after .to(), .half(), a replaced head, adapters or "
                "wrapping.",
                values={"num_foreign": one.num_foreign, "missing": list(optimizers.missing)},
                stage=Stage.LOAD,  # seen as soon as the optimizer is built
            )


def _replaces(one: OptimizerFact, missing: tuple[str, ...], model: ModelFacts) -> bool:
    """Whether what is foreign looks like an older copy of what is missing."""
    shapes = {p.shape for p in model.parameters if p.name in set(missing)}
    return any(
        old in shapes or any(_are_alike(old, new) for new in shapes) for old in one.foreign_shapes
    )


def _are_alike(old: tuple[int, ...], new: tuple[int, ...]) -> bool:
    """A head with another number of classes keeps all sizes but the first."""
    return len(old) == len(new) >= MATRIX and old[1:] == new[1:]
