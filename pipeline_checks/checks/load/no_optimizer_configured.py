"""TD009: configure_optimizers of a LightningModule forgets to return its optimizer."""

from collections.abc import Iterator

from ...facts import FittingFacts, ModelFacts
from ...report import Problem, Severity
from ..registry import check
from ..wording import count


@check("TD009", Severity.ERROR)
def no_optimizer_configured(fitting: FittingFacts, model: ModelFacts | None) -> Iterator[Problem]:
    """configure_optimizers of a LightningModule returns nothing.

    Why it matters: Lightning takes None for "no optimizer is wanted". It warns once, then runs all
    epochs without one update: the loss stays where it is.

    How to fix it: return the optimizer, on every way through `configure_optimizers`. Where none is
    meant, say so with `return None`.
    """
    has_any = model is None or bool(model.trainable)
    if not fitting.has_lost_optimizers or not fitting.is_automatic or not has_any:
        return
    untrained = f"none of its {count(len(model.trainable), 'parameter')}" if model else "nothing"
    yield Problem(
        f"configure_optimizers of {fitting.module} returned None, so Lightning trains without an "
        f"optimizer: {untrained} is ever updated.",
        where=f"{fitting.module}.configure_optimizers",
        hint="end it with `return optimizer`: a `return` is missing, or one way through it has "
        "none.",
        location=fitting.configured_at,
        values={"module": fitting.module},
    )
