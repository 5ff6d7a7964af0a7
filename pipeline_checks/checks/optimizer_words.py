"""The words for optimizers and their learning rates."""

from ..facts.optimizer import OptimizerFact, OptimizerFacts
from .wording import join_words, number


def optimizer_name(optimizers: OptimizerFacts, which: int = 0) -> str:
    """`Adam`, or `optimizer 1 (Adam)` where there are several.

    >>> optimizer_name(OptimizerFacts((OptimizerFact("SGD"),)))
    'SGD'
    """
    kind = optimizers.optimizers[which].type
    return kind if len(optimizers.optimizers) == 1 else f"optimizer {which} ({kind})"


def rates(optimizer: OptimizerFact) -> list[float]:
    """The learning rates of its groups, unknown ones left out."""
    return [group.lr for group in optimizer.groups if group.lr is not None]


def rates_text(optimizer: OptimizerFact) -> str:
    """`0.001`, `0.001 and 0.01`."""
    return join_words([number(rate) for rate in dict.fromkeys(rates(optimizer))])


def maximises(optimizers: OptimizerFacts | None) -> bool:
    """Whether the user's optimizers step up the gradient, `maximize=True`."""
    if optimizers is None or optimizers.is_made_up:
        return False
    groups = [group for one in optimizers.optimizers for group in one.groups]
    return bool(groups) and all(group.numbers.get("maximize") for group in groups)


def owns_choice(optimizers: OptimizerFacts | None) -> bool:
    """Whether the user chose the optimizer; what tdebug made up is no subject of a finding."""
    return optimizers is not None and not optimizers.is_made_up and bool(optimizers.optimizers)
