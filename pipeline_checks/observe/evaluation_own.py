"""Call the user's own `evaluate(model, dataset)` and count what it returns."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import Subset

from ..facts.evaluation import OwnEvaluation
from ..nested import leaves
from ..training import evaluation_mode, preserved_rng_state, set_seed
from .evaluation_metrics import as_number, single_numbers
from .model import definition_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch import nn

    from ..pipeline.parts import Pipeline
    from ..session import Session

# A longer dataset is cut: the smoke run must stay cheap.
MOST_SAMPLES = 1024
MOST_VALUES = 4096
MOST_READ = 4096
DIGEST_BYTES = 16


@dataclass
class OwnEvaluationObserver:
    """Calls `evaluate` as the user's script would.

    Attributes:
        session: What all stages share.
        pipeline: The parts; `evaluate` is one of them.
        is_repeated: Whether to call it a second time with other random numbers, to learn whether
            its results can be compared at all.
    """

    session: Session
    pipeline: Pipeline
    is_repeated: bool = False

    def look(self) -> OwnEvaluation:
        """Call it and say what came of it; the model's mode and random state are left alone."""
        dataset, is_part = self._dataset()
        model: Any = self.pipeline.model
        fact = OwnEvaluation(
            num_samples=_length(dataset),
            location=definition_of(self.pipeline.evaluate, self.session.code),
            is_part=is_part,
            model_state=state_digest(model),
        )
        with preserved_rng_state(), _kept_modes(model), recorded_reads(dataset) as read:
            value, error = self._call(model, dataset, self.session.settings.seed)
            samples = tuple(read)
            if error is not None:
                return replace(fact, error=error, samples=samples)
            fact = replace(described(value, fact), samples=samples)
            if self.is_repeated and fact.values:
                again, _ = self._call(model, dataset, self.session.settings.seed + 1)
                same = described(again, fact).values == fact.values
                fact = replace(fact, is_repeatable=same)
        return fact

    def _call(self, model: nn.Module, dataset: Any, seed: int) -> tuple[Any, Any]:
        set_seed(seed)
        evaluate: Any = self.pipeline.evaluate
        return self.session.attempt(lambda: evaluate(model, dataset))

    def _dataset(self) -> tuple[Any, bool]:
        """The evaluation samples, cut where they are many."""
        pipeline = self.pipeline
        dataset = pipeline.dataset if pipeline.eval_dataset is None else pipeline.eval_dataset
        length = _length(dataset)
        if length is None or length <= MOST_SAMPLES:
            return dataset, False
        if callable(getattr(dataset, "select", None)):
            return dataset.select(range(MOST_SAMPLES)), True
        if not hasattr(type(dataset), "__getitem__"):
            return dataset, False
        return Subset(dataset, range(MOST_SAMPLES)), True


@contextmanager
def _kept_modes(model: nn.Module) -> Iterator[None]:
    """The mode that training leaves the model in, for the call; then the one it had."""
    with evaluation_mode(model):
        model.train()
        yield


def described(value: Any, fact: OwnEvaluation) -> OwnEvaluation:
    """What was returned: predictions, or metrics where it holds single numbers only."""
    named = replace(fact, returned=type(value).__name__)
    if isinstance(value, Mapping) and single_numbers(value):
        return replace(named, metrics=single_numbers(value))
    number = as_number(value)
    if number is not None:
        return replace(named, metrics={"": number})
    count, rows = _predictions(value, fact.num_samples)
    return replace(named, num_predictions=count, values=_numbers(rows))


def _predictions(value: Any, wanted: int | None) -> tuple[int | None, list[Any]]:
    """How many predictions there are, and the arrays that hold them row after row."""
    found = [leaf for _, leaf in leaves(value)]
    arrays = [leaf for leaf in found if _shape(leaf)]
    if not arrays:
        is_list = isinstance(value, (list, tuple)) and bool(value)
        return (len(value), list(value)) if is_list else (None, [])
    sizes = [_shape(array)[0] for array in arrays]
    if len(arrays) == 1 or wanted in sizes:
        at = sizes.index(wanted) if wanted in sizes else 0
        return sizes[at], [arrays[at]]
    if len(value) == wanted:
        return wanted, list(found)
    if len(set(sizes)) == 1 and isinstance(value, tuple):  # (predictions, labels)
        return sizes[0], arrays[:1]
    return sum(sizes), arrays  # a list of batches


def _shape(leaf: Any) -> tuple[int, ...]:
    numpy = sys.modules.get("numpy")
    is_array = numpy is not None and isinstance(leaf, numpy.ndarray)
    return tuple(leaf.shape) if is_array or isinstance(leaf, torch.Tensor) else ()


def _numbers(rows: list[Any]) -> tuple[float, ...]:
    values: list[float] = []
    for row in rows:
        try:
            flat = torch.as_tensor(row).detach().cpu().flatten().tolist()
        except (TypeError, ValueError, RuntimeError):
            return ()
        values.extend(map(float, flat))
        if len(values) > MOST_VALUES:
            return ()
    return tuple(values)


@contextmanager
def recorded_reads(dataset: Any) -> Iterator[list[int]]:
    """The indices at which the dataset is read in this process; what is no index is left out."""
    read: list[int] = []
    reading: list[bool] = []
    kind = type(dataset)
    own = {n: kind.__dict__[n] for n in ("__getitem__", "__getitems__") if n in kind.__dict__}
    try:
        for name, function in own.items():
            setattr(kind, name, _recording(function, dataset, read, reading))
    except TypeError:  # a class made in C
        own = {}
    try:
        yield read
    finally:
        for name, function in own.items():
            setattr(kind, name, function)


def _recording(function: Any, dataset: Any, read: list[int], reading: list[bool]) -> Any:
    if not inspect.isfunction(function):
        return function

    def recorded(self: Any, index: Any) -> Any:
        if self is not dataset or reading or len(read) >= MOST_READ:
            return function(self, index)
        indices = index if isinstance(index, (list, tuple)) else [index]
        read.extend(int(i) for i in indices if hasattr(i, "__index__"))
        reading.append(True)  # `__getitems__` may call `__getitem__`
        try:
            return function(self, index)
        finally:
            reading.clear()

    return recorded


def state_digest(model: nn.Module) -> str:
    """A digest of all parameters and buffers."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for name, tensor in (*model.named_parameters(), *model.named_buffers()):
        digest.update(f"{name}|{tensor_digest(tensor)}|".encode())
    return digest.hexdigest()


def tensor_digest(tensor: torch.Tensor) -> str:
    """A digest of shape, dtype and values."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    digest.update(f"{tuple(tensor.shape)}{tensor.dtype}".encode())
    flat = tensor.detach().cpu().contiguous().reshape(-1)
    if flat.numel():
        digest.update(flat.view(torch.uint8).numpy().data)
    return digest.hexdigest()


def _length(dataset: Any) -> int | None:
    try:
        return len(dataset)
    except Exception:  # noqa: BLE001 - the user's __len__ may raise anything
        return None
