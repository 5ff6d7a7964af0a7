"""Concatenation pads, promotes, and never changes a value in silence."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tdebug.gather import nested_concat

KINDS = {"torch": torch.tensor, "numpy": np.array}


@pytest.mark.parametrize("kind", KINDS)
def test_uneven_lengths_are_padded_in_every_dimension(kind):
    make = KINDS[kind]

    joined = nested_concat([make([[[1, 2]]])], [make([[[3], [4]]])], padding_index=0)[0]

    assert joined.tolist() == [[[1, 2], [0, 0]], [[3, 0], [4, 0]]]
    assert type(joined) is type(make([0]))


@pytest.mark.parametrize("kind", KINDS)
def test_arrays_without_rows_dimension_count_as_one_row(kind):
    make = KINDS[kind]

    assert nested_concat(make(1.0), make(2.0)).tolist() == [1.0, 2.0]
    assert nested_concat(make([1.0]), make(2.0)).tolist() == [1.0, 2.0]


def test_numpy_scalars_are_arrays():
    assert nested_concat(np.float32(1), np.float32(2)).tolist() == [1.0, 2.0]


def test_padding_reaches_into_nested_structures():
    # The original's helper for new arrays drops the padding at the first nesting.
    first = {"x": ([torch.ones(1, 1)], torch.ones(1, 1))}
    second = {"x": ([torch.ones(1, 2)], torch.ones(1, 2))}

    joined = nested_concat(first, second, padding_index=0)

    assert joined["x"][0][0].tolist() == joined["x"][1].tolist() == [[1, 0], [1, 1]]


@pytest.mark.parametrize("kind", KINDS)
def test_dtypes_are_promoted_with_and_without_padding(kind):
    make = KINDS[kind]

    assert nested_concat(make([[1]]), make([[0.5, 0.5]])).tolist() == [[1, -100], [0.5, 0.5]]
    assert nested_concat(make([[1]]), make([[0.5]])).tolist() == [[1], [0.5]]


@pytest.mark.parametrize(
    ("dtype", "padding"),
    [(torch.bool, -100), (torch.uint8, -100), (torch.int64, 0.5), (torch.float16, -1e5)],
)
def test_padding_that_the_dtype_cannot_hold_is_refused(dtype, padding):
    narrow, wide = torch.zeros(1, 1, dtype=dtype), torch.zeros(1, 2, dtype=dtype)

    with pytest.raises(
        ValueError, match=rf"padding_index={padding} does not fit its dtype {dtype}"
    ):
        nested_concat(narrow, wide, padding_index=padding)
    assert nested_concat(wide, wide, padding_index=padding).shape == (2, 2)


@pytest.mark.parametrize(
    ("dtype", "padding"),
    [
        (torch.bool, 0),
        (torch.uint8, 255),
        (torch.float32, 0.1),
        (torch.bfloat16, -100),
        (torch.float8_e4m3fn, -100),
        (torch.complex64, -100),
        (torch.float16, float("-inf")),
        (torch.float32, float("nan")),
    ],
)
def test_padding_that_the_dtype_holds_is_used(dtype, padding):
    narrow, wide = torch.zeros(1, 1).to(dtype), torch.zeros(1, 2).to(dtype)

    joined = nested_concat(narrow, wide, padding_index=padding)

    assert joined.dtype == dtype
    expected = torch.tensor(padding).to(dtype).to(torch.complex64)
    assert torch.equal(joined[0, 1].to(torch.complex64), expected) or padding != padding  # noqa: PLR0124


def test_numpy_text_that_needs_no_padding_is_joined():
    assert nested_concat(np.array(["ab"]), np.array(["c"])).tolist() == ["ab", "c"]


@pytest.mark.parametrize(
    ("first", "second", "error", "sentence"),
    [
        (torch.zeros(1), np.zeros(1), TypeError, "arrays is a Tensor in the first, a ndarray in"),
        (torch.zeros(1, 2), torch.zeros(1), ValueError, r"dimensions: \(1, 2\), \(1,\)"),
    ],
)
def test_what_cannot_be_joined_is_refused(first, second, error, sentence):
    with pytest.raises(error, match=sentence):
        nested_concat(first, second)


def test_parameters_and_tensors_are_joined_without_gradient():
    joined = nested_concat(torch.nn.Parameter(torch.ones(1)), torch.ones(1))

    assert joined.tolist() == [1, 1]
    assert not joined.requires_grad


@given(
    lengths=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=5),
    kind=st.sampled_from(sorted(KINDS)),
)
def test_every_row_is_kept_and_the_rest_is_padding(lengths, kind):
    parts = [np.arange(rows * width).reshape(rows, width) for rows, width in lengths]
    joined = (
        torch.empty(0, 0, dtype=torch.int64) if kind == "torch" else np.empty((0, 0), dtype=int)
    )

    for part in parts:
        joined = nested_concat(joined, torch.from_numpy(part) if kind == "torch" else part)

    rows = [row for part in parts for row in part.tolist()]
    width = max(width for _, width in lengths)
    assert joined.tolist() == [row + [-100] * (width - len(row)) for row in rows]
