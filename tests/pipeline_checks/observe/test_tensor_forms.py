import torch

from tdebug.pipeline_checks.observe.copies import fingerprint
from tdebug.pipeline_checks.observe.tensor_forms import can_read, shape_of, without_repetition
from tdebug.pipeline_checks.observe.values import is_value, read_value


def nested():
    return torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)], layout=torch.jagged)


def test_a_nested_tensor_is_described_and_not_read():
    assert shape_of(nested()) == (2,)
    assert not can_read(nested())
    assert read_value(nested()).kind == "nested float32 tensor"
    assert fingerprint(nested()) == (None, 0)


def test_what_expand_repeats_is_read_once():
    huge = torch.arange(3.0)[:, None].expand(3, 2**40)

    assert without_repetition(huge).shape == (3, 1)
    assert read_value(huge).shape == (3, 2**40)
    assert fingerprint(huge) == fingerprint(huge.detach())


def test_a_small_tensor_is_taken_as_it_is():
    small = torch.zeros(1).expand(5)

    assert without_repetition(small) is small


def test_a_list_that_holds_itself_comes_to_an_end():
    numbers = [1, 2]
    numbers.append(numbers)

    assert is_value(numbers)
    assert read_value(numbers).kind == "ragged list of numbers"


def test_an_integer_of_many_digits_has_a_fingerprint():
    assert fingerprint(10**5000) != fingerprint(10**5000 + 1)
