import numpy as np
import pytest
import torch

from tdebug.pipeline_checks.observe.copies import Copies, fingerprint


def count(*samples):
    copies = Copies()
    for index, sample in enumerate(samples):
        copies.take(index, sample)
    return copies.count()


def test_a_copy_is_found_with_the_sample_that_it_equals():
    x = torch.randn(4)

    found = count((x, 0), (torch.zeros(4), 1), (x.clone(), 0))

    assert (found.num_compared, found.num_repeated) == (3, 1)
    assert (found.first, found.same_as) == (2, 0)
    assert found.num_values == 5


@pytest.mark.parametrize(
    "other",
    [
        {"x": torch.tensor([1.0, 2.0]), "y": 1},
        {"x": torch.tensor([1.0, 2.0], dtype=torch.float64), "y": 0},
        {"x": torch.tensor([[1.0, 2.0]]), "y": 0},
        {"z": torch.tensor([1.0, 2.0]), "y": 0},
    ],
)
def test_another_value_dtype_shape_or_key_is_no_copy(other):
    assert count({"x": torch.tensor([1.0, 2.0]), "y": 0}, other).num_repeated == 0


def test_arrays_text_and_none_are_compared_too():
    sample = {"a": np.arange(3), "b": "text", "c": None, "d": [1, 2]}

    assert count(sample, {**sample, "a": np.arange(3)}).num_repeated == 1


def test_views_and_empty_tensors_have_fingerprints():
    base = torch.arange(6.0).reshape(2, 3)

    assert fingerprint(base.T)[0] == fingerprint(base.T.contiguous())[0]
    assert fingerprint(torch.empty(0))[1] == 0


def test_what_cannot_be_read_is_not_compared():
    assert count(object(), object()) is None
    assert count(np.array([1, "a"], dtype=object)) is None


def test_evaluation_samples_are_compared_with_the_training_samples_only():
    train = Copies()
    train.take(0, (1.0, 2.0))
    against = train.against()

    for index, sample in enumerate([(3.0, 4.0), (3.0, 4.0), (1.0, 2.0)]):
        against.compare(index, sample)

    found = against.count()
    assert (found.num_compared, found.num_repeated) == (3, 1)
    assert (found.first, found.same_as) == (2, 0)
