"""TD210: every loader worker gives the whole stream."""

from collections.abc import Iterator

from ...facts import LoaderWorkerFacts, SampleFacts
from ...report import Problem, Severity
from ..registry import Undecided, check
from ..wording import count


@check("TD210", Severity.ERROR)
def stream_repeated_by_workers(
    workers: LoaderWorkerFacts, samples: SampleFacts | None
) -> Iterator[Problem]:
    """An iterable dataset gives its whole stream in each loader worker.

    Why it matters: every sample is seen once per worker and epoch. Epochs are that many times as
    long, and counts, schedules and metrics are off.

    How to fix it: split the stream in `__iter__` by `torch.utils.data.get_worker_info()`:
    `itertools.islice(stream, info.id, None, info.num_workers)`.
    """
    streamed, distinct, alone = workers.num_streamed, workers.num_distinct, workers.num_alone
    if streamed is None or distinct is None or alone is None:
        if workers.not_probed_because:
            raise Undecided(workers.not_probed_because)
        return
    if workers.num_workers < 2 or not workers.is_repeated:  # noqa: PLR2004 - one repeats nothing
        return
    yield Problem(
        f"each of the {workers.num_workers} loader workers yields the whole stream: "
        f"{count(streamed, 'sample')} come out, {distinct} distinct, each "
        f"{workers.num_workers} times.",
        where=f"num_workers={workers.num_workers}; alone the dataset gives {alone}",
        hint="shard it in __iter__ with torch.utils.data.get_worker_info(), or use num_workers=0.",
        location=samples.location if samples else None,
        values={"num_streamed": streamed, "num_distinct": distinct, "num_alone": alone},
    )
