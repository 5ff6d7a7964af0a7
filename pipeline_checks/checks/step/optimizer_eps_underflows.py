"""TD508: the optimizer's eps is 0 in float16."""

from collections.abc import Iterator

from ...facts import OptimizerFacts
from ...report import Problem, Severity, Stage
from ..optimizer_words import optimizer_name, owns_choice
from ..registry import check
from ..wording import number

# Below half of the smallest subnormal number a value rounds to 0: 2**-25 in IEEE 754 binary16.
ROUNDS_TO_ZERO = 2.0**-25
# Torch's own, which compute in the parameters' dtype; others keep float32 states.
DIVIDING = frozenset({"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad"})


@check("TD508", Severity.ERROR)
def optimizer_eps_underflows(optimizers: OptimizerFacts) -> Iterator[Problem]:
    """The optimizer's eps rounds to 0 in the float16 of its parameters.

    Why it matters: the update is divided by sqrt(v) + eps. Small gradients have a v of 0 in
    float16, so that the first step divides by 0 and makes the weights nan.

    How to fix it: keep the parameters in float32 and use autocast (with a GradScaler), or bfloat16;
    an eps of 1e-4 only hides that small updates are lost.
    """
    if not owns_choice(optimizers):
        return
    for which, one in enumerate(optimizers.optimizers):
        eps = [
            group.numbers["eps"]
            for group in one.groups
            if "eps" in group.numbers and not group.numbers.get("fused")
        ]
        small = [value for value in eps if value < ROUNDS_TO_ZERO]
        if not small or one.type not in DIVIDING or "float16" not in one.dtypes:
            continue
        yield Problem(
            f"the eps of {optimizer_name(optimizers, which)}, {number(small[0])}, rounds to 0 in "
            "float16, the dtype of its parameters: where a gradient is small the first step "
            "divides by 0.",
            where=f"the optimizer, {one.type}",
            hint="keep the parameters in float32 and use autocast, or at least set eps=1e-4.",
            values={"eps": small[0], "dtype": "float16"},
            stage=Stage.LOAD,  # seen as soon as the optimizer is built
        )
