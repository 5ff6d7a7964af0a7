"""Other forms of the same predictions, to find out which one `compute_metrics` expects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

IGNORED = -100
# Logits that leave no doubt and equal no id.
CONFIDENT, DOUBTFUL = 10.25, -0.25


def variations_of(
    predictions: Any, labels: Any, pad_id: int | None
) -> dict[str, Callable[[], tuple[Any, Any]]]:
    """By name, what makes each form; see `MetricsCall.given`. Only those that differ are there."""
    found: dict[str, Callable[[], tuple[Any, Any]]] = {}
    first = _first_of(predictions)
    alone = predictions if first is None else first
    if first is not None:
        found["first"] = lambda: (first, labels)
    if _is_logits(alone):
        found["ids" if first is None else "first_ids"] = lambda: (alone.argmax(-1), labels)
    if _has_ignored(alone) or _has_ignored(labels):
        kept = 0 if pad_id is None else pad_id
        name = "without_ignored" if first is None else "first_without_ignored"
        found[name] = lambda: (_without_ignored(alone, kept), _without_ignored(labels, kept))
    if isinstance(alone, np.ndarray) and isinstance(labels, np.ndarray):
        _add_right_answers(found, alone, labels)
    return found


def _first_of(predictions: Any) -> Any:
    """The first array of several, None where there is one alone."""
    if isinstance(predictions, Mapping):
        predictions = tuple(predictions.values())
    if isinstance(predictions, (tuple, list)) and len(predictions) > 1:
        return predictions[0] if isinstance(predictions[0], np.ndarray) else None
    return None


def _is_logits(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype.kind == "f" and array.ndim > 1


def _has_ignored(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(_has_ignored(item) for item in value)
    return (
        isinstance(value, np.ndarray) and value.dtype.kind == "i" and bool((value == IGNORED).any())
    )


def _without_ignored(value: Any, instead: int) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(_without_ignored(item, instead) for item in value)
    if isinstance(value, np.ndarray) and value.dtype.kind == "i":
        return np.where(value == IGNORED, instead, value)
    return value


def _add_right_answers(
    found: dict[str, Callable[[], tuple[Any, Any]]], predictions: np.ndarray, labels: np.ndarray
) -> None:
    """What a model without a fault would have predicted, as ids and as logits."""
    if predictions.shape == labels.shape or predictions.size == labels.size:
        found["right_logits"] = lambda: (
            labels.reshape(predictions.shape).astype(predictions.dtype),
            labels,
        )
    is_classes = labels.dtype.kind in "iu" and predictions.shape[:-1] == labels.shape
    if is_classes and int(labels.max(initial=0)) < predictions.shape[-1]:
        found["right_ids"] = lambda: (np.maximum(labels, 0), labels)
        found["right_logits"] = lambda: (_one_hot(predictions, labels), labels)


def _one_hot(predictions: np.ndarray, labels: np.ndarray) -> np.ndarray:
    logits = np.full_like(predictions, DOUBTFUL)
    np.put_along_axis(logits, np.maximum(labels, 0)[..., None].astype(np.int64), CONFIDENT, axis=-1)
    return logits
