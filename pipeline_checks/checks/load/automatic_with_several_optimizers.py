"""TD010: several optimizers, or optimizer_idx, where Lightning 2 steps by itself."""

from collections.abc import Iterator

from ...facts import FittingFacts
from ...report import Problem, Severity
from ..registry import check
from ..wording import join_words

REMEDY = (
    "set self.automatic_optimization = False in __init__, take the optimizers with "
    "`first, second = self.optimizers()`, and call zero_grad(), self.manual_backward(loss) and "
    "step() in training_step."
)


@check("TD010", Severity.ERROR)
def automatic_with_several_optimizers(fitting: FittingFacts) -> Iterator[Problem]:
    """A LightningModule is written for several optimizers, which Lightning 2 steps only by hand.

    Why it matters: since Lightning 2.0 `training_step` is no longer called once an optimizer, with
    its number in `optimizer_idx`. `Trainer.fit` raises before the first batch.

    How to fix it: set `self.automatic_optimization = False` and step the optimizers in
    `training_step`, which takes `batch` and `batch_idx` alone.
    """
    if fitting.takes_optimizer_index:
        yield _takes_index(fitting)
    elif fitting.is_automatic and len(fitting.optimizers) > 1:
        yield _returns_several(fitting)


def _takes_index(fitting: FittingFacts) -> Problem:
    several = len(fitting.optimizers) > 1
    return Problem(
        f"training_step of {fitting.module} takes optimizer_idx, which Lightning gives no more "
        "since 2.0: fit() raises RuntimeError; several optimizers need manual optimization.",
        where=f"{fitting.module}.training_step",
        hint=f"remove optimizer_idx; {REMEDY}"
        if several
        else "remove the argument optimizer_idx: there is one optimizer.",
        location=fitting.step_at,
        values={"module": fitting.module, "optimizers": list(fitting.optimizers)},
    )


def _returns_several(fitting: FittingFacts) -> Problem:
    return Problem(
        f"configure_optimizers of {fitting.module} returns {len(fitting.optimizers)} optimizers "
        f"({join_words(fitting.optimizers)}) with automatic optimization: fit() raises "
        "RuntimeError since Lightning 2.0; several optimizers need manual optimization.",
        where=f"{fitting.module}.configure_optimizers",
        hint=REMEDY,
        location=fitting.configured_at,
        values={"module": fitting.module, "optimizers": list(fitting.optimizers)},
    )
