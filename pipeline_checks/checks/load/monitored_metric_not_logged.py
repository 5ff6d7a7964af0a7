"""TD017: a scheduler or a callback of Lightning looks for a metric that is never logged."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from ...facts import FittingFacts
from ...facts.fitting import WatchedMetric
from ...report import Problem, Severity
from ..registry import Undecided, check
from ..wording import quoted_list

# What Lightning makes of the name of one metric.
ENDINGS = re.compile(r"(_step|_epoch)?(/dataloader_idx_\d+)?$")
RATES = "lr-"  # LearningRateMonitor gives the rates themselves as metrics
COUNTS = {"step", "epoch"}  # which ModelCheckpoint adds itself to what was logged


@check("TD017", Severity.ERROR)
def monitored_metric_not_logged(fitting: FittingFacts) -> Iterator[Problem]:
    """A scheduler or callback of Lightning goes by a metric that no line of the module logs.

    Why it matters: Lightning looks for it among what `self.log` was given, at the end of the first
    epoch. `ReduceLROnPlateau` and `EarlyStopping` raise then; `ModelCheckpoint` raises, or never
    learns which checkpoint is the best.

    How to fix it: log it under just that name in `validation_step` or `training_step`,
    `self.log("val_loss", loss)`, or name one that is logged.
    """
    for watched in fitting.watched:
        is_counted = watched.by == "ModelCheckpoint" and watched.name in COUNTS
        if is_counted or watched.name.startswith(RATES):
            continue
        may_be = [p for p in fitting.logged.patterns if _may_give(p, watched.name)]
        if not may_be:
            yield _problem(fitting, watched)
        elif ".*" in may_be:
            raise Undecided("the names under which it logs show only as it runs")


def _may_give(pattern: str, name: str) -> bool:
    names = {name, ENDINGS.sub("", name), re.sub(r"/dataloader_idx_\d+$", "", name)}
    return any(re.fullmatch(pattern, one) for one in names)


def _problem(fitting: FittingFacts, watched: WatchedMetric) -> Problem:
    plain = [re.sub(r"\\(.)", r"\1", name) for name in fitting.logged.plain]
    logs = f"logs {quoted_list(plain)}" if plain else "logs nothing"
    unrun = "" if fitting.has_validation else ", and no validation_step runs"
    outcome = (
        "fit() raises at the end of the first epoch"
        if watched.is_needed
        else "no best checkpoint is found, or fit() raises after the first validation"
    )
    return Problem(
        f"{watched.by} goes by {watched.name!r}, which {fitting.module} never logs: it "
        f"{logs}{unrun}. {outcome}.",
        where=f"monitor={watched.name!r} of {watched.by}",
        hint=_hint(watched.name, plain),
        severity=Severity.ERROR if watched.is_needed else Severity.WARNING,
        location=fitting.configured_at,
        values={"by": watched.by, "monitor": watched.name, "logged": plain},
    )


def _hint(name: str, plain: list[str]) -> str:
    near = get_close_matches(name, plain, n=1)
    instead = f"monitor {near[0]!r}" if near else "monitor a name that is logged"
    return f"log it, self.log({name!r}, value), or {instead}."
