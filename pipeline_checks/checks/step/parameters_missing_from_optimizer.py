"""TD502: trainable parameters that no optimizer holds."""

from collections.abc import Iterator

from ...facts import GradientFacts, ModelFacts, OptimizerFacts
from ...report import Problem, Severity
from ..optimizer_words import optimizer_name, owns_choice
from ..parameter_names import by_module, is_head, top_parts
from ..registry import check
from ..wording import count_of, name_list

THAWED = " They were frozen when the model was built and unfrozen later."
THROWN_AWAY = (
    " If only what comes after them is meant to be trained: their gradients are computed in every "
    "batch all the same, optimizer.zero_grad() never clears them, so that they add up, and "
    "clipping over model.parameters() counts them."
)


@check("TD502", Severity.ERROR)
def parameters_missing_from_optimizer(
    optimizers: OptimizerFacts, model: ModelFacts, gradients: GradientFacts
) -> Iterator[Problem]:
    """Trainable parameters get gradients, but no optimizer holds them.

    Why it matters: they are never changed. Layers that were added or replaced after the optimizer
    was built, and groups chosen by name that leave some out, do that without a word.

    How to fix it: build the optimizer last, over `model.parameters()`, and after unfreezing.
    Freeze what is not to be trained, `requires_grad_(False)`: it then costs no gradient either.
    """
    lost = [name for name in optimizers.missing if name in gradients.reached]
    if not lost or not owns_choice(optimizers):
        return
    thawed = [p.name for p in model.parameters if not p.requires_grad and p.name in lost]
    trainable = [p.name for p in model.parameters if p.requires_grad or p.name in thawed]
    held = [name for name in trainable if name not in optimizers.missing]
    parts = by_module(lost)
    name = optimizer_name(optimizers)
    is_probe = not thawed and _comes_before(lost, held, trainable)
    yield Problem(
        f"{count_of(len(lost), len(trainable), 'trainable parameter')} are in no optimizer, though "
        f"they get gradients: {name_list(_shown(parts))}. They are never changed."
        f"{THAWED if thawed else THROWN_AWAY if is_probe else ''}",
        where=name_list([part or "the model" for part in parts]),
        hint=f"unfreeze them before {name} is built, or hand them over: optimizer.add_param_group."
        if thawed
        else f"give them to {name} (build it last, over model.parameters()), or freeze them: "
        "requires_grad_(False).",
        severity=Severity.WARNING if is_probe else None,
        values={"missing": lost, "num_trainable": len(trainable), "unfrozen_later": thawed},
    )


def _shown(parts: dict[str, list[str]]) -> list[str]:
    return [
        f"{part}.{own[0]}" if part and len(own) == 1 else part or own[0]
        for part, own in parts.items()
    ]


def _comes_before(lost: list[str], held: list[str], trainable: list[str]) -> bool:
    """Whether whole parts before the trained ones are left out, as one does who trains a head.

    That may be meant, and is wasteful even then: frozen parts would cost no gradient.
    """
    is_split = bool(set(top_parts(lost)) & set(top_parts(held)))
    if not held or is_split or any(is_head(name) for name in lost):
        return False
    return max(map(trainable.index, lost)) < min(map(trainable.index, held))
