"""TD804: evaluation by several processes gives other results than by one."""

import math
from collections import Counter
from collections.abc import Iterator

from ...facts import DistributedFacts, EvaluationFacts
from ...facts.evaluation import OwnEvaluation
from ...report import Problem, Severity
from ..rank_words import by_rank, differ
from ..registry import Undecided, check
from ..wording import count, name_list, number

LARGEST_PART = 1.5  # of an even share, with its padding
RELATIVE, ABSOLUTE = 1e-3, 1e-4  # batches of another size round otherwise


@check("TD804", Severity.ERROR)
def gathered_predictions_differ(
    distributed: DistributedFacts, evaluation: EvaluationFacts | None
) -> Iterator[Problem]:
    """Evaluation by several processes gives other results than by one.

    A warning where only the padding was kept: a loader that is dealt out to ranks repeats samples
    from the start to make the last round even, and `gather` returns them too. Silent where each
    rank returns its own part.

    Why it matters:
        The repeated samples count twice, the metric depends on the number of processes, and
        predictions no longer belong to their rows.

    How to fix it:
        Gather with `accelerator.gather_for_metrics`, or `tdebug.gather.DistributedTensorGatherer`,
        which both drop the repeated ones, or cut to `len(dataset)` where the order is that of the
        dataset. Put the model in evaluation mode: batches of another make-up then do not matter.
    """
    several = {r.rank: r.evaluation for r in distributed.ranks if r.evaluation is not None}
    if not several or len(several) < distributed.num_ranks:
        return
    one = evaluation.own if evaluation is not None else None
    own = next(iter(several.values()))
    if own.metrics:
        yield from _compare_metrics(several, one)
    elif own.num_predictions is not None and own.num_samples:
        yield from _compare_predictions(distributed, several, one)


def _compare_predictions(
    distributed: DistributedFacts, several: dict[int, OwnEvaluation], one: OwnEvaluation | None
) -> Iterator[Problem]:
    own = next(iter(several.values()))
    found, wanted = own.num_predictions or 0, own.num_samples or 0
    alone = one.num_predictions if one is not None and one.error is None else wanted
    counts = {rank: each.num_predictions or 0 for rank, each in several.items()}
    share = wanted / distributed.num_ranks
    is_part = found < wanted <= sum(counts.values()) and found <= LARGEST_PART * share
    if differ(counts.values()) or (is_part and alone == wanted):
        raise Undecided("because each rank returns a part of its own")
    if found > wanted and alone == wanted and found % wanted:
        yield _padded(distributed, several)
    elif found < wanted and alone == wanted:
        yield _problem(
            own,
            f"{count(distributed.num_ranks, 'process', 'processes')} give "
            f"{count(found, 'prediction')} for {count(wanted, 'sample')}, one process gives all.",
            "samples are lost on the way: look for drop_last, or a division that rounds down.",
        )
    elif found == alone and one is not None:
        yield from _compare_values(distributed, own, one)


def _padded(distributed: DistributedFacts, several: dict[int, OwnEvaluation]) -> Problem:
    own = next(iter(several.values()))
    found, wanted = own.num_predictions or 0, own.num_samples or 0
    read = Counter(index for each in several.values() for index in each.samples)
    twice = sorted(index for index, times in read.items() if times > 1)
    surplus = found - wanted
    which = f"samples {name_list(twice)} are predicted more than once" if twice else ""
    processes = count(distributed.num_ranks, "process", "processes")
    return _problem(
        own,
        f"evaluate() in {processes} gives {count(found, 'prediction')} for "
        f"{count(wanted, 'sample')}: {count(surplus, 'duplicate')}, since the padding that makes "
        f"the last round even was kept.",
        f"gather with accelerator.gather_for_metrics (or DistributedTensorGatherer), which drops "
        f"them, or cut to the first {wanted}: predictions[:len(dataset)].",
        where=which,
        severity=Severity.WARNING,
    )


def _compare_values(
    distributed: DistributedFacts, own: OwnEvaluation, one: OwnEvaluation
) -> Iterator[Problem]:
    if not own.values or len(own.values) != len(one.values):
        return
    if own.model_state != one.model_state or one.is_repeatable is False:
        raise Undecided("because evaluate() gives other results each time it is called")
    pairs = zip(own.values, one.values, strict=True)
    odd = sum(not _is_close(a, b) for a, b in pairs)
    if not odd:
        return
    processes = count(distributed.num_ranks, "process", "processes")
    ordered = zip(sorted(own.values), sorted(one.values), strict=True)
    if all(_is_close(a, b) for a, b in ordered):
        yield _problem(
            own,
            f"{processes} give the predictions of one in another order.",
            "labels must come in the same order: gather them beside the predictions, or use "
            "SequentialDistributedSampler with DistributedTensorGatherer.",
            severity=Severity.INFO,
        )
        return
    yield _problem(
        own,
        f"{odd} of {len(own.values)} predicted values of {processes} differ from those of one.",
        "look for what depends on the make-up of a batch (batch norm in training mode: call "
        "model.eval()), and for results that are gathered in the wrong order.",
    )


def _compare_metrics(
    several: dict[int, OwnEvaluation], one: OwnEvaluation | None
) -> Iterator[Problem]:
    if one is None or not one.metrics or one.is_repeatable is False:
        return
    own = next(iter(several.values()))
    if own.model_state != one.model_state:
        raise Undecided("because the model was in another state when one process evaluated it")
    for name, value in own.metrics.items():
        alone = one.metrics.get(name)
        if alone is None or _is_close(value, alone):
            continue
        told = by_rank({rank: number(each.metrics.get(name)) for rank, each in several.items()})
        yield _problem(
            own,
            f"{name or 'the result of evaluate()'} is {number(alone)} in one process; {told}.",
            "a metric is computed on the predictions of all ranks, without the repeated ones: "
            "gather them first (accelerator.gather_for_metrics), then compute.",
            severity=Severity.WARNING,
        )


def _problem(
    own: OwnEvaluation, message: str, hint: str, where: str = "", severity: Severity | None = None
) -> Problem:
    values = {"predictions": own.num_predictions, "samples": own.num_samples}
    return Problem(message, where, hint, own.location, severity, values)


def _is_close(a: float, b: float) -> bool:
    both_nan = math.isnan(a) and math.isnan(b)
    return both_nan or math.isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
