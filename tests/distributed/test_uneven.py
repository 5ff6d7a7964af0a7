"""Ranks agree on what they hold before they gather it."""

import os
from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from tdebug.gather import (
    RankError,
    gather_uneven,
    require_same_shapes,
)


def report_error(body, *arguments):
    try:
        body(*arguments)
    except (RankError, TypeError, ValueError) as error:
        return [type(error).__name__, str(error)]
    return None


def gather_what_differs_in_size():
    import numpy as np  # noqa: PLC0415  # a rank without numpy arrays does not need it

    rank = dist.get_rank()
    gathered = gather_uneven(
        {
            "rows": torch.full((rank, 2), rank),
            "widths": torch.full((1, 1 + rank, 2), rank, dtype=torch.bfloat16),
            "scalar": torch.tensor(rank, dtype=torch.uint8),
            "numpy": (np.full((2, rank), rank, dtype=">f8"), None, np.array([f"r{rank}"])),
            "strided": torch.arange(6).reshape(2, 3).t()[:2] + 10 * rank,
            "complex": torch.tensor([1j * rank]).conj(),
            "empty": torch.zeros(0, 3, dtype=torch.bool),
        },
        padding_index=9,
    )
    return {
        "rows": gathered["rows"].tolist(),
        "widths": [str(gathered["widths"].dtype), gathered["widths"].tolist()],
        "scalar": [str(gathered["scalar"].dtype), gathered["scalar"].tolist()],
        "numpy": [str(gathered["numpy"][0].dtype), gathered["numpy"][0].tolist()],
        "none": gathered["numpy"][1],
        "text": gathered["numpy"][2].tolist(),
        "strided": gathered["strided"].tolist(),
        "complex": [value.imag for value in gathered["complex"].tolist()],
        "empty": list(gathered["empty"].shape),
    }


def disagree_in_many_ways():
    rank = dist.get_rank()
    odd = rank == 1
    x = torch.zeros(2, 3)
    usable = torch.ones(1)
    found = {
        "dtype": report_error(gather_uneven, {"x": x.long() if odd else x}),
        "dimensions": report_error(gather_uneven, {"x": x[0] if odd else x}),
        "kind": report_error(gather_uneven, [x.numpy() if odd else x]),
        "structure": report_error(gather_uneven, (x, x) if odd else [x, x]),
        "keys": report_error(gather_uneven, {"x": x, "extra": x} if odd else {"x": x}),
        "none": report_error(gather_uneven, [None] if odd else [x]),
        "no array": report_error(gather_uneven, ["text"] if odd else [x]),
        "padding": report_error(gather_uneven, torch.zeros(1, 1 + rank, dtype=torch.bool)),
        "shapes": report_error(require_same_shapes, x[:1] if odd else x, "before all_gather"),
        "nothing": report_error(require_same_shapes, x),
    }
    dist.all_reduce(usable)
    return found | {"usable": usable.item()}


def gather_many_times():
    """Give by how many bytes this process grew over many steps of 375 KiB."""
    rows = torch.ones(32, 1024)
    sizes = []
    for _ in range(2):
        for _ in range(200):
            gather_uneven(rows)
        sizes.append(
            int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        )
    return sizes[1] - sizes[0]


def test_what_differs_in_size_is_gathered_in_the_order_of_the_ranks(run_ranks):
    ranks = run_ranks(gather_what_differs_in_size)

    assert [rank.code for rank in ranks] == [0, 0, 0], ranks[0].stderr
    for rank in ranks:
        assert rank.value == {
            "rows": [[1, 1], [2, 2], [2, 2]],
            "widths": [
                "torch.bfloat16",
                [
                    [[0, 0], [9, 9], [9, 9]],
                    [[1, 1], [1, 1], [9, 9]],
                    [[2, 2], [2, 2], [2, 2]],
                ],
            ],
            "scalar": ["torch.uint8", [0, 1, 2]],
            "numpy": [">f8", [[9, 9], [9, 9], [1, 9], [1, 9], [2, 2], [2, 2]]],
            "none": None,
            "text": ["r0", "r1", "r2"],
            "strided": [[0, 3], [1, 4], [10, 13], [11, 14], [20, 23], [21, 24]],
            "complex": [0, -1, -2],
            "empty": [0, 3],
        }


def test_what_differs_otherwise_is_raised_on_every_rank_with_who_has_what(run_ranks):
    ranks = run_ranks(disagree_in_many_ways)

    assert [rank.code for rank in ranks] == [0, 0, 0], ranks[0].stderr
    texts = {case: error and error[1] for case, error in list(ranks[0].value.items())[:-1]}
    assert texts == {
        "dtype": (
            "the ranks differ at 'gather_uneven' in arrays['x']:\n"
            "  ranks 0 and 2: torch float32 with 2 dimensions\n"
            "  rank 1: torch int64 with 2 dimensions"
        ),
        "dimensions": (
            "the ranks differ at 'gather_uneven' in arrays['x']:\n"
            "  ranks 0 and 2: torch float32 with 2 dimensions\n"
            "  rank 1: torch float32 with 1 dimension"
        ),
        "kind": (
            "the ranks differ at 'gather_uneven' in arrays[0]:\n"
            "  ranks 0 and 2: torch float32 with 2 dimensions\n"
            "  rank 1: numpy float32 with 2 dimensions"
        ),
        "structure": (
            "the ranks differ at 'gather_uneven' in arrays:\n"
            "  ranks 0 and 2: list of 2\n"
            "  rank 1: tuple of 2"
        ),
        "keys": (
            "the ranks differ at 'gather_uneven' in arrays:\n"
            "  ranks 0 and 2: dict with the keys 'x'\n"
            "  rank 1: dict with the keys 'x', 'extra'"
        ),
        "none": (
            "the ranks differ at 'gather_uneven' in arrays[0]:\n"
            "  ranks 0 and 2: array\n"
            "  rank 1: None"
        ),
        "no array": (
            "the ranks differ at 'gather_uneven' in what they hold:\n"
            "  ranks 0 and 2: arrays\n"
            "  rank 1: TypeError: arrays[0] is a str; what can be gathered are tensors, numpy "
            "arrays, and lists, tuples and dicts of them."
        ),
        "padding": (
            "arrays needs padding, and padding_index=-100 does not fit its dtype torch.bool: give "
            "a padding_index that does, 0 for example, or pad it yourself."
        ),
        "shapes": (
            "the ranks differ at 'before all_gather' in arrays:\n"
            "  ranks 0 and 2: torch float32 of shape (2, 3)\n"
            "  rank 1: torch float32 of shape (1, 3)"
        ),
        "nothing": None,
    }
    for rank in (ranks[1], ranks[2]):
        same = [case for case in texts if rank.value[case] == ranks[0].value[case]]
        assert set(texts) - set(same) <= {"no array"}
    assert ranks[1].value["no array"][0] == "TypeError"
    assert [rank.value["usable"] for rank in ranks] == [3, 3, 3]


def test_without_a_process_group_the_rows_of_this_process_come_back():
    require_same_shapes(torch.ones(2))

    gathered = gather_uneven({"loss": torch.tensor(1.0), "none": None})

    assert gathered["loss"].tolist() == [1.0]
    assert gathered["none"] is None


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads the size as Linux has it")
def test_gathering_many_times_keeps_no_memory(run_ranks):
    # Words that stay in the store lie between the buffers and keep the allocator from reusing them.
    ranks = run_ranks(gather_many_times)

    assert [rank.code for rank in ranks] == [0, 0, 0], ranks[0].stderr
    assert max(rank.value for rank in ranks) < 20e6  # all steps together are 79 MB
