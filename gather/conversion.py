"""Take nested arrays away from autograd, and to numpy."""

from __future__ import annotations

from typing import Any

import torch

from .leaf import as_leaf
from .nested import Nested, map_nested

# What numpy has no dtype for becomes the smallest that holds every value of it.
_NUMPY_LACKS = {torch.bfloat16: torch.float32, torch.complex32: torch.complex64}


def nested_detach(nested: Nested) -> Nested:
    """Give the same structure with every tensor detached; leaves that are no tensors stay."""
    return map_nested(
        lambda _, leaf: leaf.detach() if isinstance(leaf, torch.Tensor) else leaf, nested
    )


def nested_numpify(nested: Nested) -> Nested:
    """Give the same structure with numpy arrays on the CPU, of the dtypes that the tensors had.

    bfloat16 and the 8-bit floats, which numpy lacks, become float32. Numpy arrays stay.

    Raises:
        TypeError: A leaf is no array.
    """

    def numpify(path: str, value: object) -> Any:
        if value is None:
            return None
        leaf = as_leaf(path, value)
        return _to_numpy(leaf) if isinstance(leaf, torch.Tensor) else leaf

    return map_nested(numpify, nested)


def _to_numpy(tensor: torch.Tensor) -> Any:
    tensor = tensor.cpu().resolve_conj().resolve_neg()
    if tensor.dtype.is_floating_point and tensor.dtype.itemsize == 1:
        return tensor.float().numpy()
    return tensor.to(_NUMPY_LACKS.get(tensor.dtype, tensor.dtype)).numpy()
