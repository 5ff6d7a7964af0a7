import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest
import torch

from tdebug.pipeline_checks.facts.exceptions import ExceptionFact
from tdebug.pipeline_checks.observe.fields import sample_fields
from tdebug.pipeline_checks.observe.samples import SampleObserver


def observe(samples, length=None, start=0):
    observer = SampleObserver(list(samples), len(samples) if length is None else length,
                              is_iterable=False)  # fmt: skip
    for index, sample in enumerate(samples, start):
        observer.take(index, sample)
    return observer.facts()


def test_a_field_is_told_with_its_kind_range_and_distinct_values():
    facts = observe([{"x": torch.tensor([1.0, 4.0]), "label": n % 3} for n in range(6)])

    x, label = facts.fields
    assert (x.path, x.kinds[0].kind, x.shapes[0].shape) == ('["x"]', "float32 tensor", (2,))
    assert (x.min, x.max, x.mean) == (1.0, 4.0, 2.5)
    assert x.std == pytest.approx(1.5)
    assert [(v.value, v.count, v.first) for v in label.values] == [(0, 2, 0), (1, 2, 1), (2, 2, 2)]
    assert (label.min_index, label.max_index) == (0, 2)
    assert facts.container == "dict"
    assert facts.read_text == "all 6 samples"


def test_fractions_have_no_distinct_values():
    [field] = observe([0.5, 1.0]).fields

    assert (field.values, field.is_whole) == ((), False)


def test_whole_floats_have_distinct_values():
    [field] = observe([0.0, 1.0]).fields

    assert ([v.value for v in field.values], field.is_whole) == ([0, 1], True)


def test_over_a_thousand_distinct_values_are_not_listed():
    [field] = observe([torch.arange(1500)]).fields

    assert (field.values, field.max) == ((), 1499.0)


def test_a_value_counts_once_a_sample():
    [field] = observe([torch.tensor([3, 3, 3]), torch.tensor([3, 4, 4])]).fields

    assert [(v.value, v.count) for v in field.values] == [(3, 2), (4, 1)]


@pytest.mark.parametrize(
    ("value", "kind"), [(math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf")]
)
def test_values_that_are_not_finite_are_told_with_sample_and_position(value, kind):
    clean = torch.ones(2, 3)
    dirty = clean.clone()
    dirty[1, 2] = value

    [field] = observe([clean, dirty, dirty]).fields

    [bad] = field.bad
    assert (bad.kind, bad.index, bad.position, bad.num_samples, bad.num_values) == (
        kind, 1, (1, 2), 2, 2,
    )  # fmt: skip
    assert (field.min, field.max) == (1.0, 1.0)


def test_a_sample_of_nothing_but_nan_has_no_range():
    [field] = observe([torch.full((2,), math.nan)]).fields

    assert (field.min, field.max, field.mean) == (None, None, None)


def test_complex_numbers_are_read_as_their_parts():
    [field] = observe([torch.tensor([1 + 2j])]).fields

    assert (field.min, field.max) == (1.0, 2.0)


def test_shapes_are_counted_with_their_first_samples():
    facts = observe([torch.zeros(n) for n in (3, 5, 3, 9)])

    [field] = facts.fields
    assert [(s.shape, s.count, s.indices) for s in field.shapes] == [
        ((3,), 2, (0, 2)),
        ((5,), 1, (1,)),
        ((9,), 1, (3,)),
    ]
    assert (field.longest, field.longest_index) == (9, 3)


def test_a_field_that_some_samples_lack_is_told_with_the_first_of_them():
    facts = observe([{"a": 1, "b": 1}, {"a": 1}, {"a": 1, "b": 1}, {"a": 1, "c": 1}])

    by_name = {field.name: field.first_missing for field in facts.fields}
    assert by_name == {"a": None, "b": 1, "c": 0}


def test_a_field_that_ends_early_is_missing_from_then_on():
    facts = observe([{"a": 1, "b": 1}, {"a": 1, "b": 1}, {"a": 1}])

    assert facts.field("b").first_missing == 2


def test_samples_that_are_none_are_listed_and_are_no_field():
    facts = observe([{"a": 1}, None, {"a": 2}])

    assert facts.none_indices == (1,)
    assert facts.field("a").first_missing is None


def test_zero_rows_are_counted():
    [field] = observe([torch.ones(2), torch.zeros(2), torch.zeros(2)]).fields

    assert (field.num_zero_rows, field.first_zero_row) == (2, 1)


def test_samples_that_raise_are_counted_and_the_first_are_kept():
    observer = SampleObserver([], 40, is_iterable=False)
    for index in range(30):
        observer.fail(index, ExceptionFact("ValueError", "bad"))

    facts = observer.facts()

    assert (facts.num_failed, len(facts.failed), facts.failed[0].index) == (30, 20, 0)


def test_the_largest_readable_index_is_kept():
    assert observe([{"a": 1}] * 3).last_readable == 2


def test_copies_of_earlier_samples_are_counted():
    rows = [{"x": torch.arange(4) + n} for n in range(3)]

    facts = observe([*rows, rows[1]])

    assert (facts.copies.num_repeated, facts.copies.first, facts.copies.same_as) == (1, 3, 1)


def test_how_many_were_read_is_told_in_words():
    assert observe([1, 2], length=4000).read_text == "2 of 4000 samples"
    assert observe([1], length=1).read_text == "the only sample"


class Point(NamedTuple):
    x: int
    y: int


@dataclass
class Row:
    ids: list
    label: int


@pytest.mark.parametrize(
    ("sample", "paths"),
    [
        ({"a": 1, "b": {"c": 2}}, ['["a"]', '["b"]["c"]']),
        ((torch.zeros(2), 1), ["[0]", "[1]"]),
        (Point(1, 2), [".x", ".y"]),
        (Row([1, 2], 3), [".ids", ".label"]),
        ([{"boxes": np.zeros(4)}, {"boxes": np.zeros(4)}], ['[0]["boxes"]', '[1]["boxes"]']),
        ({0: 1}, ["[0]"]),
        (7, [""]),
        ({}, [""]),
    ],
)
def test_fields_are_named_as_the_user_would_write_them(sample, paths):
    assert [path for path, _ in sample_fields(sample)] == paths


def test_very_deep_samples_end_somewhere():
    deep = {"a": {"b": {"c": {"d": {"e": {"f": 1}}}}}}

    [(path, _)] = sample_fields(deep)

    assert path == '["a"]["b"]["c"]["d"]'


def test_columns_of_a_table_are_compared_whatever_their_stride():
    column = torch.arange(3.0).as_strided((3, 1), (1, 3))  # as pandas lays one out

    facts = observe([column[n] for n in (0, 1, 0)])

    assert (facts.copies.num_compared, facts.copies.num_repeated) == (3, 1)


def test_a_missing_field_is_told_by_the_samples_own_index():
    observer = SampleObserver([], 1000, is_iterable=False)
    for index, sample in ((0, {"a": 1, "b": 1}), (992, {"a": 1, "b": 1}), (999, {"a": 1})):
        observer.take(index, sample)

    assert observer.facts().field("b").first_missing == 999


def test_large_numbers_that_differ_little_keep_their_spread():
    [field] = observe(
        [torch.tensor([1.7e9 + n % 2], dtype=torch.float64) for n in range(10)]
    ).fields

    assert (field.mean, field.std) == (pytest.approx(1.7e9 + 0.5), pytest.approx(0.5))


def test_a_constant_has_no_spread():
    [field] = observe([torch.full((3,), 1e8)] * 5).fields

    assert field.std == 0.0


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.float16])
def test_numbers_of_every_dtype_are_read(dtype):
    [field] = observe([np.array([3, 7], dtype=dtype)]).fields

    assert (field.min, field.max, [v.value for v in field.values]) == (3.0, 7.0, [3, 7])
