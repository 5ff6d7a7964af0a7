"""What starting the loader's worker processes showed."""

from dataclasses import dataclass

from .exceptions import ExceptionFact


@dataclass(frozen=True)
class Unpicklable:
    """A part that cannot be sent to a spawned worker.

    Attributes:
        part: `collate_fn`, `dataset`, `worker_init_fn`.
        path: The attribute inside it that is to blame, "" for the part itself.
        what: What it is: `a lambda`, `a local function`, `an open file`.
        error: What pickling raised.
    """

    part: str
    path: str
    what: str
    error: ExceptionFact


@dataclass(frozen=True)
class LoaderWorkerFacts:
    """What starting the loader's workers showed.

    Attributes:
        num_workers: How many the loader asks for.
        start_method: `fork`, `spawn`, `forkserver`.
        unpicklable: Parts that cannot be sent to a worker.
        error: What iterating with workers raised.
        random_fields: Fields whose values change from one reading to the next in one process.
        cloned_fields: Of those, fields that come out the same in different workers.
        repeats_epochs: Whether they come out the same again in the next epoch.
        num_streamed: Samples that an iterable dataset gave with all workers.
        num_distinct: Distinct ones among them.
        num_alone: Samples that it gave in one process.
        is_repeated: Whether each of those came once from every worker.
        not_probed_because: Why workers were not started; "" if they were.
    """

    num_workers: int
    start_method: str
    unpicklable: tuple[Unpicklable, ...] = ()
    error: ExceptionFact | None = None
    random_fields: tuple[str, ...] = ()
    cloned_fields: tuple[str, ...] = ()
    repeats_epochs: bool = False
    num_streamed: int | None = None
    num_distinct: int | None = None
    num_alone: int | None = None
    is_repeated: bool = False
    not_probed_because: str = ""
