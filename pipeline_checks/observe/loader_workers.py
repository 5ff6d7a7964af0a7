"""Start the loader's workers where only they can show a fault."""

from __future__ import annotations

import itertools
from collections import Counter
from contextlib import nullcontext
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import DataLoader, IterableDataset

from ..facts.loader_workers import LoaderWorkerFacts, Unpicklable
from ..nested import leaves
from .fields import sample_fields
from .loader import start_method_of
from .values import read_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..session import Session

MAX_STREAMED = 512
MAX_DEPTH = 4
NEEDS_PICKLE = {"spawn", "forkserver"}
TIMEOUT = 60.0


def probe_workers(session: Session, loader: Any) -> LoaderWorkerFacts | None:
    """What only the workers show; None for a loader without any."""
    if not isinstance(loader, DataLoader) or not loader.num_workers:
        return None
    method = start_method_of(loader)
    unpicklable = tuple(_unpicklable(session, loader)) if method in NEEDS_PICKLE else ()
    if unpicklable:
        return LoaderWorkerFacts(loader.num_workers, method, unpicklable)
    if isinstance(loader.dataset, IterableDataset):
        return _probe_stream(session, loader, method)
    return _probe_randomness(session, loader, method)


def _unpicklable(session: Session, loader: Any) -> Iterator[Unpicklable]:
    for part in ("dataset", "collate_fn", "worker_init_fn"):
        value = getattr(loader, part, None)
        error = _pickle_error(session, value)
        if error is not None:
            path, culprit = _culprit(value)
            yield Unpicklable(part, path, _what(culprit), error)


def _pickle_error(session: Session, value: Any) -> Any:
    _, error = session.attempt(lambda: ForkingPickler.dumps(value))
    return error


def _is_picklable(value: Any) -> bool:
    try:
        ForkingPickler.dumps(value)
    except Exception:  # noqa: BLE001 - pickling may raise anything
        return False
    return True


def _culprit(value: Any, depth: int = 0) -> tuple[str, Any]:
    """The attribute inside that cannot be pickled, as deep as it goes."""
    attributes = getattr(value, "__dict__", {}) if depth < MAX_DEPTH else {}
    if callable(value) and hasattr(value, "__qualname__"):
        return "", value
    for name, inner in attributes.items():
        if not _is_picklable(inner):
            path, culprit = _culprit(inner, depth + 1)
            return f".{name}{path}", culprit
    return "", value


def _what(value: Any) -> str:
    name = getattr(value, "__qualname__", "")
    if "<lambda>" in name:
        return "a lambda"
    if "<locals>" in name:
        return f"{name.rsplit('.', 1)[-1]}, which is defined inside a function"
    return f"a {type(value).__name__}"


def _fingerprint(sample: Any) -> tuple[Any, ...]:
    """Equal for samples with equal contents."""
    return tuple((path, repr(_plain(item))[:2000]) for path, item in leaves(sample))


def _plain(item: Any) -> Any:
    if isinstance(item, torch.Tensor):
        return tuple(item.shape), item.detach().cpu().reshape(-1).tolist()[:256]
    return item.tolist() if hasattr(item, "tolist") else item


def _keep(samples: Any) -> Any:
    """A collate function that leaves the sample as it is; at module level, so that it pickles."""
    return samples


def _loader_with(loader: Any, **changes: Any) -> DataLoader[Any]:
    options = {
        "batch_size": None,
        "num_workers": loader.num_workers,
        "worker_init_fn": loader.worker_init_fn,
        "multiprocessing_context": loader.multiprocessing_context,
        "collate_fn": _keep,
        "timeout": TIMEOUT,
    }
    return DataLoader(loader.dataset, **{**options, **changes})


def _probe_stream(session: Session, loader: Any, method: str) -> LoaderWorkerFacts:
    """Whether each worker gives the whole stream."""
    workers = loader.num_workers
    alone, error = session.attempt(
        lambda: [_fingerprint(s) for s in itertools.islice(iter(loader.dataset), MAX_STREAMED)]
    )
    if error is not None or not alone:
        return LoaderWorkerFacts(workers, method, not_probed_because="the stream could not be read")
    limit = MAX_STREAMED * workers
    streamed, error = session.attempt(
        lambda: [_fingerprint(s) for s in itertools.islice(iter(_loader_with(loader)), limit)]
    )
    if error is not None:
        return LoaderWorkerFacts(workers, method, error=error)
    return LoaderWorkerFacts(
        workers,
        method,
        num_streamed=len(streamed),
        num_distinct=len(set(streamed)),
        num_alone=len(alone),
        is_repeated=_is_repeated(alone, streamed, workers),
    )


def _is_repeated(alone: list[Any], streamed: list[Any], workers: int) -> bool:
    """Whether every sample came once from each worker for each time that it came alone."""
    wanted = {sample: number * workers for sample, number in Counter(alone).items()}
    return Counter(streamed) == wanted


def _probe_randomness(session: Session, loader: Any, method: str) -> LoaderWorkerFacts:
    """Whether what is random in one process comes out the same in each worker and epoch."""
    facts = LoaderWorkerFacts(loader.num_workers, method)
    random = _random_fields(session, loader.dataset)
    if not random:
        return facts
    before = session.before_reading
    with before.restored() if before is not None else nullcontext():
        rows, error = session.attempt(lambda: [_first_of_each_worker(loader) for _ in range(2)])
    if error is not None:
        return LoaderWorkerFacts(loader.num_workers, method, error=error, random_fields=random)
    first, second = rows
    cloned = tuple(
        f for f in random if len(first) > 1 and len({sample.get(f) for sample in first}) == 1
    )
    repeated = not loader.persistent_workers and all(
        first[0].get(field) == second[0].get(field) for field in random
    )
    return LoaderWorkerFacts(
        loader.num_workers,
        method,
        random_fields=random,
        cloned_fields=cloned,
        repeats_epochs=repeated,
    )


def _random_fields(session: Session, dataset: Any) -> tuple[str, ...]:
    """Fields of sample 0 that change from one reading to the next."""
    pair, error = session.attempt(lambda: [_by_field(dataset[0]), _by_field(dataset[0])])
    if error is not None:
        return ()
    return tuple(path for path, value in pair[0].items() if pair[1].get(path, value) != value)


def _by_field(sample: Any) -> dict[str, str]:
    found = {}
    for path, item in sample_fields(sample):
        numbers = read_value(item).numbers
        found[path] = (
            repr(item)[:2000] if numbers is None else repr(numbers.reshape(-1).tolist()[:256])
        )
    return found


def _first_of_each_worker(loader: Any) -> list[dict[str, str]]:
    """Sample 0 as the first reading of each worker (at most 4) gives it."""
    workers = min(loader.num_workers, 4)
    probe = _loader_with(loader, sampler=[0] * workers, num_workers=workers)
    return [_by_field(sample) for sample in probe]
