import numpy as np
import pytest
import torch

from tdebug.pipeline_checks.observe.copies import Copies, fingerprint


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"x": torch.ones(2), "y": 1}, {"x": torch.ones(2), "y": 1}),
        ((np.arange(3), "text"), (np.arange(3), "text")),
        (torch.arange(4).reshape(2, 2).t(), torch.tensor([[0, 2], [1, 3]])),
        ([1.0, None, True, b"x"], [1.0, None, True, b"x"]),
    ],
)
def test_equal_contents_have_equal_fingerprints(first, second):
    assert fingerprint(first) == fingerprint(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (torch.ones(2), torch.ones(2, dtype=torch.float64)),
        (torch.ones(4), torch.ones(2, 2)),
        ({"x": 1}, {"y": 1}),
        ("ab", "ba"),
        (1, True),
        (["a", "bc"], ["ab", "c"]),
    ],
)
def test_other_contents_have_others(first, second):
    assert fingerprint(first) != fingerprint(second)


@pytest.mark.parametrize(
    "sample",
    [object(), np.array([None], dtype=object), torch.ones(2, device="meta"),
     torch.ones(2, 2).to_sparse()],
    ids=["object", "object array", "meta", "sparse"],
)  # fmt: skip
def test_what_cannot_be_read_is_not_compared(sample):
    copies = Copies()

    copies.take(0, sample)
    copies.take(1, sample)

    assert copies.count() is None


def test_copies_are_counted_with_the_first_of_them():
    copies = Copies()
    for index, value in enumerate([5, 6, 5, 5]):
        copies.take(index, value)

    found = copies.count()

    assert (found.num_compared, found.num_repeated, found.first, found.same_as) == (4, 2, 2, 0)


def test_others_are_compared_with_what_was_seen_and_not_with_each_other():
    training = Copies()
    for index in range(3):
        training.take(index, index)
    evaluation = training.against()
    for index, value in enumerate([9, 9, 1]):
        evaluation.compare(index, value)

    found = evaluation.count()

    assert (found.num_repeated, found.first, found.same_as) == (1, 2, 1)
    assert training.count().num_repeated == 0
