"""The words for parameters that a step leaves as they were."""

from ..facts import OptimizerFacts
from ..report import Problem, Severity
from .optimizer_words import rates_text
from .wording import name_list


def unchanged_problem(
    names: tuple[str, ...],
    total: int,
    dtype: str,
    optimizers: OptimizerFacts,
    severity: Severity | None = None,
) -> Problem:
    """So many parameters did not change, and why that may be."""
    rate = rates_text(optimizers.optimizers[0])
    why = (
        f": the weights are {dtype}, and an update at lr {rate} is below the spacing of its numbers"
        if dtype
        else f", at a learning rate of {rate}"
    )
    share = f"all {total}" if len(names) == total else f"{len(names)} of {total}"
    return Problem(
        f"{share} parameters are unchanged after a step though their gradients are not 0{why}.",
        where=name_list(names),
        hint="keep the parameters in float32 and run the forward under torch.autocast."
        if dtype
        else _hint(optimizers),
        severity=severity,
        values={"unchanged": list(names), "dtype": dtype},
    )


def _hint(optimizers: OptimizerFacts) -> str:
    look = "look whether optimizer.step() acts on this model, and at the size of the rate."
    if not optimizers.scheduler:
        return look
    factor = " (a LambdaLR's function gives a factor, not the rate)"
    return (
        f"look at what the scheduler {optimizers.scheduler} multiplies the rate by"
        f"{factor if optimizers.scheduler == 'LambdaLR' else ''}; and whether optimizer.step() "
        "acts on this model."
    )
