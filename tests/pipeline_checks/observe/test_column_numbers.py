"""One pass over a column."""

import math

import pytest
import torch

from tdebug.pipeline_checks.facts.samples import BadValue, ValueCount
from tdebug.pipeline_checks.observe import column_numbers
from tdebug.pipeline_checks.observe.column import Column
from tdebug.pipeline_checks.observe.column_numbers import Clock, read_column

nan, inf = math.nan, math.inf


@pytest.fixture(autouse=True, params=[2, 1000])
def chunk(request, monkeypatch):
    monkeypatch.setattr(column_numbers, "CHUNK", request.param)


def read(numbers, **more):
    return read_column(Column("x", torch.as_tensor(numbers), **more), Clock(10))


@pytest.mark.parametrize("name", ["int64", "uint8", "uint16", "float32", "float16", "bfloat16"])
def test_whole_numbers_are_counted_with_their_first_row(name):
    found = read(torch.tensor([1, 3, 1, 0, 3, 1], dtype=getattr(torch, name)))

    assert found.values == (ValueCount(0, 1, 3), ValueCount(1, 3, 0), ValueCount(3, 2, 1))
    assert (found.low, found.high, found.is_whole) == ((0, 3), (3, 1), True)


def test_truth_values_are_whole_numbers():
    found = read([True, False, True])

    assert [value.count for value in found.values] == [1, 2]


def test_what_is_not_finite_is_counted_and_its_first_place_told():
    found = read([[1.0, nan], [nan, nan], [2.5, -inf], [3.0, 4.0]])

    assert found.bad == (BadValue("nan", 2, 3, 0, (1,)), BadValue("-inf", 1, 1, 2, (1,)))
    assert (found.low, found.high, found.is_whole) == ((1.0, 0), (4.0, 3), False)


def test_a_single_number_that_is_not_finite_has_no_place_in_its_row():
    found = read([1.0, nan, 1.0])

    assert found.bad == (BadValue("nan", 1, 1, 1, ()),)
    assert found.values == (ValueCount(1, 2, 0),)


def test_nothing_but_nan_has_no_range():
    found = read([nan, nan])

    assert (found.low, found.high, found.values) == (None, None, ())


def test_a_complex_number_is_not_finite_if_a_part_is_not():
    assert read([1 + 1j, complex(1, nan)]).bad[0].index == 1


def test_the_row_of_a_value_in_lists_is_the_list():
    found = read([5, 9, 1, 7], offsets=torch.tensor([0, 0, 2, 4]))

    assert (found.num_rows, found.low, found.high, found.values) == (3, (1, 2), (9, 1), ())


def test_rows_of_several_whole_numbers_are_not_counted():
    found = read([[1, 2], [3, 4]])

    assert (found.is_whole, found.values, found.high) == (True, (), (4, 1))


def test_too_many_distinct_numbers_are_not_counted():
    assert read(torch.arange(1001)).values == ()
    assert read(torch.tensor([0, 10_000_000])).values == ()


def test_no_time_no_answer():
    assert read_column(Column("x", torch.ones(5)), Clock(-1)) is None
    assert read_column(Column("x"), Clock(10)) is None
    assert read([]) is None
