"""Gather arrays of different sizes from all ranks, or say who has what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .agreement import exchange_layouts, require_same
from .collective import all_gather
from .leaf import as_leaf, at_least_1d, new_empty, to_cpu
from .meeting import DEFAULT_TIMEOUT_S
from .nested import Nested, map_nested, nested_leaves
from .packing import count_packed_bytes, pack, unpack
from .padding import fill_rows, longest
from .process_group import get_transfer_device, has_process_group

if TYPE_CHECKING:
    import torch.distributed as dist

    from .leaf import Leaf


def gather_uneven(
    nested: Nested,
    place: str = "gather_uneven",
    *,
    group: dist.ProcessGroup | None = None,
    padding_index: complex = -100,
    timeout_s: float = DEFAULT_TIMEOUT_S,
) -> Nested:
    """Gather the rows of all ranks on the CPU of each, however many rows each one has.

    The ranks first tell each other structure, dtypes and shapes. Numbers of rows and lengths may
    differ, shorter rows are padded; anything else that differs is raised on every rank, and a
    rank that does not come is named. So it does not hang, and what it gives is what was sent, bit
    for bit. All arrays travel in one collective.

    Args:
        nested: Tensors or numpy arrays of shape `(rows, ...)`, or nested lists, tuples and dicts
            of them. A 0-d array is one row.
        place: What this is called in errors; the same on every rank.
        group: The process group; by default the one of all ranks.
        padding_index: Fills the rest of rows that are shorter than the longest.
        timeout_s: How long to wait for ranks that live.

    Returns:
        The same structure with arrays of shape `(rows of all ranks, longest, ...)`, in the order
        of the ranks, of the kinds and dtypes that were given. Without a process group, the rows
        of this process.

    Raises:
        RanksDisagreeError: Structures, kinds, dtypes or numbers of dimensions differ.
        RanksMissingError: A rank is dead, failed or gone, or silent past the limit.
        TypeError: What this rank holds is no array; the others raise RanksDisagreeError.
        ValueError: The padding is needed and does not fit the dtype.
    """
    if not has_process_group():
        return _join([_as_arrays(nested)], nested, padding_index)
    layouts = exchange_layouts(nested, place, group=group, timeout_s=timeout_s)
    require_same(layouts, place, lambda leaf: leaf.describe_type())
    packed = pack(
        nested, max(map(count_packed_bytes, layouts.values())), get_transfer_device(group)
    )
    parts = all_gather(packed, place, group=group)
    own = _as_arrays(nested)
    gathered = [unpack(part, layouts[rank], own) for rank, part in parts.items()]
    return _join(gathered, nested, padding_index)


def _as_arrays(nested: Nested) -> dict[str, Leaf]:
    leaves = dict(nested_leaves(nested))
    return {
        path: at_least_1d(as_leaf(path, leaf)) for path, leaf in leaves.items() if leaf is not None
    }


def _join(parts: list[dict[str, Leaf]], form: Nested, padding_index: complex) -> Nested:
    """Put the arrays of all ranks behind each other, in a structure like `form`."""

    def join(path: str, value: object) -> Leaf | None:
        if value is None:
            return None
        leaves = [part[path] for part in parts]
        shapes = [tuple(leaf.shape) for leaf in leaves]
        num_rows = sum(shape[0] for shape in shapes)
        joined = new_empty(to_cpu(leaves[0][:0]), (num_rows, *longest(path, *shapes)))
        start = 0
        for leaf in leaves:
            rows = slice(start, start + leaf.shape[0])
            fill_rows(path, joined, rows, leaf, padding_index)
            start = rows.stop
        return joined

    return map_nested(join, form)
