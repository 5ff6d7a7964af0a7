"""A batch on the device of the model."""

from __future__ import annotations

from typing import Any

from ...gather.nested import map_nested


def to_device(batch: Any, device: str) -> Any:
    """Move all that can be moved (tensors, packed sequences) in nested lists, tuples and dicts."""
    if hasattr(batch, "to") and not isinstance(batch, (list, tuple, dict)):
        return batch.to(device)
    return map_nested(lambda _, leaf: leaf.to(device) if hasattr(leaf, "to") else leaf, batch)
