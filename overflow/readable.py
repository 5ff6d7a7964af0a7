"""Tensors of every kind turned into plain ones that a reduction can read."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._C import _functorch  # pyright: ignore[reportAttributeAccessIssue] # missing in the stubs

_REDUCIBLE = frozenset(
    {
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
    }
)


def readable_values(tensor: Tensor) -> Tensor | None:
    """Give the values of a tensor as a dense, real, strided tensor that `torch.aminmax` takes.

    Complex numbers become their magnitudes, bool becomes 0 and 1, float8 and unsigned integers are
    widened, sparse tensors give their stored values, quantized ones the numbers they stand for.

    Args:
        tensor: Any tensor.

    Returns:
        The values, or None where there are none to read: empty, meta, fake, or wrapped by vmap.
    """
    plain = stored_values(tensor)
    if plain is None or plain.numel() == 0:
        return None
    if plain.dtype in _REDUCIBLE:
        return plain
    if plain.is_complex():
        # complex32 has no abs on the CPU
        wide = plain.to(torch.complex64) if plain.dtype is torch.complex32 else plain
        return wide.abs()
    if plain.dtype is torch.bool:
        return plain.to(torch.uint8)
    return _widened(plain)


def stored_values(tensor: Tensor) -> Tensor | None:
    """Give the stored numbers of a tensor in a strided layout, or None where nothing is stored."""
    if tensor.is_meta or is_without_values(tensor):
        return None
    plain = tensor.detach()
    to_local = getattr(plain, "to_local", None)
    if to_local is not None:  # a DTensor: this rank's part of it
        plain = to_local()
    if plain.is_quantized:
        return plain.dequantize()
    if plain.layout is torch.strided and not plain.is_nested:
        return plain
    return _stored_in_layout(plain)


def _stored_in_layout(plain: Tensor) -> Tensor:
    if plain.is_nested:
        return plain.values().detach()
    if plain.layout is torch.sparse_coo:
        return plain.coalesce().values()
    if plain.layout is torch._mkldnn:  # type: ignore[attr-defined] # noqa: SLF001 - the only name
        return plain.to_dense()
    return plain.values()  # csr, csc, bsr, bsc


def is_without_values(tensor: Tensor) -> bool:
    """Tell whether a tensor stands for values that cannot be read now (fake, vmap, func.grad)."""
    if type(tensor).__name__ in {"FakeTensor", "FunctionalTensor"}:
        return True
    return _is_batched_by_vmap(tensor)


def is_wrapped(tensor: Tensor) -> bool:
    """Tell whether a tensor is a stand-in inside `torch.vmap` or `torch.func.grad`."""
    return _functorch.is_functorch_wrapped_tensor(tensor)


def _is_batched_by_vmap(tensor: Tensor) -> bool:
    while _functorch.is_gradtrackingtensor(tensor):
        tensor = _functorch.get_unwrapped(tensor)
    return _functorch.is_batchedtensor(tensor)


def _widened(plain: Tensor) -> Tensor | None:
    if plain.dtype.is_floating_point:
        return plain.to(torch.float32)
    if plain.dtype is torch.uint64:
        return plain.to(torch.float64)
    try:
        return plain.to(torch.int64)
    except (RuntimeError, NotImplementedError):  # packed bits: no number to speak of
        return None
