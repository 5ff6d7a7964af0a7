"""TD501: nothing is trainable."""

from collections.abc import Iterator

from ...facts import ModelFacts, OptimizerFacts
from ...report import Problem, Severity, Stage
from ..parameter_names import is_head, top_parts
from ..registry import check
from ..wording import count, name_list


@check("TD501", Severity.ERROR)
def everything_frozen(model: ModelFacts, optimizers: OptimizerFacts | None) -> Iterator[Problem]:
    """Every parameter of the model is frozen.

    Why it matters: the loss has no gradient and nothing can be trained.

    How to fix it: freeze only the part that is meant: `for p in model.backbone.parameters()` in
    place of `model.parameters()`, and set `requires_grad_(True)` on the head after freezing.
    """
    total = len(model.parameters)
    if total == 0 or model.trainable or _trains_others(optimizers):
        return
    names = [parameter.name for parameter in model.parameters]
    yield Problem(
        f"all {count(total, 'parameter')} of {model.type} are frozen: 0 of {total} require a "
        "gradient, so there is nothing to train."
        if total > 1
        else f"the only parameter of {model.type} is frozen: 0 of 1 require a gradient.",
        where=f"requires_grad is False from {names[0]} to {names[-1]}",
        hint=_hint(names),
        location=model.location,
        values={"num_parameters": total, "num_trainable": 0},
        stage=Stage.LOAD,  # seen as soon as the model is built
    )


def _trains_others(optimizers: OptimizerFacts | None) -> bool:
    """Whether the optimizer holds tensors outside the model, such as an input to be found."""
    if optimizers is None or optimizers.is_made_up:
        return False
    held = sum(group.num_tensors for one in optimizers.optimizers for group in one.groups)
    return held > sum(len(one.frozen) for one in optimizers.optimizers)


def _hint(names: list[str]) -> str:
    parts = top_parts(names)
    heads = [part for part in parts if is_head(f"{part}.weight")] or parts[-1:]
    if len(parts) == 1:
        return "set requires_grad_(True) on the layers that are to be trained."
    return (
        f"unfreeze what is to be trained: model.{heads[-1]}.requires_grad_(True); the loop that "
        f"froze them probably ran over model.parameters() (parts: {name_list(parts)})."
    )
