"""The cheap question has the right answer for any values."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tdebug.overflow import measure
from tdebug.overflow.group_check import find_non_finite
from tdebug.overflow.quick_check import FiniteTensors, is_finite

DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
VALUES = st.lists(st.floats(width=32), min_size=1, max_size=40)


@settings(deadline=None, max_examples=200)
@given(values=VALUES, dtype=st.sampled_from(DTYPES))
def test_one_tensor_is_judged_as_isfinite_judges_it(values, dtype):
    tensor = torch.tensor(values, dtype=torch.float64).to(dtype)

    assert is_finite(tensor) == bool(torch.isfinite(tensor).all())


@settings(deadline=None, max_examples=100)
@given(groups=st.lists(VALUES, max_size=5), dtype=st.sampled_from(DTYPES))
def test_many_tensors_are_judged_as_isfinite_judges_them(groups, dtype):
    tensors = [torch.tensor(values, dtype=torch.float64).to(dtype) for values in groups]

    expected = [i for i, t in enumerate(tensors) if not torch.isfinite(t).all()]
    assert find_non_finite(tensors) == expected


@settings(deadline=None, max_examples=200)
@given(values=VALUES, dtype=st.sampled_from(DTYPES))
def test_numbers_are_those_of_abs(values, dtype):
    tensor = torch.tensor(values, dtype=torch.float64).to(dtype)

    stats = measure(tensor)

    magnitudes = tensor.abs()
    expected = (float(magnitudes.min()), float(magnitudes.max()))
    assert (f"{stats.abs_min}", f"{stats.abs_max}") == (f"{expected[0]}", f"{expected[1]}")
    assert stats.nan_count == int(tensor.isnan().sum())
    assert stats.inf_count == int(tensor.isinf().sum())
    assert stats.zero_share == pytest.approx(float((tensor == 0).double().mean()))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_sum_that_overflows_is_no_alarm(dtype):
    big = torch.full((10_000,), torch.finfo(dtype).max, dtype=dtype)

    assert is_finite(big)
    assert find_non_finite([big, big]) == []


def test_a_tensor_is_known_again_only_while_it_is_the_same_and_unchanged():
    known, tensor = FiniteTensors(), torch.ones(3)
    known.add(tensor)

    assert known.has(tensor)
    assert not known.has(tensor.clone())
    tensor.mul_(2)
    assert not known.has(tensor)
