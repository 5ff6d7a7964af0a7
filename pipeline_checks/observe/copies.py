"""Find samples that are exact copies of others, by a fingerprint of all their values."""

from __future__ import annotations

import hashlib
import statistics
import sys
from dataclasses import dataclass, field
from typing import Any

import torch

from ..facts.samples import RepeatCount
from ..nested import leaves
from .tensor_forms import can_read, without_repetition

DIGEST_BYTES = 16


@dataclass
class Copies:
    """Remembers the fingerprints of samples; `count` compares others with them."""

    seen: dict[bytes, int] = field(default_factory=dict)
    _sizes: list[int] = field(default_factory=list)
    _num_compared: int = 0
    _num_repeated: int = 0
    _first: tuple[int, int] | None = None

    def take(self, index: int, sample: Any) -> None:
        """Remember a sample; note whether it equals an earlier one."""
        self._compare(index, sample, remember=True)

    def against(self) -> Copies:
        """A counter of samples that equal the ones remembered here, and not each other."""
        return Copies(seen=self.seen)

    def compare(self, index: int, sample: Any) -> None:
        """Note whether a sample equals one that was remembered."""
        self._compare(index, sample, remember=False)

    def _compare(self, index: int, sample: Any, *, remember: bool) -> None:
        mark, size = fingerprint(sample)
        if mark is None:
            return
        self._num_compared += 1
        self._sizes.append(size)
        same_as = self.seen.get(mark)
        if same_as is not None:
            self._num_repeated += 1
            self._first = self._first or (index, same_as)
        elif remember:
            self.seen[mark] = index

    def count(self) -> RepeatCount | None:
        """What the comparison showed, None where nothing was compared."""
        if not self._num_compared:
            return None
        first, same_as = self._first or (None, None)
        size = int(statistics.median(self._sizes))
        return RepeatCount(self._num_compared, self._num_repeated, first, same_as, size)


def fingerprint(sample: Any) -> tuple[bytes | None, int]:
    """A digest of the sample's values and how many there are; None where one cannot be read."""
    digest, size = hashlib.blake2b(digest_size=DIGEST_BYTES), 0
    for path, leaf in leaves(sample):
        read = _bytes_of(leaf)
        if read is None:
            return None, 0
        content, number = read
        digest.update(f"{path}|{len(content)}|".encode())
        digest.update(content)
        size += number
    return digest.digest(), size


def _bytes_of(leaf: Any) -> tuple[bytes, int] | None:
    if isinstance(leaf, (str, bytes)):
        content = leaf.encode("utf-8", "surrogatepass") if isinstance(leaf, str) else leaf
        return content, len(content)
    if leaf is None or isinstance(leaf, (bool, int, float)):
        # The decimal digits of an integer are limited to some thousands.
        text = hex(leaf) if isinstance(leaf, int) and not isinstance(leaf, bool) else repr(leaf)
        return text.encode(), 1
    if isinstance(leaf, torch.Tensor):
        return _of_tensor(leaf)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(leaf, (numpy.ndarray, numpy.generic)):
        if leaf.dtype == object:
            return None
        return f"{leaf.dtype}{leaf.shape}".encode() + leaf.tobytes(), int(leaf.size)
    return None


def _of_tensor(tensor: torch.Tensor) -> tuple[bytes, int] | None:
    if not can_read(tensor) or tensor.device.type != "cpu":
        return None
    flat = without_repetition(tensor.detach()).contiguous().reshape(-1)
    head = f"{tensor.dtype}{tuple(tensor.shape)}".encode()
    if not flat.numel():
        return head, 0
    if flat.stride(0) != 1:  # one element of a longer column counts as contiguous at any stride
        flat = flat.clone(memory_format=torch.contiguous_format)
    return head + bytes(flat.view(torch.uint8).numpy()), flat.numel()
