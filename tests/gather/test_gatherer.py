"""Chunks of all processes come back in dataset order, once each."""

import numpy as np
import pytest
import torch
from transformers.modeling_outputs import TokenClassifierOutput

from tdebug.gather import DistributedTensorGatherer, SequentialDistributedSampler
from tdebug.gather.nested import map_nested


def deal(num_samples, world_size, batch_sizes, multiple=None):
    """Give the samples of each step as an all_gather would: rank after rank."""
    blocks = [
        list(SequentialDistributedSampler(range(num_samples), world_size, rank, multiple))
        for rank in range(world_size)
    ]
    start, steps = 0, []
    for size in batch_sizes:
        steps.append([index for block in blocks for index in block[start : start + size]])
        start += size
    assert start == len(blocks[0])
    return steps


def test_the_worked_example():
    steps = deal(16, world_size=3, batch_sizes=[2, 2, 2])
    gatherer = DistributedTensorGatherer(world_size=3, num_samples=16)

    for step in steps:
        gatherer.add_arrays(torch.tensor(step))

    assert steps == [[0, 1, 6, 7, 12, 13], [2, 3, 8, 9, 14, 15], [4, 5, 10, 11, 0, 1]]
    assert gatherer.finalize().tolist() == list(range(16))


@pytest.mark.parametrize(
    ("num_samples", "world_size", "batch_sizes", "multiple"),
    [
        (21, 4, [2, 3, 1], None),
        (16, 3, [4, 2], None),
        (101, 4, [8, 8, 8, 2], None),
        (40, 2, [8, 8, 4], None),
        (7, 4, [2], None),
        (7, 8, [1], None),
        (1, 4, [1], None),
        (3, 8, [1], None),
        (0, 3, [0], None),
        (10, 3, [4], 4),
        (23, 2, [16], 16),
        (5, 3, [2], 2),
        (5, 1, [2, 2, 1], None),
    ],
)
def test_every_sample_comes_once_and_in_order(num_samples, world_size, batch_sizes, multiple):
    gatherer = DistributedTensorGatherer(world_size, num_samples, make_multiple_of=multiple)

    for step in deal(num_samples, world_size, batch_sizes, multiple):
        gatherer.add_arrays(torch.tensor(step, dtype=torch.int64))

    assert gatherer.finalize().tolist() == list(range(num_samples))


def test_rows_of_uneven_lengths_are_padded_up_to_the_longest():
    rows = np.arange(21 * 13).reshape(21, 13)
    gatherer = DistributedTensorGatherer(world_size=4, num_samples=21)

    for step, length in zip(deal(21, 4, [2, 3, 1]), [8, 10, 13], strict=True):
        gatherer.add_arrays([rows[step, :length], rows[step]])
    varying, full = gatherer.finalize()

    assert varying.shape == (21, 13)
    assert varying[0].tolist() == [*range(8), *[-100] * 5]
    assert varying[2].tolist() == [*range(26, 36), *[-100] * 3]
    assert varying[5].tolist() == rows[5].tolist()
    assert np.array_equal(full, rows)


def test_rows_that_become_shorter_are_padded():
    gatherer = DistributedTensorGatherer(world_size=1, num_samples=2, padding_index=7)

    gatherer.add_arrays(torch.ones(1, 2, 2))
    gatherer.add_arrays(torch.ones(1, 1, 3))

    assert gatherer.finalize().tolist() == [[[1, 1, 7], [1, 1, 7]], [[1, 1, 1], [7, 7, 7]]]


def test_structures_kinds_and_dtypes_come_back_as_they_went_in():
    chunk = {
        "a": [torch.ones(2, dtype=torch.bfloat16), (np.ones(2, dtype=np.int8), None)],
        "b": TokenClassifierOutput(logits=torch.ones(2, 1, dtype=torch.float8_e4m3fn)),
    }
    gatherer = DistributedTensorGatherer(world_size=2, num_samples=2)

    gatherer.add_arrays(chunk)
    gathered = gatherer.finalize()

    def describe(_, leaf):
        return None if leaf is None else (type(leaf), leaf.dtype, tuple(leaf.shape))

    assert map_nested(describe, gathered) == map_nested(describe, chunk)
    assert type(gathered["b"]) is TokenClassifierOutput


@pytest.mark.parametrize("padding", [0, 5])
def test_the_padding_asked_for_reaches_nested_arrays(padding):
    gatherer = DistributedTensorGatherer(world_size=1, num_samples=2, padding_index=padding)

    gatherer.add_arrays([[torch.ones(1, 1)]])
    gatherer.add_arrays([[torch.ones(1, 2)]])

    assert gatherer.finalize()[0][0].tolist() == [[1, padding], [1, 1]]


def test_tensors_with_gradients_and_squeezed_batches_are_taken():
    gatherer = DistributedTensorGatherer(world_size=1, num_samples=2)

    gatherer.add_arrays(torch.ones(1, requires_grad=True) * 2)
    gatherer.add_arrays(torch.tensor(3.0))

    assert gatherer.finalize().tolist() == [2.0, 3.0]
    assert not gatherer.finalize().requires_grad


def test_dicts_are_matched_by_key():
    gatherer = DistributedTensorGatherer(world_size=1, num_samples=2)

    gatherer.add_arrays({"a": torch.tensor([1]), "b": torch.tensor([2])})
    gatherer.add_arrays({"b": torch.tensor([4]), "a": torch.tensor([3])})

    assert {key: x.tolist() for key, x in gatherer.finalize().items()} == {"a": [1, 3], "b": [2, 4]}


def test_nothing_added_gives_none():
    gatherer = DistributedTensorGatherer(world_size=2, num_samples=4)

    gatherer.add_arrays(None)

    assert gatherer.finalize() is None


def test_there_is_one_result_array_while_the_width_is_known():
    gatherer = DistributedTensorGatherer(world_size=2, num_samples=8)
    gatherer.add_arrays(torch.ones(4, 3))
    before = gatherer._results["arrays"].array.data_ptr()

    gatherer.add_arrays(torch.ones(4, 2))

    assert gatherer.finalize().data_ptr() == before
    assert gatherer.finalize().untyped_storage().nbytes() == 8 * 3 * 4


def test_samples_that_were_never_added_are_warned_of_and_padded():
    gatherer = DistributedTensorGatherer(world_size=2, num_samples=7)
    gatherer.add_arrays(torch.tensor([0, 1, 4, 5]))

    with pytest.warns(UserWarning, match=r"3 of 7 samples were never added \(samples 2 to 3, 6 to"):
        rows = gatherer.finalize().tolist()

    assert rows == [0, 1, -100, -100, 4, 5, -100]


def test_samples_that_were_never_added_and_cannot_be_padded_are_refused():
    gatherer = DistributedTensorGatherer(world_size=1, num_samples=2)
    gatherer.add_arrays(torch.tensor([True]))

    with (
        pytest.warns(UserWarning, match="1 of 2 samples were never added"),
        pytest.raises(ValueError, match=r"padding_index=-100 does not fit its dtype torch.bool"),
    ):
        gatherer.finalize()


@pytest.mark.parametrize(
    ("arrays", "error", "sentence"),
    [
        (torch.zeros(4), ValueError, "arrays has 4 rows: with 3 processes the number of rows must"),
        (
            torch.zeros(9),
            ValueError,
            "too many rows: 6 samples are 2 rows from each of 3 processes",
        ),
        ([torch.zeros(3), torch.zeros(6)], ValueError, r"arrays\[0\] has 3, arrays\[1\] has 6"),
        (torch.tensor(1.0), ValueError, "arrays has 1 row: with 3 processes"),
        ([], ValueError, "there is no array in what was added"),
        ([None], ValueError, "there is no array in what was added"),
        ([1.5], TypeError, r"arrays\[0\] is a float; what can be gathered are tensors"),
        (torch.eye(3).to_sparse(), TypeError, "arrays is a sparse_coo tensor; only dense ones"),
    ],
)
def test_a_first_chunk_that_does_not_fit_is_refused(arrays, error, sentence):
    gatherer = DistributedTensorGatherer(world_size=3, num_samples=6)

    with pytest.raises(error, match=sentence):
        gatherer.add_arrays(arrays)


@pytest.mark.parametrize(
    ("arrays", "error", "sentence"),
    [
        (
            {"y": torch.zeros(3)},
            ValueError,
            "the structures differ at arrays: dict with the keys 'x'",
        ),
        (
            {"x": torch.zeros(3)},
            TypeError,
            r"\['x'\]: expected torch.int8 as in the first chunk, got",
        ),
        (
            {"x": np.zeros(3, dtype="int8")},
            TypeError,
            "expected a Tensor as in the first chunk, got",
        ),
        ({"x": torch.zeros(3, 1, dtype=torch.int8)}, ValueError, "expected 1 dimension as in the"),
        (
            {"x": torch.zeros(6, dtype=torch.int8)},
            ValueError,
            "1 were added before, and 2 more came",
        ),
    ],
)
def test_a_later_chunk_that_does_not_fit_is_refused_and_changes_nothing(arrays, error, sentence):
    gatherer = DistributedTensorGatherer(world_size=3, num_samples=6)
    gatherer.add_arrays({"x": torch.tensor([0, 2, 4], dtype=torch.int8)})

    with pytest.raises(error, match=sentence):
        gatherer.add_arrays(arrays)
    gatherer.add_arrays({"x": torch.tensor([1, 3, 5], dtype=torch.int8)})

    assert gatherer.finalize()["x"].tolist() == [0, 1, 2, 3, 4, 5]


def test_a_chunk_whose_padding_does_not_fit_changes_nothing():
    gatherer = DistributedTensorGatherer(world_size=1, num_samples=2)
    gatherer.add_arrays([torch.zeros(1), torch.zeros(1, 1, dtype=torch.bool)])

    with pytest.raises(ValueError, match=r"arrays\[1\] needs padding, and padding_index=-100"):
        gatherer.add_arrays([torch.ones(1), torch.ones(1, 2, dtype=torch.bool)])
    gatherer.add_arrays([torch.ones(1), torch.ones(1, 1, dtype=torch.bool)])

    assert [x.flatten().tolist() for x in gatherer.finalize()] == [[0, 1], [False, True]]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"world_size": 0, "num_samples": 1}, "world_size must be at least 1, got 0"),
        ({"world_size": 1, "num_samples": -1}, "num_samples must be at least 0, got -1"),
        ({"world_size": 1, "num_samples": 1, "make_multiple_of": 0}, "make_multiple_of must be at"),
    ],
)
def test_numbers_out_of_range_are_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        DistributedTensorGatherer(**arguments)


def test_a_number_of_samples_that_is_not_whole_is_refused():
    with pytest.raises(TypeError, match=r"num_samples must be a whole number, got 3\.5"):
        DistributedTensorGatherer(world_size=2, num_samples=3.5)
