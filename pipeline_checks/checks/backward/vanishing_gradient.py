"""TD408: gradients that are zero, or nearly so, on the way to the first layers."""

from collections.abc import Iterator

from ...facts import (
    CallFacts,
    GradientFacts,
    GraphFacts,
    ModelFacts,
    RepeatFacts,
    TrainingFacts,
)
from ...report import Problem, Severity
from ..parameter_names import is_optional_part
from ..registry import Undecided, check
from ..wording import count, name_list, number
from ..zero_gradient_words import all_zero_problem

ENOUGH_BATCHES = 3
TINY = 1e-8
MATRIX = 2
# Their gradients may be (nearly) zero in theory: see the catalogue of checks.
BY_THEORY = ("key", "query", "k_proj", "q_proj", "lora_", "adapter", "embed")


@check("TD408", Severity.WARNING)
def vanishing_gradient(  # noqa: PLR0913, PLR0917 - each is a kind of fact
    gradients: GradientFacts,
    model: ModelFacts,
    repeat: RepeatFacts | None,
    calls: CallFacts | None = None,
    graph: GraphFacts | None = None,
    training: TrainingFacts | None = None,
) -> Iterator[Problem]:
    """The gradient is exactly zero everywhere, or fades away before it reaches some layers.

    Why it matters: what gets no gradient does not learn. Saturated sigmoids, dead ReLUs, rounded
    or clamped outputs and deep stacks without normalisation or skip connections do that. Where it
    is 0 everywhere, the operator that the gradient ends at is looked for, going back once from the
    loss.

    How to fix it: look at the inputs' scale and the initialisation; use ReLU-like activations,
    normalisation and skip connections; do not clamp what the loss sees.
    """
    if gradients.num_batches < ENOUGH_BATCHES:
        raise Undecided(f"only {gradients.num_batches} batches had a gradient")
    if calls is not None and calls.gradient_term is not None:
        raise Undecided("a part of the loss trains nothing: see gradient-without-graph")
    if gradients.reached and set(gradients.zero) == set(gradients.reached):
        yield all_zero_problem(gradients, graph, training)
        return
    dead = _dead(repeat, model)
    if dead and repeat is not None:
        yield Problem(
            f"the gradient of {name_list(dead)} is exactly 0 in all {gradients.num_batches} "
            f"batches, and stays so in {count(len(repeat.losses) - 1, 'further step')} on one of "
            "them.",
            where=name_list(dead),
            hint="look for ReLUs that are never above 0 (dead: a large negative bias, inputs that "
            "are not scaled), for weights that are all zero, and for a clamp on the way.",
            values={"parameters": dead, "num_steps": len(repeat.losses) - 1},
        )
        return
    matrices = {p.name for p in model.parameters if len(p.shape) >= MATRIX}
    norms = {
        name: norm
        for name, norm in gradients.norms.items()
        if name in matrices and norm > 0 and not any(part in name.lower() for part in BY_THEORY)
    }
    largest = max(norms.values(), default=0.0)
    faded = [name for name, norm in norms.items() if norm < TINY * largest]
    if not faded:
        return
    yield Problem(
        f"the gradient fades: {name_list(faded)} get at most {number(norms[faded[0]])}, the "
        f"largest layer {number(largest)}.",
        where=name_list(faded),
        hint="add normalisation or skip connections, use ReLU or GELU in place of sigmoid and "
        "tanh, or start with larger weights.",
        values={"parameters": faded, "largest": largest},
    )


def _dead(repeat: RepeatFacts | None, model: ModelFacts) -> list[str]:
    """Weight matrices that no step gives a gradient.

    What stands before a layer that starts at zero (LoRA, zero-initialised residuals) gets none at
    first, and one as soon as that layer has moved.
    """
    matrices = {p.name for p in model.parameters if len(p.shape) >= MATRIX}
    still = repeat.still_zero if repeat is not None else ()
    return [
        name
        for name in still
        if name in matrices
        and not is_optional_part(name)
        and not any(part in name.lower() for part in BY_THEORY)
    ]
