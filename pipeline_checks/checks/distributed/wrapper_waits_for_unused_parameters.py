"""TD811: DistributedDataParallel waits for gradients that never come."""

from collections.abc import Iterator

from ...facts import DistributedFacts, LoadFacts
from ...report import Problem, Severity
from ..rank_words import by_rank, differ, rank_list
from ..registry import check
from ..wording import quoted_list

OPTION = "find_unused_parameters=True"


@check("TD811", Severity.ERROR)
def wrapper_waits_for_unused_parameters(
    distributed: DistributedFacts, load: LoadFacts | None = None
) -> Iterator[Problem]:
    """DistributedDataParallel waits for gradients that never come.

    One batch is run on each rank without averaging, and the trainable parameters that got no
    gradient are noted; so nothing has to hang to find it.

    Why it matters:
        DistributedDataParallel averages as soon as gradients are there, and waits for all. One that
        comes on no rank makes the next forward raise; one that comes on some ranks makes these
        wait until the communication timeout.

    How to fix it:
        Let every trainable parameter take part in the loss, freeze what is not trained
        (`requires_grad_(False)` before wrapping), or wrap with `find_unused_parameters=True` (in a
        Trainer: `ddp_find_unused_parameters=True`), which costs a walk over the graph every step.
    """
    trained = {r.rank: r.training for r in distributed.ranks if r.training is not None}
    unused = {rank: training.unused for rank, training in trained.items()}
    if not any(unused.values()):
        return
    if differ(unused.values()):
        told = by_rank(
            {r: quoted_list(names) if names else "all do" for r, names in unused.items()}
        )
        waiting = [
            rank for rank, names in unused.items() if len(names) == min(map(len, unused.values()))
        ]
        message = (
            f"not the same parameters take part in the loss on every rank; left out on {told}."
        )
        where = f"{rank_list(waiting)} would wait in backward for gradients that others never send"
    else:
        names = next(iter(unused.values()))
        message = f"{quoted_list(names)} take no part in the loss, and their gradients are awaited."
        where = "DistributedDataParallel raises at the second forward"
    yield Problem(
        message,
        where=where,
        hint="let them take part, freeze them before the model is wrapped, or wrap it with "
        f"{OPTION}.",
        location=load.place_of(("model", "trainer")) if load else None,
        values={"unused": {str(rank): list(names) for rank, names in unused.items()}},
    )
