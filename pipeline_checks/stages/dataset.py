"""The dataset stage: read samples one by one."""

from __future__ import annotations

import itertools
import time
from typing import TYPE_CHECKING, Any

from ..events import Event, Note, Observed, Progress, StageBegan, StageEnded
from ..observe.model import definition_of
from ..observe.object_arrays import find_object_arrays
from ..observe.samples import SampleObserver
from ..observe.untouched import look_before_reading
from ..pipeline.draw import may_ask_for_keys, sampled_keys
from ..pipeline.from_trainer import removed_columns
from ..report import Stage
from ..session import Budget
from .places import indices_to_read, rows_of_loader
from .whole_columns import WholeColumns, rows_to_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..facts import SampleFacts
    from ..pipeline.parts import Pipeline
    from ..session import Session

PARTIAL_EVERY = 1.0
MAX_NAMED = 3


def read_samples(session: Session, pipeline: Pipeline) -> Iterator[Event]:
    """Read the samples that the settings ask for, within the budget."""
    budget = Budget(session.settings.budget)
    yield StageBegan(Stage.DATASET)
    dataset = pipeline.dataset
    if dataset is None:
        because = "the loader has no dataset to read samples from"
        yield StageEnded(Stage.DATASET, 0.0, "", because)
        return
    session.before_reading = look_before_reading(
        dataset, getattr(pipeline.dataloader, "dataset", None)
    )
    is_iterable = not _is_map_style(dataset)
    length, length_error = (None, None) if is_iterable else session.attempt(lambda: len(dataset))
    observer = SampleObserver(dataset, length, is_iterable=is_iterable)
    reader = getattr(type(dataset), "__iter__" if is_iterable else "__getitem__", None)
    observer.location = definition_of(reader, session.code)
    if pipeline.trainer is not None:
        observer.removed = removed_columns(pipeline.trainer, pipeline.dataloader)
        collate = getattr(pipeline.dataloader, "collate_fn", None)
        observer.kept = getattr(collate, "signature_columns", None)
    if length_error is not None:
        observer.location = definition_of(getattr(type(dataset), "__len__", None), session.code)
        observer.fail(0, length_error)
    elif is_iterable:
        yield from _iterate(session, dataset, observer, budget)
    else:
        keys = _keys(session, pipeline, dataset) if length else []
        if keys:
            yield Note(
                f"the sampler asks the dataset for keys such as {repr(keys[0])[:60]}: samples are "
                "numbered in the order in which they were read."
            )
        if keys:
            yield from _index(session, dataset, list(enumerate(keys)), observer, budget)
        else:
            yield from _read_rows(session, pipeline, length or 0, observer, budget)
    if not budget.is_spent:
        _compare_evaluation_set(session, pipeline, observer, budget)
    facts = observer.facts()
    yield Observed(facts)
    yield StageEnded(Stage.DATASET, budget.used, _summary(facts))


def _summary(facts: SampleFacts) -> str:
    whole = [field.path or "the values" for field in facts.fields if field.num_seen is not None]
    noun = "column" if len(whole) == 1 else "columns"
    more = f", and the whole {noun} {', '.join(whole[:MAX_NAMED])}" if whole else ""
    return f"{facts.read_text} read{more}"


def _is_map_style(dataset: Any) -> bool:
    from torch.utils.data import IterableDataset  # noqa: PLC0415 - the only use of torch here

    return hasattr(type(dataset), "__getitem__") and not isinstance(dataset, IterableDataset)


def _keys(session: Session, pipeline: Pipeline, dataset: Any) -> list[Any]:
    """What the sampler asks the dataset for, where the dataset does not know the index 0."""
    loader: Any = pipeline.dataloader
    is_its_own = getattr(loader, "dataset", None) is dataset
    if not is_its_own or not may_ask_for_keys(loader):
        return []
    _, error = session.attempt(lambda: dataset[0])
    if error is None:
        return []
    keys, _ = session.attempt(lambda: sampled_keys(loader, session.settings.samples))
    return keys or []


def _read_rows(
    session: Session, pipeline: Pipeline, length: int, observer: SampleObserver, budget: Budget
) -> Iterator[Event]:
    """Read some of the rows that the loader draws, then those that whole columns point at."""
    dataset = pipeline.dataset
    known = rows_of_loader(pipeline, dataset, length)
    rows = range(length) if known is None else known
    chosen = [rows[place] for place in indices_to_read(len(rows), session.settings.samples)]
    yield from _index(session, dataset, [(row, row) for row in chosen], observer, budget)
    before, columns = observer.facts(), None
    if known is not None and len(chosen) < len(rows) and not (budget.is_spent or before.num_failed):
        part = None if len(rows) == length else rows
        columns, _ = session.attempt(lambda: WholeColumns(dataset, length, part))
    odd = columns.odd_rows(set(chosen)) if columns is not None else []
    yield from _index(session, dataset, [(row, row) for row in odd], observer, budget)
    session.rows_to_run = rows_to_run(before, observer.facts(), odd, pipeline.model)
    if columns is not None:
        columns.tell(observer)


def _index(
    session: Session,
    dataset: Any,
    places: list[tuple[int, Any]],
    observer: SampleObserver,
    budget: Budget,
) -> Iterator[Event]:
    """Read the samples of these numbers, each by what the dataset calls it."""
    sent = time.monotonic()
    for number, (index, key) in enumerate(places):
        yield Progress(Stage.DATASET, f"dataset[{key}]", number, len(places))
        _read(session, dataset, index, key, observer)
        if time.monotonic() - sent > PARTIAL_EVERY:
            yield Observed(observer.facts())
            sent = time.monotonic()
        if budget.is_spent and number + 1 < len(places):
            yield budget.cut(f"the dataset stage after {number + 1} samples")
            return


def _read(session: Session, dataset: Any, index: int, key: Any, observer: SampleObserver) -> None:
    try:
        sample = dataset[key]
    except session.caught as error:
        observer.fail(index, session.fact(error), find_object_arrays(error, session.code))
    else:
        observer.take(index, sample)


def _compare_evaluation_set(
    session: Session, pipeline: Pipeline, observer: SampleObserver, budget: Budget
) -> None:
    """Compare samples of the evaluation set with those read; one that raises ends it."""
    dataset = pipeline.eval_dataset
    if dataset is None or not _is_map_style(dataset):
        return
    observer.is_eval_same = dataset is pipeline.dataset
    length, error = session.attempt(lambda: len(dataset))
    if error is not None or observer.is_eval_same:
        return
    observer.leaked = observer.copies.against()
    for index in indices_to_read(length, session.settings.samples):
        sample, error = session.attempt(lambda index=index: dataset[index])  # type: ignore[misc] # mypy cannot infer the bound default
        if error is not None or budget.is_spent:
            return
        observer.leaked.compare(index, sample)


def _iterate(
    session: Session, dataset: Any, observer: SampleObserver, budget: Budget
) -> Iterator[Event]:
    iterator, error = session.attempt(lambda: iter(dataset))
    if error is not None:
        observer.fail(0, error)
        return
    limit = session.settings.samples
    for number in itertools.count() if limit is None else range(limit):
        yield Progress(Stage.DATASET, f"sample {number} of the stream", number, None)
        sample, error = session.attempt(lambda: next(iterator, observer))
        if sample is observer:
            return
        if error is not None:
            observer.fail(number, error)
            return
        observer.take(number, sample)
        if budget.is_spent:
            yield budget.cut(f"the dataset stage after {number + 1} samples")
            return
