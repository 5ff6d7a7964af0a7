"""TD516: a step makes weights nan or inf."""

from collections.abc import Iterator

from ...facts import GradientFacts, OptimizerFacts, StepFacts
from ...report import Problem, Severity
from ..optimizer_words import optimizer_name, rates_text
from ..registry import check
from ..wording import count, name_list


@check("TD516", Severity.ERROR)
def weights_non_finite_after_step(
    step: StepFacts, optimizers: OptimizerFacts, gradients: GradientFacts | None
) -> Iterator[Problem]:
    """The optimizer step makes parameters nan or infinite, from gradients that are finite.

    Why it matters: every later forward is nan.

    How to fix it: look at the optimizer's own numbers: an eps that is 0 in the parameters' dtype, a
    learning rate that overflows it, a division of the user's own.
    """
    if not step.bad_after or (gradients is not None and gradients.bad):
        return
    name = optimizer_name(optimizers) if optimizers.optimizers else "the optimizer"
    rate = rates_text(optimizers.optimizers[0]) if optimizers.optimizers else "unknown"
    dtypes = name_list(optimizers.optimizers[0].dtypes) if optimizers.optimizers else "unknown"
    yield Problem(
        f"the step of {name} made {count(len(step.bad_after), 'parameter')} nan or inf, though all "
        f"gradients were finite: {name_list(step.bad_after)} (lr {rate}, {dtypes}).",
        where=name_list(step.bad_after),
        hint="raise eps, keep the parameters in float32, or lower the learning rate.",
        values={"parameters": list(step.bad_after)},
    )
