"""TD013: Lightning is not told which metric ReduceLROnPlateau goes by."""

from collections.abc import Iterator

from ...facts import FittingFacts
from ...report import Problem, Severity
from ..registry import check


@check("TD013", Severity.ERROR)
def plateau_without_monitor(fitting: FittingFacts) -> Iterator[Problem]:
    """configure_optimizers returns a scheduler that goes by a metric, and names none.

    Why it matters: Lightning steps `ReduceLROnPlateau` with a metric that the module has logged.
    Without its name `Trainer.fit` raises before the first batch.

    How to fix it: return a dict that names it: `{"optimizer": optimizer, "lr_scheduler":
    {"scheduler": scheduler, "monitor": "val_loss"}}`, and log it with `self.log("val_loss", ...)`.
    """
    if not fitting.is_automatic:
        return
    lost = [one for one in fitting.schedulers if one.is_plateau and not one.monitor]
    for scheduler in lost[:1]:
        yield Problem(
            f"configure_optimizers of {fitting.module} returns {scheduler.type} without a "
            "'monitor': Lightning does not know which metric to step it with, and fit() raises.",
            where=f"{fitting.module}.configure_optimizers",
            hint='return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, '
            '"monitor": "val_loss"}}, with the name of a metric that the module logs.',
            location=fitting.configured_at,
            values={"module": fitting.module, "scheduler": scheduler.type},
        )
