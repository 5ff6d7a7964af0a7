"""Each process gets one block, in order."""

import pytest
from torch.utils.data import DataLoader

from tdebug.gather import SequentialDistributedSampler


@pytest.mark.parametrize(
    ("length", "batch_size", "per_rank"),
    [(23, None, 12), (64, None, 32), (123, None, 62), (23, 16, 16), (64, 16, 32), (123, 16, 64)],
)
def test_two_blocks_are_the_dataset_and_its_head_again(length, batch_size, per_rank):
    samplers = [SequentialDistributedSampler(range(length), 2, r, batch_size) for r in range(2)]

    dealt = [index for sampler in samplers for index in sampler]

    assert [len(sampler) for sampler in samplers] == [per_rank, per_rank]
    assert dealt[:length] == list(range(length))
    assert dealt[length:] == list(range(2 * per_rank - length))


@pytest.mark.parametrize(("length", "world_size"), [(1, 4), (3, 8)])
def test_more_processes_than_samples_repeat_the_dataset_more_than_once(length, world_size):
    samplers = [
        SequentialDistributedSampler(range(length), world_size, r) for r in range(world_size)
    ]

    assert [list(sampler) for sampler in samplers] == [[r % length] for r in range(world_size)]


def test_an_empty_dataset_gives_empty_blocks():
    assert list(SequentialDistributedSampler([], 2, 1)) == []


def test_a_dataloader_takes_it():
    sampler = SequentialDistributedSampler(range(5), 2, 1)

    assert [batch.tolist() for batch in DataLoader(range(5), 2, sampler=sampler)] == [[3, 4], [0]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((2, 2), "rank must be from 0 to 1 with 2 processes, got 2"),
        ((2, -1), "rank must be from 0 to 1 with 2 processes, got -1"),
        ((0, 0), "num_replicas must be at least 1, got 0"),
        ((1, 0, 0), "batch_size must be at least 1, got 0"),
        ((None, 0), "there is no process group to ask for the number of processes and the rank"),
        ((2, None), "call torch.distributed.init_process_group first, or give num_replicas and"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        SequentialDistributedSampler(range(4), *arguments)
