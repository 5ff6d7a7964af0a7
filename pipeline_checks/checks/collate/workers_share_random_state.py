"""TD209: every loader worker draws the same random numbers."""

from collections.abc import Iterator

from ...facts import LoaderWorkerFacts, SampleFacts
from ...report import Problem, Severity
from ..registry import Undecided, check
from ..wording import count, name_list


@check("TD209", Severity.WARNING)
def workers_share_random_state(
    workers: LoaderWorkerFacts, samples: SampleFacts | None
) -> Iterator[Problem]:
    """What is random in a sample comes out the same in all loader workers.

    Why it matters: a random generator that is stored in the dataset is copied into each worker, and
    again at every epoch: augmentations repeat, and the model sees far less variety. Torch seeds its
    own, Python's and numpy's global generators per worker, but not one of yours.

    How to fix it: seed it per worker in `worker_init_fn` (from `torch.initial_seed()`), make it
    when it is first used, or draw from the global generators.
    """
    if workers.not_probed_because and not workers.cloned_fields:
        raise Undecided(workers.not_probed_because)
    if not workers.cloned_fields:
        return
    again = ", and again in the next epoch" if workers.repeats_epochs else ""
    fields = name_list([field or "the sample" for field in workers.cloned_fields])
    yield Problem(
        f"the random part of the samples ({fields}) is identical in the "
        f"{count(workers.num_workers, 'loader worker')}{again}: each got a copy of the same "
        "generator.",
        where=f"num_workers={workers.num_workers} ({workers.start_method}), field {fields}",
        hint="a generator kept in the dataset is copied, not re-seeded: seed it per worker in "
        "worker_init_fn (np.random.default_rng(torch.initial_seed())), or make it on first use.",
        location=samples.location if samples else None,
        values={
            "fields": list(workers.cloned_fields),
            "num_workers": workers.num_workers,
            "repeats_epochs": workers.repeats_epochs,
        },
    )
