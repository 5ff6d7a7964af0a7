"""Which column a field is."""

import math

import pytest
import torch

from tdebug.pipeline_checks.observe.column import Column
from tdebug.pipeline_checks.observe.column_fit import KeptValues, find_column
from tdebug.pipeline_checks.observe.column_numbers import Clock, read_column


def kept(*values, start=0):
    result = KeptValues()
    for index, value in enumerate(values, start):
        result.take(index, torch.as_tensor(value))
    return result


def columns(*numbers, path=None):
    found = [Column(str(n), torch.as_tensor(one), path=path) for n, one in enumerate(numbers)]
    return [(column, read_column(column, Clock(10))) for column in found]


def fits(values, *numbers, path=None):
    return find_column(values, "[1]", columns(*numbers, path=path)) is not None


def test_the_column_that_agrees_with_all_values_is_the_field():
    found = find_column(kept(0, 2, 1), "[1]", columns([0, 1, 2, 9], [0, 2, 1, 9]))

    assert found.high == (9, 3)


@pytest.mark.parametrize(
    ("values", "column"),
    [
        (kept(0, 2, 1), [0, 2, 2, 9]),
        (kept(0, 1, start=3), [0, 1, 0, 1]),
        (kept([1.0, 2.0]), [1.0, 2.0]),
        (kept(1, 1, 1), [1, 1, 1, 5]),
        (kept(), [1, 2]),
    ],
    ids=["a value differs", "rows that are not there", "shape", "one value only", "nothing read"],
)
def test_a_column_that_may_be_another_is_not_the_field(values, column):
    assert not fits(values, column)


def test_two_columns_that_agree_and_differ_elsewhere_leave_doubt():
    assert not fits(kept(0, 1), [0, 1, 5], [0, 1, 6])
    assert fits(kept(0, 1), [0, 1, 5], [0, 1, 5])


def test_a_path_that_is_known_needs_no_variety_but_must_agree():
    assert fits(kept(1, 1), [1, 1, 5], path="[1]")
    assert not fits(kept(1, 0), [1, 1, 5], path="[1]")
    assert not fits(kept(1, 0), [1, 0, 5], path="[0]")


def test_numbers_are_compared_in_the_precision_of_the_samples():
    third = torch.tensor([1 / 3, 2 / 3], dtype=torch.float64)

    assert fits(kept(*third.float()), third)
    assert fits(kept([1], [0]), [1.0, 0.0])
    assert fits(kept(math.nan, 1.0), [math.nan, 1.0])


def test_the_latest_of_many_large_values_are_compared():
    rows = torch.arange(400.0).reshape(200, 2)
    changed = rows.clone()
    changed[199, 1] = -1

    assert fits(kept(*rows), rows)
    assert not fits(kept(*changed), rows)
